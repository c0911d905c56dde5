//! The settings of a search: its limits, times, error rates and orders.

use whyperf_model::Nanos;

/// What a user may set. `Settings::default()` is meant for programs that were never searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The share of the slowest process's time that measuring may take.
    pub cost_limit: f64,
    /// How many undecided nodes are measured at once. Nodes found true are measured on and do not count.
    pub active_limit: usize,
    /// How many children a node gets along one hierarchy; further ones are left out, and the steps say so.
    pub breadth: usize,
    /// Up to how many processes each one is asked about from the beginning; see `docs/search.md`.
    pub process_roots: usize,
    /// Up to how many machines each one is asked about once there are more processes than that.
    pub host_roots: usize,
    /// The chance at most accepted that a test concludes true although the value was never above the threshold.
    pub error_true: f64,
    /// The chance at most accepted that a test concludes false although the value was never below the threshold.
    pub error_false: f64,
    /// No verdict on less measured time than this.
    pub least_time: Nanos,
    /// Shorter samples are put together until they are as long as this.
    pub grain: Nanos,
    /// How long an undecided part holds up what comes after it.
    pub patience: Nanos,
    /// The same where it costs nothing to measure what comes after it.
    pub free_patience: Nanos,
    /// After this long a false node whose parent is still true is asked again; then after twice as long, and so on.
    pub retest: Nanos,
    /// How evidence becomes a verdict.
    pub verdicts: Verdicts,
    /// How long what is measured in windows may take to be told.
    pub throttle_patience: Nanos,
    /// What is asked first.
    pub order: Order,
    /// How functions are found.
    pub code_search: CodeSearch,
    /// Seconds that one call of a measured function takes longer, for predictions.
    pub call_cost: f64,
    /// Calls per second that are assumed of a function as long as none were counted.
    pub assumed_rate: f64,
}

/// How evidence becomes a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Verdicts {
    /// As soon as it suffices, with stated chances of an error.
    #[default]
    Sequential,
    /// When the running mean kept to one side for a fixed time.
    Classic(Classic),
}

/// The numbers of classic verdicts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Classic {
    /// How far the mean must be beyond the threshold to change sides, as a part of the threshold.
    pub hysteresis: f64,
    /// How long the mean must be on the side of true.
    pub dwell_true: Nanos,
    /// How long the mean must be on the side of false.
    pub dwell_false: Nanos,
}

impl Default for Classic {
    fn default() -> Self {
        let dwell_time = Nanos::from_secs(20);
        Self { hysteresis: 0.05, dwell_true: dwell_time, dwell_false: dwell_time }
    }
}

/// Which of the questions that wait is asked first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Whatever is expected to tell most for what it costs, whatever the idea came from.
    #[default]
    Information,
    /// More precise hypotheses, then parts along all hierarchies at once; within these as they came.
    Classic,
}

/// How a question that time in functions can answer goes from the whole program to a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CodeSearch {
    /// From the functions in which threads begin along calls: a function is asked about when a caller of it is true.
    #[default]
    CallGraph,
    /// From a module to its functions.
    Module,
}

impl Settings {
    /// After this long without an answer a question is not likely to have one soon.
    pub(crate) fn long_enough(&self) -> Nanos {
        match self.verdicts {
            Verdicts::Sequential => self.patience,
            Verdicts::Classic(rules) => self.patience + rules.dwell_true.max(rules.dwell_false),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cost_limit: 0.05,
            active_limit: 300,
            breadth: 256,
            process_roots: 64,
            host_roots: 4096,
            error_true: 0.01,
            error_false: 0.05,
            least_time: Nanos::from_millis(500),
            grain: Nanos::from_millis(15),
            patience: Nanos::from_secs(3),
            free_patience: Nanos::from_secs(1),
            retest: Nanos::from_secs(4),
            verdicts: Verdicts::Sequential,
            throttle_patience: Nanos::from_secs(10),
            order: Order::Information,
            code_search: CodeSearch::CallGraph,
            call_cost: 60e-9,
            assumed_rate: 1000.0,
        }
    }
}
