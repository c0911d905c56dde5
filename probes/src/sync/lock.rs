//! Wrappers of mutexes, read-write locks and spin locks.

use super::contended::{contended, is_clock, is_time, taken};
use crate::next::Next;

contended! {
    pthread_mutex_lock(lock) unless mutex_taken(true, lock) => Mutex;
    pthread_mutex_timedlock(lock, until) unless mutex_taken(true, lock) => Mutex;
    pthread_mutex_clocklock(lock, clock, until)
        unless mutex_taken(is_clock(clock), lock) => Mutex;
    pthread_rwlock_rdlock(lock) unless taken(&READ, lock) => RwLock;
    pthread_rwlock_wrlock(lock) unless taken(&WRITE, lock) => RwLock;
    pthread_rwlock_timedrdlock(lock, until) unless taken_if(is_time(until), &READ, lock) => RwLock;
    pthread_rwlock_timedwrlock(lock, until) unless taken_if(is_time(until), &WRITE, lock) => RwLock;
    pthread_rwlock_clockrdlock(lock, clock, until)
        unless taken_if(is_clock(clock) && is_time(until), &READ, lock) => RwLock;
    pthread_rwlock_clockwrlock(lock, clock, until)
        unless taken_if(is_clock(clock) && is_time(until), &WRITE, lock) => RwLock;
    pthread_spin_lock(lock) unless taken(&SPIN, lock) => Spin;
}

static MUTEX: Next = Next::inner(c"pthread_mutex_trylock");
static READ: Next = Next::inner(c"pthread_rwlock_tryrdlock");
static WRITE: Next = Next::inner(c"pthread_rwlock_trywrlock");
static SPIN: Next = Next::inner(c"pthread_spin_trylock");

/// Tries a lock, unless its other arguments are wrong.
///
/// # Safety
/// That of [`taken`].
#[inline(always)]
unsafe fn taken_if(right: bool, attempt: &Next, lock: usize) -> Option<usize> {
    // SAFETY: the caller's promise.
    if right { unsafe { taken(attempt, lock) } } else { None }
}

/// Tries a mutex, unless its other arguments are wrong.
///
/// A robust one is never tried: trying one that is not recoverable answers so, but takes it, and
/// the next thread that locks it waits for ever (glibc 2.36).
///
/// # Safety
/// A `pthread_mutex_t` lies at `lock`.
#[inline(always)]
unsafe fn mutex_taken(right: bool, lock: usize) -> Option<usize> {
    // SAFETY: the caller's promise.
    unsafe { taken_if(right && kind_of(lock) & ROBUST == 0, &MUTEX, lock) }
}

/// The type of a mutex, which lies where static initializers put it.
///
/// # Safety
/// A `pthread_mutex_t` lies at `lock`.
#[inline(always)]
unsafe fn kind_of(lock: usize) -> u32 {
    let kind = lock.wrapping_add(KIND) as *const u32;
    // SAFETY: inside the mutex; another thread may change it, which is why it is read once, as it is.
    unsafe { kind.read_volatile() }
}

fn resolve_tries() {
    for attempt in [&MUTEX, &READ, &WRITE, &SPIN] {
        attempt.address();
    }
}

/// Where in a `pthread_mutex_t` its type lies.
const KIND: usize = 16;
/// The bit of the type that says "robust".
const ROBUST: u32 = 16;
