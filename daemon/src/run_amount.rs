//! What pairs came to over all of the run, from what is counted whether a pair asks for it or not.

use whyperf_model::{Category, Hierarchy, Pair, Resource};

use crate::daemon::Daemon;
use crate::shared_state::SharedState;

impl Daemon {
    /// What a pair came to from the beginning of the run until [`Daemon::now`], in all processes, also those that ended. `None` of the time
    /// of functions, which are counted only while they are switched on, and of what the operating system was not asked all the time.
    pub fn over_run(&mut self, pair: &Pair) -> Option<i64> {
        let SharedState { classes, resources, run_totals, .. } = &mut self.state;
        let is_counted = |code: &Resource| {
            code.is_root() || resources.known(code).is_some_and(|code| classes.is_region(code))
        };
        let asks_for_functions = pair.metric.definition().categories.contains(Category::Function);
        if asks_for_functions && !pair.focus.part(Hierarchy::Code).iter().all(is_counted) {
            return None;
        }
        run_totals.amount(pair, classes, resources)
    }
}
