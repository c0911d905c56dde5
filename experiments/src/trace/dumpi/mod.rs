//! Reads traces as `dumpi2ascii` prints them, one file a rank, and writes them as a trace.
//!
//! ```text
//!   MPI_Irecv entering at walltime 1296777956.739674000, cputime 0.008347000 seconds in thread 0.
//!   int count=500
//!   MPI_Datatype datatype=14 (MPI_DOUBLE)
//!   int source=1
//!   int tag=7
//!   MPI_Comm comm=2 (MPI_COMM_WORLD)
//!   MPI_Request request=[2]
//!   MPI_Irecv returning at walltime 1296777956.739689000, cputime 0.008362000 seconds in thread 0.
//! ```
//! The time between calls is computing. Communicators have the members that duplicating and splitting others gives them; of those that were made
//! otherwise DUMPI does not say who is in them, and their messages are refused. A wildcard of a request stays open where the program took no status.
//! Types of the program's own have the size that `dumpi2ascii -X` says at the end, or that of what they repeat.

mod call;
mod communicators;
mod data_types;
mod reader;

use std::fs;
use std::path::{Path, PathBuf};

use whyperf_extrapolate::{Rank, TraceHead};

use self::call::{Call, calls};
use self::communicators::MadeCommunicators;
use self::reader::RankReader;
use super::{MEASURED, MISSING, TextTraceError, TraceAbout, TraceWriter, clock_steps};

/// Reads the files, of one rank each in the order of their names, and writes the trace.
///
/// # Errors
/// The first line that cannot be understood, or that the trace cannot be written.
pub fn import_dumpi(files: &[PathBuf], name: &str, to: &Path) -> Result<(), TextTraceError> {
    let ranks = u32::try_from(files.len()).unwrap_or(u32::MAX);
    let mut head = TraceHead::new(ranks);
    let region = head.name_region("main");
    let mut made = MadeCommunicators::new(ranks);
    for (rank, path) in (0..).zip(files) {
        each_call(path, &read(path)?, |call| made.see(Rank(rank), call))?;
    }
    let mut comms = made.resolve(&mut head).into_iter();
    let mut writer = TraceWriter::create(to, ranks)?;
    let mut facts = vec![(MEASURED.to_owned(), "yes".to_owned())];
    for (rank, path) in (0..).zip(files) {
        let text = read(path)?;
        let of_rank = comms.next().unwrap_or_default();
        let mut reader = RankReader::new((Rank(rank), region), &head, of_rank, &text);
        each_call(path, &text, |call| reader.see(call))?;
        let missing = reader.missing().into_iter();
        let missing = missing.chain(clock_steps(Rank(rank), reader.clock_steps));
        facts.extend(missing.map(|what| (MISSING.to_owned(), what)));
        for (event, took) in reader.out {
            writer.measured(Rank(rank), event, took)?;
        }
    }
    Ok(writer.finish(TraceAbout { name: name.to_owned(), facts }, &head)?)
}

fn read(path: &Path) -> Result<String, TextTraceError> {
    fs::read_to_string(path).map_err(|error| TextTraceError::Archive {
        file: path.display().to_string(),
        what: error.to_string(),
    })
}

fn each_call<'t>(
    path: &Path,
    text: &'t str,
    each: impl FnMut(&Call<'t>) -> Result<(), String>,
) -> Result<(), TextTraceError> {
    calls(text, each).map_err(|(line, what)| {
        let file = path.display().to_string();
        TextTraceError::Line { file, line, what }
    })
}
