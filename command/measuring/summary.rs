//! The summary of a run so far: what daemon and search know, in the terms of the report.

use std::collections::BTreeMap;
use std::iter;
use std::time::{Duration, Instant};

use whyperf_consultant::{
    Bottleneck as Finding, DirectiveOutcome, Hypotheses, Hypothesis, Past, SearchResult as Found,
    Searches, Subject, ValueUnit,
};
use whyperf_daemon::{Milestone, MilestoneKind, RunLosses, SwitchedBy, SwitchedOff, View};
use whyperf_model::matching::{CausedWait, Line};
use whyperf_model::{Focus, Hierarchy, Interval, Metric, Nanos, Pair, SURE, Time, TimeDivision};

use crate::measuring::cost_check::CheckedCost;
use crate::measuring::counters;
use crate::measuring::snapshots::Snapshots;
use crate::measuring::watch::Watch;
use crate::output::report::{
    Cause, Cost, Placement, ProcessTime, RankMessages, Report, ReportedBottleneck, ReportedCheck,
    ReportedEfficiency, ReportedHotCode, ReportedLosses, ReportedMetadata, ReportedPhase,
    ReportedProfileRow, ReportedRefusal, ReportedScale, ReportedSearch, ReportedStretch,
    ReportedSwitchedOff, ReportedUndecided, TimeShares, rounded, summed_user_events,
};
use crate::output::terminal::Screen;
use crate::search::phases;

/// Looks a last time, ends the search and the stored run, and adds to the report all that is known.
pub(crate) fn complete(mut watch: Watch, mut report: Report, screen: &mut Screen) -> Report {
    let ended = Instant::now();
    watch.end(screen);
    take(&watch, &mut report);
    take_causes(&mut watch, &mut report);
    take_errors(&mut watch, &mut report);
    let running = watch.daemon().counts().running + watch.daemon().unmeasured();
    if running > 0 {
        let who = if running == 1 { "process" } else { "processes" };
        report.remarks.notes.push(format!(
            "{running} measured {who} went on when the report was written; what follows is not in it."
        ));
    }
    let snapshots = watch.snapshots.take().map(Snapshots::finish);
    report.remarks.notes.extend(snapshots.into_iter().flatten());
    let trace = watch.make_trace(&mut report, screen);
    take_end(ended, &mut report);
    watch.close_stored_run(&mut report, screen);
    watch.keep_trace(trace, screen);
    // The store has the cost until it was closed. Closing it took a moment, too: what is printed, kept and shown is one number.
    take_end(ended, &mut report);
    // Of a moment start and end are always the most, and nothing would change that.
    let is_long = report.elapsed_s >= 1.0;
    let beyond = report.cost.as_ref().and_then(Cost::beyond_limit);
    report.remarks.notes.extend(beyond.filter(|_| is_long));
    watch.amend_stored_run(&report);
    watch.close_view(&report);
    report
}

/// Adds to the report of a run that goes on all that is known by now.
pub(crate) fn until_now(watch: &mut Watch, mut report: Report) -> Report {
    take(watch, &mut report);
    take_causes(watch, &mut report);
    take_errors(watch, &mut report);
    report
}

/// Adds to the cost what it took to end, until now.
fn take_end(ended: Instant, report: &mut Report) {
    let cost = report.cost.get_or_insert_default();
    cost.end_s = rounded(ended.elapsed().as_secs_f64());
    cost.add_up(report.elapsed_s);
}

/// Gives the page and the store the report as it stands, when it is time.
pub(crate) fn offer_if_due(watch: &mut Watch) {
    let (is_shown, is_stored) = (watch.wants_report(), watch.stores_report());
    if !is_shown && !is_stored {
        return;
    }
    let mut report = Report::bare(&[], None, Duration::from_nanos(watch.daemon().now().0.0));
    report.goes_on = true;
    take(watch, &mut report);
    if is_shown {
        watch.offer(&report);
    }
    if is_stored {
        watch.keep_report(&report);
    }
}

