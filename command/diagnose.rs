//! `whyperf diagnose`: searches a run that is over, and keeps what was found as a run of its own.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use whyperf_consultant::{Directives, Event, Guidance, Hypotheses, Phases, Scope, World as _};
use whyperf_experiments::{
    Access, Diagnosis, Progress, Replay, RunId, StepRow, Store, StoreError, Summary, Topic,
};
use whyperf_model::Focus;
use whyperf_model::matching::Line;

use crate::arguments;
use crate::guide;
use crate::journal;
use crate::outlet;
use crate::report::{self, Cost, ProfileRow, Report, rounded};
use crate::runs::status;
use crate::stock;
use crate::store_arguments::Diagnose;
use crate::terminal::Manner;

/// Searches the run of the request.
pub(crate) fn diagnose(request: &Diagnose) -> Result<ExitCode> {
    let (hypotheses, directives) = match told(request) {
        Ok(told) => told,
        Err(mistakes) => return guide::refuse(&mistakes),
    };
    let mut store = Store::open(&request.store, Access::Change)?;
    let source = store.source(&store.find(&request.run)?)?;
    let found = search(request, &store, &source, (hypotheses, &directives))?;
    let summary = store.summary(&source)?;
    let mut report = report_of(request, &store, &summary, &found)?;
    match store.keep(&diagnosis(request, source, &directives, &found)) {
        Ok(id) => report.run = Some(id.to_string()),
        // What was found is worth showing all the same.
        Err(error @ (StoreError::ReadOnly { .. } | StoreError::Full { .. })) => {
            report.remarks.notes.push(format!("The diagnosis is not kept: {error}."));
        }
        Err(error) => return Err(error.into()),
    }
    let text = report::render(&report, request.profile, Manner::of_stdout(request.color));
    if let Some(path) = &request.json {
        report.write_json(path)?;
    }
    Ok(status(outlet::print(&text)))
}

/// The table and the directives, as the request names them.
fn told(request: &Diagnose) -> Result<(Hypotheses, Directives), String> {
    let hypotheses = arguments::hypotheses(&request.judging, &request.threshold)?;
    let directives = guide::read(&request.directives, &hypotheses)?;
    Ok((hypotheses, directives))
}

/// What came of a search.
struct Found {
    searches: Phases,
    steps: Vec<StepRow>,
    directives_used: usize,
    thread_time: f64,
    lines: Vec<Line>,
}

fn search(
    request: &Diagnose,
    store: &Store,
    source: &RunId,
    (hypotheses, directives): (Hypotheses, &Directives),
) -> Result<Found> {
    let mut world = store.replay(source)?;
    if request.no_phases {
        world = world.without_phases();
    }
    let thread_time = world.thread_time();
    // Mistakes were told when the files were read.
    let guidance = Guidance::new(directives, &hypotheses).unwrap_or_default();
    let settings = request.judging.settings(request.cost_limit, request.code_search);
    let directives_used = guidance.used();
    let mut searches = Phases::new(hypotheses, settings, guidance);
    let steps = play(&mut searches, &mut world);
    let lines = world.lines().to_vec();
    Ok(Found { searches, steps, directives_used, thread_time, lines })
}

/// Searches to the end of the run; the log is that of the search over the whole of it, as when it is live.
fn play(searches: &mut Phases, world: &mut Replay) -> Vec<StepRow> {
    let mut steps = Vec::new();
    loop {
        while let Some(request) = searches.poll_request() {
            world.carry_out(request);
        }
        while let Some((scope, step)) = searches.poll_step() {
            if scope == Scope::Global {
                steps.push(StepRow { time: step.time, text: step.happening.to_string() });
            }
        }
        let Some(event) = world.next() else { return steps };
        if let Event::Phase(time, name) = &event {
            steps.push(StepRow { time: *time, text: format!("phase {name} begins") });
        }
        searches.handle(event);
    }
}

