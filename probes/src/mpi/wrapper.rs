//! Makes two exported functions of each line of the table.
//!
//! ```text
//!   program ─► MPI_Send (stub: the caller) ─► wrapper ─► begin ─► the next MPI_Send ─► end
//!              PMPI_Send                    ─► wrapper ─► begin ─► the next PMPI_Send ─► end
//! ```
//! Each argument is passed on as the machine word it came as, so one wrapper serves every MPI: an
//! `int` is the low half of its word, and the high half is undefined.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use whyperf_runtime::call_cost::CallCost;
use whyperf_runtime::{event, guard};

use super::call::MpiFunction;
use super::visit::Visit;

/// Runs a call of a function that completes what it does or leaves a request.
///
/// # Safety
/// The program must be making this call with these words, and `real` must be the rest of it.
#[inline(always)]
pub(crate) unsafe fn ordinary<const N: usize>(
    call: &'static MpiFunction,
    mut words: [usize; N],
    real: impl FnOnce([usize; N]) -> c_int,
) -> c_int {
    let mut cost = CallCost::enter();
    let Some(site) = guard::enter() else { return real(words) };
    if !call.remembers && !event::is_wanted(&call.region) {
        let result = real(words);
        guard::leave();
        return result;
    }
    let mut place = MaybeUninit::<Visit>::uninit();
    // SAFETY: the caller's promise.
    let visit = unsafe { Visit::begin(&mut place, call, &mut words, site.0) };
    if visit.is_on() {
        cost.begun();
    }
    let result = real(words);
    // SAFETY: the same call, with the words that it was made with.
    unsafe { visit.end(call, &words, result) };
    guard::leave();
    cost.leave();
    result
}

/// The type of a machine word, once for each argument.
macro_rules! word {
    ($argument:ident) => {
        usize
    };
}
pub(crate) use word;

/// Runs the calls of a function through `run`, each form forwarding to its own next definition.
macro_rules! functions {
    (through $run:path; $($name:ident $(+ $count:ident)? ($($argument:ident),*) $kind:ident $act:expr;)*) => {
        $(functions!(@line $run; $name $($count)? ($($argument),*) $kind $act);)*
    };
    (@line $run:path; $name:ident ($($argument:ident),*) $kind:ident $act:expr) => {
        functions!(@call $run; concat!("MPI_", stringify!($name)), concat!("PMPI_", stringify!($name)); ($($argument),*) $kind, $act, false);
    };
    (@line $run:path; $name:ident c ($($argument:ident),*) $kind:ident $act:expr) => {
        functions!(@line $run; $name ($($argument),*) $kind $act);
        functions!(@call $run; concat!("MPI_", stringify!($name), "_c"), concat!("PMPI_", stringify!($name), "_c"); ($($argument),*) $kind, $act, true);
    };
    (@call $run:path; $symbol:expr, $profiling:expr; ($($argument:ident),*) $kind:ident, $act:expr, $wide:literal) => {
        const _: () = {
            static CALL: $crate::mpi::call::MpiFunction = $crate::mpi::call::MpiFunction::new(
                functions!(@c $symbol),
                (whyperf_layout::Kind::$kind, $act),
                $wide,
                &[$(stringify!($argument)),*],
            );
            functions!(@export $run; CALL, $symbol; ($($argument),*));
            functions!(@export $run; CALL, $profiling; ($($argument),*));
        };
    };
    (@export $run:path; $call:ident, $symbol:expr; ($($argument:ident),*)) => {
        const _: () = {
            static NEXT: $crate::next::Next = $crate::next::Next::of_mpi(functions!(@c $symbol));
            $crate::stub::entry_named!($symbol => wrapper, before NEXT);

            unsafe extern "C" fn wrapper($($argument: usize),*) -> core::ffi::c_int {
                let real = |[$($argument),*]: [usize; _]| {
                    let address = NEXT.address();
                    if address.is_null() {
                        return $crate::mpi::real::NO_SUCH_FUNCTION;
                    }
                    type Real = unsafe extern "C" fn($($crate::mpi::wrapper::word!($argument)),*) -> core::ffi::c_int;
                    // SAFETY: the symbol is the function of this name, and every argument of it
                    // is passed in one register or stack word, as these are.
                    let real = unsafe { core::mem::transmute::<*mut core::ffi::c_void, Real>(address) };
                    // SAFETY: the arguments are the program's own, or a status of ours where it
                    // wants none.
                    unsafe { real($($argument),*) }
                };
                // SAFETY: the program calls the function of this line of the table, which names
                // its arguments as the standard does.
                unsafe { $run(&$call, [$($argument),*], real) }
            }
        };
    };
    (@c $symbol:expr) => {
        const {
            match core::ffi::CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("names of MPI hold no zero byte"),
            }
        }
    };
}
pub(crate) use functions;
