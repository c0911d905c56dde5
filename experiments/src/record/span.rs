//! Spans of passes: those in which something was so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// From a pass to a pass, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// By number: the passes in which it was so, in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Spans(pub(crate) BTreeMap<u32, Vec<Span>>);

impl Spans {
    /// It is so in this pass; passes come in order.
    pub(crate) fn mark(&mut self, number: u32, pass: u32) {
        let spans = self.0.entry(number).or_default();
        match spans.last_mut().filter(|last| last.last + 1 >= pass) {
            Some(last) => last.last = pass,
            None => spans.push(Span { first: pass, last: pass }),
        }
    }

    /// Whether it was so in a pass.
    pub(crate) fn holds(&self, number: u32, pass: u32) -> bool {
        let spans = self.0.get(&number).into_iter().flatten();
        spans.into_iter().any(|span| (span.first..=span.last).contains(&pass))
    }

    /// Two passes become one, in which it is so if it was so in either.
    pub(crate) fn fold_any(&mut self) {
        for spans in self.0.values_mut() {
            let old = std::mem::take(spans);
            for Span { first, last } in old {
                let span = Span { first: first / 2, last: last / 2 };
                match spans.last_mut().filter(|before| before.last + 1 >= span.first) {
                    Some(before) => before.last = span.last,
                    None => spans.push(span),
                }
            }
        }
    }

    /// Two passes become one, in which it is so if it was so in both.
    pub(crate) fn fold_all(&mut self) {
        for spans in self.0.values_mut() {
            spans.retain_mut(|span| {
                let (first, end) = (span.first.div_ceil(2), span.last.div_ceil(2));
                *span = Span { first, last: end.saturating_sub(1) };
                end > first
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(passes: &[u32]) -> Spans {
        let mut spans = Spans::default();
        passes.iter().for_each(|pass| spans.mark(7, *pass));
        spans
    }

    #[test]
    fn passes_that_follow_are_one_span() {
        let spans = marked(&[0, 1, 2, 5, 6]);
        assert_eq!(spans.0[&7], [Span { first: 0, last: 2 }, Span { first: 5, last: 6 }]);
        assert!(spans.holds(7, 6) && !spans.holds(7, 4) && !spans.holds(8, 0));
    }

    #[test]
    fn a_fold_keeps_what_was_so_in_either_half_or_in_both() {
        let mut any = marked(&[0, 3, 4, 9]);
        let mut all = any.clone();
        any.fold_any();
        let passes: Vec<u32> = (0..6).filter(|pass| any.holds(7, *pass)).collect();
        assert_eq!(passes, [0, 1, 2, 4]);
        all.fold_all();
        assert!((0..6).all(|pass| !all.holds(7, pass)));
        let mut all = marked(&[0, 1, 2, 5, 6, 7]);
        all.fold_all();
        let passes: Vec<u32> = (0..6).filter(|pass| all.holds(7, *pass)).collect();
        assert_eq!(passes, [0, 3]);
    }
}
