//! The amount of a pair over the whole run, from what is counted whether a pair asks for it or not.

use whyperf_instrument::{SampledShare, may_be_sampled};
use whyperf_model::{Counter, Hierarchy, Pair, Resource};

use crate::daemon::Daemon;
use crate::process::Process;
use crate::shared_state::SharedState;

/// What a pair came to, with one standard error where it is an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// In the unit of the metric.
    pub amount: i64,
    /// Zero where it was counted.
    pub error: u64,
}

impl Daemon {
    /// What a pair came to from the beginning of the run until [`Daemon::now`], in all processes, also those that ended. Functions are
    /// counted only while they are switched on: their running time is an estimate by stack samples, where these tell the same
    /// as events while both do. `None` where they do not, and of other times of functions.
    pub fn over_run(&mut self, pair: &Pair) -> Option<Amount> {
        if let Some(counter) = Counter::of(pair.metric) {
            return self.counted_over_run(counter, pair);
        }
        let SharedState { classes, resources, run_totals, .. } = &mut self.state;
        let is_counted = |code: &Resource| {
            code.is_root() || resources.known(code).is_some_and(|code| classes.is_region(code))
        };
        let asks_for_functions = pair.metric.definition().asks_about_functions();
        if asks_for_functions && !pair.focus.part(Hierarchy::Code).iter().all(is_counted) {
            return self.sampled_over_run(pair);
        }
        let amount = run_totals.amount(pair, classes, resources)?;
        Some(Amount { amount, error: 0 })
    }

    /// The running time in functions: the part of all that the processes ran in which stack samples found them there.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "an estimate"
    )]
    fn sampled_over_run(&mut self, pair: &Pair) -> Option<Amount> {
        let focus = &pair.focus;
        if !may_be_sampled(pair.metric, focus) {
            return None;
        }
        let is_meant = |process: &Process| {
            let [who, machine] =
                [process.resource, process.machine].map(|id| self.state.resources.resource(id));
            let has = |hierarchy, one: &Resource| {
                focus.part(hierarchy).iter().any(|part| part.contains(one))
            };
            has(Hierarchy::Process, who) && has(Hierarchy::Machine, machine)
        };
        let numbered = (0..).zip(&self.processes);
        let meant: Vec<u32> =
            numbered.filter(|(_, process)| is_meant(process)).map(|(number, _)| number).collect();
        let SampledShare { share, error, sampled } =
            self.instrumenter.sampled_share(pair, &meant)?;
        let all =
            Pair::new(pair.metric, focus.with(Hierarchy::Code, Resource::root(Hierarchy::Code)));
        let SharedState { classes, resources, run_totals, .. } = &mut self.state;
        let all = run_totals.amount(&all, classes, resources)?;
        let amount = (share * all as f64) as i64;
        // A process that was there before it was sampled may have done something else then.
        let is_most =
            sampled.0.saturating_mul(5) >= u64::try_from(all).unwrap_or(0).saturating_mul(4);
        is_most.then_some(Amount { amount, error: (error * all as f64) as u64 })
    }
}
