//! Trace files: what each rank of a program did, compact and with an index, and the same as text for people and generators.
//!
//! ```text
//!   "whyperf trace" 00 version
//!   block  events of one rank        at most some kilobytes; the ranks take turns as they come
//!   block  ...
//!   index  name, facts, regions, communicators, and for each rank its blocks: offset, length, checksum
//!   end    offset, length and checksum of the index, "whyperf index"
//! ```
//!
//! A block can be read by itself, so a simulation of thousands of ranks holds one block of each. The index is written last: a file
//! without one was cut. Every block has a checksum, and every number is checked: what is damaged is told, with its rank.

use std::path::{Path, PathBuf};

use whyperf_extrapolate::Rank;

use crate::store::Store;

mod chrome;
mod codec;
mod dumpi;
mod error;
mod goal;
mod index;
mod otf2;
mod reader;
mod text;
mod timeline;
mod writer;

pub use chrome::export_chrome;
pub use dumpi::import_dumpi;
pub use error::{TextTraceError, TraceError};
pub use goal::export_goal;
pub use otf2::{export_otf2, import_otf2};
pub use reader::{RankEvents, TraceFile};
pub use text::{import, write_event, write_head};
pub use timeline::{TimedEvent, Timeline};
pub use writer::TraceWriter;

/// The fact of a trace whose events say how long they took.
pub const MEASURED: &str = "measured";

/// The fact of a trace that says what is not in it.
pub const MISSING: &str = "missing";

/// What is missing where the clock of a rank went back so often; nothing where it never did.
#[must_use]
pub fn clock_steps(rank: Rank, steps: u64) -> Option<String> {
    let times = if steps == 1 { "once".to_owned() } else { format!("{steps} times") };
    (steps > 0).then(|| {
        format!("the clock of {rank} went back {times}: what it did meanwhile takes no time")
    })
}

/// Where the trace of a run of this id lies: beside its store, which has the results of the run, and no room for its events.
#[must_use]
pub fn trace_of(store: &Path, run: &str) -> PathBuf {
    // A server has no room for files: the traces of its runs stay where they were made.
    let store = if Store::is_server(store) { Path::new("whyperf.db") } else { store };
    let mut folder = store.as_os_str().to_owned();
    folder.push(".traces");
    Path::new(&folder).join(format!("{run}.trace"))
}

/// What a trace says of itself beside its ranks, regions and communicators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceAbout {
    /// The program, or the variant of it: traces of one name are the same program on other numbers of ranks.
    pub name: String,
    /// How and where it was made, as names and values.
    pub facts: Vec<(String, String)>,
}
