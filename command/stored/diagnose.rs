//! `whyperf diagnose`: searches a run that is over, and keeps what was found as a run of its own.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use whyperf_consultant::{
    Directives, DirectivesInForce, Event, Hypotheses, Observer, SearchScope, Searches, Step, drive,
};
use whyperf_experiments::{
    Access, Diagnosis, Fact, Progress, Replay, RunId, Selector, StepRow, Store, StoreError,
    Summary, Topic, trace_of,
};
use whyperf_model::matching::Line;
use whyperf_model::{Efficiency, Effort, Focus, Time};
use whyperf_viewer::ViewAddress;

use crate::measuring::environment::{self, IMPORTED_FROM};
use crate::measuring::summary;
use crate::measuring::told_questions;
use crate::output::delivery::{self, status};
use crate::output::page_server::{self, PageOptions};
use crate::output::report::{self, Cost, Report, ReportedProfileRow, ReportedUndecided, rounded};
use crate::output::terminal::{Colour, OutputStyle, Screen};
use crate::search::directive_file::DirectiveFile;
use crate::search::dwell_time::DwellTime;
use crate::search::evaluation::{self, CodeSearchChoice, EvaluationOptions};
use crate::search::inputs;
use crate::search::phases::{self, Phasing, Schedule};
use crate::search::values::{ThresholdChange, percent, threshold};
use crate::stored::diagnosis_page::DiagnosisPage;
use crate::stored::messages::StoredMessages;
use crate::tracing::worth;

/// Which run is searched again, and how.
#[derive(Debug, Args)]
pub(crate) struct Diagnose {
    /// An id, the beginning of one, a tag, latest or latest~1; of a diagnosis, the run it is of
    #[arg(value_name = "RUN")]
    pub(crate) run: Selector,
    /// Write the report to FILE as JSON, too
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Call it a bottleneck from this value on, as in CPUbound=30% or 'TooManySmallIOOps=4096 B/ops'; may be repeated
    #[arg(long, value_name = "HYPOTHESIS=VALUE", value_parser = threshold, value_delimiter = ',')]
    #[arg(env = "WHYPERF_THRESHOLD", hide_env_values = true)]
    pub(crate) threshold: Vec<ThresholdChange>,
    #[command(flatten)]
    pub(crate) evaluation: EvaluationOptions,
    /// Lead the search by these directives; may be repeated
    #[arg(long, value_name = "FILE", env = "WHYPERF_DIRECTIVES", hide_env_values = true)]
    #[arg(value_delimiter = ':', value_parser = DirectiveFile::parser())]
    pub(crate) directives: Vec<DirectiveFile>,
    /// The limit that the search foresees costs for, in percent; a run that is over costs nothing
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
    #[arg(env = "WHYPERF_COST_LIMIT", hide_env_values = true)]
    pub(crate) cost_limit: f64,
    /// Find functions along calls (callgraph), by module (module), or not at all (none), as far as they were measured
    #[arg(long, value_name = "WAY", value_enum, default_value_t = CodeSearchChoice::Callgraph)]
    #[arg(env = "WHYPERF_CODE_SEARCH", hide_env_values = true, hide_possible_values = true)]
    pub(crate) code_search: CodeSearchChoice,
    #[command(flatten)]
    pub(crate) phasing: Phasing,
    /// Show so many rows of the callpath profile
    #[arg(long, value_name = "ROWS", default_value_t = 12)]
    pub(crate) profile: usize,
    /// The store to read, and to keep the diagnosis in
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Show the search in a browser while it goes through the run, at a port, at ADDRESS:PORT, or at unix:PATH; it stays open until Ctrl-C
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "0", value_parser = page_server::address)]
    pub(crate) view: Option<ViewAddress>,
    #[command(flatten)]
    pub(crate) page: PageOptions,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}

/// Searches the run of the request.
pub(crate) fn diagnose(request: &Diagnose) -> Result<ExitCode> {
    let (hypotheses, directives) = match told(request) {
        Ok(told) => told,
        Err(mistakes) => return inputs::refuse(&mistakes),
    };
    let mut store = Store::open(&request.store, Access::Change)?;
    let source = store.source(&store.find(&request.run)?)?;
    let mut found = search(request, &store, &source, (hypotheses, &directives))?;
    let summary = store.summary(&source)?;
    let mut report = report_of(request, &store, &summary, &mut found)?;
    let mut diagnosis = diagnosis(request, source, &directives, &found);
    diagnosis.found.report = Some(report.stored(request.profile));
    match store.add_diagnosis(&diagnosis) {
        Ok(id) => report.run = Some(id.to_string()),
        // What was found is worth showing all the same.
        Err(error @ (StoreError::ReadOnly { .. } | StoreError::Full { .. })) => {
            report.remarks.notes.push(format!("The diagnosis is not kept: {error}."));
        }
        Err(error) => return Err(error.into()),
    }
    let text = report::render(&report, request.profile, OutputStyle::of_stdout(request.color));
    if let Some(path) = &request.json {
        report.write_json(path)?;
    }
    let is_printed = delivery::print(&text);
    if let Some(page) = found.played.page.take() {
        let mut screen = Screen::new(request.color, false);
        let shown = (report.without_tables(), report.run.clone());
        page.stay(&found.searches, &found.played.steps, shown, &mut screen)?;
    }
    Ok(status(is_printed))
}

