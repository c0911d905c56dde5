//! What came of a simulation: how long it took, what each rank did with its time, and what was wrong with the trace.

use std::ops::{Index, IndexMut};

use crate::complaint::Complaint;
use crate::observer::Activity;
use crate::time::SimTime;

/// The result of a simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// When the last rank ended.
    pub elapsed: SimTime,
    /// How many processors there were.
    pub processors: u32,
    /// Each rank.
    pub ranks: Vec<RankOutcome>,
    /// How many events the traces had.
    pub events: u64,
    /// How many messages there were, with those of collective calls and remote accesses.
    pub messages: u64,
    /// How many bytes these had.
    pub bytes: u64,
    /// The most messages and receives of one rank, or accesses or announced messages of all, that were in memory at once.
    pub most_in_flight: u64,
    /// What was wrong with the trace, the first hundred.
    pub complaints: Vec<Complaint>,
    /// How many more there were.
    pub more_complaints: u64,
}

/// What became of a rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankOutcome {
    /// When it ended, or got stuck.
    pub end: SimTime,
    /// Its time by region, then by activity.
    pub regions: Vec<ActivityTimes>,
}

impl RankOutcome {
    /// Its time by activity.
    #[must_use]
    pub fn total(&self) -> ActivityTimes {
        let mut total = ActivityTimes::default();
        for region in &self.regions {
            Activity::ALL.into_iter().for_each(|activity| total[activity] += region[activity]);
        }
        total
    }
}

/// Time by activity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActivityTimes([SimTime; Activity::ALL.len()]);

impl Index<Activity> for ActivityTimes {
    type Output = SimTime;
    fn index(&self, activity: Activity) -> &SimTime {
        &self.0[activity as usize]
    }
}

impl IndexMut<Activity> for ActivityTimes {
    fn index_mut(&mut self, activity: Activity) -> &mut SimTime {
        &mut self.0[activity as usize]
    }
}

impl Outcome {
    /// The time of all ranks by activity.
    #[must_use]
    pub fn total(&self) -> ActivityTimes {
        let mut total = ActivityTimes::default();
        for rank in self.ranks.iter().map(RankOutcome::total) {
            Activity::ALL.into_iter().for_each(|activity| total[activity] += rank[activity]);
        }
        total
    }

    /// Whether the trace ran to its end, so that the times are those of a whole run.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.complaints.iter().any(Complaint::stops)
    }
}