/// Adds to the report all that is known by now.
pub(crate) fn take(watch: &Watch, report: &mut Report) {
    let counts = watch.daemon().counts();
    (report.processes, report.threads, report.hosts) =
        (counts.processes, counts.threads, counts.hosts);
    let found = whyperf_model::Efficiency::of(&watch.daemon().efforts());
    report.efficiency = found.as_ref().map(ReportedEfficiency::of);
    take_time(watch, report);
    let cost = report.cost.insert(cost(watch));
    cost.add_up(report.elapsed_s);
    let mut losses = watch.daemon().losses();
    if cost.checked.is_some() {
        // Regions that were open when measuring went on have no begin: that is our doing.
        losses.anomalies = 0;
    }
    report.losses = ReportedLosses { nodes: losses.nodes, objects: losses.objects };
    report.unmeasured = watch.unmeasured.told(watch.daemon().unmade());
    report.remarks.left_out = left_out(&losses);
    if counts.idle > 0 {
        let idle = "threads that waited for work and hardly got any: idle, and in none of the shares above the profile";
        report.remarks.left_out.push((counts.idle as u64, idle));
    }
    report.remarks.thread_time = watch.thread_time();
    report.remarks.notes.extend(watch.throttle.notes());
    if watch.shown.held_back > 0 {
        let times = if watch.shown.held_back == 1 { "once" } else { "repeatedly" };
        report.remarks.notes.push(format!(
            "The search was held back {times} because measuring cost as much as it may; raise --cost-limit to let it ask more."
        ));
    }
    take_hot_code(watch, report);
    report.remarks.notes.extend(watch.daemon().gone_alone().iter().map(|pid| {
        format!("Process {pid} gave up system calls or rights that measuring needs, and was measured until then.")
    }));
    if let Some(left_out) = &watch.left_out {
        let filter = report.filter.insert(left_out.reported());
        report.remarks.notes.push(filter.to_string());
        report.remarks.notes.extend(left_out.notes());
    }
    report.measured = watch.measure.taken(watch.daemon());
    report.counters = counters::counted(watch.daemon());
    report.user_events = summed_user_events(&watch.daemon().user_events());
    report.metadata = ReportedMetadata::all(&watch.daemon().program_metadata());
    report.remarks.notes.extend(counters::refused(watch.daemon().refused_counters()));
    report.directives_used =
        watch.inputs.in_force.used() + watch.inputs.dwell_time.directives_used();
    report.remarks.notes.extend(watch.inputs.dwell_time.note());
    let refused = watch.daemon().refused_functions().into_iter();
    report.refusals = refused
        .map(|one| ReportedRefusal { function: one.code.to_string(), reason: one.reason })
        .collect();
    take_findings(watch, report);
    take_profile(watch, report);
    take_messages(watch, report);
    take_switched_off(watch, report);
}

/// What measuring cost until now.
fn cost(watch: &Watch) -> Cost {
    let (cost, own) = (watch.daemon().cost(), watch.daemon().taken_processors());
    let lived = cost.lived.as_secs_f64().max(f64::MIN_POSITIVE);
    let share = |part: Nanos| rounded(part.as_secs_f64() / lived);
    let parts = cost.parts;
    let compensated = watch.daemon().compensated().as_secs_f64();
    Cost {
        limit: watch.cost_limit,
        mean: rounded(cost.mean),
        max: rounded(cost.max),
        own: Some(rounded(own.of_processors)),
        compensated_s: watch.compensates.then(|| rounded(compensated)),
        events: share(parts.events),
        functions: share(parts.functions),
        at_rest: share(parts.at_rest),
        pauses: share(parts.pauses),
        analysis: rounded(own.analysis),
        sampling: rounded(parts.sampling.as_secs_f64() / lived + own.others),
        start_s: rounded(watch.start.as_secs_f64()),
        checked: watch.checked_cost().map(|checked| reported_check(&checked)),
        ..Cost::default()
    }
}

fn reported_check(checked: &CheckedCost) -> ReportedCheck {
    let by = checked.milestone.as_ref().map(|Milestone { kind, name }| match kind {
        MilestoneKind::Phase => "phases".to_owned(),
        MilestoneKind::Region => format!("region {name}"),
        _ => format!("calls of {name}"),
    });
    let estimate = checked.estimate.as_ref();
    ReportedCheck {
        slower: estimate.map(|one| rounded(one.slower)),
        plus_minus: estimate.map(|one| rounded(one.plus_minus)),
        pairs: checked.pairs,
        left_out: checked.left_out,
        by,
        per_second: estimate.map(|one| rounded(one.rate)),
    }
}

/// What ranks sent to each other, in the run and in each of its phases.
fn take_messages(watch: &Watch, report: &mut Report) {
    let messages = watch.daemon().messages();
    for (phase, messages) in report.phases.iter_mut().zip(watch.messages_of_phases(&messages)) {
        phase.messages = Some(RankMessages::all(&messages));
    }
    report.messages = Some(RankMessages::all(&messages.folded()));
}

