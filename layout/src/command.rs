//! The commands of the daemon to a process, the replies of the process, and both as messages of the rings.
//!
//! ```text
//!   daemon   Command ──encode──► Message ──ring──► (Sequence, Message) ──decode──► Command   agent
//!   daemon   Answer  ◄─decode── Message ◄──ring── Answer: the command's Sequence, a Reply    agent
//! ```
//! A command's number in its ring is its sequence, so the two sides need not agree on one. A reply repeats the sequence of
//! the command that it answers; a message that a process sends by itself answers none.

use crate::Outcome;
use crate::ring::{Message, Sequence};

/// What the daemon may ask of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Switch a region on.
    SwitchOn {
        /// Which.
        region: u32,
    },
    /// Switch a region off.
    SwitchOff {
        /// Which.
        region: u32,
    },
    /// A slot of this generation was read a last time: it may be used again.
    ReleaseSlot {
        /// Which.
        slot: u32,
        /// Whose it was.
        generation: u32,
    },
    /// Map an arena.
    MapArena {
        /// Where.
        address: u64,
        /// Bytes of data.
        data: u32,
        /// Bytes of code, behind them.
        code: u32,
    },
    /// Patch the functions of so many records.
    Arm {
        /// The first of them.
        first: u32,
        /// How many.
        count: u32,
    },
    /// Give the function of a region its original bytes back; of 0, all of them.
    Disarm {
        /// Which.
        region: u32,
    },
    /// Arm a region, switch it on for a while, and disarm it, in every period; zeros end it.
    Window {
        /// Which.
        region: u32,
        /// Nanoseconds that it is on.
        on: u32,
        /// Visits after which it is off earlier, 0 for any number.
        visits: u32,
        /// Nanoseconds from one window to the next.
        period: u64,
    },
    /// All functions together may be visited so many times in every interval.
    Budget {
        /// Visits.
        visits: u64,
        /// Nanoseconds of an interval, 0 for no limit.
        interval: u64,
        /// Visits of which these are what is left.
        whole: u64,
    },
    /// Record nothing until [`Resume`](Self::Resume), but the visits of one region, by which the program's progress is known.
    Pause {
        /// Which; 0 for none.
        kept: u32,
    },
    /// Record again what is wanted.
    Resume,
    /// Measure no further: restore the code, then go on as if never measured. From here on no other
    /// command is carried out.
    Detach {
        /// Nanoseconds after which the process goes on with what could not be restored.
        patience: u64,
    },
}

/// What a process may tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A region was switched on.
    SwitchedOn {
        /// Which.
        region: u32,
    },
    /// A region was switched off.
    SwitchedOff {
        /// Which.
        region: u32,
    },
    /// A region was switched off because it was too hot.
    TooHot {
        /// Which.
        region: u32,
        /// Visits by then.
        visits: u64,
        /// Of a function: how many calls, the high half, took how many ticks.
        burst: u64,
    },
    /// A command could not be carried out.
    Refused {
        /// Its number, as the message said.
        what: u64,
        /// Its first word.
        argument: u64,
        /// Why not.
        reason: CommandRefusal,
    },
    /// An arena is mapped, or could not be.
    Mapped {
        /// Where.
        address: u64,
        /// The error of the system, 0 for none.
        error: u64,
    },
    /// Of a batch so many functions are armed; the results say which.
    Armed {
        /// How many.
        count: u64,
    },
    /// A function was to be disarmed.
    Disarmed {
        /// Its region; 0 for all.
        region: u32,
        /// What became of it.
        outcome: Outcome,
    },
    /// The process is measured no further; the regions' records say which code was not restored.
    Detached {
        /// Functions that still lead to us.
        unrestored: u32,
    },
}

/// Why a command was not carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CommandRefusal {
    /// It was not understood, or there is no such thing.
    Nonsense = 0,
    /// The process is being left.
    Leaving = 1,
}

/// A reply, and the command that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The command; `None` for what the process told by itself.
    pub to: Option<Sequence>,
    /// What it tells.
    pub reply: Reply,
}

