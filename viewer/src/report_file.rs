//! A report as one file: the page with the data of one or several runs inside.

use std::collections::BTreeSet;

use serde::Serialize;
use whyperf_model::{Focus, Hierarchy, Metric, Pair, Resource};

use crate::document::{GraphDocument, RunDocument};
use crate::error::ViewError;
use crate::page::page;
use crate::profile::ProfileDocument;
use crate::rows::{HypothesisRow, QuestionRow};
use crate::series::SeriesDocument;
use crate::stream::StreamDocument;
use crate::viewed_run::{Bins, ViewedRun};

/// A run in a file.
#[derive(Serialize)]
struct RunInFile {
    run: RunDocument,
    graph: GraphDocument,
    profile: ProfileDocument,
    series: Vec<SeriesDocument>,
    streams: Vec<StreamDocument>,
}

/// Of a series in a file. A screen has hardly more columns for it.
const MOST_BINS: usize = 400;
/// Of a stream in a file: a screen tells apart no more marks.
const MOST_RECORDS: usize = 20_000;
/// In a file: findings first.
const MOST_PAIRS: usize = 400;
/// Of which each is kept over time by itself.
const MOST_PROCESSES: usize = 64;

/// The ways to spend time that a page stacks over each other, after all of it.
pub const DIVISION: [Metric; 7] = [
    Metric::Wall,
    Metric::Cpu,
    Metric::SyncWait,
    Metric::IoWait,
    Metric::RunDelay,
    Metric::Paging,
    Metric::Blocked,
];

/// The page with these runs inside: it opens without a server.
///
/// # Errors
/// When the store of a run cannot be read.
pub fn report_file(runs: &[ViewedRun]) -> Result<String, ViewError> {
    let files = runs.iter().map(RunInFile::of).collect::<Result<Vec<_>, _>>()?;
    let names = files.iter().map(|file| file.run.command.join(" "));
    let title = format!("{} – whyperf", names.collect::<Vec<_>>().join(" | "));
    Ok(page(&title, Some(&serde_json::to_string(&files)?)))
}

impl RunInFile {
    fn of(viewed: &ViewedRun) -> Result<Self, ViewError> {
        let (run, graph) = (viewed.run(), viewed.graph());
        let pairs = pairs(&run, &graph.questions);
        let asked: Vec<_> = pairs.into_iter().map(|pair| (pair, Bins::AtMost(MOST_BINS))).collect();
        let series = viewed.series(&asked)?.into_iter().flatten().collect();
        let streams = viewed.streams(MOST_RECORDS);
        Ok(Self { run, graph, profile: viewed.profile(), series, streams })
    }
}

/// What a reader of the file can see over time.
fn pairs(run: &RunDocument, questions: &[QuestionRow]) -> Vec<Pair> {
    let processes = run.resources.iter().filter_map(|row| Resource::parse(&row.name).ok());
    let processes =
        processes.filter(|one| one.hierarchy() == Hierarchy::Process && one.depth() == 1);
    let whole = Focus::whole_program();
    let foci = processes.map(|one| whole.with(Hierarchy::Process, one)).take(MOST_PROCESSES);
    let foci: Vec<Focus> = std::iter::once(whole.clone()).chain(foci).collect();
    let division =
        foci.iter().flat_map(|focus| DIVISION.map(|metric| Pair::new(metric, focus.clone())));
    let cost = Pair::new(Metric::ObservedCost, whole);
    let (found, others): (Vec<&QuestionRow>, Vec<&QuestionRow>) =
        questions.iter().partition(|question| question.verdict.truth == "true");
    let asked = found.into_iter().chain(others).filter(|question| question.verdict.asked > 0);
    let asked = asked.flat_map(|question| of_question(question, &run.hypotheses));
    let mut seen = BTreeSet::new();
    let all = division.chain([cost]).chain(asked);
    let all = all.filter(|pair| seen.insert(pair.clone()));
    all.take(MOST_PAIRS + DIVISION.len() * MOST_PROCESSES).collect()
}

/// What a question compares: numerator and denominator.
fn of_question(question: &QuestionRow, table: &[HypothesisRow]) -> Vec<Pair> {
    let row = table.iter().find(|row| row.name == question.verdict.hypothesis);
    let focus: Option<Focus> = question.verdict.focus.parse().ok();
    let (Some(row), Some(focus)) = (row, focus) else { return Vec::new() };
    let base = if row.same_focus {
        focus.clone()
    } else {
        focus.projected(&[Hierarchy::Machine, Hierarchy::Process])
    };
    let pair = |name: &str, focus| Some(Pair::new(name.parse().ok()?, focus));
    [pair(row.numerator, focus), pair(row.denominator, base)].into_iter().flatten().collect()
}
