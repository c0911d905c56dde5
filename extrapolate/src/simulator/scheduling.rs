//! Which rank has a processor, for how long, and what each rank's time counts as.

use crate::event::Event;
use crate::identity::Rank;
use crate::machine::ServicePolicy;
use crate::observer::{Activity, Observer, Segment};
use crate::outcome::ActivityTimes;
use crate::time::SimTime;

use super::Simulation;
use super::processor::Turn;
use super::queue::Happening;
use super::rank_state::Status;

impl<S: Iterator<Item = Event>, O: Observer> Simulation<'_, S, O> {
    /// How long computing takes here.
    pub(super) fn computing(&mut self, rank: Rank, span: SimTime) -> SimTime {
        let region = self.rank(rank).region.index();
        let factor = self.factors.get(region).copied();
        let factor = factor.unwrap_or(1.0 / self.machine.processors.cpu_ratio);
        let mut length = span * factor;
        if let ServicePolicy::Poll { chunk, cost } = self.machine.processors.service
            && !chunk.is_zero()
        {
            length += cost * (length.as_nanos() / chunk.as_nanos()).ceil();
        }
        length + self.machine.noise.prolongs(rank, self.now, length)
    }

    pub(super) fn end_turn(&mut self, rank: Rank) {
        let Turn { stolen, .. } = self.processor(rank).turn;
        let activity = self.rank(rank).activity;
        if !stolen.is_zero() {
            let until = self.rank(rank).clock + stolen;
            self.account(rank, Activity::Service, until);
        }
        self.account(rank, activity, self.now);
    }

    /// A rank did so until now.
    pub(super) fn account(&mut self, rank: Rank, activity: Activity, until: SimTime) {
        let state = self.rank(rank);
        let (start, region) = (state.clock, state.region);
        if until <= start {
            return;
        }
        state.clock = until;
        let regions = &mut state.outcome.regions;
        if regions.len() <= region.index() {
            regions.resize(region.index() + 1, ActivityTimes::default());
        }
        regions[region.index()][activity] += until - start;
        self.observer.segment(Segment { rank, region, activity, start, end: until });
    }

    /// Whether a rank that could go on has its processor now; otherwise it will be told.
    pub(super) fn takes_processor(&mut self, rank: Rank) -> bool {
        let now = self.now;
        let processor = self.processor(rank);
        if processor.running.is_some() {
            processor.ready.push_back(rank);
            self.rank(rank).status = Status::Ready(Activity::ProcessorWait);
            return false;
        }
        if processor.serves_until > now {
            let until = processor.serves_until;
            self.rank(rank).status = Status::Ready(Activity::Service);
            self.queue.push(until, Happening::Rank(rank));
            return false;
        }
        processor.running = Some(rank);
        self.rank(rank).status = Status::Running;
        true
    }

    /// A rank waits or ends: requests are answered, and the next rank has the processor.
    pub(super) fn leave_processor(&mut self, rank: Rank) {
        self.processor(rank).running = None;
        while let Some(number) = self.processor(rank).inbox.pop_front() {
            let start = self.now.max(self.processor(rank).serves_until);
            self.answer(number, start);
        }
        let processor = self.processor(rank);
        if let Some(next) = processor.ready.pop_front() {
            let at = processor.serves_until;
            self.queue.push(at.max(self.now), Happening::Rank(next));
        }
    }

    /// What a rank waits for is there at this time.
    pub(super) fn wake(&mut self, rank: Rank, at: SimTime) {
        self.rank(rank).status = Status::Waking;
        self.queue.push(at.max(self.now), Happening::Rank(rank));
    }
}
