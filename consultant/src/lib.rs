//! The search for the reasons of slowness: pure logic, told of events and asked for requests.
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
//! It starts by asking each hypothesis of the whole program. What proves true is asked again of its parts, which are true or
//! false in turn; what proves false stops costing. How that goes in detail is `docs/search.md`; where to look in the code:
//!
//! | file | what |
//! |---|---|
//! | `hypothesis/` | the why axis, as a table |
//! | `graph.rs`, `node.rs` | which question led to which, truth going down; the states of one question |
//! | `judge.rs`, `e_process.rs`, `stream.rs` | samples to evidence, evidence to verdicts |
//! | `run_amount.rs`, `stretch.rs` | what values are over the whole run, once that is over; when in the run it happened |
//! | `classic.rs`, `reevaluation.rs` | the classic verdict, and what other dwell times would have made of a run |
//! | `refine.rs`, `catalogue.rs` | which parts there are, and which of them are asked about |
//! | `queue.rs`, `cost.rs` | what is asked next, and whether it may be |
//! | `search/` | the parts above, put together |
//! | `step.rs`, `report.rs`, `gather.rs`, `undecided.rs` | what it did and why; what it found, and what may well be true |
//! | `split.rs`, `margin.rs`, `series.rs` | whether processes differ, and so are findings of their own |
//! | `searches.rs` | one search over the whole run, and one for each phase |
//! | `drive.rs`, `data_source.rs` | the loop in which every search runs, and what carries out its requests |
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
    Directive, DirectiveError, DirectiveLine, Directives, DirectivesInForce, Level, Mistake,
    NameMaps, Whom,
};
pub use drive::{Observer, drive, drive_moment};
pub use hypothesis::{
    Fault, Hypotheses, Hypothesis, HypothesisError, HypothesisId, Normalizer, Operator, Refinement,
    ThresholdFault, ValueUnit,
};
pub use node::NodeId;
pub use reevaluation::Reevaluation;
pub use report::{Guided, QuestionCounts, SearchResult, Untold};
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
