//! `whyperf show`: one run of the store, as a whole or one part of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use serde::Serialize;
use whyperf_experiments::{
    Access, Edge, Extent, ObjectRow, Phase, ResourceSpan, RunId, Selector, Store, StoredProfileRow,
    StoredVerdict, Summary,
};
use whyperf_model::{Histogram, Interval, Pair, Time};

use crate::measuring::environment::IMPORTED_FROM;
use crate::measuring::requested;
use crate::output::delivery::{self, status};
use crate::output::report::{RankMessages, Worth, counted, rank_lines, share};
use crate::output::terminal::{self, OutputStyle, plain};
use crate::stored::messages::StoredMessages;
use crate::stored::reading::StoreOptions;

/// Which run, and what of it.
#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) reading: StoreOptions,
    /// An id, the beginning of one, a tag, latest or latest~1
    #[arg(value_name = "RUN")]
    pub(crate) run: Selector,
    /// Every question of the search and its answer
    #[arg(long, group = "part")]
    pub(crate) search: bool,
    /// The callpath profile
    #[arg(long, group = "part")]
    pub(crate) profile: bool,
    /// A measured pair over time
    #[arg(long, group = "part", num_args = 2, value_names = ["METRIC", "FOCUS"])]
    pub(crate) histogram: Option<Vec<String>>,
    /// What there was, and from when to when
    #[arg(long, group = "part")]
    pub(crate) resources: bool,
    /// Messages between ranks, by sender and receiver
    #[arg(long, group = "part")]
    pub(crate) messages: bool,
    /// The whole report, as it was printed with --details
    #[arg(long, group = "part")]
    pub(crate) details: bool,
    /// The log of the search
    #[arg(long, group = "part")]
    pub(crate) log: bool,
}

/// Prints what was asked for.
pub(crate) fn show(request: &Show) -> Result<ExitCode> {
    let store = Store::open(&request.reading.store, Access::Read)?;
    let run = store.find(&request.run)?;
    let page = Page {
        output_style: OutputStyle::of_stdout(request.reading.color),
        json: request.reading.json,
    };
    let text = if request.details {
        let report = store.report(&run)?.context("the report of this run was not kept")?;
        if page.json { Ok(report.json + "\n") } else { Ok(report.text) }
    } else if request.search {
        let searches = searches(&store, &run)?;
        let nodes: Vec<ShownQuestion<'_>> = searches.iter().flat_map(graph).collect();
        page.of(&nodes, |_| {
            let lines = |one: &Searched| {
                let title = one.phase.as_ref().map(|phase| title(phase, page.output_style));
                title.unwrap_or_default() + &verdict_lines(&one.verdicts, page.output_style)
            };
            searches.iter().map(lines).collect()
        })
    } else if request.profile {
        page.of(&store.profile(&run)?, |rows| profile_lines(rows))
    } else if request.resources {
        page.of(&store.resources(&run)?, |spans| {
            let line = |name: &str, from: Time, to: Option<Time>| {
                let to = to.map_or_else(|| "end".to_owned(), seconds);
                format!("{:>10} {to:>10}  {}\n", seconds(from), plain(name))
            };
            spans.iter().map(|span| line(&span.name, span.appeared, span.retired)).collect()
        })
    } else if request.messages {
        let rows = store.messages(&run)?.map(|series| RankMessages::all(&series.whole()));
        page.of(&rows, |rows| message_lines(rows.as_deref(), usize::MAX, page.output_style))
    } else if request.log {
        page.of(&store.steps(&run)?, |steps| {
            steps
                .iter()
                .map(|step| format!("{:>10}  {}\n", seconds(step.time), plain(&step.text)))
                .collect()
        })
    } else if let Some(words) = &request.histogram {
        let pair = requested::pair(words).map_err(anyhow::Error::msg)?;
        page.of(&curve(&store, &run, &pair)?, curve_lines)
    } else {
        page.of(&overview(&store, &run)?, |overview| {
            overview.page() + &overview_lines(overview, page.output_style)
        })
    };
    Ok(status(delivery::print(&text?)))
}

/// How it is printed.
#[derive(Clone, Copy)]
struct Page {
    output_style: OutputStyle,
    json: bool,
}

