//! Wrappers of locks: each tries the lock first, and records an event only when that fails.
//!
//! A successful try does what the lock call would have done at that moment, for every type of lock. In all other cases the
//! real function decides, in particular about errors, which the two may report differently.

use whyperf_layout::{Moved, ObjectKind};
use whyperf_runtime::Region;

use super::created::object_at;
use crate::next::Next;
use crate::wrapped::{observe, real};

/// Exports a table of locks: `name(lock, ...) unless tried: Kind;`, where `tried` answers what to
/// return when no waiting is needed; it may rely on the arguments being those of a call of `name`.
/// The kinds of a lock's region and object have one name.
macro_rules! contended {
    ($($name:ident($lock:ident $(, $argument:ident)*) unless $tried:expr => $kind:ident;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: $crate::next::Next =
                    $crate::next::Next::new($crate::wrapped::c_name!($name));
                static REGION: whyperf_runtime::Region = whyperf_runtime::Region::new(
                    $crate::wrapped::c_name!($name),
                    whyperf_layout::Kind::$kind,
                );

                pub(super) unsafe extern "C" fn wrapper(
                    $lock: usize,
                    $($argument: $crate::wrapped::word!($argument)),*
                ) -> usize {
                    let real = || $crate::wrapped::real!(NEXT, $lock $(, $argument)*);
                    if !whyperf_runtime::measurement::is_measured() {
                        return real();
                    }
                    // SAFETY: what the program passes to the lock's function is tried as that function would take it.
                    if let Some(result) = unsafe { $tried } {
                        return result;
                    }
                    $crate::sync::contended::wait(
                        &REGION,
                        whyperf_layout::ObjectKind::$kind,
                        $lock,
                        real,
                    )
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        /// Looks every function of this table up.
        pub(crate) fn resolve() {
            $($name::NEXT.address();)*
            resolve_tries();
        }
    };
}
pub(super) use contended;

/// Waits for a lock as one visit of `region`.
#[inline(never)]
pub(super) fn wait(
    region: &Region,
    kind: ObjectKind,
    lock: usize,
    real: impl Fn() -> usize,
) -> usize {
    observe(region, || object_at(kind, lock), real, |_| Moved::default())
}

/// Tries a lock of pthread; `Some` when it is taken.
///
/// # Safety
/// `attempt` is a function that tries a lock of the type that lies at `lock`.
#[inline(always)]
pub(super) unsafe fn taken(attempt: &Next, lock: usize) -> Option<usize> {
    let result = real!(attempt, lock);
    (result as i32 == 0).then_some(result)
}

/// Whether a time is one that the C library accepts; it looks before it tries some locks.
///
/// # Safety
/// `time` is null or the address of a `timespec`.
#[inline(always)]
pub(super) unsafe fn is_time(time: usize) -> bool {
    let time = time as *const libc::timespec;
    if time.is_null() {
        return false;
    }
    // SAFETY: the caller's promise.
    let nanoseconds = unsafe { (*time).tv_nsec };
    (0..1_000_000_000).contains(&nanoseconds)
}

/// Whether a clock is one that the C library accepts for waiting.
#[inline(always)]
pub(super) fn is_clock(clock: usize) -> bool {
    matches!(clock as i32, libc::CLOCK_REALTIME | libc::CLOCK_MONOTONIC)
}
