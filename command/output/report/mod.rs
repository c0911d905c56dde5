//! The report of a run, as values: the content of the JSON report, and the few facts beyond it that the text shows.

mod advice;
mod cause;
mod cost;
mod counters;
mod filter;
mod findings;
mod metadata;
mod news;
mod objects;
mod page;
mod placement;
mod profile;
mod rank_messages;
mod text;
mod time_shares;
mod tree;
mod user_events;
mod wording;

use std::cmp::Ordering;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::Serialize;
use whyperf_consultant::{Split, ValueUnit};
use whyperf_experiments::StoredReport;

pub(crate) use cause::Cause;
pub(crate) use cost::{Cost, ReportedCheck};
pub(crate) use counters::{CountedCode, CountedThread, ReportedCounter, ReportedProcess};
pub(crate) use filter::ReportedFilter;
pub(crate) use metadata::ReportedMetadata;
pub(crate) use news::news;
pub(crate) use page::page;
use page::{answer, stored_page, told_findings};
pub(crate) use placement::Placement;
pub(crate) use rank_messages::{RankMessages, rank_lines};
pub(crate) use text::{conclusion, counted, render, share};
pub(crate) use time_shares::{ProcessTime, TimeShares};
pub(crate) use user_events::{ReportedUserEvent, summed as summed_user_events};

use crate::output::terminal::OutputStyle;

/// A run, as far as it is known. Serialized, it is the `whyperf-report` format, version 2.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Report {
    pub(crate) format: &'static str,
    pub(crate) version: u32,
    pub(crate) command: Vec<String>,
    /// `None` while it goes on, and where only its own parent is told.
    pub(crate) exit_status: Option<i32>,
    /// It went on when this was written: all that follows is what was known by then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) goes_on: bool,
    pub(crate) elapsed_s: f64,
    pub(crate) processes: usize,
    pub(crate) threads: usize,
    pub(crate) hosts: usize,
    /// Those that the program may run on; 0 where that is not known.
    pub(crate) processors: usize,
    /// Of a job of two ranks and more: how many share how many processors; `None` where that is not known.
    pub(crate) placement: Option<Placement>,
    /// How all threads spent their time; `None` where that is not known.
    pub(crate) time: Option<TimeShares>,
    pub(crate) time_by_process: Vec<ProcessTime>,
    /// Processes of the run that computed and are in none of the numbers.
    pub(crate) unmeasured: Vec<Unmeasured>,
    /// `None` but for jobs of two ranks and more.
    pub(crate) efficiency: Option<ReportedEfficiency>,
    /// What measuring cost; `None` of a run that another tool measured.
    pub(crate) cost: Option<Cost>,
    pub(crate) losses: ReportedLosses,
    pub(crate) search: ReportedSearch,
    pub(crate) bottlenecks: Vec<ReportedBottleneck>,
    /// Functions in whose own code the program computed, the hottest first.
    pub(crate) hot_code: Vec<ReportedHotCode>,
    /// The part of all computing of which stack samples tell nothing.
    pub(crate) not_sampled: f64,
    pub(crate) measured: Vec<ReportedMeasurement>,
    /// What the kernel and the processor were to count.
    pub(crate) counters: Vec<ReportedCounter>,
    /// What counters and gauges of the program's own came to.
    pub(crate) user_events: Vec<ReportedUserEvent>,
    /// What processes say of themselves.
    pub(crate) metadata: Vec<ReportedMetadata>,
    pub(crate) profile: Vec<ReportedProfileRow>,
    /// Messages between ranks, by sender and receiver; `None` where they are not known.
    pub(crate) messages: Option<Vec<RankMessages>>,
    pub(crate) switched_off: Vec<ReportedSwitchedOff>,
    pub(crate) refusals: Vec<ReportedRefusal>,
    /// What may well be true and stayed undecided, the one furthest beyond its threshold first.
    pub(crate) undecided: Vec<ReportedUndecided>,
    /// The name of the run in the store; none when it was not kept.
    pub(crate) run: Option<String>,
    /// Of a diagnosis: the run that was gone through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) diagnosis_of: Option<String>,
    /// What measured the run, where that was another tool: what it does not tell is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) imported_from: Option<String>,
    /// Directives that had a say in the search.
    pub(crate) directives_used: usize,
    /// What the user left out of measuring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) filter: Option<ReportedFilter>,
    /// What was found in each phase alone.
    pub(crate) phases: Vec<ReportedPhase>,
    /// What only the text says.
    #[serde(skip)]
    pub(crate) remarks: Remarks,
}