const SWITCH_ON: u64 = 1;
const SWITCH_OFF: u64 = 2;
const RELEASE_SLOT: u64 = 3;
const MAP_ARENA: u64 = 4;
const ARM: u64 = 5;
const DISARM: u64 = 6;
const WINDOW: u64 = 7;
const BUDGET: u64 = 8;
const PAUSE: u64 = 9;
const RESUME: u64 = 10;
const DETACH: u64 = 16;

impl Command {
    /// As a message.
    #[must_use]
    pub fn encode(self) -> Message {
        let (what, arguments) = match self {
            Self::SwitchOn { region } => (SWITCH_ON, [u64::from(region), 0, 0]),
            Self::SwitchOff { region } => (SWITCH_OFF, [u64::from(region), 0, 0]),
            Self::ReleaseSlot { slot, generation } => {
                (RELEASE_SLOT, [u64::from(slot), u64::from(generation), 0])
            }
            Self::MapArena { address, data, code } => (MAP_ARENA, [address, both(code, data), 0]),
            Self::Arm { first, count } => (ARM, [u64::from(first), u64::from(count), 0]),
            Self::Disarm { region } => (DISARM, [u64::from(region), 0, 0]),
            Self::Window { region, on, visits, period } => {
                (WINDOW, [u64::from(region), both(visits, on), period])
            }
            Self::Budget { visits, interval, whole } => (BUDGET, [visits, interval, whole]),
            Self::Pause { kept } => (PAUSE, [u64::from(kept), 0, 0]),
            Self::Resume => (RESUME, [0; 3]),
            Self::Detach { patience } => (DETACH, [patience, 0, 0]),
        };
        Message { what, arguments }
    }

    /// What a message says; `None` when it makes no sense.
    #[must_use]
    pub fn decode(message: Message) -> Option<Self> {
        let [first, second, third] = message.arguments;
        let [small, other] = [first, second].map(|word| u32::try_from(word).ok());
        Some(match message.what {
            SWITCH_ON => Self::SwitchOn { region: small? },
            SWITCH_OFF => Self::SwitchOff { region: small? },
            RELEASE_SLOT => Self::ReleaseSlot { slot: small?, generation: other? },
            MAP_ARENA => Self::MapArena { address: first, data: low(second), code: high(second) },
            ARM => Self::Arm { first: small?, count: other? },
            DISARM => Self::Disarm { region: small? },
            WINDOW => Self::Window {
                region: small?,
                on: low(second),
                visits: high(second),
                period: third,
            },
            BUDGET => Self::Budget { visits: first, interval: second, whole: third },
            PAUSE => Self::Pause { kept: small? },
            RESUME => Self::Resume,
            DETACH => Self::Detach { patience: first },
            _ => return None,
        })
    }
}

const SWITCHED_ON: u32 = 1;
const TOO_HOT: u32 = 2;
const REFUSED: u32 = 3;
const MAPPED: u32 = 4;
const ARMED: u32 = 5;
const DISARMED: u32 = 6;
const SWITCHED_OFF: u32 = 7;
const DETACHED: u32 = 16;

impl Answer {
    /// What a process tells by itself.
    #[must_use]
    pub const fn unasked(reply: Reply) -> Self {
        Self { to: None, reply }
    }

    /// As a message.
    #[must_use]
    pub fn encode(self) -> Message {
        let (what, arguments) = match self.reply {
            Reply::SwitchedOn { region } => (SWITCHED_ON, [u64::from(region), 0, 0]),
            Reply::SwitchedOff { region } => (SWITCHED_OFF, [u64::from(region), 0, 0]),
            Reply::TooHot { region, visits, burst } => {
                (TOO_HOT, [u64::from(region), visits, burst])
            }
            Reply::Refused { what, argument, reason } => {
                (REFUSED, [what, argument, u64::from(reason as u32)])
            }
            Reply::Mapped { address, error } => (MAPPED, [address, error, 0]),
            Reply::Armed { count } => (ARMED, [count, 0, 0]),
            Reply::Disarmed { region, outcome } => {
                (DISARMED, [u64::from(region), u64::from(outcome as u32), 0])
            }
            Reply::Detached { unrestored } => (DETACHED, [u64::from(unrestored), 0, 0]),
        };
        let sequence = self.to.map_or(0, |sequence| sequence.0);
        Message { what: both(sequence, what), arguments }
    }

