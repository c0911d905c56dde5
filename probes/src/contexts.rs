//! Contexts of the C library (`swapcontext`): each has its own place in the callpath tree, and finds it again.
//!
//! ```text
//!   swapcontext(from, to)   the place is kept in this call's own frame, on the stack that is left
//!        ... other contexts ...
//!   the call that makes `from` current returns here: the place is current again
//! ```

use whyperf_runtime::measurement;
use whyperf_runtime::patch::{departure, trap};

use crate::next::Next;
use crate::wrapped::{accompanied, keep_errno, real};

accompanied! {
    setcontext(context) leave(context);
}

mod swapping {
    //! Its stub: the real function must return here.

    use super::{Next, departure, keep_errno, mask_of, measurement, real, trap};

    pub(super) static NEXT: Next = Next::new(c"swapcontext");

    crate::stub::entry! { swapcontext => swap, before NEXT; }

    unsafe extern "C" fn swap(from: usize, to: usize) -> usize {
        if !measurement::is_measured() {
            return real!(NEXT, from, to);
        }
        let place = keep_errno(|| {
            // SAFETY: the program passes a context that the C library filled.
            trap::block_traps(unsafe { mask_of(to) });
            departure::leave_context()
        });
        let result = real!(NEXT, from, to);
        keep_errno(|| departure::come_back(place));
        result
    }
}

/// Looks every function of this file up.
pub(crate) fn resolve_all() {
    resolve();
    swapping::NEXT.address();
}

/// The signals that a context blocks.
///
/// # Safety
/// It must be a context that the C library filled.
unsafe fn mask_of(context: usize) -> u64 {
    // SAFETY: the caller's promise; the mask's first word is all that it has.
    unsafe { (context as *const u64).byte_add(MASK).read() }
}

/// Where `ucontext_t` keeps the mask.
const MASK: usize = core::mem::offset_of!(libc::ucontext_t, uc_sigmask);
/// Where `ucontext_t` keeps the stack pointer.
const STACK: usize = 160;

/// # Safety
/// It must be a context that the C library filled.
unsafe fn leave(context: usize) {
    // SAFETY: the caller's promise.
    let to = unsafe { (context as *const u64).byte_add(STACK).read() };
    keep_errno(|| {
        departure::jump_to_context(to);
        // SAFETY: the caller's promise.
        trap::block_traps(unsafe { mask_of(context) });
    });
}