impl Page {
    fn of<T: Serialize + ?Sized>(
        self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<String> {
        if self.json {
            return Ok(serde_json::to_string_pretty(value).context("writing JSON")? + "\n");
        }
        let text = text(value);
        Ok(if text.is_empty() { "nothing of the kind was stored\n".to_owned() } else { text })
    }
}

/// The search over the whole run, or over a phase of it.
struct Searched {
    phase: Option<Phase>,
    verdicts: Vec<StoredVerdict>,
    edges: Vec<Edge>,
}

fn searches(store: &Store, run: &RunId) -> Result<Vec<Searched>> {
    let (verdicts, edges) = (store.verdicts(run)?, store.edges(run)?);
    let mut all = vec![Searched { phase: None, verdicts, edges }];
    for phase in store.phases(run)? {
        let verdicts = store.verdicts_in(run, phase.number)?;
        let edges = store.edges_in(run, phase.number)?;
        all.push(Searched { phase: Some(phase), verdicts, edges });
    }
    Ok(all)
}

/// Of which phase the lines below it are.
fn title(phase: &Phase, output_style: OutputStyle) -> String {
    let (name, began, ended) = (plain(&phase.name), seconds(phase.began), seconds(phase.ended));
    let title = format_args!("Phase {name}, from {began} to {ended}");
    format!("{}\n", output_style.paint(title, terminal::TITLE))
}

/// A question with those that led to it.
#[derive(Serialize)]
struct ShownQuestion<'a> {
    /// The phase that it was asked in; none of the whole run. Each counts its questions by itself.
    phase: Option<u32>,
    #[serde(flatten)]
    verdict: &'a StoredVerdict,
    parents: Vec<Parent<'a>>,
}

#[derive(Serialize)]
struct Parent<'a> {
    number: u64,
    axis: &'a str,
}

/// The graph of a search, in the order in which its questions came up.
fn graph(searched: &Searched) -> Vec<ShownQuestion<'_>> {
    let Searched { phase, verdicts, edges } = searched;
    let mut led: BTreeMap<u64, Vec<Parent<'_>>> = BTreeMap::new();
    for Edge { parent, child, axis } in edges {
        led.entry(*child).or_default().push(Parent { number: *parent, axis });
    }
    let node = |verdict| ShownQuestion {
        phase: phase.as_ref().map(|phase| phase.number),
        verdict,
        parents: led.remove(&verdict.number).unwrap_or_default(),
    };
    verdicts.iter().map(node).collect()
}

/// Whether a run without an end goes on, nobody tells: when it was written last, does.
fn unfinished(last_written: SystemTime) -> String {
    let ago = SystemTime::now().duration_since(last_written).unwrap_or_default();
    let ago = Duration::from_secs(ago.as_secs());
    if ago < LIVELY {
        return format!("goes on, as of {} ago", humantime::format_duration(ago));
    }
    let ago = humantime::format_duration(ago);
    format!("never finished: whyperf did not see its end, and wrote last {ago} ago")
}

/// A run that goes on is written every two seconds, where its disk and its processors keep up.
const LIVELY: Duration = Duration::from_secs(30);

/// What a run was and what was found.
#[derive(Serialize)]
struct Overview {
    #[serde(flatten)]
    summary: Summary,
    #[serde(flatten)]
    extent: Extent,
    /// The machines by name.
    machines: Vec<String>,
    facts: Vec<whyperf_experiments::Fact>,
    objects: Vec<ObjectRow>,
    directives: Vec<String>,
    bottlenecks: Vec<StoredVerdict>,
    /// By sender and receiver; none where they are not known.
    messages: Option<Vec<RankMessages>>,
    phases: Vec<ShownPhase>,
    /// As it was printed at the end, or is known by now; none where it was not kept.
    report: Option<serde_json::Value>,
    #[serde(skip)]
    last_written: SystemTime,
    /// Why messages cannot be read that were stored.
    #[serde(skip)]
    unreadable: Option<String>,
}

