//! Extrapolation: how a program would run on another machine, by simulating its trace there.
//!
//! ```text
//!   TraceHead + events of each rank ─┐
//!                                    ├──► simulate ──► Outcome, and segments and messages for an Observer
//!   Machine ─────────────────────────┘
//! ```
//!
//! | file | what |
//! |---|---|
//! | `trace.rs`, `event.rs`, `identity.rs` | a trace: computing, messages, collective calls, barriers, remote accesses |
//! | `machine/` | a machine as figures: processors, LogGOPS, links, collective algorithms, barriers, noise |
//! | `algorithm/` | collective algorithms as steps |
//! | `simulator/` | the discrete-event simulation |
//! | `scaling.rs` | how a quantity grows with the number of processors, from a few values |
//! | `edit.rs` | a trace with something changed in it |
//! | `outcome.rs`, `observer.rs`, `complaint.rs` | what came of it, while it runs and at the end; what is wrong with a trace |
//!
//! **No process, file, clock, thread or randomness is in this crate**: the same trace and machine give the same result, to the bit.
//!
//! Sources: Mohr, Malony and Shanmugam, *Speedy*, and Shanmugam, Malony and Mohr, *Performance Extrapolation of Parallel Programs*, for
//! the models of processors, remote accesses and barriers; Alexandrov and others, *LogGP*, and Hoefler and others, *LogGOPSim*, for messages.
//!
//! # Example
//!
//! ```
//! use whyperf_extrapolate::{Event, Machine, RegionId, SimTime, TraceHead, simulate};
//!
//! let mut head = TraceHead::new(2);
//! let region = head.name_region("solve");
//! let computes = |micros| vec![Event::Compute { region, span: SimTime::micros(micros) }].into_iter();
//! let mut machine = Machine::ideal();
//! machine.processors.cpu_ratio = 2.0;
//! let outcome = simulate(&head, vec![computes(30.0), computes(50.0)], &machine, &mut ());
//! assert_eq!(outcome.elapsed, SimTime::micros(25.0));
//! ```
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_macros, clippy::disallowed_methods, clippy::disallowed_types)]

mod algorithm;
mod complaint;
mod edit;
mod event;
mod identity;
mod machine;
mod observer;
mod outcome;
mod scaling;
mod simulator;
mod time;
mod trace;

pub use complaint::{Complaint, Wait, Waiting};
pub use edit::{Edit, EventKind, LeftOut, MeetingId};
pub use event::{Collective, CollectiveKind, Event, Expected, RemoteAccess, Sent};
pub use identity::{Bytes, CommId, Rank, RegionId, RequestId, Tag};
pub use machine::{
    Algorithm, AlgorithmChoice, Barrier, Collectives, Interconnect, LinearBarrier, LogGops,
    Machine, MessageUse, Network, Noise, Parameter, ParameterUnit, Processors, RemoteAccessModel,
    ServicePolicy, SizeRange,
};
pub use observer::{Activity, EventBegin, MessageFlight, Observer, Segment};
pub use outcome::{ActivityTimes, Outcome, RankOutcome};
pub use scaling::ScalingModel;
pub use simulator::simulate;
pub use time::SimTime;
pub use trace::{Communicator, TraceHead};
