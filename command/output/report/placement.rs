//! How many ranks share how many processors, and to which they are bound.

use std::collections::BTreeSet;

use serde::Serialize;
use whyperf_daemon::RankBinding;

use super::rounded;

/// Where the ranks of a job may run on a machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Placement {
    pub(crate) ranks: usize,
    /// Those that any of them may run on.
    pub(crate) processors: usize,
    pub(crate) ranks_per_processor: f64,
    /// Whether some of them may not run on all that the program may.
    #[serde(skip)]
    is_bound: bool,
    /// By the processors that ranks may run on.
    pub(crate) bindings: Vec<Binding>,
}

/// Ranks that may run on the same processors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Binding {
    pub(crate) ranks: Vec<u32>,
    pub(crate) processors: Vec<usize>,
}

impl Placement {
    /// Of ranks on a machine of which the program may use so many processors; `None` where there are not two.
    #[expect(clippy::cast_precision_loss, reason = "numbers of ranks and processors")]
    pub(crate) fn of(bindings: Vec<RankBinding>, allowed: usize) -> Option<Self> {
        let ranks = bindings.iter().map(|binding| binding.ranks.len()).sum();
        let all: BTreeSet<usize> =
            bindings.iter().flat_map(|binding| &binding.processors).copied().collect();
        let binding =
            |RankBinding { ranks, processors }: RankBinding| Binding { ranks, processors };
        (ranks > 1).then(|| Self {
            ranks,
            processors: all.len(),
            is_bound: bindings.len() > 1 || all.len() < allowed,
            ranks_per_processor: rounded(ranks as f64 / all.len() as f64),
            bindings: bindings.into_iter().map(binding).collect(),
        })
    }

    /// As people read it.
    pub(crate) fn told(&self) -> String {
        let Self { ranks, processors, ranks_per_processor, bindings, .. } = self;
        let plural = if *processors == 1 { "" } else { "s" };
        let share = if ranks > processors {
            format!(", {} per processor", number(*ranks_per_processor))
        } else {
            String::new()
        };
        let bound = if self.is_bound { bound(bindings) } else { "not bound".to_owned() };
        format!("{ranks} ranks on {processors} processor{plural}{share}, {bound}")
    }
}

fn bound(bindings: &[Binding]) -> String {
    let is_own = |binding: &Binding| binding.ranks.len() == 1 && binding.processors.len() == 1;
    match bindings {
        [all] => format!("all bound to {}", ranges(&all.processors)),
        all if all.iter().all(is_own) => "each bound to its own".to_owned(),
        all if all.len() > MOST_TOLD => format!("bound to {} sets of processors", all.len()),
        all => {
            let told = all.iter().map(|binding| {
                let [ranks, processors] = [
                    binding.ranks.iter().map(|rank| *rank as usize).collect(),
                    binding.processors.clone(),
                ]
                .map(|numbers: Vec<usize>| ranges(&numbers));
                format!("{ranks} to {processors}")
            });
            format!("bound: {}", told.collect::<Vec<_>>().join("; "))
        }
    }
}

/// More sets are only counted.
const MOST_TOLD: usize = 4;

/// Sorted numbers in the way of Linux, as in `0-3,8`.
fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let told = ranges.into_iter().map(|(first, last)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    });
    told.collect::<Vec<_>>().join(",")
}

/// At most one digit behind the point.
fn number(value: f64) -> String {
    format!("{value:.1}").trim_end_matches(".0").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(all: &[(&[u32], &[usize])]) -> Option<String> {
        let binding = |(ranks, processors): &(&[u32], &[usize])| RankBinding {
            ranks: ranks.to_vec(),
            processors: processors.to_vec(),
        };
        Placement::of(all.iter().map(binding).collect(), 2).map(|placement| placement.told())
    }

    #[test]
    fn ranks_that_share_processors_are_told_with_how_many() {
        let free = told(&[(&[0, 1, 2, 3], &[0, 1])]);
        assert_eq!(free.as_deref(), Some("4 ranks on 2 processors, 2 per processor, not bound"));
        let bound = told(&[(&[0, 1, 2], &[0]), (&[3], &[1])]);
        assert_eq!(
            bound.as_deref(),
            Some("4 ranks on 2 processors, 2 per processor, bound: 0-2 to 0; 3 to 1")
        );
        let together = told(&[(&[0, 1, 2], &[1])]);
        assert_eq!(
            together.as_deref(),
            Some("3 ranks on 1 processor, 3 per processor, all bound to 1")
        );
    }

    #[test]
    fn ranks_with_room_enough_are_told_with_their_bindings() {
        let own = told(&[(&[0], &[0]), (&[1], &[1])]);
        assert_eq!(own.as_deref(), Some("2 ranks on 2 processors, each bound to its own"));
        let many: Vec<(Vec<u32>, Vec<usize>)> = (0..8)
            .map(|rank| (vec![rank], vec![2 * rank as usize, 2 * rank as usize + 1]))
            .collect();
        let many: Vec<(&[u32], &[usize])> =
            many.iter().map(|(ranks, processors)| (&ranks[..], &processors[..])).collect();
        assert_eq!(
            told(&many).as_deref(),
            Some("8 ranks on 16 processors, bound to 8 sets of processors")
        );
        assert_eq!(told(&[]), None);
    }
}
