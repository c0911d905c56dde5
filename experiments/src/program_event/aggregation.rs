//! List and cluster: the results of a set of resources as several values, each alone or those that are about equal together.

use whyperf_model::{Focus, Hierarchy, Metric};

use super::results::PerformanceResults;
use super::trials::Trials;

/// Values that lie within a range of each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster<T> {
    /// Their mean, which stands for them.
    pub mean: f64,
    /// Whose they are, the smallest value first.
    pub members: Vec<T>,
}

/// One result for each resource that a focus names: those of a set apart instead of added up. A focus without a set gives one.
pub fn list(
    results: &mut dyn PerformanceResults,
    metric: Metric,
    focus: &Focus,
) -> Vec<(Focus, Trials)> {
    let mut foci = vec![focus.clone()];
    for hierarchy in Hierarchy::ALL {
        let apart = |one: &Focus| {
            let parts = focus.part(hierarchy).iter();
            parts.map(|resource| one.with(hierarchy, resource.clone())).collect::<Vec<_>>()
        };
        foci = foci.iter().flat_map(apart).collect();
    }
    foci.into_iter().map(|one| (one.clone(), results.results(metric, &one))).collect()
}

/// As few clusters as there can be in which no two values are farther apart than `range`, those of small values first. What is no
/// number is in none.
#[must_use]
pub fn cluster<T>(values: Vec<(T, f64)>, range: f64) -> Vec<Cluster<T>> {
    let mut values: Vec<(T, f64)> =
        values.into_iter().filter(|(_, value)| value.is_finite()).collect();
    values.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let mut clusters: Vec<(Vec<T>, Vec<f64>)> = Vec::new();
    // From the smallest on, each cluster takes in all that it may: any other way needs as many at least.
    for (member, value) in values {
        match clusters.last_mut() {
            Some((members, of)) if value - of[0] <= range => {
                members.push(member);
                of.push(value);
            }
            _ => clusters.push((vec![member], vec![value])),
        }
    }
    let mean = |values: Vec<f64>| Trials::new(values).mean().unwrap_or_default();
    clusters.into_iter().map(|(members, of)| Cluster { mean: mean(of), members }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Lengths;

    impl PerformanceResults for Lengths {
        fn by_trial(&mut self, _: Metric, focus: &Focus) -> Vec<Option<f64>> {
            vec![Some(focus.to_string().len() as f64)]
        }
    }

    #[test]
    fn a_list_has_one_result_for_each_combination_of_resources() {
        let focus: Focus = "</Code/a.c/(f,g),/Process/(0,10)>".parse().expect("well formed");
        let found = list(&mut Lengths, Metric::Cpu, &focus);
        let names: Vec<String> = found.iter().map(|(focus, _)| focus.to_string()).collect();
        assert_eq!(
            names,
            [
                "</Code/a.c/f,/Machine,/Process/0,/SyncObject>",
                "</Code/a.c/f,/Machine,/Process/10,/SyncObject>",
                "</Code/a.c/g,/Machine,/Process/0,/SyncObject>",
                "</Code/a.c/g,/Machine,/Process/10,/SyncObject>",
            ]
        );
        assert_eq!(list(&mut Lengths, Metric::Cpu, &Focus::whole_program()).len(), 1);
    }

    #[test]
    fn values_that_are_about_equal_stand_together() {
        let values = vec![('a', 10.0), ('b', 3.0), ('c', 11.0), ('d', f64::NAN), ('e', 3.5)];
        let found = cluster(values, 1.0);
        assert_eq!(found[0], Cluster { mean: 3.25, members: vec!['b', 'e'] });
        assert_eq!(found[1], Cluster { mean: 10.5, members: vec!['a', 'c'] });
        assert_eq!(found.len(), 2);
    }
}
