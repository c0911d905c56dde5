//! Rows that documents share: a question of the search, a moment of the log, a part of the run.

use std::collections::BTreeMap;

use serde::Serialize;
use whyperf_consultant::{Hypotheses, HypothesisId, Normalizer, ValueUnit};
use whyperf_experiments::{Edge, Phase, ResourceSpan, StepRow, StoredVerdict};
use whyperf_model::{MessageTable, Metric, Nanos, Style, Unit};

/// A question with those that led to it, as `whyperf show --search --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionRow {
    /// The phase that it was asked in; none of the whole run. Each counts its questions by itself.
    pub phase: Option<u32>,
    /// What was asked and answered.
    #[serde(flatten)]
    pub verdict: StoredVerdict,
    /// Whether what it compares is measured now; of a run that is over nothing is.
    pub active: bool,
    /// The questions that led to it.
    pub parents: Vec<ParentRow>,
}

/// A question that led to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParentRow {
    /// Its number.
    pub number: u64,
    /// `why`, or the hierarchy.
    pub axis: String,
}

impl QuestionRow {
    /// The questions of a search, in the order in which they came up.
    pub(crate) fn all(
        phase: Option<u32>,
        verdicts: Vec<StoredVerdict>,
        edges: &[Edge],
    ) -> Vec<Self> {
        let mut led: BTreeMap<u64, Vec<ParentRow>> = BTreeMap::new();
        for Edge { parent, child, axis } in edges {
            led.entry(*child).or_default().push(ParentRow { number: *parent, axis: axis.clone() });
        }
        let row = |verdict: StoredVerdict| {
            let parents = led.remove(&verdict.number).unwrap_or_default();
            Self { phase, verdict, active: false, parents }
        };
        verdicts.into_iter().map(row).collect()
    }
}

/// A line of the log of the search.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogRow {
    /// When.
    pub time_s: f64,
    /// What.
    pub text: String,
}

impl From<&StepRow> for LogRow {
    fn from(step: &StepRow) -> Self {
        Self { time_s: step.time.as_secs_f64(), text: step.text.clone() }
    }
}

/// A part of the run that was searched by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseRow {
    /// The first is 1.
    pub number: u32,
    /// How it was called.
    pub name: String,
    /// When it began.
    pub begin_s: f64,
    /// When it ended, or until when it is known.
    pub end_s: f64,
}

impl From<&Phase> for PhaseRow {
    fn from(phase: &Phase) -> Self {
        let [begin_s, end_s] = [phase.began, phase.ended].map(|time| time.as_secs_f64());
        Self { number: phase.number, name: phase.name.clone(), begin_s, end_s }
    }
}

/// Something that was there in the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResourceRow {
    /// Its path.
    pub name: String,
    /// When it was first seen.
    pub appeared_s: f64,
    /// When it went away; never, when there is none.
    pub retired_s: Option<f64>,
}

impl From<&ResourceSpan> for ResourceRow {
    fn from(span: &ResourceSpan) -> Self {
        Self {
            name: span.name.clone(),
            appeared_s: span.appeared.as_secs_f64(),
            retired_s: span.retired.map(|time| time.as_secs_f64()),
        }
    }
}

/// The messages from one rank to another one, with the members of a report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MessagesRow {
    /// Of several jobs in one run, which one.
    pub job: u32,
    /// Rank that sent; none where it cannot be told.
    pub from: Option<u32>,
    /// Rank that received; none where it cannot be told.
    pub to: Option<u32>,
    /// How many.
    pub calls: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Seconds for which the receiver received them or waited for them.
    pub waiting_s: f64,
    /// Seconds for which the sender sent them or waited until they were sent.
    pub sending_s: f64,
}

impl MessagesRow {
    /// The rows of a table, by job, sender and receiver.
    #[must_use]
    pub fn all(table: &MessageTable) -> Vec<Self> {
        let row = |row: whyperf_model::MessageRow| Self {
            job: row.route.job,
            from: row.route.from,
            to: row.route.to,
            calls: row.number,
            bytes: row.bytes,
            waiting_s: micros(row.waiting),
            sending_s: micros(row.sending),
        };
        table.rows().map(row).collect()
    }
}

/// Seconds to six places.
fn micros(time: Nanos) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e6
}

/// A row of the table of hypotheses, with what its values are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HypothesisRow {
    /// How it is written.
    pub name: String,
    /// The one that it makes more precise.
    pub parent: Option<String>,
    /// What is measured at the focus.
    pub numerator: &'static str,
    /// What it is divided by.
    pub denominator: &'static str,
    /// Whether the divisor is measured at the focus itself, and not at its machines and processes alone.
    pub same_focus: bool,
    /// `>` or `<`: the sign that is true of a bad value.
    pub operator: char,
    /// From which value on it is true.
    pub threshold: f64,
    /// `%`, or a unit per another.
    pub unit: String,
    /// By what amounts that are divided are multiplied to be in the unit.
    pub factor: f64,
    /// What it means when true.
    pub meaning: String,
    /// What to try.
    pub advice: String,
}

impl HypothesisRow {
    /// All rows.
    #[must_use]
    pub fn all(table: &Hypotheses) -> Vec<Self> {
        table.ids().map(|id| Self::of(table, id)).collect()
    }

    fn of(table: &Hypotheses, id: HypothesisId) -> Self {
        let row = table.row(id);
        let unit = row.unit();
        Self {
            name: row.name.to_string(),
            parent: row.parent.map(|parent| table.row(parent).name.to_string()),
            numerator: row.numerator.name(),
            denominator: row.denominator.name(),
            same_focus: row.normalizer == Normalizer::SameFocus,
            operator: row.operator.symbol(),
            threshold: row.threshold,
            unit: unit.symbol(),
            factor: if let ValueUnit::Share | ValueUnit::Ratio = unit {
                100.0
            } else {
                unit.factor()
            },
            meaning: row.meaning.to_string(),
            advice: row.advice.to_string(),
        }
    }
}

/// A metric, as `whyperf metrics --json` prints it, and how its amounts become a rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MetricRow {
    /// How it is written.
    pub name: &'static str,
    /// What its amounts are.
    pub unit: &'static str,
    /// Whether a rate of it is a number of threads or processes: time per time, or a state.
    pub is_level: bool,
    /// What it measures.
    pub meaning: &'static str,
}

impl MetricRow {
    /// All metrics.
    pub(crate) fn all() -> Vec<Self> {
        Metric::ALL.into_iter().map(Self::of).collect()
    }

    fn of(metric: Metric) -> Self {
        let definition = metric.definition();
        Self {
            name: definition.name,
            unit: definition.unit.symbol(),
            is_level: definition.unit == Unit::Nanoseconds
                || definition.style == Style::SampledFunction,
            meaning: metric.meaning(),
        }
    }
}
