//! The result of a sampling pass, which reads all processes once.

use std::fmt;
use std::path::PathBuf;

use whyperf_inject::UnmeasuredReason;
use whyperf_model::matching::{IntervalRecord, PairId};
use whyperf_model::{Interval, Nanos, Resource, Sample};

use crate::discovery::UnmadeProcess;
use crate::error::Error;
use crate::switched::Switched;

/// Everything new since the pass before; each list in a fixed order.
#[derive(Debug, Default)]
pub struct SamplingPass {
    /// The time that it covers.
    pub interval: Interval,
    /// Resources that exist now and did not before, sorted: parents before children.
    pub appeared: Vec<Resource>,
    /// On which machine processes run that appeared.
    pub placed: Vec<(Resource, Resource)>,
    /// Resources that do not exist any more, sorted.
    pub retired: Vec<Resource>,
    /// By how much each pair grew, in the order in which pairs were started. A pair for which
    /// no process could report has none.
    pub samples: Vec<(PairId, Sample)>,
    /// Processes seen for the first time.
    pub started: Vec<ProcessNote>,
    /// The phase that the program announced, if it did; what this pass tells is from before it.
    pub phase: Option<String>,
    /// Processes that ended.
    pub ended: Vec<ProcessNote>,
    /// Regions that processes switched.
    pub switched: Vec<Switched>,
    /// Pairs that cannot be measured, and why.
    pub refused: Vec<(PairId, String)>,
    /// Which functions a function calls, as far as a search asked.
    pub callees: Vec<(Resource, Vec<Resource>)>,
    /// Pairs that are measured in short windows from now on, and the share of the time they cover.
    pub too_hot: Vec<(PairId, f64)>,
    /// Pairs that stack samples tell of from now on, with the running time that each stands for.
    pub sampled: Vec<(PairId, Nanos)>,
    /// How often functions are called per second, by whoever calls them most.
    pub prices: Vec<(Resource, f64)>,
    /// All of it in full, where a record of the run is wanted.
    pub interval_record: Option<IntervalRecord>,
    /// What went wrong and was left out.
    pub complaints: Vec<Complaint>,
}

/// A process, for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessNote {
    /// Its process id.
    pub pid: u32,
    /// Its rank, if it is part of an MPI job.
    pub rank: Option<u32>,
    /// File name of its program.
    pub program: String,
}

/// Something that was left out, and why.
#[derive(Debug)]
pub enum Complaint {
    /// A region file could not be used.
    Region(Error),
    /// A region file was cut or overwritten while its process ran, or its process found it damaged.
    Damaged {
        /// Which.
        path: PathBuf,
        /// Whose.
        process: ProcessNote,
    },
    /// The first process that was to be measured and has no region.
    Unmade(UnmadeProcess),
    /// The run directory is gone or cannot be read any more.
    Directory(Error),
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Region(error) | Self::Directory(error) => error.fmt(out),
            Self::Unmade(UnmadeProcess { mark, program }) => {
                let reason = UnmeasuredReason::NoRegion(mark.failure);
                write!(out, "process {} ({program}) is not measured: {reason}", mark.pid)
            }
            Self::Damaged { path, process } => write!(
                out,
                "{process} is not measured any more: its region {} is damaged; what was measured until then is \
                 kept",
                path.display()
            ),
        }
    }
}

impl fmt::Display for ProcessNote {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rank {
            Some(rank) => write!(out, "rank {rank} ({}, process {})", self.program, self.pid),
            None => write!(out, "process {} ({})", self.pid, self.program),
        }
    }
}
