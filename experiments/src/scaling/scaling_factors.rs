//! What the efficiency of a run is made of: the factors of POP, side by side for each process count.

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy, Metric, Pair, Resource};

use crate::error::StoreError;
use crate::run::RunId;
use crate::store::Store;

/// Factors of efficiency: each is 1 where nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScalingFactors {
    /// The mean of the processes' computing by the time that the run takes: load balance times communication.
    pub parallel: f64,
    /// The mean of the processes' computing by that of the process which computes longest.
    pub load_balance: f64,
    /// The computing of that process by the time that the run takes.
    pub communication: f64,
    /// Seconds that all processes computed.
    pub computing_s: f64,
    /// How much less they compute than with the least processes, for the same work.
    pub computation: f64,
    /// Parallel times computation.
    pub global: f64,
}

impl ScalingFactors {
    /// Of one run: as its report says, or else by what its processes computed.
    pub(super) fn read(
        store: &Store,
        run: &RunId,
        processes: u32,
        elapsed_s: f64,
    ) -> Result<Option<Self>, StoreError> {
        let mut results = match store.run_results(run) {
            Ok(results) => results,
            // A run without a record was timed nevertheless.
            Err(StoreError::NoRecord { .. } | StoreError::BadRecord { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let root = Resource::root(Hierarchy::Process);
        let ranks: Vec<Resource> = results.event().children(&root).cloned().collect();
        let mut seconds = |metric: Metric, focus: &Focus| {
            results.amount(&Pair::new(metric, focus.clone())).map(|amount| amount / 1e9)
        };
        let whole = Focus::whole_program();
        let cpu = seconds(Metric::Cpu, &whole).filter(|cpu| *cpu > 0.0);
        let Some(computing_s) = cpu.or_else(|| seconds(Metric::Compute, &whole)) else {
            return Ok(None);
        };
        let rank = |rank: &Resource| whole.with(Hierarchy::Process, rank.clone());
        let each: Vec<f64> =
            ranks.iter().filter_map(|one| seconds(Metric::Compute, &rank(one))).collect();
        let most = each.iter().copied().fold(0.0, f64::max);
        let mean = each.iter().sum::<f64>() / f64::from(processes);
        if most <= 0.0 || elapsed_s <= 0.0 {
            return Ok(None);
        }
        let mut factors = Self {
            parallel: mean / elapsed_s,
            load_balance: mean / most,
            communication: most / elapsed_s,
            computing_s,
            computation: 1.0,
            global: mean / elapsed_s,
        };
        if let Some(report) = store.report(run)? {
            factors.take_reported(&report.json);
        }
        Ok(Some(factors))
    }

    /// The report leaves out the time before MPI began and after it ended.
    fn take_reported(&mut self, report: &str) {
        let report: serde_json::Value = serde_json::from_str(report).unwrap_or_default();
        let of = |name: &str| report["efficiency"][name].as_f64();
        if let (Some(parallel), Some(balance), Some(communication)) =
            (of("parallel"), of("load_balance"), of("communication"))
        {
            (self.parallel, self.load_balance) = (parallel, balance);
            self.communication = communication;
        }
    }

    /// The mean of several runs.
    pub(super) fn mean(all: &[Self]) -> Option<Self> {
        #[expect(clippy::cast_precision_loss, reason = "there are few trials")]
        let count = all.len() as f64;
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / count;
        (!all.is_empty()).then(|| Self {
            parallel: mean(|one| one.parallel),
            load_balance: mean(|one| one.load_balance),
            communication: mean(|one| one.communication),
            computing_s: mean(|one| one.computing_s),
            computation: 1.0,
            global: mean(|one| one.parallel),
        })
    }

    /// With the runs of the least processes, for so many times the work.
    pub(super) fn compare(&mut self, first: &Self, times_the_work: f64) {
        if self.computing_s > 0.0 {
            self.computation = first.computing_s * times_the_work / self.computing_s;
            self.global = self.parallel * self.computation;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_computing_for_the_same_work_is_lost() {
        let one = |computing_s, parallel| ScalingFactors {
            parallel,
            load_balance: parallel,
            communication: 1.0,
            computing_s,
            computation: 1.0,
            global: parallel,
        };
        let mut same = one(12.5, 0.5);
        same.compare(&one(10.0, 1.0), 1.0);
        assert_eq!((same.computation, same.global), (0.8, 0.4));
        let mut more = one(50.0, 0.5);
        more.compare(&one(10.0, 1.0), 4.0);
        assert_eq!((more.computation, more.global), (0.8, 0.4));
        assert_eq!(ScalingFactors::mean(&[]), None);
    }
}
