//! The metrics that a comparison goes through, and what each says of a change.

use whyperf_model::{Focus, Metric, Pair};

use super::operand::Operand;
use crate::program_event::{EventGroup, PairedResult, PerformanceResults as _};

/// What a change of a metric says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricRole {
    /// Time in which the program worked: a cause.
    Work,
    /// How often it asked others for something, whose waiting is the other metric: a cause.
    Requests(Metric),
    /// Time in which it waited: mostly what follows from a cause elsewhere.
    Waiting,
}

/// A metric with what its change says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedMetric {
    /// Which.
    pub metric: Metric,
    /// What it says.
    pub role: MetricRole,
}

const fn row(metric: Metric, role: MetricRole) -> ComparedMetric {
    ComparedMetric { metric, role }
}

/// All that are gone through. The times divide the time of threads: what the threads have more is a sum of theirs.
const ROWS: [ComparedMetric; 12] = [
    row(Metric::Cpu, MetricRole::Work),
    row(Metric::SyncWait, MetricRole::Waiting),
    row(Metric::IoWait, MetricRole::Waiting),
    row(Metric::RunDelay, MetricRole::Waiting),
    row(Metric::Blocked, MetricRole::Waiting),
    row(Metric::Paging, MetricRole::Waiting),
    row(Metric::SyncOps, MetricRole::Requests(Metric::SyncWait)),
    row(Metric::Msgs, MetricRole::Requests(Metric::P2pWait)),
    row(Metric::MsgBytesSent, MetricRole::Requests(Metric::P2pWait)),
    row(Metric::IoOps, MetricRole::Requests(Metric::IoWait)),
    row(Metric::IoBytes, MetricRole::Requests(Metric::IoWait)),
    row(Metric::Instructions, MetricRole::Work),
];

/// Those of which both operands know something over the whole program.
pub(super) fn common(a: &mut Operand, b: &mut Operand) -> Vec<ComparedMetric> {
    let whole = Focus::whole_program();
    let mut is_known = |row: &ComparedMetric| {
        let of = |operand: &mut Operand| operand.results(row.metric, &whole).mean().is_some();
        of(a) && of(b)
    };
    let mut all: Vec<ComparedMetric> = ROWS.into_iter().filter(|row| is_known(row)).collect();
    // Where the operating system said nothing of who ran, what was computed stands for it.
    let ran = |operand: &mut Operand| operand.results(Metric::Cpu, &whole).mean() != Some(0.0);
    if !ran(a) || !ran(b) {
        for row in all.iter_mut().filter(|row| row.metric == Metric::Cpu) {
            row.metric = Metric::Compute;
        }
    }
    all
}

/// How many of them may err: counts that are the same in all trials of an operand do not.
pub(super) fn uncertain(metrics: &[ComparedMetric], a: &mut Operand, b: &mut Operand) -> usize {
    let whole = Focus::whole_program();
    let mut varies = |row: &&ComparedMetric| {
        let of = |operand: &mut Operand| operand.results(row.metric, &whole).variance();
        [of(a), of(b)].into_iter().any(|variance| variance.is_some_and(|variance| variance > 0.0))
    };
    metrics.iter().filter(|row| varies(row)).count()
}

/// The results of both over the whole program and one step below it.
pub(super) fn paired(
    group: &EventGroup,
    metrics: &[ComparedMetric],
    a: &mut Operand,
    b: &mut Operand,
) -> Vec<PairedResult> {
    let whole = Focus::whole_program();
    let foci: Vec<Focus> = [vec![whole.clone()], group.magnify(&whole)].concat();
    let mut results = Vec::new();
    for row in metrics {
        for focus in &foci {
            let [a, b] = [&mut *a, &mut *b].map(|of| of.results(row.metric, focus).mean());
            let pair = Pair::new(row.metric, focus.clone());
            results.extend(a.zip(b).map(|(a, b)| PairedResult { pair, a, b }));
        }
    }
    results
}
