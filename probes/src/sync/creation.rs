//! Wrappers of calls that make and unmake locks: the place where a lock was made is its name.

use super::created::{made, unmade};
use crate::wrapped::accompanied;
use whyperf_layout::ObjectKind::{Condition, Mutex, RwLock, Semaphore, Spin, ThreadBarrier};

accompanied! {
    pthread_mutex_init(lock, attributes) made(Mutex, lock);
    pthread_mutex_destroy(lock) unmade(Mutex, lock);
    pthread_rwlock_init(lock, attributes) made(RwLock, lock);
    pthread_rwlock_destroy(lock) unmade(RwLock, lock);
    pthread_cond_init(condition, attributes) made(Condition, condition);
    pthread_cond_destroy(condition) unmade(Condition, condition);
    pthread_barrier_init(barrier, attributes, count) made(ThreadBarrier, barrier);
    pthread_barrier_destroy(barrier) unmade(ThreadBarrier, barrier);
    pthread_spin_init(lock, shared) made(Spin, lock);
    pthread_spin_destroy(lock) unmade(Spin, lock);
    sem_init(semaphore, shared, value) made(Semaphore, semaphore);
    sem_destroy(semaphore) unmade(Semaphore, semaphore);
    mtx_init(lock, kind) made(Mutex, lock);
    mtx_destroy(lock) unmade(Mutex, lock);
    cnd_init(condition) made(Condition, condition);
    cnd_destroy(condition) unmade(Condition, condition);
}