/// The table and the directives, as the request names them.
fn told(request: &Diagnose) -> Result<(Hypotheses, Directives), String> {
    let hypotheses = evaluation::hypotheses(&request.evaluation, &request.threshold)?;
    let directives = inputs::read(&request.directives, &hypotheses)?;
    Ok((hypotheses, directives))
}

/// What came of a search.
struct DiagnosisResult {
    searches: Searches,
    played: Played,
    directives_used: usize,
    dwell_time: DwellTime,
    thread_time: f64,
    lines: Vec<Line>,
    replay: Replay,
}

/// What happened on the way through a run.
#[derive(Default)]
struct Played {
    /// The log of the search over the whole of it, as when it is live.
    steps: Vec<StepRow>,
    /// What each rank had done when each phase began.
    begun: Vec<Vec<Effort>>,
    /// What each had done at the end; `None` where the record does not know.
    efforts: Option<Vec<Effort>>,
    /// More phases came than are told apart.
    has_more_phases: bool,
    /// Shows all of it in a browser, if that is wanted.
    page: Option<DiagnosisPage>,
}

fn search(
    request: &Diagnose,
    store: &Store,
    source: &RunId,
    (hypotheses, directives): (Hypotheses, &Directives),
) -> Result<DiagnosisResult> {
    let mut replay = replay(request, store, source)?;
    let thread_time = replay.thread_time();
    // Mistakes were told when the files were read.
    let in_force = DirectivesInForce::new(directives, &hypotheses).unwrap_or_default();
    let dwell_time = DwellTime::of(&request.evaluation, &in_force);
    let settings =
        request.evaluation.settings(request.cost_limit, request.code_search, dwell_time.verdicts());
    let directives_used = in_force.used() + dwell_time.directives_used();
    let mut searches = Searches::new(hypotheses, settings, in_force);
    let page = page(request, (store, source), &searches, directives)?;
    let mut played = Played { page, ..Played::default() };
    drive(&mut searches, &mut replay, &mut played);
    played.efforts = replay.efforts();
    let lines = replay.lines().to_vec();
    Ok(DiagnosisResult {
        searches,
        played,
        directives_used,
        dwell_time,
        thread_time,
        lines,
        replay,
    })
}

/// Serves the page, if that is wanted.
fn page(
    request: &Diagnose,
    (store, source): (&Store, &RunId),
    searches: &Searches,
    directives: &Directives,
) -> Result<Option<DiagnosisPage>> {
    let Some(address) = &request.view else { return Ok(None) };
    let source = store.summary(source)?;
    let at = (address, &request.page);
    let page = DiagnosisPage::serve((store, &source), searches, directives, at)?;
    page.tell(&request.page, &mut Screen::new(request.color, false));
    Ok(Some(page))
}

/// The run as the request wants it seen.
fn replay(request: &Diagnose, store: &Store, source: &RunId) -> Result<Replay> {
    let mut replay = store.replay(source)?;
    if request.phasing.no_phases {
        replay = replay.without_phases();
    }
    if request.code_search == CodeSearchChoice::None {
        replay = replay.without_functions();
    }
    let taken: BTreeSet<String> = replay.phases().map(str::to_owned).collect();
    let mut schedule = Schedule::of(&request.phasing);
    Ok(replay.with_phases(|now| {
        let is_due = schedule.is_due(Duration::from_nanos(now.0.0));
        is_due.then(|| {
            loop {
                let name = schedule.next_name();
                if !taken.contains(&name) {
                    return name;
                }
            }
        })
    }))
}

impl Observer<Replay> for Played {
    fn before(&mut self, event: &Event, searches: &mut Searches, replay: &mut Replay) {
        if let Some(page) = &mut self.page {
            page.tell_if_due(searches, &self.steps);
        }
        let Event::Phase(time, name) = event else { return };
        if searches.is_full() {
            self.has_more_phases = true;
            return;
        }
        self.say(*time, format!("phase {name} begins"));
        self.begun.extend(replay.efforts());
    }

