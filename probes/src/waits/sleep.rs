//! Wrappers of calls that wait until some time has passed, or a signal came.

use whyperf_layout::ObjectKind;

use super::only;
use crate::wrapped::{nothing, wrapped};

wrapped! {
    sleep(seconds) => Sleep, only(ObjectKind::Sleep), nothing;
    usleep(microseconds) => Sleep, only(ObjectKind::Sleep), nothing;
    nanosleep(time, left) => Sleep, only(ObjectKind::Sleep), nothing;
    clock_nanosleep(clock, flags, time, left) => Sleep, only(ObjectKind::Sleep), nothing;
    thrd_sleep(time, left) => Sleep, only(ObjectKind::Sleep), nothing;
    sigwait(set, signal) => Signal, only(ObjectKind::Signal), nothing;
    sigwaitinfo(set, description) => Signal, only(ObjectKind::Signal), nothing;
    sigtimedwait(set, description, limit) => Signal, only(ObjectKind::Signal), nothing;
}
