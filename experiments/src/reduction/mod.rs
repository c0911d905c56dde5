//! Which functions measuring is not worth: rules over what a run was like, and the filter for the next one.
//!
//! ```text
//!   a run ──► FunctionSums ──┐
//!   rules ──► ReductionRules ┴──► names to leave out ──► a filter of whyperf, TAU, Score-P or gcc ──► FilterFile: read for the next run
//! ```
//! The rules are those of TAUreduce: conditions on a line hold together, and of several lines one is enough.

mod filter;
mod filter_file;
mod function_sum;
mod function_sums;
mod rules;

pub use filter::FilterFormat;
pub use filter_file::{FilterError, FilterFile, FilterProblem};
pub use function_sums::FunctionSums;
pub use rules::{ReductionRules, RuleError, RuleProblem};
