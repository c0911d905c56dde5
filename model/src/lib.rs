//! The meaning of the numbers: resource, focus, metric, interval, histogram.
//!
//! Every number of whyperf answers one question: *how much of which quantity, where, and when?* This crate holds the words
//! of that question and nothing that could answer it: no file, no clock, no process.
//!
//! ```text
//!   metric      which quantity of a callpath node counts          metric.rs, meaning.rs
//!   focus       which nodes count: one resource per hierarchy     focus.rs, resource.rs
//!   counter     what the kernel and the processor count           counter.rs
//!   pair        a metric at a focus, which is measured            pair.rs
//!   sample      by how much a pair grew over an interval          sample.rs, time.rs
//!   histogram   the samples of a whole run in fixed memory        histogram/
//!   aggregate   the samples of many processes as one              aggregate.rs
//!   comparison  by how much a process exceeds the others          comparison.rs
//!   efficiency  how well ranks use their time                     efficiency.rs
//!   division    how threads spent their time                      time_division.rs
//!   user event  what counters and gauges of the program come to  user_event.rs
//!   filter      which functions are left out of measuring         code_filter.rs, name_pattern.rs
//!   matching    turns growth of nodes into samples of pairs       matching/
//! ```
//!
//! # Example
//!
//! ```
//! use whyperf_model::{Focus, Hierarchy, Metric, Pair, Resource};
//!
//! let exchange: Resource = "/Code/oned.c/exchng1".parse()?;
//! let focus = Focus::whole_program().with(Hierarchy::Code, exchange);
//! assert_eq!(focus.to_string(), "</Code/oned.c/exchng1,/Machine,/Process,/SyncObject>");
//!
//! let waiting = Pair::new(Metric::SyncWait, focus);
//! assert_eq!(waiting.metric.definition().name, "sync_wait");
//! # Ok::<(), whyperf_model::ParseError>(())
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]

mod aggregate;
mod category;
mod code_filter;
mod comparison;
mod confidence;
mod counter;
mod efficiency;
mod focus;
mod histogram;
pub mod matching;
mod meaning;
mod messages;
mod metric;
mod name_pattern;
mod pair;
mod parse_error;
mod resource;
mod sample;
mod scale;
mod time;
mod time_division;
mod user_event;

pub use aggregate::Aggregate;
pub use category::{Category, CategorySet};
pub use code_filter::{CodeFilter, FilterEffect, FilterRule, FilterTarget, FilteredFunction};
pub use comparison::{ComparedRank, Comparison, FocusMembership};
pub use confidence::SURE;
pub use counter::{Counter, CounterSource, UnknownCounter};
pub use efficiency::{Efficiency, Effort, Jobs};
pub use focus::Focus;
pub use histogram::{Bin, Extremes, Histogram, HistogramReading};
pub use messages::{
    LargestRoutes, MessageGrowth, MessageRow, MessageSide, MessageSums, MessageTable, Route,
};
pub use metric::{Aggregation, Definition, Metric, Quantity, Style, Unit};
pub use name_pattern::{NamePattern, PatternPart};
pub use pair::Pair;
pub use parse_error::{ParseError, Problem};
pub use resource::{Hierarchy, Resource};
pub use sample::Sample;
pub use scale::Scale;
pub use time::{Interval, Nanos, Time};
pub use time_division::{TimeDivision, TimeUse};
pub use user_event::{UserEventKind, UserEventRow, UserEventTotals};
