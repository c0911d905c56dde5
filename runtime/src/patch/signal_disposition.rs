//! The signal dispositions that the program asked for, for each signal whose handlers the front runs before.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Signals are numbered from 1 to this.
pub(super) const LAST: i32 = 64;

/// What the program wants to happen, or learns that would happen, at a signal: the kernel's view of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignalDisposition {
    /// The handler's address, or one of the two numbers that stand for none.
    pub handler: usize,
    /// `SA_` flags.
    pub flags: u64,
    /// Signals that are blocked meanwhile.
    pub mask: u64,
}

/// What the program wants to happen at a signal before which the front lies.
#[derive(Debug)]
struct Behind {
    handler: AtomicUsize,
    flags: AtomicU64,
    mask: AtomicU64,
}

static BEHIND: [Behind; LAST as usize + 1] = [const {
    Behind {
        handler: AtomicUsize::new(libc::SIG_DFL),
        flags: AtomicU64::new(0),
        mask: AtomicU64::new(0),
    }
}; LAST as usize + 1];

/// What the program wants to happen at a signal before which the front lies.
pub(super) fn behind(signal: i32) -> SignalDisposition {
    let Some(behind) = BEHIND.get(signal as usize) else {
        return SignalDisposition { handler: libc::SIG_DFL, flags: 0, mask: 0 };
    };
    SignalDisposition {
        handler: behind.handler.load(Ordering::Relaxed),
        flags: behind.flags.load(Ordering::Relaxed),
        mask: behind.mask.load(Ordering::Relaxed),
    }
}

/// Keeps what the program wants.
pub(super) fn keep(signal: i32, disposition: SignalDisposition) {
    if let Some(behind) = BEHIND.get(signal as usize) {
        behind.flags.store(disposition.flags, Ordering::Relaxed);
        behind.mask.store(disposition.mask, Ordering::Relaxed);
        behind.handler.store(disposition.handler, Ordering::Relaxed);
    }
}

/// Whether this number stands for no handler.
pub(super) fn is_none(handler: usize) -> bool {
    matches!(handler, libc::SIG_DFL | libc::SIG_IGN)
}
