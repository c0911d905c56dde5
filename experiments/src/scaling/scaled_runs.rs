//! The runs of one process count: how long they took, and how much faster that is than with the least processes.

use serde::Serialize;

use super::scaling_factors::ScalingFactors;
use crate::error::StoreError;
use crate::program_event::Trials;
use crate::run::RunId;
use crate::store::Store;

/// What processes are added for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkPerRun {
    /// The same work shall be done sooner: strong scaling.
    Same,
    /// More work shall be done in the same time, as much more as there are processes: weak scaling.
    Grows,
}

/// The runs of a process count.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScaledRuns {
    /// How many processes.
    pub processes: u32,
    /// Which runs.
    pub runs: Vec<RunId>,
    /// Seconds that they took, as a mean.
    pub wall_s: f64,
    /// The standard deviation of that; none of one run.
    pub spread_s: Option<f64>,
    /// How many times the work of the least processes is done in a second.
    pub speed_up: f64,
    /// The same by how many times the processes there are.
    pub efficiency: f64,
    /// The part of the work that is not divided, after Karp and Flatt; none of the least processes, which show nothing of it.
    pub serial_fraction: Option<f64>,
    /// What the efficiency is made of; none where no time of processes is known.
    pub factors: Option<ScalingFactors>,
}

impl ScaledRuns {
    /// Reads them. `first` are those with the least processes, with which they are compared.
    pub(super) fn read(
        store: &Store,
        processes: u32,
        runs: &[RunId],
        work: WorkPerRun,
        first: Option<&Self>,
    ) -> Result<Self, StoreError> {
        let mut walls = Vec::new();
        let mut factors = Vec::new();
        for run in runs {
            let elapsed = store.summary(run)?.elapsed_s;
            walls.push(elapsed);
            factors.extend(ScalingFactors::read(store, run, processes, elapsed)?);
        }
        let walls = Trials::new(walls);
        let wall_s = walls.mean().unwrap_or_default();
        let times = first.map_or(1.0, |first| f64::from(processes) / f64::from(first.processes));
        let mut factors = ScalingFactors::mean(&factors);
        let base = first.and_then(|first| first.factors.as_ref());
        if let (Some(factors), Some(base)) = (&mut factors, base) {
            factors.compare(base, if work == WorkPerRun::Grows { times } else { 1.0 });
        }
        let mut point = Self {
            processes,
            runs: runs.to_vec(),
            wall_s,
            spread_s: walls.spread(),
            speed_up: 1.0,
            efficiency: 1.0,
            serial_fraction: None,
            factors,
        };
        if let Some(first) = first {
            point.compare(first.wall_s, times, work);
        }
        Ok(point)
    }

    /// With runs that took so long, of a so-many-th of the processes.
    fn compare(&mut self, least_s: f64, times: f64, work: WorkPerRun) {
        if self.wall_s <= 0.0 {
            return;
        }
        let faster = least_s / self.wall_s;
        self.speed_up = match work {
            WorkPerRun::Same => faster,
            WorkPerRun::Grows => faster * times,
        };
        self.efficiency = self.speed_up / times;
        self.serial_fraction = (self.speed_up > 0.0).then(|| {
            // (1/S - 1/n) / (1 - 1/n), with numerator and denominator times n.
            (times / self.speed_up - 1.0) / (times - 1.0)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(wall_s: f64, times: f64, work: WorkPerRun) -> [f64; 3] {
        let mut point = ScaledRuns {
            processes: 8,
            runs: Vec::new(),
            wall_s,
            spread_s: None,
            speed_up: 1.0,
            efficiency: 1.0,
            serial_fraction: None,
            factors: None,
        };
        point.compare(10.0, times, work);
        [point.speed_up, point.efficiency, point.serial_fraction.unwrap_or(f64::NAN)]
    }

    #[test]
    fn the_serial_fraction_of_amdahl_is_found_again() {
        // A tenth is not divided: 1 s, and 9 s by eight.
        let [speed_up, efficiency, serial] = compared(1.0 + 9.0 / 8.0, 8.0, WorkPerRun::Same);
        assert!((serial - 0.1).abs() < 1e-12, "{serial}");
        assert!(
            (speed_up - 10.0 / 2.125).abs() < 1e-12 && (efficiency - speed_up / 8.0).abs() < 1e-12
        );
    }

    #[test]
    fn work_that_grows_and_takes_as_long_is_as_efficient() {
        assert_eq!(compared(10.0, 4.0, WorkPerRun::Grows), [4.0, 1.0, 0.0]);
        assert_eq!(compared(20.0, 4.0, WorkPerRun::Grows)[1], 0.5);
    }
}