impl Report {
    /// The name of the format, in every file.
    pub(crate) const FORMAT: &'static str = "whyperf-report";
    /// Raised when a member changes its meaning.
    pub(crate) const VERSION: u32 = 2;

    /// What is known of a run of which nothing was measured.
    pub(crate) fn bare(command: &[OsString], exit_status: Option<i32>, elapsed: Duration) -> Self {
        Self {
            format: Self::FORMAT,
            version: Self::VERSION,
            command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            exit_status,
            elapsed_s: rounded(elapsed.as_secs_f64()),
            cost: Some(Cost::default()),
            ..Self::default()
        }
    }

    /// How long the run took, or takes by now.
    fn length(&self) -> String {
        if self.imported_from.is_some() && self.elapsed_s == 0.0 {
            return "how long it took is not known".to_owned();
        }
        let so_far = if self.goes_on { " so far, and it goes on" } else { "" };
        format!("{:.2} s{so_far}", self.elapsed_s)
    }

    /// What waiting for others is called.
    const fn waiting(&self) -> &'static str {
        let has_ranks = self.placement.is_some() || self.efficiency.is_some();
        if has_ranks { time_shares::IN_MPI } else { time_shares::WAITING }
    }

    /// The page and all details, as plain text.
    pub(crate) fn as_text(&self, rows: usize) -> String {
        page(self, OutputStyle::PLAIN) + &render(self, rows, OutputStyle::PLAIN)
    }

    /// The report as the store keeps it, with so many rows of the profile in its text.
    pub(crate) fn stored(&self, rows: usize) -> StoredReport {
        let json = self.without_tables().to_string();
        StoredReport { json, text: render(self, rows, OutputStyle::PLAIN) }
    }

    /// The report as JSON without what the store has in tables of its own, and with what only the text says: as `notes`, `page` and `findings`.
    pub(crate) fn without_tables(&self) -> serde_json::Value {
        let mut json = serde_json::to_value(self.with_answer()).unwrap_or_default();
        if let Some(members) = json.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "profile" | "messages"));
            members.insert("notes".to_owned(), self.remarks.told().into());
            members.insert("page".to_owned(), stored_page(self).into());
            members.insert("findings".to_owned(), told_findings(self).into());
        }
        for phase in json["phases"].as_array_mut().into_iter().flatten() {
            phase.as_object_mut().map(|phase| phase.remove("messages"));
        }
        json
    }

    fn with_answer(&self) -> AnsweredReport<'_> {
        AnsweredReport { report: self, answer: answer(self) }
    }

    /// Writes the report as JSON; a regular file is replaced as a whole, so that a reader never sees half of it.
    pub(crate) fn write_json(&self, path: &Path) -> Result<()> {
        // Some file systems tell only now that there was no space.
        self.write_json_and(path, fs::File::sync_all)
    }

    /// The same in a hurry: this process may be killed at once.
    pub(crate) fn keep_json(&self, path: &Path) -> Result<()> {
        self.write_json_and(path, |_| Ok(()))
    }

    fn write_json_and(&self, path: &Path, settle: fn(&fs::File) -> io::Result<()>) -> Result<()> {
        let written = serde_json::to_string(&self.with_answer());
        let mut text = written.context("writing the report as JSON")?;
        text.push('\n');
        if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return fs::write(path, text).with_context(|| format!("writing {}", path.display()));
        }
        let unfinished = unfinished(path);
        let written = write_whole(&unfinished, text.as_bytes(), settle)
            .and_then(|()| fs::rename(&unfinished, path))
            .with_context(|| format!("writing the report to {}", path.display()));
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }
}

