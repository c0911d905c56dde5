//! Counts the messages that a call sent and received, by the rank on the other side.
//!
//! | call | counts |
//! |---|---|
//! | sends, or posts or starts a send | a message to `dest`; its time, if it may wait |
//! | receives | a message from the rank that its status names, so that `MPI_ANY_SOURCE` is known, and its time |
//! | completes requests | a message for each one that received; its time for the rank that all have in common |
//!
//! A wait for messages of several ranks belongs to none of them alone: its time counts for [`Peer::UNKNOWN`].

use whyperf_layout::{Messages, Moved, Peer};
use whyperf_runtime::peers;

use super::call::Act;
use super::peer;
use super::request::{self, Transfer};
use super::status;
use super::words::Answered;

/// What a call posts or prepares, as far as its completion needs to know.
///
/// # Safety
/// The call must be one that posts or prepares a message.
pub(crate) unsafe fn transfer(all: &Answered<'_>) -> Transfer {
    match all.act() {
        Act::PostMessage(direction) | Act::PrepareMessage(direction) if direction.receives() => {
            Transfer::Received { comm: all.handle(all.at().comm) }
        }
        Act::PostMessage(_) | Act::PrepareMessage(_) => {
            // SAFETY: the call succeeded, and sends.
            unsafe { destination(all) }.map_or(Transfer::None, Transfer::Sent)
        }
        _ => Transfer::None,
    }
}

/// Counts what a call did that began `ticks` ago and moved so much. `found` is what a probe had found that the call receives.
///
/// # Safety
/// The call must have filled its status, if it has one.
pub(crate) unsafe fn count(all: &Answered<'_>, found: Transfer, moved: Moved, ticks: u64) {
    match all.act() {
        Act::Message(direction) | Act::PostMessage(direction) if direction.sends() => {
            let own = if direction.receives() { 0 } else { ticks };
            // SAFETY: the call succeeded.
            if let Some(peer) = unsafe { destination(all) } {
                peers::sent(peer, Messages { number: 1, bytes: moved.out, ticks: own });
            }
        }
        Act::Start => {
            for index in 0..all.requests() {
                // SAFETY: the index is below their number; persistent requests keep their handle.
                let operation = request::look(unsafe { all.request(index) });
                if let Some(operation) = operation
                    && let Transfer::Sent(peer) = operation.transfer
                {
                    let bytes = operation.moved.out;
                    peers::sent(peer, Messages { number: 1, bytes, ticks: 0 });
                }
            }
        }
        _ => {}
    }
    let comm = match all.act() {
        Act::Message(direction) if direction.receives() => all.handle(all.at().comm),
        Act::ReceiveFound if let Transfer::Received { comm } = found => comm,
        _ => return,
    };
    // SAFETY: the call succeeded and filled the status; it is the program's or ours.
    if let Some(peer) = unsafe { source(all, comm, all.word(all.at().status)) } {
        peers::received(peer, Messages { number: 1, bytes: moved.r#in, ticks });
    }
}

/// The rank that a message came from; `None` where it is nobody.
///
/// # Safety
/// The call must have filled the status of a message that was received by this communicator.
pub(crate) unsafe fn source(all: &Answered<'_>, comm: usize, status: usize) -> Option<Peer> {
    // SAFETY: the caller's promise.
    unsafe { peer::of(all.dialect(), comm, status::source(all.dialect(), status)) }
}

/// # Safety
/// The call must have sent by its communicator.
unsafe fn destination(all: &Answered<'_>) -> Option<Peer> {
    let at = all.at();
    // SAFETY: the caller's promise.
    unsafe { peer::of(all.dialect(), all.handle(at.comm), all.int(at.dest)) }
}
