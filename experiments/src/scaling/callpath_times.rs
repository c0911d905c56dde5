//! Seconds that each process spends in each callpath, by process count.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Focus, Hierarchy, Metric, Pair};

use crate::error::StoreError;
use crate::run::{RunId, StoredProfileRow};
use crate::store::Store;

/// Seconds a process by name and process count.
#[derive(Debug, Default)]
pub(super) struct CallpathTimes {
    by_name: BTreeMap<String, BTreeMap<u32, f64>>,
    /// Functions of the program, which are known only where they were measured or sampled: elsewhere they are not known, and not nothing.
    partly_known: BTreeSet<String>,
}

impl CallpathTimes {
    /// Takes in the runs of a process count, as a mean.
    pub(super) fn read(
        &mut self,
        store: &Store,
        processes: u32,
        runs: &[RunId],
    ) -> Result<(), StoreError> {
        #[expect(clippy::cast_precision_loss, reason = "there are few trials")]
        let shares = f64::from(processes) * runs.len() as f64;
        let mut known_in: BTreeMap<String, usize> = BTreeMap::new();
        for run in runs {
            let mut of_run: BTreeMap<String, f64> = BTreeMap::new();
            for row in store.profile(run)? {
                let Some(seconds) = seconds(&row) else { continue };
                let name = name(&row.path);
                if is_partly_known(&row) {
                    self.partly_known.insert(name.clone());
                }
                *of_run.entry(name).or_default() += seconds;
            }
            for (name, seconds) in sampled(store, run)? {
                self.partly_known.insert(name.clone());
                of_run.entry(name).or_insert(seconds);
            }
            for (name, seconds) in of_run {
                *known_in.entry(name.clone()).or_default() += 1;
                *self.by_name.entry(name).or_default().entry(processes).or_default() +=
                    seconds / shares;
            }
        }
        // What only some trials know has no mean of all.
        for (name, count) in known_in {
            if count < runs.len() && self.partly_known.contains(&name) {
                self.by_name.entry(name).or_default().remove(&processes);
            }
        }
        Ok(())
    }

    /// Those that are known of all these counts, with their seconds. A call that is always counted and was not made took no time.
    pub(super) fn of_all(&self, counts: &[u32]) -> Vec<(String, Vec<f64>)> {
        let of = |(name, by_count): (&String, &BTreeMap<u32, f64>)| {
            let unknown = (!self.partly_known.contains(name)).then_some(0.0);
            let at = |count: &u32| by_count.get(count).copied().or(unknown);
            Some((name.clone(), counts.iter().map(at).collect::<Option<Vec<f64>>>()?))
        };
        self.by_name.iter().filter_map(of).collect()
    }
}

/// The least part of a run in which a callpath must have been counted for its rate to stand for all of it.
const LEAST_COVERED: f64 = 0.1;

/// Seconds in it alone, over the whole run.
fn seconds(row: &StoredProfileRow) -> Option<f64> {
    let coverage = row.coverage.unwrap_or(1.0);
    (coverage >= LEAST_COVERED).then(|| row.exclusive.as_secs_f64() / coverage.min(1.0))
}

fn is_partly_known(row: &StoredProfileRow) -> bool {
    row.coverage.is_some_and(|coverage| coverage < 1.0)
}

/// The last name of a callpath, with its caller.
fn name(path: &[String]) -> String {
    path[path.len().saturating_sub(2)..].join(" => ")
}

/// Processor seconds of the functions that only stack samples tell of.
fn sampled(store: &Store, run: &RunId) -> Result<Vec<(String, f64)>, StoreError> {
    let mut results = match store.run_results(run) {
        Ok(results) => results,
        Err(StoreError::NoRecord { .. } | StoreError::BadRecord { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let functions: Vec<_> = results.sampled_functions().cloned().collect();
    let mut seconds = |function| {
        let focus = Focus::whole_program().with(Hierarchy::Code, function);
        let amount = results.amount(&Pair::new(Metric::Cpu, focus.clone()))?;
        Some((focus.part(Hierarchy::Code).first()?.to_string(), amount / 1e9))
    };
    Ok(functions.into_iter().filter_map(&mut seconds).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_called_took_no_time_and_what_was_not_looked_at_is_unknown() {
        let mut times = CallpathTimes::default();
        for (name, count, seconds) in
            [("exchange => MPI_Recv", 4, 0.5), ("/Code/a.c/work", 4, 2.0), ("main => read", 2, 1.0)]
        {
            times.by_name.entry(name.to_owned()).or_default().insert(count, seconds);
        }
        times.partly_known.insert("/Code/a.c/work".to_owned());
        let known = [
            ("exchange => MPI_Recv".to_owned(), vec![0.0, 0.5]),
            ("main => read".to_owned(), vec![1.0, 0.0]),
        ];
        assert_eq!(times.of_all(&[2, 4]), known);
        assert_eq!(times.of_all(&[4]).len(), 3);
    }

    #[test]
    fn a_callpath_is_called_by_its_end() {
        let path = ["main", "step", "MPI_Recv"].map(str::to_owned);
        assert_eq!(name(&path), "step => MPI_Recv");
        assert_eq!(name(&path[..1]), "main");
    }
}
