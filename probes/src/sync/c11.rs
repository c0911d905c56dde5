//! Wrappers of the locks of C11.

use super::contended::contended;
use crate::next::Next;
use crate::wrapped::real;

contended! {
    mtx_lock(lock) unless taken(lock) => Mutex;
    mtx_timedlock(lock, until) unless taken(lock) => Mutex;
}

static TRY: Next = Next::inner(c"mtx_trylock");

/// Tries a lock; `Some` when it is taken.
///
/// # Safety
/// An `mtx_t` lies at `lock`.
#[inline(always)]
unsafe fn taken(lock: usize) -> Option<usize> {
    let result = real!(TRY, lock);
    (result as i32 == SUCCESS).then_some(result)
}

fn resolve_tries() {
    TRY.address();
}

/// `thrd_success`.
const SUCCESS: i32 = 0;