    /// What a message says; `None` when it makes no sense.
    #[must_use]
    pub fn decode(message: Message) -> Option<Self> {
        let [first, second, third] = message.arguments;
        let [region, other] = [first, second].map(|word| u32::try_from(word).ok());
        let reply = match low(message.what) {
            SWITCHED_ON => Reply::SwitchedOn { region: region? },
            SWITCHED_OFF => Reply::SwitchedOff { region: region? },
            TOO_HOT => Reply::TooHot { region: region?, visits: second, burst: third },
            REFUSED => {
                let is_leaving = third == u64::from(CommandRefusal::Leaving as u32);
                let reason =
                    if is_leaving { CommandRefusal::Leaving } else { CommandRefusal::Nonsense };
                Reply::Refused { what: first, argument: second, reason }
            }
            MAPPED => Reply::Mapped { address: first, error: second },
            ARMED => Reply::Armed { count: first },
            DISARMED => Reply::Disarmed { region: region?, outcome: Outcome::from_number(other?)? },
            DETACHED => Reply::Detached { unrestored: region? },
            _ => return None,
        };
        let to = Some(Sequence(high(message.what))).filter(|sequence| sequence.0 != 0);
        Some(Self { to, reply })
    }
}

const fn both(high: u32, low: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

const fn low(word: u64) -> u32 {
    word as u32
}

const fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const COMMANDS: [Command; 11] = [
        Command::SwitchOn { region: 1 },
        Command::SwitchOff { region: 2 },
        Command::ReleaseSlot { slot: 3, generation: 4 },
        Command::MapArena { address: 1 << 40, data: 4096, code: u32::MAX },
        Command::Arm { first: 5, count: 6 },
        Command::Disarm { region: 0 },
        Command::Window { region: 7, on: 8, visits: u32::MAX, period: u64::MAX },
        Command::Budget { visits: u64::MAX, interval: 9, whole: 10 },
        Command::Pause { kept: 11 },
        Command::Resume,
        Command::Detach { patience: u64::MAX },
    ];
    const REPLIES: [Reply; 8] = [
        Reply::SwitchedOn { region: 1 },
        Reply::SwitchedOff { region: 2 },
        Reply::TooHot { region: 3, visits: 1 << 40, burst: u64::MAX },
        Reply::Refused { what: 12345, argument: u64::MAX, reason: CommandRefusal::Leaving },
        Reply::Mapped { address: 1 << 40, error: 17 },
        Reply::Armed { count: 192 },
        Reply::Disarmed { region: 4, outcome: Outcome::ThreadInside },
        Reply::Detached { unrestored: 5 },
    ];

    #[test]
    fn a_command_comes_out_as_it_went_in() {
        for command in COMMANDS {
            assert_eq!(Command::decode(command.encode()), Some(command));
        }
    }

    #[test]
    fn an_answer_comes_out_as_it_went_in_with_the_command_that_it_answers() {
        for reply in REPLIES {
            for to in [None, Some(Sequence(1)), Some(Sequence(u32::MAX))] {
                let answer = Answer { to, reply };
                assert_eq!(Answer::decode(answer.encode()), Some(answer));
            }
        }
    }

    #[test]
    fn nonsense_is_neither_a_command_nor_a_reply() {
        let message = |what, argument| Message { what, arguments: [argument; 3] };
        for what in [0, 11, 15, 17, u64::MAX, 1 << 32 | SWITCH_ON] {
            assert_eq!(Command::decode(message(what, 1)), None);
        }
        for what in [SWITCH_ON, RELEASE_SLOT, ARM, DISARM, WINDOW, PAUSE] {
            assert_eq!(Command::decode(message(what, 1 << 32)), None, "a region of 33 bits");
        }
        for what in [0, 8, 99, u64::from(DISARMED)] {
            assert_eq!(Answer::decode(message(what, 99)), None);
        }
    }
}
