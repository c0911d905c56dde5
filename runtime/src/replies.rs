//! Sends replies to the daemon.

use crate::lock::Held;
use crate::view::Tables;
use core::sync::atomic::Ordering;
use whyperf_layout::Answer;

/// Tells the daemon; counts it when the ring is full, and answers whether it was not. The lock makes
/// replies one at a time.
pub(crate) fn tell(tables: Tables, answer: Answer, _: &Held) -> bool {
    let is_told = tables.replies().send(tables.commands(), answer.encode());
    if !is_told {
        tables.header().losses.replies.fetch_add(1, Ordering::Relaxed);
    }
    is_told
}
