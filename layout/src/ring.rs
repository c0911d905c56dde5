//! The two rings: commands from the daemon to the agent, replies from the process to the daemon.
//!
//! Single producer, single consumer, fixed entries. Each side's index lies on the page that side
//! may write, so the daemon's only writable page is [`CommandPage`].
//!
//! ```text
//!   produced ──► entries[produced % N] written, then produced + 1 (release)   SYNC made
//!   consumed ◄── entry read, then consumed + 1 (release)                      SYNC taken
//! ```

use crate::sync::{AtomicU32, AtomicU64, Ordering, or_relaxed};

/// Entries of one ring.
#[cfg(not(loom))]
pub const RING: usize = 64;
/// Entries of one ring, few enough for a model to wrap.
#[cfg(loom)]
pub const RING: usize = 2;

/// The number of a command in its ring, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence(pub u32);

/// One message: a number that says what, and three words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Which [`Command`](crate::Command), or which [`Reply`](crate::Reply) to which command.
    pub what: u64,
    /// Its arguments, as the number says.
    pub arguments: [u64; 3],
}

#[derive(Debug, Default)]
#[repr(C)]
struct Entry {
    words: [AtomicU64; 4],
    /// Whose turn it is with the entry. The model checker does not reorder a load after a later
    /// store, so it would not see an entry overwritten under its reader; it sees this.
    #[cfg(loom)]
    turn: loom::cell::UnsafeCell<()>,
}

/// The entries of a ring.
#[derive(Debug)]
#[repr(C)]
struct Entries([Entry; RING]);

impl Default for Entries {
    fn default() -> Self {
        Self(core::array::from_fn(|_| Entry::default()))
    }
}

impl Entry {
    fn write(&self, message: Message) {
        #[cfg(loom)]
        self.turn.with_mut(|_| ());
        let [what, a, b, c] = &self.words;
        what.store(message.what, Ordering::Relaxed);
        a.store(message.arguments[0], Ordering::Relaxed);
        b.store(message.arguments[1], Ordering::Relaxed);
        c.store(message.arguments[2], Ordering::Relaxed);
    }

    fn read(&self) -> Message {
        #[cfg(loom)]
        self.turn.with(|_| ());
        let [what, a, b, c] = &self.words;
        Message {
            what: what.load(Ordering::Relaxed),
            arguments: [
                a.load(Ordering::Relaxed),
                b.load(Ordering::Relaxed),
                c.load(Ordering::Relaxed),
            ],
        }
    }
}

// SAFETY: loom's cell holds nothing; it only watches who comes near.
#[cfg(loom)]
unsafe impl Sync for Entry {}

/// The page the daemon writes.
#[derive(Debug, Default)]
#[repr(C)]
pub struct CommandPage {
    /// Raised by the daemon in each sampling pass: while it grows, a daemon reads.
    pub heartbeat: AtomicU64,
    /// Futex on which the agent sleeps; raised with each command, and by threads that need the agent.
    pub doorbell: AtomicU32,
    /// Commands produced.
    pub produced: AtomicU32,
    /// Replies consumed.
    pub replies_consumed: AtomicU32,
    /// Futex on which a process waits at its start; not 0 any more when it may go on.
    pub go_on: AtomicU32,
    /// Milliseconds after which the next heartbeat is due at the latest.
    pub heartbeat_within: AtomicU32,
    entries: Entries,
}

/// The page the process writes.
#[derive(Debug, Default)]
#[repr(C)]
pub struct ReplyPage {
    /// Replies produced.
    pub produced: AtomicU32,
    /// Commands consumed.
    pub commands_consumed: AtomicU32,
    entries: Entries,
}

impl CommandPage {
    /// Daemon: hands a command over; `None` when the ring is full.
    pub fn send(&self, replies: &ReplyPage, message: Message) -> Option<Sequence> {
        let sent = produce(&self.entries, &self.produced, &replies.commands_consumed, message)?;
        self.ring();
        Some(sent)
    }

    /// Daemon, and a thread that has something for the agent: raises the bell.
    pub fn ring(&self) {
        // SYNC doorbell with CommandPage::rung
        self.doorbell.fetch_add(1, or_relaxed("doorbell_store", Ordering::Release));
    }

    /// Agent, before it takes commands: how often the bell rang. When it is still so afterwards,
    /// nothing came meanwhile and the agent may sleep on it.
    pub fn rung(&self) -> u32 {
        // SYNC doorbell with CommandPage::ring
        self.doorbell.load(or_relaxed("doorbell_load", Ordering::Acquire))
    }

    /// Agent: takes the next command.
    pub fn receive(&self, replies: &ReplyPage) -> Option<(Sequence, Message)> {
        consume(&self.entries, &self.produced, &replies.commands_consumed)
    }
}

impl ReplyPage {
    /// Process: hands a reply over; false when the ring is full. One producer at a time.
    pub fn send(&self, commands: &CommandPage, message: Message) -> bool {
        produce(&self.entries, &self.produced, &commands.replies_consumed, message).is_some()
    }

    /// Daemon: takes the next reply.
    pub fn receive(&self, commands: &CommandPage) -> Option<Message> {
        let (_, message) = consume(&self.entries, &self.produced, &commands.replies_consumed)?;
        Some(message)
    }
}

fn produce(
    entries: &Entries,
    produced: &AtomicU32,
    consumed: &AtomicU32,
    message: Message,
) -> Option<Sequence> {
    let at = produced.load(Ordering::Relaxed);
    // SYNC taken with consume
    let gone = consumed.load(or_relaxed("taken_load", Ordering::Acquire));
    if at.wrapping_sub(gone) as usize >= RING {
        return None;
    }
    entries.0[at as usize % RING].write(message);
    // SYNC made with consume
    produced.store(at.wrapping_add(1), or_relaxed("made_store", Ordering::Release));
    Some(Sequence(at.wrapping_add(1)))
}

fn consume(
    entries: &Entries,
    produced: &AtomicU32,
    consumed: &AtomicU32,
) -> Option<(Sequence, Message)> {
    let at = consumed.load(Ordering::Relaxed);
    // SYNC made with produce
    let made = produced.load(or_relaxed("made_load", Ordering::Acquire));
    let ready = made.wrapping_sub(at) as usize;
    if ready == 0 || ready > RING {
        return None;
    }
    let message = entries.0[at as usize % RING].read();
    // SYNC taken with produce
    consumed.store(at.wrapping_add(1), or_relaxed("taken_store", Ordering::Release));
    Some((Sequence(at.wrapping_add(1)), message))
}
