//! What a terminal shows of a run: how far it is, what measuring costs, what was found and how its time is spent, each over time.

use whyperf_model::{Focus, Hierarchy, Metric, Pair, Resource};

use crate::document::{Progress, RunDocument, RunState};
use crate::error::ViewError;
use crate::report_file::DIVISION;
use crate::rows::{HypothesisRow, QuestionRow};
use crate::series::SeriesDocument;
use crate::viewed_run::{Bins, ViewedRun};

/// What is shown of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TopContent {
    pub(super) command: String,
    pub(super) progress: Progress,
    pub(super) processes: usize,
    /// The share of the time that measuring may take.
    pub(super) limit: f64,
    /// Over time; and what all of it was, once that is known.
    pub(super) cost: Line,
    pub(super) whole_cost: Option<f64>,
    /// How the time of all threads is spent, in the order of [`DIVISION`] without all of it.
    pub(super) uses: Vec<Line>,
    /// What is true, the highest value for its threshold first.
    pub(super) found: Vec<Finding>,
    pub(super) asked: usize,
}

/// A value over time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) name: &'static str,
    /// The mean share of all threads; none where it is not known.
    pub(super) share: Option<f64>,
    /// By column, a share; nothing where nothing was measured.
    pub(super) values: Vec<Option<f64>>,
}

/// A question that is answered with true.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    pub(super) hypothesis: String,
    pub(super) focus: String,
    pub(super) value: String,
    pub(super) threshold: String,
    /// By column, its value as a multiple of the threshold.
    pub(super) values: Vec<Option<f64>>,
}

/// More findings have no series: nobody scrolls so far.
const MOST_SERIES: usize = 64;
const USES: [&str; 6] =
    ["computing", "waiting for others", "input and output", "no processor", "paging", "blocked"];

impl TopContent {
    /// What is known by now, over time in so many columns at most.
    pub(super) fn of(viewed: &ViewedRun, columns: usize) -> Result<Self, ViewError> {
        let run = viewed.run();
        let mut found = viewed.graph().questions;
        // As the report counts them: phases have questions of their own.
        found.retain(|one| one.phase.is_none());
        let asked = found.iter().filter(|one| one.verdict.asked > 0).count();
        found.retain(|one| one.verdict.truth == "true");
        found.sort_by(|one, other| severity(other).total_cmp(&severity(one)));
        let whole = Focus::whole_program();
        let own = DIVISION.iter().chain(&[Metric::ObservedCost]);
        let mut asked_for: Vec<Pair> =
            own.map(|metric| Pair::new(*metric, whole.clone())).collect();
        let first = asked_for.len();
        let rows: Vec<_> = found.iter().map(|one| row_of(one, &run)).collect();
        let of_found = found.iter().zip(&rows).take(MOST_SERIES).flat_map(|(one, row)| {
            let pairs = row.and_then(|row| compared(one, row));
            pairs.unwrap_or_else(|| [asked_for[0].clone(), asked_for[0].clone()])
        });
        let of_found: Vec<Pair> = of_found.collect();
        asked_for.extend(of_found);
        let bins = Bins::AtMost(columns.max(2));
        let wanted: Vec<_> = asked_for.into_iter().map(|pair| (pair, bins)).collect();
        let series = viewed.series(&wanted)?;
        let (own, of_found) = series.split_at(first);
        let uses = USES.iter().zip(&own[1..first - 1]);
        let uses = uses.map(|(name, one)| Line::of(name, one.as_ref(), own[0].as_ref())).collect();
        let cost = Line::of("cost of measuring", own[first - 1].as_ref(), own[0].as_ref());
        let found = found
            .iter()
            .zip(&rows)
            .enumerate()
            .map(|(at, (one, row))| Finding::of(one, *row, of_found.get(2 * at..2 * at + 2)))
            .collect();
        Ok(Self {
            command: run.command.join(" "),
            processes: processes(&run),
            limit: limit(&run),
            whole_cost: whole_cost(&run),
            progress: run.progress,
            cost,
            uses,
            found,
            asked,
        })
    }
}

