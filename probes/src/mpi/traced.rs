//! What a trace says of a call beyond its time: messages with peer, tag, size, communicator and request; collective calls; accesses to windows.
//!
//! It is found out after the call succeeded, so that a wildcard is what really matched, and only where the process is traced. The first use of a
//! communicator says who its members are.

use core::sync::atomic::{AtomicU64, Ordering};

use whyperf_layout::{MessageAct, Moved, NO_ONE, Traced};
use whyperf_runtime::tracing;

use super::call::{Act, Derivation, Direction, Position};
use super::communicator;
use super::dialect::Dialect;
use super::peer;
use super::real::CommunicatorGroup;
use super::request::Transfer;
use super::status;
use super::window;
use super::words::Answered;

/// Says what a call did that moved so much. `found` is what a probe had found that the call receives.
///
/// # Safety
/// The call must have filled its status, if it has one, and its request.
pub(crate) unsafe fn say(all: &Answered<'_>, found: Transfer, moved: Moved) {
    // SAFETY: the caller's promise, here and below.
    unsafe {
        match all.act() {
            Act::Message(direction) => {
                // Both at once: the receive is there before the send may have to wait for its own.
                if direction.sends() {
                    sent(all, MessageAct::Send, moved.out);
                }
                if direction.receives() {
                    received(all, all.handle(all.at().comm), moved.r#in);
                }
            }
            Act::ReceiveFound => {
                if let Transfer::Received { comm } = found {
                    received(all, comm, moved.r#in);
                }
            }
            Act::PostMessage(direction) => {
                started(all, direction, [MessageAct::StartSend, MessageAct::StartReceive], moved);
            }
            Act::PrepareMessage(direction) => {
                started(
                    all,
                    direction,
                    [MessageAct::PrepareSend, MessageAct::PrepareReceive],
                    moved,
                );
            }
            Act::PostFound => {
                if let Transfer::Received { comm } = found {
                    let request = request(all);
                    message(all, MessageAct::StartReceive, (NO_ONE, comm), 0, (None, request));
                }
            }
            Act::Collective(_) => collective(all, all.handle(all.at().comm), moved, 0),
            Act::PostCollective(_) => {
                collective(all, all.handle(all.at().comm), moved, request(all));
            }
            Act::MakeCommunicator(Derivation::Whole | Derivation::Part) | Act::MakeWindow => {
                collective(all, all.handle(all.at().comm), Moved::default(), 0);
            }
            Act::Finish => collective(all, all.dialect().comm_world(), Moved::default(), 0),
            Act::Window(Direction::None) if all.call().operation.name == FENCE => {
                collective(all, window::over(all.handle(all.at().window)), Moved::default(), 0);
            }
            Act::Window(direction) | Act::PostWindow(direction) => access(all, direction, moved),
            _ => {}
        }
    }
}

/// Says which requests a call starts, or gives back, before it does.
pub(crate) fn say_request(act: Act, handle: usize) {
    let request = handle as u64;
    match act {
        Act::Start => tracing::say(Traced::Started { request }),
        Act::Release => tracing::say(Traced::Forgotten { request }),
        _ => {}
    }
}

/// Says that a request is complete; `status` is null or was filled for it.
///
/// # Safety
/// As said; and what was received by it came from `peer`, if that is known.
pub(crate) unsafe fn completed(
    dialect: &Dialect,
    handle: usize,
    source: Option<u32>,
    status: usize,
) {
    let has_source = source.is_some() && status != 0;
    // SAFETY: it was filled for a message that was received.
    let tag = if has_source { unsafe { status::tag(dialect, status) } } else { 0 };
    let peer = source.unwrap_or(NO_ONE);
    tracing::say(Traced::Completed { peer, tag, request: handle as u64 });
}

/// Says that a receive is complete, and that it received nothing.
pub(crate) fn cancelled(handle: usize) {
    tracing::say(Traced::Cancelled { request: handle as u64 });
}

/// Says who the members of a communicator are that was made just now, if some are.
///
/// # Safety
/// A call must have made it, unless it is none.
pub(crate) unsafe fn made(dialect: &Dialect, handle: usize) {
    if handle != 0 && handle != dialect.comm_null() {
        // SAFETY: the caller's promise.
        unsafe { number(dialect, handle) };
    }
}

/// `MPI_Win_fence`, in which all members of a window meet.
const FENCE: &str = "Win_fence";

unsafe fn sent(all: &Answered<'_>, act: MessageAct, bytes: u64) {
    let (at, dialect) = (all.at(), all.dialect());
    let comm = all.handle(at.comm);
    // SAFETY: the call succeeded on this communicator.
    if let Some(peer) = unsafe { peer::of_rank(dialect, comm, all.int(at.dest)) } {
        let request = if act == MessageAct::Send { 0 } else { request(all) };
        let tag = Some(all.int(at.send_tag));
        // SAFETY: the same.
        unsafe { message(all, act, (peer, comm), bytes, (tag, request)) };
    }
}

unsafe fn received(all: &Answered<'_>, comm: usize, bytes: u64) {
    let (dialect, status) = (all.dialect(), all.word(all.at().status));
    // SAFETY: the call succeeded and filled the status; it is the program's or ours.
    unsafe {
        if let Some(peer) = peer::of_rank(dialect, comm, status::source(dialect, status)) {
            let tag = Some(status::tag(dialect, status));
            message(all, MessageAct::Receive, (peer, comm), bytes, (tag, 0));
        }
    }
}

unsafe fn started(
    all: &Answered<'_>,
    direction: Direction,
    [sends, receives]: [MessageAct; 2],
    moved: Moved,
) {
    let (at, dialect) = (all.at(), all.dialect());
    if direction.receives() {
        let (comm, source) = (all.handle(at.comm), all.int(at.source));
        let tag = Some(all.int(at.receive_tag)).filter(|tag| *tag != dialect.any_tag);
        // SAFETY: the call succeeded on this communicator.
        let peer = unsafe { peer::of_rank(dialect, comm, source) };
        // A negative rank is the wildcard, or nobody, from whom nothing comes.
        if source != dialect.proc_null {
            let from = (peer.unwrap_or(NO_ONE), comm);
            // SAFETY: the same.
            unsafe { message(all, receives, from, 0, (tag, request(all))) };
        }
    }
    if direction.sends() {
        // SAFETY: the same.
        unsafe { sent(all, sends, moved.out) };
    }
}

unsafe fn message(
    all: &Answered<'_>,
    act: MessageAct,
    (peer, comm): (u32, usize),
    bytes: u64,
    (tag, request): (Option<i32>, usize),
) {
    // SAFETY: the call succeeded on this communicator.
    let comm = unsafe { number(all.dialect(), comm) };
    tracing::say_all([
        Traced::Message { act, peer, comm, bytes },
        Traced::Envelope { tag, request: request as u64 },
    ]);
}

unsafe fn collective(all: &Answered<'_>, comm: usize, moved: Moved, request: usize) {
    let root = all.at().root;
    let root = if root.is_present() { u32::try_from(all.int(root)).ok() } else { None };
    // SAFETY: the call succeeded on this communicator.
    let comm = unsafe { number(all.dialect(), comm) };
    tracing::say_all([
        Traced::Collective { comm, root: root.unwrap_or(NO_ONE), out: moved.out },
        Traced::Contributed { r#in: moved.r#in },
        Traced::Envelope { tag: None, request: request as u64 },
    ]);
}

unsafe fn access(all: &Answered<'_>, direction: Direction, moved: Moved) {
    let at = all.at();
    if direction == Direction::None || !at.dest.is_present() {
        return;
    }
    let over = window::over(all.handle(at.window));
    // SAFETY: the window was made over this communicator.
    let Some(peer) = (unsafe { peer::of_rank(all.dialect(), over, all.int(at.dest)) }) else {
        return;
    };
    let said = |puts, bytes| tracing::say(Traced::Access { puts, peer, bytes });
    if direction.sends() {
        said(true, moved.out);
    }
    if direction.receives() {
        said(false, moved.r#in);
    }
}

/// The request that the call made.
fn request(all: &Answered<'_>) -> usize {
    let at: Position = all.at().request;
    // SAFETY: the call wrote the request to this address.
    if at.is_present() { unsafe { all.handle_behind(at) } } else { 0 }
}

/// Communicators whose members were said, a bit for each number.
static SAID: [AtomicU64; 1 << 10] = [const { AtomicU64::new(0) }; 1 << 10];
/// Ranks that are translated in one call.
const CHUNK: usize = 64;

/// The number of a communicator, whose members are said where that was not done yet.
///
/// # Safety
/// A call must have succeeded on it, unless it is none.
unsafe fn number(dialect: &Dialect, handle: usize) -> u32 {
    // What was made unseen gets its number when it is learned; the world has one from its first use on.
    let known = communicator::find(dialect, handle);
    let Some(number) = known.and_then(|known| known.number()) else { return NO_ONE };
    if let Some(word) = SAID.get(number as usize / 64) {
        let bit = 1 << (number % 64);
        // The first look spares every event but a communicator's first a locked instruction.
        let is_said = word.load(Ordering::Relaxed) & bit != 0;
        if !is_said && word.fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            // SAFETY: the caller's promise.
            unsafe { say_members(dialect, handle, number) };
        }
    }
    number
}

#[cold]
unsafe fn say_members(dialect: &Dialect, handle: usize, comm: u32) {
    // SAFETY: the caller's promise; the world is valid while calls succeed.
    let groups = unsafe {
        if communicator::facts(dialect, handle).remote > 0 {
            return;
        }
        (CommunicatorGroup::of(handle), CommunicatorGroup::of(dialect.comm_world()))
    };
    let (Some(group), Some(world)) = groups else { return };
    let size = usize::try_from(group.size()).unwrap_or(0);
    tracing::say(Traced::Communicator { comm, members: size as u64 });
    for begin in (0..size).step_by(CHUNK) {
        let length = CHUNK.min(size - begin);
        let (mut ranks, mut translated) = ([0; CHUNK], [-1; CHUNK]);
        for (rank, number) in ranks.iter_mut().zip(begin as i32..) {
            *rank = number;
        }
        let Some(asked) = ranks.get(..length) else { return };
        group.translate(asked, &world, &mut translated);
        for pair in translated.get(..length).unwrap_or(&[]).chunks(2) {
            let rank = |at: usize| pair.get(at).and_then(|rank| u32::try_from(*rank).ok());
            let ranks = [rank(0).unwrap_or(NO_ONE), rank(1).unwrap_or(NO_ONE)];
            tracing::say(Traced::Members { ranks });
        }
    }
}