/// A phase and what was found in it.
#[derive(Serialize)]
struct ShownPhase {
    #[serde(flatten)]
    phase: Phase,
    bottlenecks: Vec<StoredVerdict>,
    /// By sender and receiver; none where they are not known of this phase alone.
    messages: Option<Vec<RankMessages>>,
}

/// Those that are true, in the order of finding, without processes that do not differ from the others.
fn true_ones(mut verdicts: Vec<StoredVerdict>) -> Vec<StoredVerdict> {
    verdicts.retain(|verdict| verdict.truth == "true" && !verdict.is_alike());
    verdicts.sort_by(|one, other| one.found.cmp(&other.found).then(one.number.cmp(&other.number)));
    verdicts
}

impl Overview {
    /// The first page of the report, where it was kept.
    fn page(&self) -> String {
        let page = self.report.as_ref().and_then(|report| report["page"].as_str());
        page.map_or(String::new(), |page| format!("{}\n\n", page.trim()))
    }

    /// What measuring cost, as its report says; nothing of a run that was not measured here.
    fn cost(&self) -> String {
        let total = self.report.as_ref().and_then(|report| report["cost"]["total"].as_f64());
        total.map_or(String::new(), |total| format!("; measuring cost {}", share(total)))
    }
}

fn overview(store: &Store, run: &RunId) -> Result<Overview> {
    let messages = StoredMessages::of(store, run)?;
    let told = |phase: Phase| {
        let bottlenecks = true_ones(store.verdicts_in(run, phase.number)?);
        let messages = messages.within(Interval::new(phase.began, phase.ended));
        Ok(ShownPhase { phase, bottlenecks, messages })
    };
    let machine = |span: ResourceSpan| {
        let name = span.name.strip_prefix("/Machine/")?;
        Some(name.to_owned())
    };
    let report = store.report(run)?;
    Ok(Overview {
        report: report.and_then(|report| serde_json::from_str(&report.json).ok()),
        last_written: store.last_written(run)?,
        summary: store.summary(run)?,
        extent: store.extent(run)?,
        machines: store.resources(run)?.into_iter().filter_map(machine).collect(),
        facts: store.facts(run)?,
        objects: store.objects(run)?,
        directives: store.directives(run)?,
        bottlenecks: true_ones(store.verdicts(run)?),
        phases: store.phases(run)?.into_iter().map(told).collect::<Result<_>>()?,
        messages: messages.whole(),
        unreadable: messages.unreadable().map(str::to_owned),
    })
}

fn overview_lines(overview: &Overview, output_style: OutputStyle) -> String {
    let Overview { summary, extent, machines, facts, objects, directives, bottlenecks, .. } =
        overview;
    let ending = match (summary.complete, summary.exit_status) {
        (true, Some(status)) => format!("exit status {status}"),
        (true, None) => "exit status not known".to_owned(),
        _ => unfinished(overview.last_written),
    };
    let is_imported = facts.iter().any(|fact| fact.name == IMPORTED_FROM);
    let took = match summary.elapsed_s {
        0.0 if is_imported => "how long it took is not known".to_owned(),
        seconds => format!("took {seconds:.2} s"),
    };
    let mut text = format!(
        "{}  {}\n  {} / {} / {}\n  began {}, {took}, {ending}\n  {}, {} on {}{}\n",
        output_style.paint(plain(summary.id.as_str()), terminal::TITLE),
        plain(&summary.command.join(" ")),
        plain(&summary.application),
        plain(&summary.experiment),
        plain(&summary.trial),
        summary.started,
        counted(extent.processes as usize, "process", "processes"),
        counted(extent.threads as usize, "thread", "threads"),
        plain(&machines.join(", ")),
        overview.cost(),
    );
    for fact in facts {
        let _ = writeln!(text, "  {:<18} {}", plain(&fact.name), plain(&fact.value));
    }
    let told = objects.iter().filter_map(object_line);
    let told: Vec<String> = told.collect();
    for line in &told {
        let _ = writeln!(text, "  object             {}", plain(line));
    }
    if told.len() < objects.len() {
        let others = objects.len() - told.len();
        let _ = writeln!(
            text,
            "  object             and {others} that do not say who made them (--json names all)"
        );
    }
    for directive in directives {
        let _ = writeln!(text, "  directive          {}", plain(directive));
    }
    let _ =
        writeln!(text, "{}", output_style.paint("Found, in the order of finding", terminal::TITLE));
    for one in bottlenecks {
        text += &verdict_line(one, output_style);
        text += &worth_line(overview.report.as_ref(), one);
    }
    for ShownPhase { phase, bottlenecks, .. } in &overview.phases {
        text += &title(phase, output_style);
        text += &verdict_lines(bottlenecks, output_style);
    }
    let Overview { messages, unreadable, .. } = overview;
    text + &messages_of(messages.as_deref(), unreadable.as_deref(), output_style)
}