/// A report as its readers get it.
#[derive(Serialize)]
struct AnsweredReport<'r> {
    #[serde(flatten)]
    report: &'r Report,
    /// The first line of the page.
    answer: String,
}

/// A function in whose own code threads computed, by stack samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedHotCode {
    pub(crate) function: String,
    /// Its part of all computing.
    pub(crate) share: f64,
    /// By how much it may be off, with 95 of 100.
    pub(crate) plus_minus: f64,
}

/// Processes of a program that were not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Unmeasured {
    pub(crate) program: String,
    pub(crate) processes: usize,
    /// Seconds for which they ran, when they were last seen.
    pub(crate) cpu_s: f64,
    /// Why, and what helps.
    pub(crate) reason: String,
}

/// How well the ranks of a job use their time: shares of an ideal, one is best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedEfficiency {
    pub(crate) parallel: f64,
    pub(crate) load_balance: f64,
    pub(crate) communication: f64,
    pub(crate) input_output: f64,
}

impl ReportedEfficiency {
    /// As the daemon has it, in the digits of a report.
    pub(crate) fn of(found: &whyperf_model::Efficiency) -> Self {
        Self {
            parallel: rounded(found.parallel),
            load_balance: rounded(found.load_balance),
            communication: rounded(found.communication),
            input_output: rounded(found.input_output),
        }
    }
}

/// What had to be left out of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedLosses {
    pub(crate) nodes: u64,
    pub(crate) objects: u64,
}

/// How much the search looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedSearch {
    pub(crate) pairs_tested: usize,
    pub(crate) pairs_true: usize,
    pub(crate) pairs_unknown: usize,
}

/// A part of the run, and what a search over it alone found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedPhase {
    pub(crate) name: String,
    pub(crate) begin_s: f64,
    pub(crate) end_s: f64,
    pub(crate) efficiency: Option<ReportedEfficiency>,
    pub(crate) search: ReportedSearch,
    pub(crate) bottlenecks: Vec<ReportedBottleneck>,
    /// Messages between ranks in the phase; `None` where they are not known.
    pub(crate) messages: Option<Vec<RankMessages>>,
}

/// A hypothesis that holds at a focus.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedBottleneck {
    pub(crate) hypothesis: String,
    pub(crate) focus: String,
    pub(crate) value: f64,
    /// By how much it may be off, with 95 of 100, where it is an estimate by stack samples.
    pub(crate) plus_minus: Option<f64>,
    pub(crate) threshold: f64,
    /// From when to when the value is that of.
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    /// In which parts of it, where it clearly did not happen all the time.
    pub(crate) happened: Vec<ReportedStretch>,
    pub(crate) found_s: f64,
    /// Nothing more specific was found.
    pub(crate) leaf: bool,
    pub(crate) source: Option<String>,
    /// Where the idea came from to ask: search, priority, hint or late resource.
    pub(crate) origin: String,
    /// Whether it is about all processes, or about some that differ from the others.
    pub(crate) split: Split,
    /// Of what is waited here, the parts that one rank is the cause of, the largest first; the rest is not told apart.
    pub(crate) causes: Vec<Cause>,
    /// What curing it would save of the whole run, where a trace of the run tells it.
    pub(crate) worth: Option<Worth>,
    /// Position of the one it was refined from.
    #[serde(skip)]
    pub(crate) parent: Option<usize>,
    /// Whether the value is that of clearly less than the whole run or phase.
    #[serde(skip)]
    pub(crate) is_partial: bool,
    /// What value and threshold are, and on which side of it a value is bad.
    #[serde(skip)]
    pub(crate) scale: ReportedScale,
    /// What helps against the hypothesis in general.
    #[serde(skip)]
    pub(crate) advice: String,
    /// Of waiting: what the leading finding says, where all others change once that is mended.
    #[serde(skip)]
    pub(crate) explains: Option<String>,
}

