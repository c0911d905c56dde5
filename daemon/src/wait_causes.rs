//! Explains why ranks and threads waited: adds to the model's causes the code in which one rank computed longer than the others.

use std::collections::BTreeMap;

use whyperf_model::matching::CausedWait;
use whyperf_model::{Pair, Resource};

use crate::daemon::Daemon;
use crate::shared_state::SharedState;

/// Seconds of computing by function.
type Seconds = BTreeMap<Resource, f64>;

/// The ranks of a job together.
#[derive(Debug, Default)]
struct JobSeconds {
    ranks: u32,
    sum: Seconds,
}

impl Daemon {
    /// Why ranks and threads waited, for each of these pairs of waiting: parts of what they came to, the largest first.
    #[must_use]
    pub fn wait_causes(&mut self, pairs: &[Pair]) -> Vec<Vec<CausedWait>> {
        let SharedState { classes, resources, run_totals, wait_causes, .. } = &mut self.state;
        let causes = |pair| wait_causes.shares(pair, run_totals, classes, resources);
        let mut told: Vec<Vec<CausedWait>> = pairs.iter().map(causes).collect();
        let codes = self.codes_of_excess();
        told.iter_mut().flatten().for_each(|cause| cause.locate(&codes));
        told
    }

    /// Of each rank the function in which it computed longer than the other ranks of its job do on average: the one that most of the
    /// difference is in, as far as stack samples tell.
    #[must_use]
    pub fn codes_of_excess(&self) -> BTreeMap<Resource, Resource> {
        let seconds = self.instrumenter.seconds_of_functions();
        let ranks: Vec<(&Resource, u32, &Seconds)> = (0..)
            .zip(&self.processes)
            .filter(|(_, process)| process.efficiency.has_begun())
            .filter_map(|(number, process)| {
                let name = self.state.resources.resource(process.resource);
                Some((name, process.efficiency.effort.job, seconds.get(&number)?))
            })
            .collect();
        let mut jobs: BTreeMap<u32, JobSeconds> = BTreeMap::new();
        for (_, job, seconds) in &ranks {
            jobs.entry(*job).or_default().add(seconds);
        }
        let code = |(name, job, seconds): (&Resource, u32, &Seconds)| {
            Some((name.clone(), jobs.get(&job)?.most_of_the_excess(seconds)?))
        };
        ranks.into_iter().filter_map(code).collect()
    }
}

impl JobSeconds {
    fn add(&mut self, rank: &Seconds) {
        self.ranks += 1;
        for (code, seconds) in rank {
            *self.sum.entry(code.clone()).or_default() += seconds;
        }
    }

    /// Where a rank has most of what it has more than the others have on average; `None` if no function has half of that.
    fn most_of_the_excess(&self, own: &Seconds) -> Option<Resource> {
        let others = f64::from(self.ranks.saturating_sub(1).max(1));
        let mean = |code: &Resource, own: f64| {
            (self.sum.get(code).copied().unwrap_or_default() - own) / others
        };
        let excess = own.iter().map(|(code, seconds)| (code, seconds - mean(code, *seconds)));
        let excess: Vec<_> = excess.filter(|(_, excess)| *excess > 0.0).collect();
        let all: f64 = excess.iter().map(|(_, excess)| excess).sum();
        let most = excess.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
        most.filter(|(_, excess)| *excess >= all / 2.0).map(|(code, _)| code.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(of: &[(&str, f64)]) -> Seconds {
        let named =
            |name: &str| Resource::parse(&format!("/Code/a.c/{name}")).expect("well formed");
        of.iter().map(|(name, seconds)| (named(name), *seconds)).collect()
    }

    #[test]
    fn the_excess_is_where_it_computes_longer_and_not_where_it_computes_most() {
        let code = |own: &[(&str, f64)]| {
            let own = seconds(own);
            let mut job = JobSeconds::default();
            let others = [&[("sweep", 8.0), ("pack", 1.0)][..], &[("sweep", 9.0)]];
            others.iter().for_each(|other| job.add(&seconds(other)));
            job.add(&own);
            job.most_of_the_excess(&own).map(|code| code.label())
        };
        assert_eq!(code(&[("sweep", 9.0), ("pack", 6.0)]).as_deref(), Some("pack"));
        assert_eq!(code(&[("sweep", 30.0)]).as_deref(), Some("sweep"));
        assert_eq!(code(&[("a", 1.0), ("b", 1.0), ("c", 1.0)]), None, "in no one of them");
        assert_eq!(code(&[("sweep", 1.0)]), None, "nowhere");
    }
}
