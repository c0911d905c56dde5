//! Wrappers of conditions, barriers and the end of threads: these are always events.

use whyperf_layout::ObjectKind;
use whyperf_runtime::ObjectId;

use super::created::object_at;
use crate::waits::only;
use crate::wrapped::{nothing, wrapped};

wrapped! {
    pthread_cond_wait(condition, lock) => Condition, on_condition(condition), nothing;
    pthread_cond_timedwait(condition, lock, until) => Condition, on_condition(condition), nothing;
    pthread_cond_clockwait(condition, lock, clock, until) =>
        Condition, on_condition(condition), nothing;
    cnd_wait(condition, lock) => Condition, on_condition(condition), nothing;
    cnd_timedwait(condition, lock, until) => Condition, on_condition(condition), nothing;
    pthread_barrier_wait(barrier) =>
        ThreadBarrier, object_at(ObjectKind::ThreadBarrier, barrier), nothing;
    pthread_join(thread, result) => Join, any_end(), nothing;
    pthread_timedjoin_np(thread, result, until) => Join, any_end(), nothing;
    pthread_clockjoin_np(thread, result, clock, until) => Join, any_end(), nothing;
    thrd_join(thread, result) => Join, any_end(), nothing;
}

#[inline(always)]
fn on_condition(condition: usize) -> ObjectId {
    object_at(ObjectKind::Condition, condition)
}

/// All joins share one object: a thread has no name worth keeping after its end.
#[inline(always)]
fn any_end() -> ObjectId {
    only(ObjectKind::Join)
}