/// What curing a bottleneck is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Worth {
    /// Seconds by which the whole run would be shorter.
    pub(crate) saved_s: f64,
    /// By how much that may be off where the bottleneck itself is an estimate by stack samples.
    pub(crate) plus_minus_s: Option<f64>,
    /// What was simulated.
    pub(crate) cure: String,
}

impl fmt::Display for Worth {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plus_minus = self.plus_minus_s.map_or_else(String::new, |off| format!(" ± {off:.3}"));
        write!(out, "worth {:.3}{plus_minus} s of the run: {}", self.saved_s, self.cure)
    }
}

/// A part of the time in which something happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedStretch {
    pub(crate) from_s: f64,
    pub(crate) to_s: f64,
    pub(crate) value: f64,
}

/// What the value of a bottleneck is, and on which side of the threshold it is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReportedScale {
    pub(crate) unit: ValueUnit,
    /// The sign of the comparison that is true of a bad value.
    pub(crate) relation: char,
}

impl Default for ReportedScale {
    fn default() -> Self {
        Self { unit: ValueUnit::Share, relation: '>' }
    }
}

impl ReportedScale {
    /// `45.1 % > 20.0 %`, and `512.0 < 4096 B/ops`.
    pub(crate) fn comparison(self, value: f64, threshold: f64) -> String {
        let Self { unit, relation } = self;
        let ((value, _), (threshold, symbol)) = (unit.parts(value), unit.parts(threshold));
        match unit {
            ValueUnit::Per(..) => format!("{value:>7} {relation} {threshold} {symbol}"),
            _ => {
                let [value, threshold] =
                    [value, threshold].map(|number| format!("{number} {symbol}"));
                format!("{value:>7} {relation} {threshold:>6}")
            }
        }
    }
}

impl ReportedBottleneck {
    /// Its value against its threshold. What was beyond it in a part of the run may not be so over all of it.
    pub(crate) fn comparison(&self) -> String {
        let relation = match self.value.total_cmp(&self.threshold) {
            Ordering::Greater => '>',
            Ordering::Less => '<',
            Ordering::Equal => self.scale.relation,
        };
        ReportedScale { relation, ..self.scale }.comparison(self.value, self.threshold)
    }

    /// How sure the value is, where it was not counted; and when it was, where that is not all of the time: from when to when the value
    /// is, and the stretch that has most of it.
    pub(crate) fn when(&self) -> Option<String> {
        let error = self.plus_minus.map(|error| {
            let (error, symbol) = self.scale.unit.parts(error);
            format!("± {error} {symbol}")
        });
        let covered = self.is_partial.then(|| from_to(self.from_s, self.to_s));
        let length = |one: &ReportedStretch| one.to_s - one.from_s;
        let longest =
            self.happened.iter().max_by(|one, other| length(one).total_cmp(&length(other)));
        let longest = longest.map(|one| {
            let (value, symbol) = self.scale.unit.parts(one.value);
            let others = match self.happened.len() {
                1 => String::new(),
                all => format!(" and {} more", all - 1),
            };
            format!("{value} {symbol} {}{others}", from_to(one.from_s, one.to_s))
        });
        let parts: Vec<String> = error.into_iter().chain(covered).chain(longest).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// One two-level callpath of one thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedProfileRow {
    pub(crate) path: Vec<String>,
    pub(crate) process: u32,
    pub(crate) thread: u32,
    pub(crate) calls: u64,
    pub(crate) inclusive_s: f64,
    pub(crate) exclusive_s: f64,
    pub(crate) bytes: u64,
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    /// The share of the process's life in which it was counted, where that is not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coverage: Option<f64>,
}

impl ReportedProfileRow {
    /// A share of a process's life, as it is told: nothing for all of it.
    pub(crate) fn told(coverage: f64) -> Option<f64> {
        (coverage < WHOLE).then(|| rounded(coverage))
    }
}

/// From this share on a row was counted all the time.
const WHOLE: f64 = 0.995;

/// A pair that was asked for by name.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedMeasurement {
    pub(crate) metric: &'static str,
    pub(crate) focus: String,
    /// Seconds, calls, bytes or events; `None` where nothing is known.
    pub(crate) total: Option<f64>,
    /// By how much it may be off, with 95 of 100, where it is an estimate by samples of a counter or by windows.
    pub(crate) plus_minus: Option<f64>,
    pub(crate) covered_s: f64,
    pub(crate) note: Option<String>,
    #[serde(skip)]
    pub(crate) unit: &'static str,
}

