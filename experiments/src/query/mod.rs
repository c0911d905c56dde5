//! A small language of questions over the runs of a store.
//!
//! ```text
//!   cpu, sync_wait at </Code/*/solve,/Process/(0,1)> of app:ocean where ranks >= 8 and trial ~ cold during phase:2 aggregate list
//!   metrics           where in the program            of which runs      that are so                  when         as what
//! ```
//! Only the metrics are needed. A `*` in a resource stands for any part of one name, and the resource for the set of all that match in the
//! run that is asked. A set is one value, each resource a value of its own (`aggregate list`), or those about equal together
//! (`aggregate cluster 5%`, of the largest, or `aggregate cluster 20 ms`).

mod answer;
mod condition;
mod grammar;
mod pattern;
mod run_answer;
mod summed_runs;

pub use answer::{Answers, QueryRow};
pub use condition::{Comparator, Field, RunCondition};
pub use grammar::{Query, QueryAggregation, QueryError, QuerySource};
pub use pattern::FocusPattern;
