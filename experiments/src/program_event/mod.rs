//! Program events, and the operators by which they are compared: *how, and how much, did the performance change?*
//!
//! ```text
//!   program event        a forest of resources: what a run was made of           event.rs
//!   event group   E1 ⊕ E2, the union of several, labelled by who had it          group.rs
//!   P(E, m, f)           what a metric came to at a focus, trial by trial         results.rs, trials.rs
//!   dd(x, y)             whether two results differ                               discrete_distance.rs, log_growth.rs
//!   perfDiff(E1, E2, m)  the foci at which they differ, the largest parts first   performance_difference.rs
//!   list, cluster        the results of a set of resources, apart                 aggregation.rs
//!   distance             by how much two events differ, as one number             performance_distance.rs
//! ```
//! All of it is pure: an operand is whatever implements [`PerformanceResults`], be it a run, the trials of an experiment, a part of
//! a run, or numbers that somebody wrote down.
//!
//! Source: Karavanic and Miller, *Experiment Management Support for Performance Tuning*, SC97; sections 2.1 to 2.4 and Figures 2 to 5.

mod aggregation;
mod discrete_distance;
mod event;
mod group;
mod log_growth;
mod performance_difference;
mod performance_distance;
mod results;
mod stated_results;
mod trials;

pub use aggregation::{Cluster, cluster, list};
pub use discrete_distance::{Delta, DiscreteDistance, Outlook};
pub use event::ProgramEvent;
pub use group::{EventGroup, RunLabel};
pub(crate) use log_growth::LogGrowth;
pub use performance_difference::{
    Difference, DifferenceTree, Explanation, Scope, performance_difference,
};
pub use performance_distance::{PairedResult, euclidean, weighted_mean};
pub(crate) use results::{AlikeResults, WeightedShare};
pub use results::{PerformanceResults, SampledAmount, alike_results};
pub use stated_results::{StatedResults, StatedResultsError, StatedResultsProblem};
pub use trials::Trials;
