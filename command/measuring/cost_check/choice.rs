//! The choice of what the program's progress is known by: what it does most steadily, of what cannot be done the more often the slower it is.
//!
//! It is made before any stretch is compared, from stretches that are all on. So what comes out has no part in it.

use std::collections::VecDeque;

use whyperf_daemon::{Daemon, Milestone, MilestoneKind, Progress};

/// What was seen by now.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// The newest readings, one from each pass.
    readings: VecDeque<Progress>,
}

impl Choice {
    /// Looks at a pass; answers what was chosen, once that is known.
    pub(crate) fn look(&mut self, daemon: &Daemon) -> Option<Milestone> {
        self.readings.push_back(daemon.progress(None));
        if self.readings.len() < READINGS {
            return None;
        }
        let chosen = steadiest(self.readings.make_contiguous());
        self.readings.pop_front();
        chosen
    }
}

/// The steadiest of the surest kind of which one is steady enough.
fn steadiest(readings: &[Progress]) -> Option<Milestone> {
    let milestones = readings.last()?.milestones();
    let judged = milestones.filter_map(|one| Some((one, variation(one, readings)?)));
    let steady = judged.filter(|(_, variation)| *variation <= MOST);
    let of_library = |milestone: &Milestone| milestone.kind >= MilestoneKind::Function;
    let least = steady.min_by(|(one, first), (other, second)| {
        of_library(one).cmp(&of_library(other)).then(first.total_cmp(second))
    });
    least.map(|(milestone, _)| milestone.clone())
}

/// By which part of their mean its rates differ from stretch to stretch, if they can be compared.
fn variation(milestone: &Milestone, readings: &[Progress]) -> Option<f64> {
    let apart = readings.iter().zip(readings.iter().skip(STRETCH));
    let rates: Option<Vec<f64>> =
        apart.map(|(earlier, later)| later.rate_since(earlier, milestone)).collect();
    let rates = rates?;
    let count = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let most = if milestone.kind == MilestoneKind::Function { FASTEST_FUNCTION } else { FASTEST };
    let spread = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0);
    ((SLOWEST..=most).contains(&mean)).then_some(spread.sqrt() / mean)
}

/// Readings that are compared, and how many passes a stretch has.
const READINGS: usize = 14;
const STRETCH: usize = 4;
/// What varies more than this from stretch to stretch tells nothing.
const MOST: f64 = 0.5;
/// Times a second.
const SLOWEST: f64 = 15.0;
const FASTEST: f64 = 50_000.0;
/// A function that is called more often may have to rest.
const FASTEST_FUNCTION: f64 = 2_000.0;
