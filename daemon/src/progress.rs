//! The progress of a program by its own measure: how often what it repeats was done until a moment.
//!
//! ```text
//!   node      visits, and when the last one ended        ─┐
//!                                                         ├─► between two readings: visits a second, to the visit
//!   node      later: visits, and when the last one ended ─┘
//! ```
//! A rate goes from the end of one visit to that of another, and not from reading to reading: so no part of a visit is counted at either
//! end, and a dozen visits tell a rate as well as a thousand.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use whyperf_layout::geometry::NODE_CAPACITY;
use whyperf_layout::slot::{low, stamped_pair};
use whyperf_model::{Category, Nanos, Scale};

use crate::clock::Moment;
use crate::daemon::Daemon;
use crate::process::Process;
use crate::region::{RegionMemory, ThreadSlot};

/// What a program does again and again, as far as it is seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Milestone {
    /// What it is, the surest first.
    pub kind: MilestoneKind,
    /// What it is called.
    pub name: String,
}

/// What a milestone is, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MilestoneKind {
    /// The beginning of a phase that the program announced.
    Phase,
    /// A region of the program's own.
    Region,
    /// A call of MPI that completes what it does.
    Mpi,
    /// A function of the program that is switched on.
    Function,
    /// Another call that moves data, or at which threads meet.
    Call,
}

/// How far a program was at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    reached: BTreeMap<Milestone, BTreeMap<Spot, Reached>>,
}

/// A node: number of its process, number of its thread's slot, its index.
type Spot = (u32, usize, usize);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Reached {
    visits: u64,
    /// When the last visit ended, in ticks, and how long these are: what is known of that changes a little all the time, and whole times with it.
    last: u64,
    scale: Scale,
}

impl Progress {
    /// What there is.
    pub fn milestones(&self) -> impl Iterator<Item = &Milestone> {
        self.reached.keys()
    }

    /// How often a second it was reached since an earlier reading, by all threads together; `None` where it hardly was.
    #[must_use]
    pub fn rate_since(&self, earlier: &Self, milestone: &Milestone) -> Option<f64> {
        let before = earlier.reached.get(milestone)?;
        let now = self.reached.get(milestone)?;
        let rates = now.iter().filter_map(|(spot, now)| {
            let before = before.get(spot)?;
            let visits = now.visits.checked_sub(before.visits)?;
            let time = Nanos(now.scale.nanos(now.last.checked_sub(before.last)?));
            #[expect(clippy::cast_precision_loss, reason = "a rate")]
            let rate = visits as f64 / time.as_secs_f64();
            (visits >= FEWEST && !time.is_zero()).then_some(rate)
        });
        Some(rates.sum::<f64>()).filter(|rate| *rate > 0.0)
    }

    fn reach(&mut self, milestone: Milestone, spot: Spot, reached: Reached) {
        self.reached.entry(milestone).or_default().insert(spot, reached);
    }
}

/// Visits of a node between two readings that say nothing of a rate yet.
const FEWEST: u64 = 3;

impl Daemon {
    /// How far the program is now: by all milestones, or by one of them.
    #[must_use]
    pub fn progress(&self, by: Option<&Milestone>) -> Progress {
        let mut progress = Progress::default();
        let is_asked = |milestone: &Milestone| by.is_none_or(|asked| asked == milestone);
        for (number, process) in (0..).zip(&self.processes) {
            if let Some(region) = process.stage.region() {
                // Several may be called so, and one alone is recorded while the others are not.
                let one = by.map(|milestone| process.region_of(milestone));
                let is_one = |number| one.is_none_or(|one| one == number);
                let known = process.milestones(|number, one| is_one(number) && is_asked(one));
                process.add_progress(number, region, (self.scale(), &known), &mut progress);
                let phase = Milestone { kind: MilestoneKind::Phase, name: String::new() };
                if is_asked(&phase) && region.phase_count() > 0 {
                    let (visits, last) = (u64::from(region.phase_count()), Moment::now().nanos);
                    let reached = Reached { visits, last, scale: Scale::NANOSECONDS };
                    progress.reach(phase, (number, 0, 0), reached);
                }
            }
        }
        progress
    }
}

