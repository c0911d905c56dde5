//! The one lock of the cold paths: a thread that appends to a table or claims a slot holds it.
//!
//! Signals are blocked while it is held, so that no handler can find it held by the thread it
//! interrupted, nor jump out of the middle. It lies in the wipe-on-fork pages: a child starts unlocked.

use crate::kernel;
use crate::switch::WIPE_ON_FORK;

/// Proof that the lock is held; given back when dropped.
#[derive(Debug)]
pub(crate) struct Held {
    signals: u64,
}

impl Held {
    /// Waits for the lock.
    pub(crate) fn take() -> Self {
        let signals = kernel::block_signals();
        // A thread that waits blocks no signals: blocked signals would keep the holder from changing code.
        WIPE_ON_FORK.lock.take(|| {
            kernel::restore_signals(signals);
            kernel::give_way();
            kernel::block_signals();
        });
        Self { signals }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        WIPE_ON_FORK.lock.give();
        kernel::restore_signals(self.signals);
    }
}