/// A region whose calls in the profile are a lower bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedSwitchedOff {
    pub(crate) region: String,
    pub(crate) process: u32,
    pub(crate) visits: u64,
    /// `itself`, `whyperf`, `filter` or `start`.
    pub(crate) by: &'static str,
}

/// A function that was asked for and that cannot be measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedRefusal {
    pub(crate) function: String,
    pub(crate) reason: String,
}

/// A question that may well be true, and that was not decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct ReportedUndecided {
    pub(crate) hypothesis: String,
    pub(crate) focus: String,
    pub(crate) value: f64,
    /// By how much it may be off, with 95 of 100, where it is an estimate by stack samples.
    pub(crate) plus_minus: Option<f64>,
    pub(crate) threshold: f64,
    pub(crate) reason: String,
    /// What value and threshold are, and on which side of it a value is bad.
    #[serde(skip)]
    pub(crate) scale: ReportedScale,
}

/// What only the text says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remarks {
    /// Seconds that all threads together were measured.
    pub(crate) thread_time: f64,
    /// Other things that were left out: how many, of what.
    pub(crate) left_out: Vec<(u64, &'static str)>,
    /// Sentences about this run that a reader should know.
    pub(crate) notes: Vec<String>,
}

impl Remarks {
    /// As sentences: what was left out, and what a reader should know.
    fn told(&self) -> Vec<String> {
        let left_out = self.left_out.iter().map(|(count, what)| format!("{count} {what}"));
        left_out.chain(self.notes.iter().cloned()).collect()
    }
}

/// Fewer digits where more would only be noise: microseconds, and shares to a millionth.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn from_to(from: f64, to: f64) -> String {
    format!("from {from:.1} to {to:.1} s")
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    name.into()
}

fn write_whole(
    path: &Path,
    bytes: &[u8],
    settle: fn(&fs::File) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(bytes)?;
    settle(&file)
}

#[cfg(test)]
pub(crate) mod example {
    //! A report that the tests of rendering share.
    use whyperf_consultant::{Conclusion, Origin, Subject, Truth, ValueUnit};
    use whyperf_model::{Nanos, Time, TimeDivision, TimeUse};

    use super::*;

    /// A question at this focus that was just found true.
    pub(crate) fn conclusion(focus: &str) -> Conclusion {
        Conclusion {
            subject: Subject {
                hypothesis: "ExcessiveSyncWaitingTime".into(),
                focus: focus.parse().expect("a focus"),
            },
            truth: Truth::True,
            was: Truth::Unknown,
            value: 0.43,
            threshold: 0.2,
            unit: ValueUnit::Share,
            operator: '>',
            confidence: 0.99,
            since: Time::ZERO,
            is_duplicate: false,
            coverage: 1.0,
            origin: Origin::Search,
        }
    }

    fn bottleneck(
        focus: &str,
        value: f64,
        parent: Option<usize>,
        leaf: bool,
    ) -> ReportedBottleneck {
        ReportedBottleneck {
            hypothesis: "ExcessiveSyncWaitingTime".into(),
            focus: focus.into(),
            value,
            plus_minus: None,
            threshold: 0.2,
            from_s: 0.0,
            to_s: 4.0,
            happened: Vec::new(),
            found_s: 0.75,
            leaf,
            source: leaf.then(|| "oned.c:88".into()),
            origin: "search".into(),
            split: Split::All,
            parent,
            causes: Vec::new(),
            worth: None,
            is_partial: false,
            scale: ReportedScale::default(),
            advice: "share the work more evenly".into(),
            explains: None,
        }
    }