impl Process {
    /// The region of a milestone in this process, the one that was visited most of several; 0 where there is none.
    pub(crate) fn region_of(&self, milestone: &Milestone) -> u32 {
        let regions = (1..).zip(self.catalogue.tables.regions.iter().skip(1));
        let named = regions.map(|(number, _)| number);
        let named = named.filter(|number| self.milestone(*number).as_ref() == Some(milestone));
        named.max_by_key(|number| self.visits(*number)).unwrap_or(0)
    }

    /// What a region is as a milestone.
    fn milestone(&self, number: u32) -> Option<Milestone> {
        let kind = kind_of(self.catalogue.tables.region(number)?.category)?;
        Some(Milestone { kind, name: self.catalogue.region_name(number)? })
    }

    /// By the number of each region, what it is as a milestone, of those that are wanted.
    fn milestones(&self, wanted: impl Fn(u32, &Milestone) -> bool) -> Vec<Option<Milestone>> {
        let count = u32::try_from(self.catalogue.tables.regions.len()).unwrap_or(0);
        let wanted = |number| self.milestone(number).filter(|one| wanted(number, one));
        (0..count).map(wanted).collect()
    }

    fn add_progress(
        &self,
        number: u32,
        region: &RegionMemory,
        (scale, known): (Scale, &[Option<Milestone>]),
        progress: &mut Progress,
    ) {
        for watched in self.threads.iter().filter(|watched| watched.is_alive()) {
            let Some(slot) = region.slot(watched.thread.slot) else { continue };
            let nodes = (slot.head.published_nodes() as usize).min(NODE_CAPACITY);
            for index in 0..nodes {
                let of = slot.nodes[index].region.load(Ordering::Relaxed) as usize;
                let Some(Some(milestone)) = known.get(of) else { continue };
                if let Some(reached) = self.reached(&slot, index, self.scale(scale)) {
                    progress.reach(
                        milestone.clone(),
                        (number, watched.thread.slot, index),
                        reached,
                    );
                }
            }
        }
    }

    /// A node between two of its visits: its stamp is the same before and after it is read.
    fn reached(&self, slot: &ThreadSlot<'_>, index: usize, scale: Scale) -> Option<Reached> {
        let stamp = || low(stamped_pair(&slot.stamps[index / 2]) >> (32 * (index % 2)));
        (0..TRIES).find_map(|_| {
            let before = stamp();
            let reading = slot.nodes[index].read()?;
            let now = self.ticks(Moment::now());
            let age = low(now).wrapping_sub(before);
            (stamp() == before).then(|| Reached {
                visits: reading.visits,
                last: now.saturating_sub(u64::from(age)),
                scale,
            })
        })
    }
}

const fn kind_of(category: Category) -> Option<MilestoneKind> {
    use Category as Is;
    match category {
        Is::User => Some(MilestoneKind::Region),
        // Calls that test, probe or post may be made the more often the longer something takes.
        Is::Send | Is::Receive | Is::Exchange | Is::Collective | Is::Barrier => {
            Some(MilestoneKind::Mpi)
        }
        Is::Function => Some(MilestoneKind::Function),
        Is::Read | Is::Write | Is::ThreadBarrier => Some(MilestoneKind::Call),
        _ => None,
    }
}

/// Tries to catch a node between two of its visits.
const TRIES: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_whole_visits_by_all_threads() {
        let milestone = Milestone { kind: MilestoneKind::Mpi, name: "MPI_Barrier".to_owned() };
        let reading = |points: &[(usize, u64, u64)]| {
            let mut progress = Progress::default();
            for (node, visits, last) in points {
                let (last, scale) = (*last * 1_000_000, Scale::NANOSECONDS);
                let reached = Reached { visits: *visits, last, scale };
                progress.reach(milestone.clone(), (0, 0, *node), reached);
            }
            progress
        };
        let before = reading(&[(1, 100, 1000), (2, 50, 900), (3, 7, 10)]);
        // The third was reached twice, which says nothing; the fourth was not there.
        let now = reading(&[(1, 110, 2000), (2, 56, 2100), (3, 9, 2000), (4, 99, 2000)]);
        let rate = now.rate_since(&before, &milestone).expect("two nodes tell");
        assert!((rate - (10.0 + 5.0)).abs() < 1e-9, "{rate}");
        assert_eq!(before.rate_since(&before, &milestone), None);
    }
}