fn diagnosis(
    request: &Diagnose,
    source: RunId,
    directives: &Directives,
    found: &Found,
) -> Diagnosis {
    let judging = &request.judging;
    let table = found.searches.global().hypotheses();
    let rows = table.ids().map(|id| table.row(id));
    let thresholds: Vec<String> =
        rows.map(|row| format!("{}={}", row.name, row.threshold)).collect();
    let settings = [
        ("whyperf", env!("CARGO_PKG_VERSION").to_owned()),
        ("diagnosis of", source.to_string()),
        ("cost-limit", request.cost_limit.to_string()),
        ("verdict", format!("{:?}", judging.verdict).to_lowercase()),
        ("hold", format!("{} s", judging.hold.as_secs_f64())),
        ("order", format!("{:?}", judging.order).to_lowercase()),
        ("code-search", format!("{:?}", request.code_search).to_lowercase()),
        ("threshold", thresholds.join(",")),
        ("phases", if request.no_phases { "none" } else { "as in the run" }.to_owned()),
    ];
    let questions: Vec<_> = found.searches.global().questions().collect();
    Diagnosis {
        source,
        facts: settings
            .into_iter()
            .map(|(name, value)| (Topic::Setting, name.to_owned(), value))
            .collect(),
        directives: directives.to_string().lines().skip(1).map(str::to_owned).collect(),
        found: Progress {
            verdicts: questions.iter().map(journal::verdict).collect(),
            edges: questions.iter().flat_map(journal::edges).collect(),
            steps: found.steps.clone(),
            ..Progress::default()
        },
    }
}

fn report_of(
    request: &Diagnose,
    store: &Store,
    summary: &Summary,
    found: &Found,
) -> Result<Report> {
    let extent = store.extent(&summary.id)?;
    let [mean, max] = extent.cost.map(rounded);
    let mut report = Report {
        format: Report::FORMAT,
        version: Report::VERSION,
        command: summary.command.clone(),
        exit_status: summary.exit_status.unwrap_or_default(),
        elapsed_s: rounded(summary.elapsed_s),
        processes: extent.processes as usize,
        threads: extent.threads as usize,
        hosts: extent.hosts as usize,
        cost: Cost { limit: request.cost_limit, mean, max, compensated_s: None },
        directives_used: found.directives_used,
        diagnosis_of: Some(summary.id.to_string()),
        profile: two_levels(&store.profile(&summary.id).context("reading the profile")?),
        ..Report::default()
    };
    report.remarks.thread_time = found.thread_time;
    let source = |metric, focus: &Focus| Line::longest(&found.lines, metric, focus);
    stock::take_searches(&found.searches, &[], &source, &mut report);
    report.remarks.notes.push(format!(
        "This is a diagnosis of run {}, which {} for {:.2} s; nothing was measured anew.",
        summary.id,
        if summary.complete { "was watched" } else { "is known" },
        summary.elapsed_s,
    ));
    Ok(report)
}

/// Who called, and what was called, out of whole paths; of a call inside another of the same kind the outer one holds the time.
fn two_levels(rows: &[whyperf_experiments::ProfileRow]) -> Vec<ProfileRow> {
    let mut sums = std::collections::BTreeMap::<_, ProfileRow>::new();
    for row in rows {
        let (process, thread) = (row.process, row.thread);
        let tail = |path: &[String]| path[path.len().saturating_sub(2)..].to_vec();
        let path = tail(&row.path);
        let inside = (1..row.path.len()).any(|end| tail(&row.path[..end]) == path);
        let sum = sums.entry((process, thread, path)).or_insert_with_key(|(.., path)| ProfileRow {
            path: path.clone(),
            process,
            thread,
            ..ProfileRow::default()
        });
        sum.calls += row.calls;
        sum.exclusive_s = rounded(sum.exclusive_s + row.exclusive.as_secs_f64());
        if !inside {
            sum.inclusive_s = rounded(sum.inclusive_s + row.inclusive.as_secs_f64());
        }
        sum.bytes_sent += row.sent;
        sum.bytes_received += row.received;
        sum.bytes = sum.bytes_sent + sum.bytes_received;
    }
    sums.into_values().collect()
}
