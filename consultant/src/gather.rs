//! Findings that say the same of several processes become one finding, about a set of processes.
//!
//! ```text
//!   exchange waits, /Process/1  0.81
//!   exchange waits, /Process/2  0.80      exchange waits, (/Process/1,/Process/2,/Process/3)  0.80
//!   exchange waits, /Process/3  0.79
//! ```
//!
//! Sixty-three processes that wait for one are one fact. Only leaves are gathered, of one parent, along one hierarchy of the last
//! stage, and only as long as their values are alike; the value of the set is their mean, its ground the weakest of theirs.

use whyperf_model::{Hierarchy, Interval};

use crate::bottleneck::Bottleneck;
use crate::refine::{ALIKE, LAST};
use crate::stretch::Stretch;

/// Gathers what can be gathered. Rows are in the order of a tree, parents first, and stay so.
pub(crate) fn gathered(rows: Vec<Bottleneck>) -> Vec<Bottleneck> {
    let bare: Vec<bool> = (0..rows.len()).map(|at| is_bare_leaf(&rows, at)).collect();
    let mut taken = vec![false; rows.len()];
    let mut found = Vec::with_capacity(rows.len());
    for at in 0..rows.len() {
        if taken[at] {
            continue;
        }
        let mut alike = vec![at];
        if bare[at] {
            let siblings =
                (at + 1..rows.len()).take_while(|other| rows[*other].depth >= rows[at].depth);
            alike.extend(siblings.filter(|other| {
                bare[*other] && !taken[*other] && says_the_same(&rows[at], &rows[*other])
            }));
        }
        alike.iter().for_each(|other| taken[*other] = true);
        found.push(together(&rows, &alike));
    }
    found
}

fn is_bare_leaf(rows: &[Bottleneck], at: usize) -> bool {
    let has_rows_below = rows.get(at + 1).is_some_and(|next| next.depth > rows[at].depth);
    rows[at].leaf && !has_rows_below
}

fn says_the_same(one: &Bottleneck, other: &Bottleneck) -> bool {
    let (low, high) = (one.value.min(other.value), one.value.max(other.value));
    one.depth == other.depth
        && one.happened.len() == other.happened.len()
        && one.hypothesis == other.hypothesis
        && high <= low * ALIKE
        && differing(one, other).is_some()
}

/// The hierarchy of the last stage in which alone they differ, as two children of one resource.
fn differing(one: &Bottleneck, other: &Bottleneck) -> Option<Hierarchy> {
    LAST.into_iter().find(|hierarchy| {
        let part = other.focus.part(*hierarchy);
        let parents = |part: &[whyperf_model::Resource]| part.first().and_then(|one| one.parent());
        let mine = parents(one.focus.part(*hierarchy));
        mine.is_some()
            && mine == parents(part)
            && one.focus.with_set(*hierarchy, part.to_vec()) == other.focus
    })
}

/// The stretches of several rows, which have as many each: the first of all, the second of all, and so on.
#[expect(clippy::cast_precision_loss, reason = "a mean of a few values")]
fn happened<'a>(rows: impl Iterator<Item = &'a Bottleneck> + Clone) -> Vec<Stretch> {
    let first = rows.clone().next().map_or(&[][..], |row| &row.happened);
    let together = |(nth, first): (usize, &Stretch)| {
        let each = || rows.clone().filter_map(|row| row.happened.get(nth));
        Stretch {
            interval: each().map(|one| one.interval).fold(first.interval, hull),
            value: each().map(|one| one.value).sum::<f64>() / each().count() as f64,
        }
    };
    first.iter().enumerate().map(together).collect()
}

fn hull(one: Interval, other: Interval) -> Interval {
    Interval::new(one.start.min(other.start), one.end.max(other.end))
}