fn take_time(watch: &Watch, report: &mut Report) {
    report.processors = watch.daemon().processors();
    report.placement = Placement::of(watch.daemon().rank_bindings(), report.processors);
    take_divisions(watch.daemon().time_divisions(), report);
}

/// How each process spent its time, and all of them.
pub(crate) fn take_divisions(divisions: BTreeMap<String, TimeDivision>, report: &mut Report) {
    let mut whole = TimeDivision::default();
    divisions.values().for_each(|division| whole.add_all(division));
    report.time = (!whole.whole().is_zero()).then(|| TimeShares::of(&whole));
    let of_process = |(process, division): (String, TimeDivision)| ProcessTime {
        process,
        time: TimeShares::of(&division),
    };
    report.time_by_process = divisions.into_iter().map(of_process).collect();
}

/// What has a part of the computing that is worth telling, and is known well enough.
fn take_hot_code(watch: &Watch, report: &mut Report) {
    let profile = watch.daemon().hot_code();
    report.not_sampled = rounded(profile.not_sampled);
    let all = profile.functions.into_iter();
    let told = all.filter(|one| one.share.share >= LEAST_HOT && one.share.share > one.share.error);
    let told = told.map(|one| ReportedHotCode {
        function: one.code.to_string(),
        share: rounded(one.share.share),
        plus_minus: rounded(SURE * one.share.error),
    });
    report.hot_code = told.collect();
}

/// A part of the computing from which on a function is told.
const LEAST_HOT: f64 = 0.01;

fn take_findings(watch: &Watch, report: &mut Report) {
    let lines = watch.daemon().lines();
    let source = |metric, focus: &Focus| Line::longest(&lines, metric, focus);
    take_searches(&watch.searches, &watch.efficiencies_of_phases(), &source, report);
    if watch.shown.has_more_phases {
        report.remarks.notes.push(phases::MORE.to_owned());
    }
}

/// Adds why ranks and threads waited for each other.
fn take_causes(watch: &mut Watch, report: &mut Report) {
    let pairs = waiting_pairs(watch.searches.global().hypotheses(), report);
    add_causes(&pairs, |pairs| watch.wait_causes(pairs), report);
}

/// Adds by how much what was asked for by name may be off.
fn take_errors(watch: &mut Watch, report: &mut Report) {
    let errors = watch.errors();
    for (one, error) in report.measured.iter_mut().zip(errors) {
        one.plus_minus = error.or(one.plus_minus);
    }
}

/// By bottleneck of the whole run: its pair, where ranks or threads wait for each other at it.
pub(crate) fn waiting_pairs(table: &Hypotheses, report: &Report) -> Vec<Option<Pair>> {
    let pair = |one: &ReportedBottleneck| {
        let metric = table.row(table.named(&one.hypothesis)?).numerator;
        let may_have_causes = metric.definition().may_have_causes();
        let focus: Focus = one.focus.parse().ok().filter(|_| may_have_causes)?;
        Some(Pair::new(metric, focus))
    };
    report.bottlenecks.iter().map(pair).collect()
}

/// Adds to bottlenecks why it was waited, as `causes` knows it of pairs.
pub(crate) fn add_causes(
    pairs: &[Option<Pair>],
    causes: impl FnOnce(&[Pair]) -> Vec<Vec<CausedWait>>,
    report: &mut Report,
) {
    let asked: Vec<Pair> = pairs.iter().flatten().cloned().collect();
    let waiting = report.bottlenecks.iter_mut().zip(pairs).filter(|(_, pair)| pair.is_some());
    for ((bottleneck, _), causes) in waiting.zip(causes(&asked)) {
        bottleneck.causes = causes.iter().filter_map(Cause::of).collect();
    }
}

/// Adds what was found in the whole run and in each phase, with the efficiencies of the phases as far as they are known.
pub(crate) fn take_searches(
    searches: &Searches,
    efficiencies: &[Option<whyperf_model::Efficiency>],
    source: Source<'_>,
    report: &mut Report,
) {
    let table = searches.global().hypotheses();
    let run = Interval::new(Time::ZERO, searches.now());
    take_search(&searches.global().report(), run, (table, source), report);
    let efficiencies = efficiencies.iter().map(Option::as_ref).chain(iter::repeat(None));
    report.phases = searches
        .after(0)
        .into_iter()
        .zip(efficiencies)
        .map(|(Past { name, interval, report: found, .. }, efficiency)| ReportedPhase {
            efficiency: efficiency.map(ReportedEfficiency::of),
            name,
            begin_s: rounded(interval.start.as_secs_f64()),
            end_s: rounded(interval.end.as_secs_f64()),
            search: counted(&found),
            bottlenecks: bottlenecks(&found, interval, (table, source)),
            messages: None,
        })
        .collect();
}

