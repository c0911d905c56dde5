//! Which of the formats of other tools a file or folder is in, by its content.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use flate2::read::GzDecoder;

use super::error::ExchangeError;
use super::hpctoolkit::{DESCRIPTION, LATER};
use super::packed_profile::MAGIC;

/// A format that is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForeignFormat {
    /// TAU's files `profile.node.context.thread`.
    Tau,
    /// ParaProf's packed profile.
    Packed,
    /// Collapsed stacks.
    Collapsed,
    /// What GNU gprof prints.
    Gprof,
    /// What mpiP reports.
    Mpip,
    /// What valgrind's callgrind writes.
    Callgrind,
    /// What `perf script` prints.
    PerfScript,
    /// The protocol buffer of Google's pprof.
    Pprof,
    /// speedscope's JSON.
    Speedscope,
    /// Caliper's `json-split`.
    Caliper,
    /// Chrome's trace events.
    ChromeTrace,
    /// A Cube 4 report.
    Cube,
    /// Caliper's records, `.cali`.
    CaliperRecords,
    /// The SQLite file of TAUdb.
    TauDb,
    /// HPCToolkit's database.
    HpcToolkit,
    /// What `darshan-parser` prints.
    Darshan,
    /// A report of whyperf as JSON.
    Whyperf,
}

impl ForeignFormat {
    /// What a file or folder is. A text that nothing else is known of is taken for stacks.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(path: &Path) -> Result<Self, ExchangeError> {
        if path.is_dir() {
            let is_database = [DESCRIPTION, LATER].iter().any(|name| path.join(name).is_file());
            return Ok(if is_database { Self::HpcToolkit } else { Self::Tau });
        }
        let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
        let mut head = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(LOOKED_AT).read_to_end(&mut head).map_err(failed)?;
        if head.starts_with(&[0x1f, 0x8b]) {
            let mut word = [0; MAGIC.len()];
            let is_packed =
                GzDecoder::new(&head[..]).read_exact(&mut word).is_ok() && word == *MAGIC;
            return Ok(if is_packed { Self::Packed } else { Self::Pprof });
        }
        if head.starts_with(b"SQLite format 3\0") {
            return Ok(Self::TauDb);
        }
        if head.get(257..262) == Some(b"ustar")
            || path.extension().is_some_and(|end| end == "cubex")
        {
            return Ok(Self::Cube);
        }
        if head
            .iter()
            .take(TEXT)
            .any(|byte| *byte == 0 || (*byte < 0x20 && !b"\n\r\t\x0c".contains(byte)))
        {
            return Ok(Self::Pprof);
        }
        Ok(Self::of_text(&String::from_utf8_lossy(&head)))
    }

    fn of_text(head: &str) -> Self {
        let start = head.trim_start();
        let has = |word: &str| head.contains(word);
        if start.starts_with(['{', '[']) {
            let is_split =
                has("\"column_metadata\"") || (has("\"data\"") && !has("\"traceEvents\""));
            return match () {
                () if has("\"whyperf-report\"") => Self::Whyperf,
                () if has("speedscope.app") || has("\"shared\"") => Self::Speedscope,
                () if start.starts_with('{') && is_split => Self::Caliper,
                () => Self::ChromeTrace,
            };
        }
        match () {
            () if start.starts_with("@ mpiP") => Self::Mpip,
            () if start.starts_with("__rec=") => Self::CaliperRecords,
            () if start.starts_with('<') && has("HPCToolkitExperiment") => Self::HpcToolkit,
            () if has("# darshan log version:") => Self::Darshan,
            () if has("# callgrind format") || (has("\nevents:") && has("\nfn=")) => {
                Self::Callgrind
            }
            () if has("Flat profile:") || has("granularity: each sample hit") => Self::Gprof,
            () if start.lines().find(|line| !line.starts_with('#')).is_some_and(is_sample) => {
                Self::PerfScript
            }
            () => Self::Collapsed,
        }
    }
}

/// Whether a line is the head of a sample of perf: it has a time and ends with the event.
fn is_sample(line: &str) -> bool {
    let is_time = |word: &str| {
        word.strip_suffix(':').is_some_and(|time| time.contains('.') && time.parse::<f64>().is_ok())
    };
    line.trim_end().ends_with(':') && line.split_whitespace().any(is_time)
}

/// So many bytes are looked at, and so many of them for whether they are text.
const LOOKED_AT: u64 = 1 << 16;
const TEXT: usize = 512;
