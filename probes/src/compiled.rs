//! The hooks that a compiler calls at entry and exit of each function under `-finstrument-functions`.
//!
//! ```text
//!   program ── __cyg_profile_func_enter(f, site) ──► f's region begins when it is on
//!                └─► a definition of the program's own, if there is one beside the C library's empty one
//! ```
//! The calls of `-pg` (`mcount`, `__fentry__`) are left to the libraries that define them: they announce no
//! exit, and the functions are patched like any others.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use whyperf_runtime::patch::compiled;

use crate::definition;
use crate::next::Next;

/// One of the two, as another library defines it.
#[repr(C)]
struct Other {
    /// First: the list of exported functions names it.
    next: Next,
    /// Its address; null when it is the C library's, which does nothing, and at first not known.
    found: AtomicPtr<c_void>,
}

impl Other {
    const fn new(name: &'static CStr) -> Self {
        Self { next: Next::new(name), found: AtomicPtr::new(UNKNOWN) }
    }

    fn look_up(&self) -> *mut c_void {
        let mut found = self.next.address();
        if found == definition::of_c_library(self.next.name()) {
            found = core::ptr::null_mut();
        }
        self.found.store(found, Ordering::Relaxed);
        found
    }

    #[inline(always)]
    fn is_there(&self) -> bool {
        !self.found.load(Ordering::Relaxed).is_null()
    }

    /// # Safety
    /// The two must be what a compiler passes to this function.
    unsafe fn call(&self, function: usize, site: usize) {
        let mut found = self.found.load(Ordering::Relaxed);
        if found == UNKNOWN {
            found = self.look_up();
        }
        if found.is_null() {
            return;
        }
        // SAFETY: the next definition of the symbol, which compilers call with these two.
        let call = unsafe {
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize, usize)>(found)
        };
        // SAFETY: as above; the caller's promise.
        unsafe { call(function, site) };
    }
}

/// No function lies there.
const UNKNOWN: *mut c_void = core::ptr::without_provenance_mut(1);

static ENTER: Other = Other::new(c"__cyg_profile_func_enter");
static EXIT: Other = Other::new(c"__cyg_profile_func_exit");

/// Looks both up.
pub(crate) fn resolve() {
    ENTER.look_up();
    EXIT.look_up();
}

// SAFETY: jumps to a function of one argument more, in a register that the convention leaves to the
// callee: the stack pointer that the function called with.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __cyg_profile_func_enter(_: usize, _: usize) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        crate::stub::listed!(),
        "endbr64",
        "lea rdx, [rsp + 8]",
        "jmp {enter}",
        ".cfi_endproc",
        next = sym ENTER,
        enter = sym enter,
    )
}

// SAFETY: jumps to a function of the same arguments.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __cyg_profile_func_exit(_: usize, _: usize) {
    core::arch::naked_asm!(
        ".cfi_startproc",
        crate::stub::listed!(),
        "endbr64",
        "jmp {exit}",
        ".cfi_endproc",
        next = sym EXIT,
        exit = sym exit,
    )
}

extern "C" fn enter(function: usize, site: usize, frame: usize) {
    if compiled::may_enter(function as u64) || ENTER.is_there() {
        tell_enter(function, site, frame);
    }
}

extern "C" fn exit(function: usize, site: usize) {
    if compiled::may_exit(function as u64) || EXIT.is_there() {
        tell_exit(function, site);
    }
}

#[inline(never)]
extern "C" fn tell_enter(function: usize, site: usize, frame: usize) {
    compiled::enter(function as u64, frame as u64);
    // SAFETY: they came from a call of it.
    unsafe { ENTER.call(function, site) };
}

#[inline(never)]
extern "C" fn tell_exit(function: usize, site: usize) {
    // SAFETY: they came from a call of it.
    unsafe { EXIT.call(function, site) };
    compiled::exit(function as u64);
}
