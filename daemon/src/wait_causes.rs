//! Explains why ranks and threads waited: adds to the model's causes the code in which one rank computed longer than the others.

use std::collections::BTreeMap;

use whyperf_model::matching::{CausedBy, CausedWait};
use whyperf_model::{Hierarchy, Pair, Resource, TimeUse};

use crate::daemon::Daemon;
use crate::shared_state::SharedState;

/// Seconds of computing by function, of each process.
type Seconds = BTreeMap<u32, BTreeMap<Resource, f64>>;

impl Daemon {
    /// Why ranks and threads waited, for each of these pairs of waiting: parts of what they came to, the largest first.
    #[must_use]
    pub fn wait_causes(&mut self, pairs: &[Pair]) -> Vec<Vec<CausedWait>> {
        let SharedState { classes, resources, run_totals, wait_causes, .. } = &mut self.state;
        let causes = |pair| wait_causes.shares(pair, run_totals, classes, resources);
        let mut told: Vec<Vec<CausedWait>> = pairs.iter().map(causes).collect();
        let seconds = self.instrumenter.seconds_of_functions();
        let mut codes: BTreeMap<Resource, Option<Resource>> = BTreeMap::new();
        let all = told.iter_mut().flatten();
        let is_excess = |cause: &&mut CausedWait| {
            cause.by == CausedBy::Rank && cause.spent == TimeUse::Computing
        };
        for cause in all.filter(is_excess) {
            let [process] = cause.focus.part(Hierarchy::Process) else { continue };
            let code = codes.entry(process.clone());
            let code = code.or_insert_with_key(|process| self.code_of_excess(process, &seconds));
            if let Some(code) = code {
                cause.focus = cause.focus.with(Hierarchy::Code, code.clone());
            }
        }
        told
    }

    /// The function in which a rank computed longer than the other ranks of its job do on average: the one that most of the difference
    /// is in.
    fn code_of_excess(&self, process: &Resource, seconds: &Seconds) -> Option<Resource> {
        let resource = self.state.resources.known(process)?;
        let ranks = || (0..).zip(&self.processes).filter(|(_, one)| one.efficiency.has_begun());
        let (number, slow) = ranks().find(|(_, one)| one.resource == resource)?;
        let job = slow.efficiency.effort.job;
        let others =
            ranks().filter(|(other, one)| *other != number && one.efficiency.effort.job == job);
        let others: Vec<_> = others.filter_map(|(other, _)| seconds.get(&other)).collect();
        most_of_the_excess(seconds.get(&number)?, &others)
    }
}

/// Where one has most of what it has more than the others have on average; `None` if no function has half of that.
#[expect(clippy::cast_precision_loss, reason = "a mean")]
fn most_of_the_excess(
    own: &BTreeMap<Resource, f64>,
    others: &[&BTreeMap<Resource, f64>],
) -> Option<Resource> {
    let mean = |code: &Resource| {
        let sum: f64 = others.iter().filter_map(|other| other.get(code)).sum();
        sum / (others.len() as f64).max(1.0)
    };
    let excess = own.iter().map(|(code, seconds)| (code, seconds - mean(code)));
    let excess: Vec<_> = excess.filter(|(_, excess)| *excess > 0.0).collect();
    let all: f64 = excess.iter().map(|(_, excess)| excess).sum();
    let most = excess.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
    most.filter(|(_, excess)| *excess >= all / 2.0).map(|(code, _)| code.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(of: &[(&str, f64)]) -> BTreeMap<Resource, f64> {
        let named =
            |name: &str| Resource::parse(&format!("/Code/a.c/{name}")).expect("well formed");
        of.iter().map(|(name, seconds)| (named(name), *seconds)).collect()
    }

    #[test]
    fn the_excess_is_where_it_computes_longer_and_not_where_it_computes_most() {
        let others = [seconds(&[("sweep", 8.0), ("pack", 1.0)]), seconds(&[("sweep", 9.0)])];
        let others: Vec<_> = others.iter().collect();
        let code = |own: &[(&str, f64)]| {
            most_of_the_excess(&seconds(own), &others).map(|code| code.label())
        };
        assert_eq!(code(&[("sweep", 9.0), ("pack", 6.0)]).as_deref(), Some("pack"));
        assert_eq!(code(&[("sweep", 30.0)]).as_deref(), Some("sweep"));
        assert_eq!(code(&[("a", 1.0), ("b", 1.0), ("c", 1.0)]), None, "in no one of them");
        assert_eq!(code(&[("sweep", 1.0)]), None, "nowhere");
    }
}
