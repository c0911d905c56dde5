//! A run and what belongs to it, as plain values.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use rustix::rand::{GetRandomFlags, getrandom};
use serde::Serialize;
use whyperf_consultant::Split;
use whyperf_model::{Histogram, Nanos, Pair, Time};

/// The name of a run: twelve hexadecimal digits, of which the first few are enough for a user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct RunId(pub(crate) String);

impl RunId {
    /// One that no other run has.
    pub(crate) fn new() -> Self {
        let mut bytes = [0; 6];
        // Six bytes come whole or not at all; without any, the clock is different enough.
        if getrandom(&mut bytes, GetRandomFlags::empty()).is_err() {
            let now = crate::instant::nanos(SystemTime::now()).to_le_bytes();
            bytes.copy_from_slice(&now[..6]);
        }
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Its digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As many of them as a user mostly needs.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..8).unwrap_or(&self.0)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// What is known of a run when it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// What program it is.
    pub application: String,
    /// What is being varied.
    pub experiment: String,
    /// What this run is in it.
    pub trial: String,
    /// When it began.
    pub started: SystemTime,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Settings of the search and of the measurement, and what machine and program there were.
    pub facts: Vec<(Topic, String, String)>,
    /// Directives the search was given, one a line.
    pub directives: Vec<String>,
}

/// What a fact is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// How whyperf was set.
    Setting,
    /// Machine, program, libraries, launcher, variables.
    Environment,
    /// What all processes of the program say of themselves.
    Metadata,
    /// What one of them says: a rank, or a process id outside MPI.
    MetadataOf(u32),
    /// Of regions of the program's own, which groups they belong to.
    Group,
}

impl Topic {
    /// How it is written.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Setting => "setting".into(),
            Self::Environment => "environment".into(),
            Self::Metadata => METADATA.into(),
            Self::Group => "group".into(),
            Self::MetadataOf(process) => format!("{METADATA} {process}").into(),
        }
    }

    /// Whether a topic with this name has what a process says of itself.
    pub(crate) fn is_metadata_of(name: &str, process: u32) -> bool {
        name == METADATA || name == Self::MetadataOf(process).name()
    }
}

/// The topic of what the program says of itself.
const METADATA: &str = "metadata";

/// What the setting `verdict` of a run says when its verdicts were classic.
pub const CLASSIC_VERDICT: &str = "classic";

/// A run as it is listed; what is the same for many is shared. Serialized, it is an element of `whyperf runs --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Its name.
    pub id: RunId,
    /// What program it is.
    pub application: Arc<str>,
    /// What was varied.
    pub experiment: Arc<str>,
    /// What it is in it.
    pub trial: String,
    /// When it began: `2026-03-01T12:00:00Z`.
    pub started: String,
    /// How long it took, or how long it is known for.
    pub elapsed_s: f64,
    /// The program's; none while it runs, or when whyperf did not see its end.
    pub exit_status: Option<i32>,
    /// Whether it was written to its end.
    pub complete: bool,
    /// The program and its arguments.
    pub command: Arc<[String]>,
    /// What the user calls it.
    pub tags: Vec<String>,
    /// Of a diagnosis: the run that was gone through.
    pub source: Option<RunId>,
}

/// A program or library that a run was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectRow {
    /// Its file.
    pub name: String,
    /// What tells this build of it from others.
    pub build_id: Option<String>,
    /// What made it, in its own words.
    pub compiler: Option<String>,
}

/// A question of the search and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredVerdict {
    /// Its number in the graph.
    pub number: u64,
    /// What was asked.
    pub hypothesis: String,
    /// Of which part.
    pub focus: String,
    /// `true`, `false` or `unknown`.
    pub truth: String,
    /// The value over the time it was measured.
    pub value: Option<f64>,
    /// What it was compared with.
    pub threshold: f64,
    /// One less the chance that the evidence is luck.
    pub confidence: f64,
    /// How often it was asked; 0 says that it was never measured.
    pub asked: u64,
    /// When it was found true.
    pub found: Option<Time>,
    /// Share of the slowest process's time that was predicted for it.
    pub cost: f64,
    /// Where the idea came from: search, priority, hint or late resource.
    pub origin: String,
    /// What it says of processes and machines: all, differing, alike or uncompared. None where that was not stored.
    pub split: Option<String>,
}

impl StoredVerdict {
    /// Whether it is true of some processes that do not differ from the others, and so no finding.
    #[must_use]
    pub fn is_alike(&self) -> bool {
        self.split.as_deref() == Some(Split::Alike.name())
    }
}

/// A part of a run that was searched by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Phase {
    /// Which phase of the run it is; the first is 1.
    pub number: u32,
    /// How it was called.
    pub name: String,
    /// When it began.
    pub began: Time,
    /// When it ended, or until when it is known.
    pub ended: Time,
}

impl Phase {
    /// Whether somebody who writes this means it: by its name, or by its number.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.number.to_string() == name
    }
}

/// The report of a run, as it was made at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReport {
    /// As JSON, without profile and messages.
    pub json: String,
    /// As it was printed, without colours.
    pub text: String,
}

/// One question led to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The number of the one.
    pub parent: u64,
    /// The number of the other.
    pub child: u64,
    /// `why`, or the hierarchy.
    pub axis: String,
}

/// A line of the log of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepRow {
    /// When.
    pub time: Time,
    /// What.
    pub text: String,
}

/// A pair over time: one measurement of it of possibly several.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// What was measured.
    pub pair: Pair,
    /// Which of the run's measurements this is.
    pub part: u32,
    /// What came in.
    pub histogram: Histogram,
}

/// A callpath of one thread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredProfileRow {
    /// Rank, or process id outside MPI.
    pub process: u32,
    /// Number of the thread in its process.
    pub thread: u32,
    /// From the outside in.
    pub path: Vec<String>,
    /// Completed calls.
    pub calls: u64,
    /// Time in it and below it.
    pub inclusive: Nanos,
    /// Time in it alone.
    pub exclusive: Nanos,
    /// Bytes sent or written.
    pub sent: u64,
    /// Bytes received or read.
    pub received: u64,
    /// Where most of it was called.
    pub source: Option<String>,
    /// The share of the process's life in which it was counted; not known of runs that earlier versions kept.
    pub coverage: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_topic_keeps_the_word_that_stores_hold() {
        let all = [
            Topic::Setting,
            Topic::Environment,
            Topic::Metadata,
            Topic::MetadataOf(3),
            Topic::Group,
        ];
        let names = all.map(Topic::name);
        assert_eq!(names, ["setting", "environment", "metadata", "metadata 3", "group"]);
    }
}