    fn time_shares() -> TimeShares {
        let mut division = TimeDivision::default();
        division.add(TimeUse::Computing, Nanos::from_millis(4400));
        division.add(TimeUse::Waiting, Nanos::from_millis(3600));
        TimeShares::of(&division)
    }

    /// What measuring it cost.
    fn cost() -> Cost {
        Cost {
            limit: 0.05,
            mean: 0.006,
            max: 0.011,
            own: None,
            compensated_s: Some(0.04),
            total: 0.021,
            events: 0.004,
            analysis: 0.003,
            sampling: 0.002,
            start_s: 0.02,
            end_s: 0.028,
            ..Cost::default()
        }
    }

    pub(crate) fn report() -> Report {
        let row = |process, seconds| ReportedProfileRow {
            path: vec!["exchng1".into(), "MPI_Sendrecv".into()],
            process,
            thread: 0,
            calls: 1000,
            inclusive_s: seconds,
            exclusive_s: seconds,
            bytes: 8_000_000,
            bytes_sent: 4_000_000,
            bytes_received: 4_000_000,
            coverage: None,
        };
        let time = time_shares();
        Report {
            format: Report::FORMAT,
            version: Report::VERSION,
            command: ["mpirun", "-n", "2", "./app"].map(String::from).to_vec(),
            exit_status: Some(0),
            elapsed_s: 4.0,
            processes: 2,
            threads: 2,
            hosts: 1,
            processors: 4,
            time: Some(time.clone()),
            time_by_process: vec![ProcessTime { process: "0".to_owned(), time }],
            unmeasured: Vec::new(),
            efficiency: Some(ReportedEfficiency {
                parallel: 0.714,
                load_balance: 0.83,
                communication: 0.86,
                input_output: 1.0,
            }),
            cost: Some(cost()),
            losses: ReportedLosses::default(),
            search: ReportedSearch { pairs_tested: 40, pairs_true: 3, pairs_unknown: 2 },
            bottlenecks: vec![
                bottleneck("</Code,/Machine,/Process,/SyncObject>", 0.45, None, false),
                bottleneck("</Code/oned.c,/Machine,/Process,/SyncObject>", 0.44, Some(0), false),
                bottleneck(
                    "</Code/oned.c/exchng1,/Machine,/Process,/SyncObject>",
                    0.43,
                    Some(1),
                    true,
                ),
            ],
            profile: vec![row(0, 1.0), row(1, 2.0)],
            remarks: Remarks { thread_time: 8.0, ..Remarks::default() },
            ..Report::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_json_has_the_members_of_the_format_in_their_order() {
        let text = serde_json::to_string(&example::report()).expect("the example is plain data");
        assert!(text.starts_with(
            r#"{"format":"whyperf-report","version":2,"command":["mpirun","-n","2","./app"],"exit_status":0,"elapsed_s":4.0,"#
        ));
        assert!(text.contains(
            r#""efficiency":{"parallel":0.714,"load_balance":0.83,"communication":0.86,"input_output":1.0}"#
        ));
        assert!(text.contains(
            r#""cost":{"limit":0.05,"mean":0.006,"max":0.011,"own":null,"compensated_s":0.04,"total":0.021,"events":0.004,"at_rest":0.0,"pauses":0.0,"analysis":0.003,"sampling":0.002,"start_s":0.02,"end_s":0.028},"losses":{"nodes":0,"objects":0}"#
        ));
        assert!(text.contains(
            r#""plus_minus":null,"threshold":0.2,"from_s":0.0,"to_s":4.0,"happened":[],"found_s":0.75,"leaf":true,"source":"oned.c:88","origin":"search","split":"all","causes":[],"worth":null}"#
        ));
        assert!(!text.contains("parent") && !text.contains("remarks"));
    }

    /// A report that was written when the format was new: what reads it reads those of today.
    #[test]
    fn each_member_of_a_report_of_old_is_written_today() {
        let old = serde_json::from_str(include_str!("version-1.json")).expect("it is JSON");
        let example = example::report();
        let bottlenecks = example.bottlenecks.clone();
        let phase = ReportedPhase {
            bottlenecks,
            efficiency: example.efficiency,
            ..ReportedPhase::default()
        };
        let example = Report { phases: vec![phase], run: Some("1".to_owned()), ..example };
        let example = serde_json::to_value(example).expect("the example is plain data");
        let mut missing = Vec::new();
        compare(&old, &example, "", &mut missing);
        assert_eq!(missing, [""; 0]);
    }

    /// Names the members of the one that the other lacks, or has as something else.
    fn compare(old: &Value, new: &Value, path: &str, missing: &mut Vec<String>) {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                for (name, value) in old {
                    let path = format!("{path}/{name}");
                    match new.get(name) {
                        Some(other) => compare(value, other, &path, missing),
                        None => missing.push(path),
                    }
                }
            }
            (Value::Array(old), Value::Array(new)) => {
                if let (Some(old), Some(new)) = (old.first(), new.first()) {
                    compare(old, new, &format!("{path}[]"), missing);
                }
            }
            (Value::Null, _) | (_, Value::Null) => {}
            (old, new) if std::mem::discriminant(old) == std::mem::discriminant(new) => {}
            _ => missing.push(path.to_owned()),
        }
    }

