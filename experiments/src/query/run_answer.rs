//! What one run answers: the values of each metric that was asked for, as many as the question wants.

use whyperf_model::{Focus, Metric};

use super::grammar::{Query, QueryAggregation};
use crate::program_event::{PerformanceResults, cluster, list};

/// What one run answers.
pub(super) struct RunAnswer {
    pub(super) ranks: u32,
    /// Each metric with its values; none where the run has nothing that the focus names.
    pub(super) values: Option<Vec<(Metric, Vec<ValueAt>)>>,
}

/// A value, and the focus that it is of, or those of a cluster.
pub(super) type ValueAt = (Vec<Focus>, Option<f64>);

/// The values of all metrics of a question at a focus.
pub(super) fn values_of(
    query: &Query,
    results: &mut dyn PerformanceResults,
    focus: &Focus,
) -> Vec<(Metric, Vec<ValueAt>)> {
    let metrics = query.metrics.iter();
    metrics.map(|metric| (*metric, values(results, *metric, focus, query.aggregation))).collect()
}

/// The values of a metric at a focus, as many as the question wants.
fn values(
    results: &mut dyn PerformanceResults,
    metric: Metric,
    focus: &Focus,
    aggregation: QueryAggregation,
) -> Vec<ValueAt> {
    let apart = |results: &mut dyn PerformanceResults| -> Vec<(Focus, Option<f64>)> {
        let found = list(results, metric, focus).into_iter();
        found.map(|(focus, trials)| (focus, trials.mean())).collect()
    };
    let range = match aggregation {
        QueryAggregation::Sum => {
            return vec![(vec![focus.clone()], results.results(metric, focus).mean())];
        }
        QueryAggregation::List => {
            return apart(results).into_iter().map(|(focus, value)| (vec![focus], value)).collect();
        }
        QueryAggregation::Cluster(range) => range,
        QueryAggregation::ClusterShare(share) => {
            let known = apart(results).into_iter().filter_map(|(_, value)| value);
            share * known.map(f64::abs).fold(0.0, f64::max)
        }
    };
    let known = apart(results).into_iter().filter_map(|(focus, value)| Some((focus, value?)));
    let clusters = cluster(known.collect(), range);
    clusters.into_iter().map(|one| (one.members, Some(one.mean))).collect()
}
