//! Mutexes, read-write locks and spin locks.

use super::contended::{contended, is_clock, is_time, taken};
use crate::next::Next;

contended! {
    pthread_mutex_lock(lock) unless taken(&MUTEX, lock) => Mutex;
    pthread_mutex_timedlock(lock, until) unless taken(&MUTEX, lock) => Mutex;
    pthread_mutex_clocklock(lock, clock, until)
        unless taken_if(is_clock(clock), &MUTEX, lock) => Mutex;
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

static MUTEX: Next = Next::new(c"pthread_mutex_trylock");
static READ: Next = Next::new(c"pthread_rwlock_tryrdlock");
static WRITE: Next = Next::new(c"pthread_rwlock_trywrlock");
static SPIN: Next = Next::new(c"pthread_spin_trylock");

/// Tries a lock, unless its other arguments are wrong.
#[inline(always)]
fn taken_if(right: bool, attempt: &Next, lock: usize) -> Option<usize> {
    if right { taken(attempt, lock) } else { None }
}

fn resolve_tries() {
    for attempt in [&MUTEX, &READ, &WRITE, &SPIN] {
        attempt.address();
    }
}
