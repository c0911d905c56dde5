//! How the ranks of a communicator meet in a barrier.
//!
//! The linear one is ExtraP's: its first rank is the master, the others are its slaves. Without messages, master and slaves look
//! at memory that they share; each look lasts its check time, and sees what was there when it ends:
//!
//! ```text
//!   a_i   = arrival of i + entry                         it is there
//!   seen  = a_0 + k·check,       smallest k >= 1 with seen >= every a_i
//!   freed = seen + model                                 the master lowers the barrier
//!   exit  = freed + exit time                            of the master
//!   exit  = a_i + k·exit check + exit time               of a slave, smallest k >= 1 so that it is not before `freed`
//! ```
//!
//! By messages, a slave sends one and waits for the answer; the master takes one after the other, looks once for each, and then
//! answers each in turn. Source: Table 1 of Mohr, Malony and Shanmugam, *Speedy*.
//!
//! The others, after the last of n ranks has come; `T` = o + L + o is a message of no length (`network.rs`):
//!
//! ```text
//!   hardware        time
//!   dissemination   T·⌈log2 n⌉
//!   tree            up, each takes its children's messages one after the other, the nearest first; down, it sends to the farthest
//!                   first: 2·T·log2 n where n is a power of two and all come at once
//! ```

use crate::identity::Bytes;
use crate::time::SimTime;

/// A way to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// All go on so long after the last one came.
    Hardware {
        /// How long.
        time: SimTime,
    },
    /// A master and its slaves.
    Linear(LinearBarrier),
    /// Messages up a binomial tree and down again.
    Tree,
    /// Messages at doubling distances (Hensgen, Finkel and Manber, *Two algorithms for barrier synchronization*).
    Dissemination,
}

impl Default for Barrier {
    fn default() -> Self {
        Self::Hardware { time: SimTime::ZERO }
    }
}

/// The seven parameters of the linear barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinearBarrier {
    /// EntryTime: for each to enter.
    pub entry: SimTime,
    /// ExitTime: for each to leave.
    pub exit: SimTime,
    /// CheckTime: each time that the master looks.
    pub check: SimTime,
    /// ExitCheckTime: each time that a slave looks.
    pub exit_check: SimTime,
    /// ModelTime: until the master lowers the barrier.
    pub model: SimTime,
    /// BarrierByMsgs: how they tell each other.
    pub messages: MessageUse,
    /// BarrierMsgSize: how long a message is.
    pub size: Bytes,
}

/// Whether a barrier is made of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageUse {
    /// It is in memory.
    #[default]
    None,
    /// It sends them.
    Messages,
}

impl LinearBarrier {
    /// When each leaves, by when each came; the first one is the master. Without messages.
    pub(crate) fn exits(&self, arrivals: &[SimTime]) -> Vec<SimTime> {
        let there: Vec<SimTime> = arrivals.iter().map(|time| *time + self.entry).collect();
        let all = there.iter().copied().max().unwrap_or_default();
        let master = there.first().copied().unwrap_or_default();
        let freed = look(master, self.check, all) + self.model;
        let slave = |(at, arrived): (usize, &SimTime)| match at {
            0 => freed + self.exit,
            _ => look(*arrived, self.exit_check, freed) + self.exit,
        };
        there.iter().enumerate().map(slave).collect()
    }
}

/// When who looks every so often from `start` on sees what happens at `event`.
fn look(start: SimTime, every: SimTime, event: SimTime) -> SimTime {
    if every.is_zero() {
        return event.max(start);
    }
    let looks = ((event - start).as_nanos() / every.as_nanos()).ceil().max(1.0);
    // A quotient that was rounded down would be a look too early.
    let seen = start + every * looks;
    if seen < event { seen + every } else { seen }
}

#[cfg(test)]
mod tests {
    use super::{LinearBarrier, MessageUse};
    use crate::identity::Bytes;
    use crate::time::SimTime;

    #[test]
    fn the_linear_barrier_by_hand() {
        let micros = SimTime::micros;
        let barrier = LinearBarrier {
            entry: micros(5.0),
            exit: micros(5.0),
            check: micros(2.0),
            exit_check: micros(2.0),
            model: micros(10.0),
            messages: MessageUse::None,
            size: Bytes(16),
        };
        // There at 5, 12 and 8; seen at 5+4·2=13, freed at 23.
        let exits = barrier.exits(&[micros(0.0), micros(7.0), micros(3.0)]);
        // The slaves look at 12+6·2=24 and 8+8·2=24.
        assert_eq!(exits, [micros(28.0), micros(29.0), micros(29.0)]);
    }
}
