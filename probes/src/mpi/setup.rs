//! Reads rank and job when an MPI starts, and handles `MPI_Pcontrol`.

use core::ffi::c_int;

use whyperf_runtime::{attachment, measurement, process};

use super::communicator;
use super::dialect::{self, Dialect};
use super::real;
use super::text::FixedText;

/// After a successful `MPI_Init` or `MPI_Init_thread`.
///
/// # Safety
/// The MPI of this dialect must run: it was initialized and is not finalized.
pub(crate) unsafe fn initialized(dialect: &Dialect) {
    let world = dialect.comm_world();
    process::set_family(dialect.family as u32);
    // SAFETY: the caller's promise; the world is valid as long as the MPI runs.
    let own = unsafe { (real::comm_rank(world), real::comm_size(world)) };
    if let (Some(rank), Some(size)) = own {
        process::set_world(rank, u32::try_from(size).unwrap_or(0));
        communicator::world_exists();
    }
}

/// The dialect of the loaded MPI; `None` when it is one we do not know.
#[inline(always)]
pub(crate) fn dialect() -> Option<&'static Dialect> {
    dialect::known().or_else(meet)
}

/// The MPI is met for the first time: in a process that was attached to it may have been started long ago.
/// This is a call of the program's own, so the MPI may be asked here.
#[cold]
fn meet() -> Option<&'static Dialect> {
    let dialect = dialect::detect()?;
    if attachment::is_late() && real::is_running() {
        // SAFETY: it runs, as it said itself.
        unsafe { initialized(dialect) };
    }
    Some(dialect)
}

/// `MPI_Pcontrol`: 0 pauses the measurement, 1 resumes it, any other level begins a phase.
extern "C" fn control(level: c_int) {
    if !measurement::is_measured() {
        return;
    }
    match level {
        0 => process::pause(),
        1 => process::resume(),
        _ => {
            let mut name = FixedText::<12>::new();
            name.push_number(i64::from(level));
            process::phase(name.bytes());
        }
    }
}

/// Exports `MPI_Pcontrol` under one of its names. Whatever follows the level is of a kind that
/// only the program knows, so all registers are kept and the next definition is jumped to.
macro_rules! controls {
    ($($name:literal)*) => { $( const _: () = {
        static NEXT: $crate::next::Next = $crate::next::Next::of_mpi(
            match core::ffi::CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("names of MPI hold no zero byte"),
            },
        );

        extern "C" fn prepare(level: c_int) -> *const u8 {
            control(level);
            let next = NEXT.address();
            if next.is_null() { nothing as *const u8 } else { next as *const u8 }
        }

        // SAFETY: a naked function of the platform's C convention that jumps on as it was called.
        #[unsafe(export_name = $name)]
        #[unsafe(naked)]
        unsafe extern "C" fn exported() {
            core::arch::naked_asm!(
                $crate::stub::listed!(),
                "endbr64",
                "lea r11, [rip + {prepare}]",
                "jmp {keep}",
                next = sym NEXT,
                prepare = sym prepare,
                keep = sym $crate::forwarding::keep_and_jump,
            )
        }
    }; )* };
}

controls! { "MPI_Pcontrol" "PMPI_Pcontrol" }

extern "C" fn nothing() -> c_int {
    0
}
