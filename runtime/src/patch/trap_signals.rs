//! The signals by which traps in the code are told.

/// Those that any trap of ours may raise, a bit for each: no thread blocks one while code changes.
pub const SIGNALS: u64 = bit(libc::SIGTRAP) | bit(libc::SIGILL);

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}
