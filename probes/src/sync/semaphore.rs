//! Wrappers of semaphores.

use super::contended::{contended, is_clock, is_time};
use crate::next::Next;
use crate::wrapped::{keep_errno, real};

contended! {
    sem_wait(semaphore) unless taken(true, semaphore) => Semaphore;
    sem_timedwait(semaphore, until) unless taken(is_time(until), semaphore) => Semaphore;
    sem_clockwait(semaphore, clock, until)
        unless taken(is_clock(clock) && is_time(until), semaphore) => Semaphore;
}

static TRY: Next = Next::inner(c"sem_trywait");
static TEST_CANCEL: Next = Next::inner(c"pthread_testcancel");

/// Tries a semaphore, unless its other arguments are wrong.
///
/// Waiting for a semaphore is a cancellation point even when it is free, trying is not.
///
/// # Safety
/// A `sem_t` lies at `semaphore`.
#[inline(always)]
unsafe fn taken(right: bool, semaphore: usize) -> Option<usize> {
    if !right {
        return None;
    }
    real!(TEST_CANCEL,);
    let result = keep_errno(|| real!(TRY, semaphore));
    (result as i32 == 0).then_some(result)
}

fn resolve_tries() {
    TRY.address();
    TEST_CANCEL.address();
}
