//! Sizes of datatypes, remembered until a datatype is freed.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

use super::real::{self, NO_SUCH_FUNCTION};
use crate::next::Next;

/// A remembered size: two words that fit together only when one thread wrote both.
struct Cell {
    mixed: AtomicU64,
    size: AtomicU64,
}

const CELLS: usize = 64;
static SIZES: [Cell; CELLS] =
    [const { Cell { mixed: AtomicU64::new(0), size: AtomicU64::new(0) } }; CELLS];

/// Size of one element in bytes.
///
/// # Safety
/// The datatype must be valid: ask after a call succeeded with it.
#[inline]
pub(crate) unsafe fn size(datatype: usize) -> u64 {
    let spread = spread(datatype);
    let cell = &SIZES[(spread >> 58) as usize];
    let size = cell.size.load(Ordering::Relaxed);
    if cell.mixed.load(Ordering::Relaxed) == spread ^ size {
        return size;
    }
    // SAFETY: the caller's promise.
    unsafe { learn(datatype) }
}

/// Forgets all sizes: a freed handle may come back as another datatype.
pub(crate) fn forget() {
    for cell in &SIZES {
        // No handle has a spread of zero but the handle 0, which no MPI gives out.
        cell.mixed.store(cell.size.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Asks the MPI and remembers the answer.
///
/// # Safety
/// The datatype must be valid.
#[cold]
unsafe fn learn(datatype: usize) -> u64 {
    // SAFETY: the caller's promise.
    let size = unsafe { real::type_size(datatype) };
    let spread = spread(datatype);
    let cell = &SIZES[(spread >> 58) as usize];
    cell.size.store(size, Ordering::Relaxed);
    cell.mixed.store(spread ^ size, Ordering::Relaxed);
    size
}

#[inline(always)]
fn spread(datatype: usize) -> u64 {
    (datatype as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Exports a function that frees a datatype under one of its names.
macro_rules! frees {
    ($($name:literal)*) => { $( const _: () = {
        static NEXT: Next = Next::of_mpi(
            match CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("names of MPI hold no zero byte"),
            },
        );

        // SAFETY: a naked function of the platform's C convention that jumps on as it was called.
        #[unsafe(export_name = $name)]
        #[unsafe(naked)]
        unsafe extern "C" fn exported() {
            core::arch::naked_asm!(
                crate::stub::listed!(),
                "endbr64",
                "jmp {wrapper}",
                next = sym NEXT,
                wrapper = sym wrapper,
            )
        }

        unsafe extern "C" fn wrapper(datatype: usize) -> c_int {
            forget();
            let address = NEXT.address();
            if address.is_null() {
                return NO_SUCH_FUNCTION;
            }
            type Free = unsafe extern "C" fn(usize) -> c_int;
            // SAFETY: this is `MPI_Type_free`, which takes the address of a handle.
            let real = unsafe { core::mem::transmute::<*mut c_void, Free>(address) };
            // SAFETY: the argument is the program's own.
            unsafe { real(datatype) }
        }
    }; )* };
}

frees! { "MPI_Type_free" "PMPI_Type_free" }
