//! The search for the reasons why a program is slow: pure logic that takes events and gives requests.
//!
//! ```text
//!        handle_resource, handle_sample, handle_cost, handle_refusal, handle_end
//!                                      │
//!   data source ───────────────────────▼───────────────────────────────┐
//!     ▲     Search:  graph of (hypothesis, focus) ── judge ── refine   │
//!     │                    ▲                                  │        │
//!     │                    └────────────── queue ◄────────────┘        │
//!     └───── poll_request: start, stop ────┴──── poll_step: the log ───┘
//! ```
//!
//! It starts by testing each top-level hypothesis on the whole program. A hypothesis that is true there is tested on the
//! parts of the program, which are true or false in turn; one that is false is no longer measured. `docs/search.md` has the
//! details; the code is in:
//!
//! | file | what |
//! |---|---|
//! | `hypothesis/` | the why axis, as a table |
//! | `graph.rs`, `node.rs` | the search history graph: which question led to which; the states of one question |
//! | `judge.rs`, `e_process.rs`, `stream.rs` | samples to evidence, evidence to verdicts |
//! | `run_amount.rs`, `stretch.rs` | values over the whole run, once it is over; the stretches of the run in which a value was beyond its threshold |
//! | `classic.rs`, `reevaluation.rs` | the classic verdict, and those that other dwell times would have led to |
//! | `refine.rs`, `catalogue.rs` | the parts of the program, and which of them are asked about |
//! | `queue.rs`, `cost.rs` | the next question, and whether the cost limit allows it |
//! | `search/` | the parts above, put together |
//! | `step.rs`, `report.rs`, `gather.rs`, `undecided.rs` | the steps of the search with their reasons; its findings, and the undecided questions |
//! | `split.rs`, `margin.rs`, `series.rs` | whether processes differ, so that each is a finding of its own |
//! | `searches.rs` | one search over the whole run, and one for each phase |
//! | `drive.rs`, `data_source.rs` | the loop in which every search runs, and the source that carries out its requests |
//!
//! **No input or output, clock, thread or randomness is in this crate, and nothing depends on an order that changes from run to
//! run**: the same events give the same steps, to the byte.
//!
//! Sources: the Performance Consultant of Paradyn (search history graph, refinement, hypotheses, cost limit); for the verdicts,
//! testing by betting as in Waudby-Smith and Ramdas, *Estimating means of bounded random variables by betting*.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]

mod bottleneck;
mod calls;
mod catalogue;
mod classic;
mod cost;
mod data_source;
mod directive;
mod drive;
mod e_process;
mod gather;
mod graph;
mod hypothesis;
mod judge;
mod lead;
mod margin;
mod node;
mod places;
mod queue;
mod reevaluation;
mod refine;
mod report;
mod request;
mod run_amount;
mod score;
mod search;
mod searches;
mod series;
mod settings;
mod split;
mod step;
mod stream;
mod stretch;
mod text_position;
mod truth;
mod undecided;

pub use bottleneck::Bottleneck;
pub use data_source::{DataSource, Event};
pub use directive::{
    Directive, DirectiveError, DirectiveLine, DirectiveRefusal, Directives, DirectivesInForce,
    Level, Mistake, NameMaps, PrunedHypotheses,
};
pub use drive::{Observer, drive, drive_moment};
pub use hypothesis::{
    Fault, Hypotheses, Hypothesis, HypothesisError, HypothesisId, Normalizer, Operator, Refinement,
    ThresholdFault, ValueUnit,
};
pub use node::NodeId;
pub use reevaluation::Reevaluation;
pub use report::{DirectiveOutcome, QuestionCounts, SearchResult, UnansweredQuestion};
pub use request::{MeasurementId, Request};
pub use run_amount::RunAmount;
pub use search::{Question, Search, Status};
pub use searches::{Past, SearchScope, Searches};
pub use settings::{Classic, CodeSearch, Order, Settings, Verdicts};
pub use split::Split;
pub use step::{Conclusion, Happening, Origin, Step, Subject};
pub use stretch::Stretch;
pub use text_position::TextPosition;
pub use truth::Truth;
pub use undecided::Undecided;
