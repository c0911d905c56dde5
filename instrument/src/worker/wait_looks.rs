//! Looks at threads that wait: where each of them waits, at a moment that is not synchronous with the program.

use std::time::{Duration, Instant};

use whyperf_model::Resource;

use super::known_code::KnownCode;
use super::stacks;
use crate::messages::WorkerAnswer;

/// The looks that are to come.
#[derive(Debug, Default)]
pub(crate) struct WaitLooks {
    due: Vec<WaitLook>,
    begun: u32,
}

#[derive(Debug)]
struct WaitLook {
    at: Instant,
    process: u32,
    threads: Vec<u32>,
}

/// A look comes within so long: as long as a sampling pass comes after the one before. A program whose steps take as long would be seen
/// at the same place of each.
const SPREAD: Duration = Duration::from_millis(50);

impl WaitLooks {
    /// These threads will be looked at.
    pub(crate) fn begin(&mut self, process: u32, threads: Vec<u32>) {
        self.begun += 1;
        let at = Instant::now() + SPREAD.mul_f64(spread(self.begun));
        self.due.push(WaitLook { at, process, threads });
    }

    /// How long nothing has to be looked at; `None` when nothing is to come.
    pub(crate) fn rest(&self) -> Option<Duration> {
        let next = self.due.iter().map(|look| look.at).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Looks at those whose time has come.
    pub(crate) fn take(&mut self, code: &mut KnownCode) -> Vec<WorkerAnswer> {
        let now = Instant::now();
        let due = self.due.extract_if(.., |look| look.at <= now);
        let answers = due.map(|look| {
            let (process, places) = (look.process, places(code, look.process, &look.threads));
            WorkerAnswer::WaitsPlaced { process, places }
        });
        answers.collect()
    }
}

/// Numbers between 0 and 1, as evenly spread as can be from any one on: multiples of the golden section.
fn spread(number: u32) -> f64 {
    (f64::from(number) * GOLDEN).fract()
}

const GOLDEN: f64 = 0.618_033_988_749_895;

/// In which functions those of these threads wait that wait in the kernel, as far as their stacks tell.
fn places(code: &mut KnownCode, process: u32, threads: &[u32]) -> Vec<(u32, Resource)> {
    let Some(watched) = code.processes.get_mut(&process) else { return Vec::new() };
    let snapshots = watched.stack_snapshots.of_waiting(threads);
    let mut places = Vec::new();
    for snapshot in snapshots {
        if let Some(function) = stacks::waiting(code, process, &snapshot) {
            places.push((snapshot.tid, code.name(function)));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_spread_over_the_time_between_passes() {
        let mut tenths = [0; 10];
        for number in 1..=100 {
            let tenth = (spread(number) * 10.0).floor();
            (0..10).filter(|at| f64::from(*at) == tenth).for_each(|at| tenths[at as usize] += 1);
        }
        assert!(tenths.iter().all(|count| (8..=12).contains(count)), "{tenths:?}");
    }
}
