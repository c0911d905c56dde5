//! A processor: which rank has it, until when, and what requests of others do to that.

use std::collections::VecDeque;

use crate::identity::Rank;
use crate::machine::ServicePolicy;
use crate::time::SimTime;

/// One processor.
#[derive(Debug, Default)]
pub(super) struct Processor {
    /// Who has it.
    pub(super) running: Option<Rank>,
    /// Who wants it.
    pub(super) ready: VecDeque<Rank>,
    /// The turn of its rank.
    pub(super) turn: Turn,
    /// Until when it answers requests.
    pub(super) serves_until: SimTime,
    /// Requests that wait for its rank to wait.
    pub(super) inbox: VecDeque<u64>,
}

/// A time for which a rank keeps its processor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Until when.
    pub(super) end: SimTime,
    /// How much of it went to requests.
    pub(super) stolen: SimTime,
    /// From when chunks are counted.
    chunks_from: SimTime,
}

impl Turn {
    pub(super) fn new(start: SimTime, end: SimTime) -> Self {
        Self { end, stolen: SimTime::ZERO, chunks_from: start }
    }
}

impl Processor {
    /// When a request that arrives now is taken up; `None` if it waits in the inbox.
    pub(super) fn takes_up(&self, now: SimTime, policy: ServicePolicy) -> Option<SimTime> {
        let free = now.max(self.serves_until);
        if self.running.is_none() {
            return Some(free);
        }
        match policy {
            ServicePolicy::NoInterrupt => None,
            ServicePolicy::Interrupt => Some(free),
            ServicePolicy::Poll { chunk, .. } => {
                let Turn { end, chunks_from, .. } = self.turn;
                let chunks = match chunk.is_zero() {
                    true => return Some(free),
                    false => ((now - chunks_from).as_nanos() / chunk.as_nanos()).ceil(),
                };
                let look = (chunks_from + chunk * chunks).min(end);
                Some(free.max(look))
            }
        }
    }

    /// Answers from `start` on for so long, and says until when. Its rank keeps it for so much longer.
    pub(super) fn serve(&mut self, start: SimTime, length: SimTime) -> SimTime {
        self.serves_until = start + length;
        if self.running.is_some() {
            self.turn.end += length;
            self.turn.stolen += length;
            self.turn.chunks_from = self.serves_until;
        }
        self.serves_until
    }
}

#[cfg(test)]
mod tests {
    use super::{Processor, Turn};
    use crate::identity::Rank;
    use crate::machine::ServicePolicy;
    use crate::time::SimTime;

    fn computing() -> Processor {
        let turn = Turn::new(SimTime::nanos(100.0), SimTime::nanos(190.0));
        Processor { running: Some(Rank(0)), turn, ..Processor::default() }
    }

    #[test]
    fn each_policy_takes_a_request_up_at_its_time() {
        let at = SimTime::nanos;
        let poll = ServicePolicy::Poll { chunk: at(40.0), cost: SimTime::ZERO };
        let taken = |policy, now| computing().takes_up(at(now), policy);
        assert_eq!(taken(ServicePolicy::NoInterrupt, 110.0), None);
        assert_eq!(taken(ServicePolicy::Interrupt, 110.0), Some(at(110.0)));
        assert_eq!(
            [110.0, 150.0, 185.0].map(|now| taken(poll, now)),
            [140.0, 180.0, 190.0].map(|time| Some(at(time)))
        );
        let idle = Processor::default().takes_up(at(110.0), ServicePolicy::NoInterrupt);
        assert_eq!(idle, Some(at(110.0)));
    }

    #[test]
    fn an_answer_prolongs_computing_by_its_length() {
        let mut processor = computing();
        let done = processor.serve(SimTime::nanos(140.0), SimTime::nanos(5.0));
        assert_eq!((done, processor.turn.end), (SimTime::nanos(145.0), SimTime::nanos(195.0)));
        let poll = ServicePolicy::Poll { chunk: SimTime::nanos(40.0), cost: SimTime::ZERO };
        assert_eq!(processor.takes_up(SimTime::nanos(142.0), poll), Some(done));
        assert_eq!(processor.takes_up(SimTime::nanos(150.0), poll), Some(SimTime::nanos(185.0)));
    }
}