    fn step(&mut self, scope: SearchScope, step: &Step) {
        if scope == SearchScope::Global {
            self.say(step.time, step.happening.to_string());
        }
    }
}

impl Played {
    fn say(&mut self, time: Time, text: String) {
        self.steps.push(StepRow { time, text });
    }
}

fn diagnosis(
    request: &Diagnose,
    source: RunId,
    directives: &Directives,
    found: &DiagnosisResult,
) -> Diagnosis {
    let evaluation = &request.evaluation;
    let table = found.searches.global().hypotheses();
    let rows = table.ids().map(|id| table.row(id));
    let thresholds: Vec<String> =
        rows.map(|row| format!("{}={}", row.name, row.threshold)).collect();
    let settings = [
        ("whyperf", env!("CARGO_PKG_VERSION").to_owned()),
        ("diagnosis of", source.to_string()),
        ("cost-limit", request.cost_limit.to_string()),
        ("verdict", evaluation.verdict.stored().to_owned()),
        ("hold", found.dwell_time.fact()),
        ("order", evaluation.order.stored().to_owned()),
        ("code-search", request.code_search.stored().to_owned()),
        ("threshold", thresholds.join(",")),
        ("phases", phases_of(&request.phasing)),
        ("hypotheses", evaluation.texts()),
    ];
    let questions: Vec<_> = found.searches.global().questions().collect();
    Diagnosis {
        source,
        facts: settings
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (Topic::Setting, name.to_owned(), value))
            .collect(),
        directives: directives.to_string().lines().skip(1).map(str::to_owned).collect(),
        found: Progress {
            verdicts: questions.iter().map(told_questions::verdict).collect(),
            edges: questions.iter().flat_map(told_questions::edges).collect(),
            searched: told_questions::searched(&found.searches),
            steps: found.played.steps.clone(),
            ..Progress::default()
        },
    }
}

/// Which phases are told apart.
fn phases_of(phasing: &Phasing) -> String {
    let recorded = if phasing.no_phases { "none" } else { "as in the run" };
    let at = phasing.phase_at.iter().map(|at| format!(", at {} s", at.as_secs_f64()));
    let every =
        phasing.phase_every.iter().map(|every| format!(", every {} s", every.as_secs_f64()));
    std::iter::once(recorded.to_owned()).chain(at).chain(every).collect()
}

fn report_of(
    request: &Diagnose,
    store: &Store,
    summary: &Summary,
    found: &mut DiagnosisResult,
) -> Result<Report> {
    let extent = store.extent(&summary.id)?;
    let played = &found.played;
    let efforts = played.efforts.as_deref();
    let [mean, max] = extent.cost.map(rounded);
    let facts = store.facts(&summary.id).context("reading where the run was")?;
    let imported_from = fact(&facts, IMPORTED_FROM);
    let mut report = Report {
        format: Report::FORMAT,
        version: Report::VERSION,
        command: summary.command.to_vec(),
        exit_status: summary.exit_status,
        elapsed_s: rounded(summary.elapsed_s),
        processes: extent.processes as usize,
        threads: extent.threads as usize,
        // Where another tool was is not known by the name of a machine.
        hosts: if imported_from.is_some() { 0 } else { extent.hosts as usize },
        cost: imported_from.is_none().then(|| Cost {
            limit: request.cost_limit,
            mean,
            max,
            ..Cost::default()
        }),
        directives_used: found.directives_used,
        diagnosis_of: Some(summary.id.to_string()),
        imported_from: imported_from.map(str::to_owned),
        efficiency: efforts.and_then(Efficiency::of).as_ref().map(report::ReportedEfficiency::of),
        profile: two_levels(&store.profile(&summary.id).context("reading the profile")?),
        ..Report::default()
    };
    report.remarks.thread_time = found.thread_time;
    let source = |metric, focus: &Focus| Line::longest(&found.lines, metric, focus);
    let of_phases = phases::efficiencies(&played.begun, efforts.unwrap_or_default());
    summary::take_searches(&found.searches, &of_phases, &source, &mut report);
    let processors = fact(&facts, environment::PROCESSORS).and_then(|value| value.parse().ok());
    report.processors = processors.unwrap_or_default();
    summary::take_divisions(found.replay.time_divisions(), &mut report);
    take_messages(&StoredMessages::of(store, &summary.id)?, &found.searches, &mut report);
    let pairs = summary::waiting_pairs(found.searches.global().hypotheses(), &report);
    summary::add_causes(&pairs, |pairs| found.replay.wait_causes(pairs), &mut report);
    if played.has_more_phases {
        report.remarks.notes.push(phases::MORE.to_owned());
    }
    report.remarks.notes.extend(found.dwell_time.note());
    if efforts.is_none() {
        let note = "How well ranks used their time is not known of this run: its record is of an older whyperf.";
        report.remarks.notes.push(note.to_owned());
    }
    take_origin(summary, imported_from, &mut report);
    let trace = trace_of(store.place(), summary.id.as_str());
    if trace.exists() {
        worth::tell(&trace, &mut report);
    }
    Ok(report)
}