/// Where in the code a metric is at a focus, for whoever knows.
pub(crate) type Source<'a> = &'a dyn Fn(Metric, &Focus) -> Option<String>;

/// What findings are told with: the hypotheses, and where in the code they are.
type FindingContext<'a> = (&'a Hypotheses, Source<'a>);

/// Adds what a search found in an interval.
fn take_search(found: &Found, interval: Interval, known: FindingContext<'_>, report: &mut Report) {
    report.search = counted(found);
    report.remarks.notes.extend(guided(&found.guided));
    report.bottlenecks = bottlenecks(found, interval, known);
    report.undecided = found.undecided.iter().map(|one| undecided(one, known.0)).collect();
}

fn undecided(one: &whyperf_consultant::Undecided, table: &Hypotheses) -> ReportedUndecided {
    let unit = table.named(&one.hypothesis).map(|id| table.row(id).unit());
    ReportedUndecided {
        hypothesis: one.hypothesis.to_string(),
        focus: one.focus.to_string(),
        value: rounded(one.value),
        plus_minus: one.error.map(rounded),
        threshold: one.threshold,
        reason: one.reason.clone(),
        scale: ReportedScale { unit: unit.unwrap_or_default(), relation: one.operator },
    }
}

const fn counted(found: &Found) -> ReportedSearch {
    ReportedSearch {
        pairs_tested: found.counts.tested,
        pairs_true: found.counts.found,
        pairs_unknown: found.counts.unknown,
    }
}

fn bottlenecks(
    found: &Found,
    interval: Interval,
    (table, source): FindingContext<'_>,
) -> Vec<ReportedBottleneck> {
    // The list is in the order of a tree that is walked from the top, so the parent is the last one above.
    let mut above: Vec<usize> = Vec::new();
    let mut all = Vec::new();
    let row = |finding: &Finding| table.named(&finding.hypothesis).map(|id| table.row(id));
    let leading = found.bottlenecks.first().and_then(row).filter(|row| row.rank == 0);
    for (at, finding) in found.bottlenecks.iter().enumerate() {
        above.truncate(finding.depth);
        let metric = metric_of(table, finding);
        let source = metric.and_then(|metric| source(metric, &finding.focus));
        let row = row(finding);
        let waits = row.filter(|row| row.numerator.definition().is_waiting());
        let unit = row.map(Hypothesis::unit).unwrap_or_default();
        let parent = above.last().copied();
        let one = bottleneck(finding, unit, source, parent);
        all.push(ReportedBottleneck {
            is_partial: is_partial(finding.interval, interval),
            explains: waits.and(leading).map(|leading| leading.meaning.to_string()),
            ..one
        });
        above.push(at);
    }
    all
}

/// Whether what a value covers is so much less than all of it that a reader must know. Each question is asked a moment after what led to it.
fn is_partial(covered: Interval, all: Interval) -> bool {
    covered.length().as_secs_f64() < NEARLY_ALL * all.length().as_secs_f64()
}

/// From this share on it is nearly all of the time.
const NEARLY_ALL: f64 = 0.9;

/// What directives left out, and what they asked about that never came.
fn guided(guided: &DirectiveOutcome) -> impl Iterator<Item = String> {
    let some = |subjects: &[Subject]| {
        let some =
            subjects.iter().take(SOME).map(|one| format!("{} {}", one.hypothesis, one.focus));
        some.collect::<Vec<_>>().join("; ")
    };
    let pruned = (!guided.pruned.is_empty()).then(|| {
        let count = guided.pruned.len();
        format!("Directives left {count} questions unasked, such as {}.", some(&guided.pruned))
    });
    let waiting = (!guided.waiting.is_empty()).then(|| {
        let count = guided.waiting.len();
        format!(
            "{count} directives name what this run never had, such as {}.",
            some(&guided.waiting)
        )
    });
    pruned.into_iter().chain(waiting)
}

/// Examples in a note.
const SOME: usize = 2;