    #[test]
    fn what_happened_in_a_part_of_the_time_says_when() {
        let stretch = |from_s, to_s, value| ReportedStretch { from_s, to_s, value };
        let mut one = example::report().bottlenecks.remove(0);
        assert_eq!(one.when(), None);
        one.happened = vec![stretch(8.0, 15.04, 0.8399)];
        assert_eq!(one.when().as_deref(), Some("84.0 % from 8.0 to 15.0 s"));
        one.happened.push(stretch(1.0, 2.0, 0.9));
        assert_eq!(one.when().as_deref(), Some("84.0 % from 8.0 to 15.0 s and 1 more"));
        let text = serde_json::to_string(&one).expect("plain data");
        assert!(text.contains(r#""happened":[{"from_s":8.0,"to_s":15.04,"value":0.8399},{"#));
        let covered =
            ReportedBottleneck { is_partial: true, from_s: 0.5, happened: Vec::new(), ..one };
        assert_eq!(covered.when().as_deref(), Some("from 0.5 to 4.0 s"));
        let estimated =
            ReportedBottleneck { plus_minus: Some(0.0214), is_partial: false, ..covered };
        assert_eq!(estimated.when().as_deref(), Some("± 2.1 %"));
    }

    #[test]
    fn over_the_run_a_value_may_not_be_beyond_the_threshold() {
        let late = ReportedBottleneck { value: 0.15, ..example::report().bottlenecks.remove(0) };
        assert_eq!(late.comparison().trim(), "15.0 % < 20.0 %");
        let equal = ReportedBottleneck { value: 0.2, ..late };
        assert_eq!(equal.comparison().trim(), "20.0 % > 20.0 %");
    }

    #[test]
    fn the_json_names_regions_whose_numbers_are_lower_bounds() {
        let off =
            ReportedSwitchedOff { region: "hot".into(), process: 0, visits: 1 << 20, by: "itself" };
        let report = Report { switched_off: vec![off], ..example::report() };
        let text = serde_json::to_string(&report).expect("the example is plain data");
        let member =
            r#""switched_off":[{"region":"hot","process":0,"visits":1048576,"by":"itself"}]"#;
        assert!(text.contains(member), "{text}");
    }

    #[test]
    fn a_report_that_cannot_be_written_leaves_nothing_behind() {
        let refused = example::report().write_json(Path::new("/there/is/no/folder/report.json"));
        let message = format!("{:#}", refused.expect_err("there is no such folder"));
        assert!(message.contains("/there/is/no/folder/report.json"), "{message}");
    }
}
