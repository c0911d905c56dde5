//! The two rings: commands from the daemon to the agent, replies from the process to the daemon.
//!
//! Single producer, single consumer, fixed entries. Each side's index lies on the page that side
//! may write, so the daemon's only writable page is [`CommandPage`].
//!
//! ```text
//!   produced ──► entries[produced % N] written, then produced + 1 (release)   SYNC ring
//!   consumed ◄── entry read, then consumed + 1 (release)                      SYNC ring
//! ```

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Entries of one ring.
#[cfg(not(loom))]
pub const RING: usize = 64;
/// Entries of one ring, few enough for a model to wrap.
#[cfg(loom)]
pub const RING: usize = 2;

/// One message: a number that says what, and three words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// A [`Command`] or [`Reply`] number.
    pub what: u64,
    /// Its arguments, as the number says.
    pub arguments: [u64; 3],
}

#[derive(Debug, Default)]
#[repr(C)]
struct Entry {
    words: [AtomicU64; 4],
}

/// What the daemon may ask of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Command {
    /// Nothing: a sign of life.
    Nothing = 0,
    /// Switch region (0) on.
    SwitchOn = 1,
    /// Switch region (0) off.
    SwitchOff = 2,
    /// Slot (0) of generation (1) was read a last time: it may be used again.
    ReleaseSlot = 3,
}

/// What a process may tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Reply {
    /// Nothing.
    Nothing = 0,
    /// Region (0) was switched; (1) is 1 for on, 0 for off.
    Switched = 1,
    /// Region (0) was switched off at (1) visits because it was too hot.
    TooHot = 2,
    /// Command (0) could not be carried out.
    Refused = 3,
}

/// The page the daemon writes.
#[derive(Debug)]
#[repr(C)]
pub struct CommandPage {
    /// Raised by the daemon with each round: while it grows, somebody reads.
    pub heartbeat: AtomicU64,
    /// Futex on which the agent sleeps; raised with each command.
    pub doorbell: AtomicU32,
    /// Commands produced.
    pub produced: AtomicU32,
    /// Replies consumed.
    pub replies_consumed: AtomicU32,
    pad: AtomicU32,
    entries: [Entry; RING],
}

/// The page the process writes.
#[derive(Debug)]
#[repr(C)]
pub struct ReplyPage {
    /// Replies produced.
    pub produced: AtomicU32,
    /// Commands consumed.
    pub commands_consumed: AtomicU32,
    entries: [Entry; RING],
}

impl CommandPage {
    /// Daemon: hands a command over; false when the ring is full.
    pub fn send(&self, replies: &ReplyPage, message: Message) -> bool {
        let sent = produce(&self.entries, &self.produced, &replies.commands_consumed, message);
        if sent {
            self.doorbell
                .store(self.doorbell.load(Ordering::Relaxed).wrapping_add(1), Ordering::Release); // SYNC doorbell with agent::run
        }
        sent
    }

    /// Agent: takes the next command.
    pub fn receive(&self, replies: &ReplyPage) -> Option<Message> {
        consume(&self.entries, &self.produced, &replies.commands_consumed)
    }
}

impl ReplyPage {
    /// Process: hands a reply over; false when the ring is full. One producer at a time.
    pub fn send(&self, commands: &CommandPage, message: Message) -> bool {
        produce(&self.entries, &self.produced, &commands.replies_consumed, message)
    }

    /// Daemon: takes the next reply.
    pub fn receive(&self, commands: &CommandPage) -> Option<Message> {
        consume(&self.entries, &self.produced, &commands.replies_consumed)
    }
}

fn produce(
    entries: &[Entry; RING],
    produced: &AtomicU32,
    consumed: &AtomicU32,
    message: Message,
) -> bool {
    let at = produced.load(Ordering::Relaxed);
    let gone = consumed.load(Ordering::Acquire); // SYNC ring with consume
    if at.wrapping_sub(gone) as usize >= RING {
        return false;
    }
    let [what, a, b, c] = &entries[at as usize % RING].words;
    what.store(message.what, Ordering::Relaxed);
    a.store(message.arguments[0], Ordering::Relaxed);
    b.store(message.arguments[1], Ordering::Relaxed);
    c.store(message.arguments[2], Ordering::Relaxed);
    produced.store(at.wrapping_add(1), Ordering::Release); // SYNC ring with consume
    true
}

fn consume(entries: &[Entry; RING], produced: &AtomicU32, consumed: &AtomicU32) -> Option<Message> {
    let at = consumed.load(Ordering::Relaxed);
    let made = produced.load(Ordering::Acquire); // SYNC ring with produce
    let ready = made.wrapping_sub(at) as usize;
    if ready == 0 || ready > RING {
        return None;
    }
    let [what, a, b, c] = &entries[at as usize % RING].words;
    let message = Message {
        what: what.load(Ordering::Relaxed),
        arguments: [
            a.load(Ordering::Relaxed),
            b.load(Ordering::Relaxed),
            c.load(Ordering::Relaxed),
        ],
    };
    consumed.store(at.wrapping_add(1), Ordering::Release); // SYNC ring with produce
    Some(message)
}