fn bottleneck(
    finding: &Finding,
    unit: ValueUnit,
    source: Option<String>,
    parent: Option<usize>,
) -> ReportedBottleneck {
    ReportedBottleneck {
        hypothesis: finding.hypothesis.to_string(),
        focus: finding.focus.to_string(),
        value: rounded(finding.value),
        plus_minus: finding.error.map(rounded),
        threshold: finding.threshold,
        from_s: seconds(finding.interval.start),
        to_s: seconds(finding.interval.end),
        happened: { finding.happened.iter() }
            .map(|stretch| ReportedStretch {
                from_s: seconds(stretch.interval.start),
                to_s: seconds(stretch.interval.end),
                value: rounded(stretch.value),
            })
            .collect(),
        found_s: seconds(finding.found),
        leaf: finding.leaf,
        source,
        origin: finding.origin.to_string(),
        split: finding.split,
        parent,
        is_partial: false,
        causes: Vec::new(),
        worth: None,
        scale: ReportedScale { unit, relation: finding.operator },
        advice: finding.advice.to_string(),
        explains: None,
    }
}

fn seconds(time: Time) -> f64 {
    rounded(time.as_secs_f64())
}

/// A place that is wide has many lines, of which one would mislead: only functions and the most specific findings have one.
fn metric_of(table: &Hypotheses, finding: &Finding) -> Option<Metric> {
    let names_function = finding.focus.part(Hierarchy::Code).iter().all(|code| code.depth() > 1);
    if !finding.leaf && !names_function {
        return None;
    }
    let metric = table.named(&finding.hypothesis).map(|id| table.row(id).numerator);
    Some(metric.unwrap_or(Metric::Wall))
}

fn take_profile(watch: &Watch, report: &mut Report) {
    let rows = watch.daemon().profile(View::TwoLevel).into_iter();
    report.profile = rows
        .map(|row| ReportedProfileRow {
            path: row.path,
            process: row.process,
            thread: row.thread,
            calls: row.calls,
            inclusive_s: rounded(row.inclusive.as_secs_f64()),
            exclusive_s: rounded(row.exclusive.as_secs_f64()),
            bytes: row.bytes.saturating_add(row.received),
            bytes_sent: row.bytes,
            bytes_received: row.received,
            coverage: ReportedProfileRow::told(row.coverage),
        })
        .collect();
}

fn take_switched_off(watch: &Watch, report: &mut Report) {
    for SwitchedOff { region, process, visits, by } in watch.daemon().switched_off() {
        let too_hot = format!(
            "after {visits} visits (too hot to measure on): its calls and times are lower bounds"
        );
        let (by, how) = match by {
            SwitchedBy::Itself => ("itself", format!("switched off by itself {too_hot}")),
            SwitchedBy::Daemon => ("whyperf", format!("switched off by whyperf {too_hot}")),
            SwitchedBy::Filter => (
                "filter",
                format!(
                    "switched off by the filter after {visits} visits: what it did before is in the profile"
                ),
            ),
            SwitchedBy::Start => ("start", "off from the start".to_owned()),
        };
        report.remarks.notes.push(format!("Region {region} of process {process} was {how}."));
        report.switched_off.push(ReportedSwitchedOff { region, process, visits, by });
    }
}

/// What was left out, with what to do where something can be done.
fn left_out(losses: &RunLosses) -> Vec<(u64, &'static str)> {
    let all = [
        (losses.threads, "threads beyond the room of their process: not in any number"),
        (
            losses.nodes,
            "events of callpaths beyond the room of their thread: counted as \"other\"; --callpath-depth 2 needs less room",
        ),
        (
            losses.objects,
            "messages, locks or files beyond the room of their process: counted with others of their kind",
        ),
        (losses.regions, "regions beyond the room of their process: not measured"),
        (losses.strings, "names beyond the room of their process: shown without"),
        (
            losses.metadata,
            "values that the program said of itself beyond the room for that: left out; 128 keys and 256 KiB of each process are kept",
        ),
        (
            losses.requests,
            "pending requests beyond the room of their process: their waits are charged to no message",
        ),
        (losses.dropped, "events in signal handlers that came inside other events: not counted"),
        (
            losses.anomalies,
            "regions that did not end as they began (an end without begin, or an inner one left open): closed with the outer",
        ),
        (losses.doubted, "readings that could not be true: left out"),
        (
            losses.unread,
            "callpaths and names beyond what one process may take of whyperf's memory: left out, or counted with others of their kind",
        ),
    ];
    all.into_iter().filter(|(count, _)| *count > 0).collect()
}