#[expect(clippy::cast_precision_loss, reason = "a mean of a few values")]
fn together(rows: &[Bottleneck], alike: &[usize]) -> Bottleneck {
    let first = &rows[alike[0]];
    let Some(hierarchy) = alike.get(1).and_then(|other| differing(first, &rows[*other])) else {
        return first.clone();
    };
    let each = || alike.iter().map(|at| &rows[*at]);
    let parts = each().flat_map(|row| row.focus.part(hierarchy).to_vec());
    Bottleneck {
        focus: first.focus.with_set(hierarchy, parts),
        value: each().map(|row| row.value).sum::<f64>() / alike.len() as f64,
        error: each().filter_map(|row| row.error).reduce(f64::max),
        interval: each().map(|row| row.interval).fold(first.interval, hull),
        happened: happened(each()),
        found: each().map(|row| row.found).min().unwrap_or(first.found),
        since: each().map(|row| row.since).min().unwrap_or(first.since),
        confidence: each().map(|row| row.confidence).fold(1.0, f64::min),
        coverage: each().map(|row| row.coverage).fold(1.0, f64::min),
        ..first.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use whyperf_model::{Focus, Time};

    use super::*;
    use crate::split::Split;
    use crate::step::Origin;

    fn row(focus: &str, value: f64, depth: usize, leaf: bool) -> Bottleneck {
        Bottleneck {
            hypothesis: Cow::Borrowed("ExcessiveSyncWaitingTime"),
            focus: Focus::parse(focus).expect("well formed"),
            value,
            error: None,
            interval: Interval::new(Time::ZERO, Time::from_secs(2)),
            happened: Vec::new(),
            threshold: 0.2,
            operator: '>',
            found: Time::from_secs(1),
            since: Time::ZERO,
            confidence: value,
            coverage: 1.0,
            origin: Origin::Search,
            split: Split::Differing,
            leaf,
            depth,
            meaning: Cow::Borrowed(""),
            advice: Cow::Borrowed(""),
        }
    }

    fn shown(rows: Vec<Bottleneck>) -> Vec<(String, f64)> {
        let brief = |row: Bottleneck| (row.focus.to_string(), row.value);
        gathered(rows).into_iter().map(brief).collect()
    }

    #[test]
    fn alike_leaves_of_one_parent_become_one() {
        let rows = vec![
            row("</Code/a.c>", 0.5, 0, false),
            row("</Code/a.c,/Process/3>", 0.75, 1, true),
            row("</Code/a.c,/Process/1>", 0.25, 1, true),
            row("</Code/a.c,/Process/2>", 0.5, 1, true),
        ];
        let expected = [
            ("</Code/a.c,/Machine,/Process,/SyncObject>", 0.5),
            ("</Code/a.c,/Machine,(/Process/2,/Process/3),/SyncObject>", 0.625),
            ("</Code/a.c,/Machine,/Process/1,/SyncObject>", 0.25),
        ];
        assert_eq!(shown(rows), expected.map(|(focus, value)| (focus.to_owned(), value)));
    }

    #[test]
    fn together_they_happened_when_any_of_them_did() {
        let stretch = |from, to, value| {
            let interval = Interval::new(Time::from_secs(from), Time::from_secs(to));
            Stretch { interval, value }
        };
        let one = |process, happened| Bottleneck {
            happened,
            ..row(&format!("</Process/{process}>"), 0.5, 0, true)
        };
        let rows = vec![
            one(0, vec![stretch(3, 5, 0.75)]),
            one(1, vec![]),
            one(2, vec![stretch(4, 6, 0.25)]),
        ];
        let happened: Vec<_> = gathered(rows).into_iter().map(|row| row.happened).collect();
        assert_eq!(happened, [vec![stretch(3, 6, 0.5)], vec![]]);
    }

    #[test]
    fn what_leads_further_or_elsewhere_stays_by_itself() {
        let rows = vec![
            row("</Process/0>", 0.5, 0, false),
            row("</Code/a.c,/Process/0>", 0.5, 1, true),
            row("</Process/1>", 0.5, 0, false),
            row("</Code/a.c,/Process/1>", 0.5, 1, true),
            row("</Code/b.c,/Process/2>", 0.5, 0, true),
            row("</Code/c.c,/Process/3>", 0.5, 0, true),
        ];
        assert_eq!(gathered(rows.clone()), rows);
    }
}