/// The pairs of ranks that waited longest for messages, or why nothing is known of that.
fn messages_of(
    rows: Option<&[RankMessages]>,
    unreadable: Option<&str>,
    output_style: OutputStyle,
) -> String {
    let lines = match unreadable {
        Some(why) => format!("  {}\n", plain(why)),
        None => message_lines(rows, MOST_PAIRS, output_style),
    };
    if lines.is_empty() {
        return lines;
    }
    let title = "Messages between ranks, the longest waits first";
    format!("{}\n{lines}", output_style.paint(title, terminal::TITLE))
}

fn message_lines(rows: Option<&[RankMessages]>, most: usize, output_style: OutputStyle) -> String {
    let Some(rows) = rows else {
        return "  not known of this run: an older whyperf stored it, or it was killed early\n"
            .to_owned();
    };
    let lines = rank_lines(rows, most, output_style).into_iter();
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// A file, its build as far as anybody tells builds apart, and who made it; none where it does not say.
fn object_line(object: &ObjectRow) -> Option<String> {
    let compiler = object.compiler.as_deref()?;
    let build = object.build_id.as_deref().unwrap_or("no build id");
    let build = build.get(..16).unwrap_or(build);
    Some(format!("{}  {build}  {compiler}", object.name))
}

/// What curing a bottleneck is worth, where the report of its run says it, which was traced then.
fn worth_line(report: Option<&serde_json::Value>, bottleneck: &StoredVerdict) -> String {
    let all = report.and_then(|report| report["bottlenecks"].as_array());
    let is_meant = |one: &&serde_json::Value| {
        one["hypothesis"] == *bottleneck.hypothesis && one["focus"] == *bottleneck.focus
    };
    let Some(one) = all.into_iter().flatten().find(is_meant) else { return String::new() };
    let worth = &one["worth"];
    let Some(saved_s) = worth["saved_s"].as_f64() else { return String::new() };
    let worth = Worth {
        saved_s,
        plus_minus_s: worth["plus_minus_s"].as_f64(),
        cure: worth["cure"].as_str().unwrap_or_default().to_owned(),
    };
    format!("{:>10}  {}\n", "", plain(&worth.to_string()))
}

fn verdict_lines(verdicts: &[StoredVerdict], output_style: OutputStyle) -> String {
    verdicts.iter().map(|verdict| verdict_line(verdict, output_style)).collect()
}

fn verdict_line(verdict: &StoredVerdict, output_style: OutputStyle) -> String {
    let truth = format!("{:<7}", plain(&verdict.truth));
    let style = if verdict.truth == "true" { terminal::ALARM } else { terminal::FAINT };
    let found = verdict.found.map_or_else(String::new, seconds);
    let value = verdict.value.map_or_else(
        || "-".to_owned(),
        |value| if verdict.threshold < 1.0 { share(value) } else { format!("{value:.0}") },
    );
    format!(
        "{found:>10}  {}  {value:>8}  {:<24}  {}  ({})\n",
        output_style.paint(truth, style),
        plain(&verdict.hypothesis),
        plain(&verdict.focus),
        plain(&verdict.origin)
    )
}

fn profile_lines(rows: &[StoredProfileRow]) -> String {
    let line = |row: &StoredProfileRow| {
        format!(
            "{:>6}.{:<4} {:>12} calls {:>12.6} s {:>12.6} s  {}{}\n",
            row.process,
            row.thread,
            row.calls,
            row.inclusive.as_secs_f64(),
            row.exclusive.as_secs_f64(),
            plain(&row.path.join(" => ")),
            row.coverage
                .and_then(crate::output::report::ReportedProfileRow::told)
                .map_or_else(String::new, |seen| {
                    format!("  (seen for {:.1} % of the run)", 100.0 * seen)
                })
        )
    };
    rows.iter().map(line).collect()
}

/// A pair over time, as numbers.
#[derive(Serialize)]
struct Curve {
    metric: String,
    focus: String,
    width_s: f64,
    bins: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    start_s: f64,
    amount: i128,
    covered_s: f64,
}

fn curve(store: &Store, run: &RunId, pair: &Pair) -> Result<Curve> {
    let found = store.histogram(run, pair)?;
    let histogram = found.ok_or_else(|| {
        let pairs = store.pairs(run).unwrap_or_default();
        let some: Vec<String> = pairs.iter().take(5).map(ToString::to_string).collect();
        anyhow!(
            "run {run} has no histogram of {pair}; it has {} of them, such as {}",
            pairs.len(),
            some.join(" and ")
        )
    })?;
    Ok(Curve {
        metric: pair.metric.definition().name.to_owned(),
        focus: pair.focus.to_string(),
        width_s: histogram.width().as_secs_f64(),
        bins: points(&histogram),
    })
}

#[expect(clippy::cast_precision_loss, reason = "seconds for a reader")]
fn points(histogram: &Histogram) -> Vec<Point> {
    let width = histogram.width().as_secs_f64();
    let known = histogram.bins().iter().enumerate().filter(|(_, bin)| !bin.covered.is_zero());
    let point = |(at, bin): (usize, &whyperf_model::Bin)| Point {
        start_s: at as f64 * width,
        amount: bin.amount,
        covered_s: bin.covered.as_secs_f64(),
    };
    known.map(point).collect()
}

fn curve_lines(curve: &Curve) -> String {
    let line = |point: &Point| {
        format!("{:>12.3} s {:>20} over {:.3} s\n", point.start_s, point.amount, point.covered_s)
    };
    curve.bins.iter().map(line).collect()
}

/// Pairs of ranks that are shown beside all else.
const MOST_PAIRS: usize = 8;

fn seconds(time: Time) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bottleneck_is_worth_stands_below_it() {
        let bottleneck = |focus: &str| StoredVerdict {
            number: 3,
            hypothesis: "CPUbound".to_owned(),
            focus: focus.to_owned(),
            truth: "true".to_owned(),
            value: Some(0.5),
            threshold: 0.3,
            confidence: 1.0,
            asked: 1,
            found: None,
            cost: 0.0,
            origin: "search".to_owned(),
            split: None,
        };
        let worth =
            serde_json::json!({ "saved_s": 1.5, "plus_minus_s": null, "cure": "if it rained" });
        let of = |focus: &str, worth| serde_json::json!({ "hypothesis": "CPUbound", "focus": focus, "worth": worth });
        let report = serde_json::json!({ "bottlenecks": [of("<a>", serde_json::Value::Null), of("<b>", worth)] });
        let lines =
            ["<a>", "<b>", "<c>"].map(|focus| worth_line(Some(&report), &bottleneck(focus)));
        assert_eq!(lines, ["", "            worth 1.500 s of the run: if it rained\n", ""]);
    }

    #[test]
    fn messages_that_are_not_known_are_told_from_none() {
        let of = |rows: Option<&[RankMessages]>, unreadable| {
            messages_of(rows, unreadable, OutputStyle::PLAIN)
        };
        assert_eq!(of(Some(&[]), None), "", "a program without ranks is told nothing of them");
        let unknown = of(None, None);
        assert!(unknown.starts_with("Messages between ranks") && unknown.contains("not known"));
        let why = "the messages of run 1 in whyperf.db make no sense";
        assert!(of(None, Some(why)).ends_with(&format!("\n  {why}\n")));
        let row = |from: u32| RankMessages { from: Some(from), ..RankMessages::default() };
        let rows: Vec<_> = (0..1000).map(row).collect();
        let text = of(Some(&rows), None);
        assert_eq!(text.lines().count(), 2 + MOST_PAIRS + 1, "{text}");
        assert!(text.contains("992 more"), "{text}");
    }
}