/// How far above its threshold a value is, or below where that is bad.
fn severity(question: &QuestionRow) -> f64 {
    let verdict = &question.verdict;
    verdict.value.map_or(0.0, |value| {
        let ratio = value / verdict.threshold;
        ratio.max(1.0 / ratio.max(1e-9))
    })
}

fn row_of<'run>(question: &QuestionRow, run: &'run RunDocument) -> Option<&'run HypothesisRow> {
    run.hypotheses.iter().find(|row| row.name == question.verdict.hypothesis)
}

/// What a question compares.
fn compared(question: &QuestionRow, row: &HypothesisRow) -> Option<[Pair; 2]> {
    let focus: Focus = question.verdict.focus.parse().ok()?;
    let base = if row.same_focus {
        focus.clone()
    } else {
        focus.projected(&[Hierarchy::Machine, Hierarchy::Process])
    };
    let numerator = Pair::new(row.numerator.parse().ok()?, focus);
    Some([numerator, Pair::new(row.denominator.parse().ok()?, base)])
}

fn processes(run: &RunDocument) -> usize {
    let is_over = run.progress.state == RunState::Over;
    let there = run.resources.iter().filter(|row| is_over || row.retired_s.is_none());
    let all = there.filter_map(|row| Resource::parse(&row.name).ok());
    all.filter(|one| one.hierarchy() == Hierarchy::Process && one.depth() == 1).count()
}

fn limit(run: &RunDocument) -> f64 {
    let told = run.facts.iter().find(|fact| fact.name == "cost-limit");
    told.and_then(|fact| fact.value.parse().ok()).unwrap_or(0.05)
}

/// What the report says of all of it; none while the run goes on.
fn whole_cost(run: &RunDocument) -> Option<f64> {
    let cost = &run.report.as_ref().filter(|_| run.progress.state == RunState::Over)?["cost"];
    let share = |name: &str| cost[name].as_f64().filter(|share| *share > 0.0);
    share("total").or_else(|| share("mean"))
}

impl Line {
    fn of(
        name: &'static str,
        part: Option<&SeriesDocument>,
        whole: Option<&SeriesDocument>,
    ) -> Self {
        let (Some(part), Some(whole)) = (part, whole) else {
            return Self { name, share: None, values: Vec::new() };
        };
        let values = ratios(part, whole);
        let sum = |series: &SeriesDocument| series.amounts.iter().flatten().sum::<f64>();
        let all = sum(whole);
        let share = (all > 0.0).then(|| sum(part) / all);
        Self { name, share, values }
    }
}

/// One series by another, bin by bin; both are folded alike.
fn ratios(part: &SeriesDocument, whole: &SeriesDocument) -> Vec<Option<f64>> {
    if (part.width_s - whole.width_s).abs() > 1e-9 {
        return Vec::new();
    }
    let both = part.amounts.iter().zip(&whole.amounts);
    both.map(|(part, whole)| Some((*part)? / (*whole).filter(|whole| *whole > 0.0)?)).collect()
}

impl Finding {
    fn of(
        question: &QuestionRow,
        row: Option<&HypothesisRow>,
        series: Option<&[Option<SeriesDocument>]>,
    ) -> Self {
        let verdict = &question.verdict;
        let told = |value: f64| match row {
            Some(row) if row.unit != "%" => format!("{value:.0} {}", row.unit),
            _ => format!("{:.1} %", 100.0 * value),
        };
        let values = match series {
            Some([Some(part), Some(whole)]) => ratios(part, whole),
            _ => Vec::new(),
        };
        Self {
            hypothesis: verdict.hypothesis.clone(),
            focus: short(&verdict.focus),
            value: verdict.value.map_or_else(String::new, told),
            threshold: told(verdict.threshold),
            values,
        }
    }
}

/// The parts of a focus that restrict it.
fn short(focus: &str) -> String {
    let Ok(read) = focus.parse::<Focus>() else { return focus.to_owned() };
    let parts = Hierarchy::ALL.into_iter().filter(|hierarchy| !read.is_root(*hierarchy));
    let parts = parts.flat_map(|hierarchy| read.part(hierarchy).iter().map(ToString::to_string));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { "whole program".to_owned() } else { parts.join(" ") }
}
