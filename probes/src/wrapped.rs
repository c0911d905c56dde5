//! One wrapped function of the C library: what every table in `io/` and `sync/` expands to.
//!
//! ```text
//!   name(arguments) [with known = what must happen in any case] =>
//!       Kind, the object worked on, what its result says was moved;
//! ```
//! Arguments and result pass as machine words, so that nothing is narrowed, widened or lost: a
//! word's upper half may be garbage where C says `int`, and stays the garbage it was. Wrappers
//! have no destructor and no landing pad: cancellation and exceptions unwind through them.

use layout::Moved;
use runtime::call_cost::CallCost;
use runtime::{ObjectId, Region, event, guard};
use whyperf_layout as layout;
use whyperf_runtime as runtime;

/// Calls `real` as one visit of `region`, or plainly when nothing is to be recorded.
#[inline(always)]
pub(crate) fn observe(
    region: &Region,
    object: impl FnOnce() -> ObjectId,
    real: impl Fn() -> usize,
    moved: impl FnOnce(usize) -> Moved,
) -> usize {
    let mut cost = CallCost::enter();
    let Some(site) = guard::enter() else { return real() };
    let begun = event::begin(region, site.0, object());
    if begun {
        cost.begun();
    }
    let result = real();
    if begun {
        event::end(region, moved(result));
    }
    guard::leave();
    cost.leave();
    result
}

/// No byte is moved, whatever the result.
pub(crate) fn nothing(_: usize) -> Moved {
    Moved::default()
}

/// Does `what` and leaves errno as it was.
#[inline(always)]
pub(crate) fn keep_errno<T>(what: impl FnOnce() -> T) -> T {
    // SAFETY: every thread has an errno from its first instruction to its last.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: it belongs to this thread alone.
    let before = unsafe { *errno };
    let result = what();
    // SAFETY: as above.
    unsafe { *errno = before };
    result
}

/// The type of a machine word, once for each argument.
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}
pub(crate) use word;

/// Stands first where a line of a table says what happens at a call.
///
/// # Safety
/// What follows may rely on the arguments being what the program passes in a call that goes on, of the function in this line.
#[inline(always)]
pub(crate) const unsafe fn arguments_are_of_this_call() {}

/// An expression of a line of a table, which may follow the addresses that the program passes.
macro_rules! of_this_call {
    ($what:expr) => {
        // SAFETY: tables use it in the wrapper of the function that the line is about.
        unsafe {
            $crate::wrapped::arguments_are_of_this_call();
            $what
        }
    };
}
pub(crate) use of_this_call;

/// A function's name as C writes it.
macro_rules! c_name {
    ($name:ident) => {
        match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
            Ok(name) => name,
            Err(_) => c"",
        }
    };
}
pub(crate) use c_name;

/// Calls the next definition of `$next` with these words.
macro_rules! real {
    ($next:expr, $($argument:ident),*) => {{
        let address = $next.address();
        if address.is_null() {
            $crate::next::absent()
        } else {
            type Real = unsafe extern "C" fn($($crate::wrapped::word!($argument)),*) -> usize;
            // SAFETY: the address the loader gave for the symbol this wrapper stands for; the
            // platform passes integers and pointers of any width in the same words.
            let function = unsafe { core::mem::transmute::<*mut core::ffi::c_void, Real>(address) };
            // SAFETY: the arguments are those our caller chose for the same function.
            unsafe { function($($argument),*) }
        }
    }};
}
pub(crate) use real;

/// Exports a table of functions of the C library; see the head of this file.
macro_rules! wrapped {
    ($($name:ident($($argument:ident),*) $(with $known:ident = $first:expr)? =>
        $kind:ident, $object:expr, $moved:expr;)*) => {
        $crate::wrapped::wrapped_of! { new;
            $($name($($argument),*) $(with $known = $first)? => $kind, $object, $moved;)*
        }
    };
}
pub(crate) use wrapped;

/// Exports a table of functions of the library that the constructor `$of` of `Next` names.
macro_rules! wrapped_of {
    ($of:ident; $($name:ident($($argument:ident),*) $(with $known:ident = $first:expr)? =>
        $kind:ident, $object:expr, $moved:expr;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: $crate::next::Next =
                    $crate::next::Next::$of($crate::wrapped::c_name!($name));
                static REGION: whyperf_runtime::Region = whyperf_runtime::Region::new(
                    $crate::wrapped::c_name!($name),
                    whyperf_layout::Kind::$kind,
                );

                pub(super) unsafe extern "C" fn wrapper(
                    $($argument: $crate::wrapped::word!($argument)),*
                ) -> usize {
                    $(let $known = $crate::wrapped::of_this_call!($first);)?
                    $crate::wrapped::observe(
                        &REGION,
                        || $crate::wrapped::of_this_call!($object),
                        || $crate::wrapped::real!(NEXT, $($argument),*),
                        $crate::wrapped::of_this_call!($moved),
                    )
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        /// Looks every function of this table up.
        pub(crate) fn resolve() {
            $($name::NEXT.address();)*
        }
    };
}
pub(crate) use wrapped_of;

/// Exports functions that are no events, each with what happens before its real function; where
/// `=> last` follows, `last` is called after it with what the first was.
macro_rules! accompanied {
    ($($name:ident($($argument:ident),*) $first:expr $(=> $last:expr)?;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: $crate::next::Next =
                    $crate::next::Next::new($crate::wrapped::c_name!($name));

                pub(super) unsafe extern "C" fn wrapper(
                    $($argument: $crate::wrapped::word!($argument)),*
                ) -> usize {
                    let real = || $crate::wrapped::real!(NEXT, $($argument),*);
                    $crate::wrapped::accompany!(real, $first $(, $last)?)
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        /// Looks every function of this table up.
        pub(crate) fn resolve() {
            $($name::NEXT.address();)*
        }
    };
}
pub(crate) use accompanied;

/// One such call.
macro_rules! accompany {
    ($real:ident, $first:expr) => {{
        $crate::wrapped::of_this_call!($first);
        $real()
    }};
    ($real:ident, $first:expr, $last:expr) => {
        $crate::wrapped::between(|| $crate::wrapped::of_this_call!($first), $real, $last)
    };
}
pub(crate) use accompany;

/// Calls `real` between the two; errno is its own afterwards, and before it what it was.
#[inline(always)]
pub(crate) fn between<T>(
    first: impl FnOnce() -> T,
    real: impl FnOnce() -> usize,
    last: impl FnOnce(T),
) -> usize {
    let known = keep_errno(first);
    let result = real();
    keep_errno(|| last(known));
    result
}
