//! Reads from the result of a call how many bytes it read or wrote.

use crate::next::Next;
pub(super) use crate::wrapped::nothing;
use whyperf_layout::Moved;

static LENGTH: Next = Next::inner(c"strlen");

/// The result counts bytes read; negative is an error.
pub(crate) fn received(result: usize) -> Moved {
    Moved { r#in: positive(result), out: 0 }
}

/// The result counts bytes written; negative is an error.
pub(crate) fn sent(result: usize) -> Moved {
    Moved { out: positive(result), r#in: 0 }
}

/// The result is an `int` that counts bytes written.
pub(super) fn sent_int(result: usize) -> Moved {
    sent(result as i32 as usize)
}

/// The result counts bytes that went from one descriptor to another.
pub(super) fn copied(result: usize) -> Moved {
    Moved { out: positive(result), r#in: positive(result) }
}

/// The result is a line that was read, or null.
///
/// # Safety
/// It must be that.
pub(super) unsafe fn received_line(result: usize) -> Moved {
    // SAFETY: the caller's promise.
    Moved { r#in: if result == 0 { 0 } else { unsafe { length(result) } }, out: 0 }
}

/// The line at `text` and `more` bytes were written unless the result, an `int`, is negative.
///
/// # Safety
/// `text` must be a string where the result is not negative.
pub(super) unsafe fn sent_line(result: usize, text: usize, more: u64) -> Moved {
    // SAFETY: the caller's promise.
    let written = || unsafe { length(text) }.wrapping_add(more);
    Moved { out: if (result as i32) < 0 { 0 } else { written() }, r#in: 0 }
}

/// The functions this file calls.
pub(super) fn resolve() {
    LENGTH.address();
}

fn positive(result: usize) -> u64 {
    u64::try_from(result as isize).unwrap_or(0)
}

/// Length of a string that the function just called has read or written itself.
///
/// # Safety
/// It must be a string.
unsafe fn length(text: usize) -> u64 {
    crate::wrapped::real!(LENGTH, text) as u64
}