/// Says what the diagnosis is of, and what it cannot say of a run that another tool measured.
fn take_origin(summary: &Summary, imported_from: Option<&str>, report: &mut Report) {
    let known = match (imported_from, summary.complete) {
        (Some(tool), _) => format!("was imported from {tool}"),
        (None, true) => format!("was watched for {:.2} s", summary.elapsed_s),
        (None, false) => format!("is known for {:.2} s", summary.elapsed_s),
    };
    report.remarks.notes.push(format!(
        "This is a diagnosis of run {}, which {known}; nothing was measured anew.",
        summary.id
    ));
    if imported_from.is_some() && report.search.pairs_unknown > 0 {
        report.remarks.notes.push(SUMS_ALONE.to_owned());
        let reason = |one: &mut ReportedUndecided| one.reason = SUM_ALONE.to_owned();
        report.undecided.iter_mut().for_each(reason);
    }
}

/// What a run says of itself under a name.
fn fact<'a>(facts: &'a [Fact], name: &str) -> Option<&'a str> {
    facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str())
}

/// Of an imported run: why a question stays undecided.
const SUM_ALONE: &str = "its sum over the run is known, and nothing of how it came about";
/// Of an imported run: why questions stay undecided.
const SUMS_ALONE: &str = "What was imported tells sums over the run, and not when: it cannot be said how sure a share is, and questions stay undecided.";

/// Adds the messages between ranks, as far as the store has them, over the run and over each phase.
fn take_messages(messages: &StoredMessages, searches: &Searches, report: &mut Report) {
    report.messages = messages.whole();
    for (phase, past) in report.phases.iter_mut().zip(searches.after(0)) {
        phase.messages = messages.within(past.interval);
    }
    report
        .remarks
        .notes
        .extend(messages.unreadable().map(|why| format!("Messages are left out: {why}.")));
}

/// Who called, and what was called, out of whole paths; of a call inside another of the same kind the outer one holds the time.
fn two_levels(rows: &[whyperf_experiments::StoredProfileRow]) -> Vec<ReportedProfileRow> {
    let mut sums = std::collections::BTreeMap::<_, ReportedProfileRow>::new();
    for row in rows {
        let (process, thread) = (row.process, row.thread);
        let tail = |path: &[String]| path[path.len().saturating_sub(2)..].to_vec();
        let path = tail(&row.path);
        let inside = (1..row.path.len()).any(|end| tail(&row.path[..end]) == path);
        let sum = sums.entry((process, thread, path)).or_insert_with_key(|(.., path)| {
            ReportedProfileRow {
                path: path.clone(),
                process,
                thread,
                ..ReportedProfileRow::default()
            }
        });
        sum.calls += row.calls;
        sum.exclusive_s = rounded(sum.exclusive_s + row.exclusive.as_secs_f64());
        if !inside {
            sum.inclusive_s = rounded(sum.inclusive_s + row.inclusive.as_secs_f64());
        }
        sum.bytes_sent += row.sent;
        sum.bytes_received += row.received;
        sum.bytes = sum.bytes_sent + sum.bytes_received;
        let coverage = row.coverage.into_iter().chain(sum.coverage).reduce(f64::min);
        sum.coverage = coverage.and_then(ReportedProfileRow::told);
    }
    sums.into_values().collect()
}

/// What `whyperf diagnose --help` ends with.
pub(crate) const NOTES: &str = "\
What was found is kept as a run of its own, which `whyperf show` and `whyperf directives extract` take as any
other. The same diagnosis made twice is one. Functions are known only as far as they were measured.";

/// Why a diagnosis has no such option of `run`.
pub(crate) fn needless(option: &str) -> &'static str {
    match option {
        "learn" => {
            "a diagnosis is led by files: `whyperf directives extract RUN... -o FILE`, then --directives FILE"
        }
        "application" | "experiment" | "trial" | "no-store" => {
            "a diagnosis is kept beside the run that it is of"
        }
        "quiet" | "no-color" => "a diagnosis is printed to standard output; try --color never",
        _ => "it is about measuring a program that runs, and a diagnosis measures nothing",
    }
}
