//! A data source without machines: programs made of phases, measured by the same rule as real ones, in virtual time.
//!
//! ```text
//!   scenario text ──► SimulatedProgram: what each process does when ──► Simulated: a DataSource ──► Search
//!                                                          └── Checked: does it keep a data source's promises?
//! ```
//!
//! The search is developed and tested against this before it meets a live program, and a failure with a live program can be
//! written down as a scenario. Nothing there is random: noise comes from periods that do not divide the sampling interval.
//! Noise of other kinds, from a seed, is that of [`Ranks`].

#![deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]

mod checked;
mod code;
mod cost_recorder;
mod dice;
mod program;
mod random;
mod ranks;
mod scenario;
mod simulated;

pub use checked::Checked;
pub use code::SimulatedCode;
pub use cost_recorder::CostRecorder;
pub use program::{
    Selection, SimulatedActivity, SimulatedPhase, SimulatedProcess, SimulatedProgram,
};
pub use random::RandomProgram;
pub use ranks::Ranks;
pub use scenario::{Control, Person, Scenario, ScenarioFault};
pub use simulated::{Script, Simulated};
