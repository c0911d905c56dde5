//! The next definition of an interposed symbol, looked up at its first use.
//!
//! ```text
//!   read ──► C library                      wrapped
//!   read ──► an interposer                  wrapped, the interposer is called
//!   read ──► a library of the program's     its own function of that name: the stub jumps there
//! ```
//! A shared object that named `PMPI_Send` directly would keep `/bin/true` from starting under
//! `LD_PRELOAD`, so nothing is bound at load.

use core::ffi::{CStr, c_char, c_void};
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::definition;
use crate::forwarding::keep_and_jump;
use crate::loader::{first_of, look_in, real_dlsym};

/// One symbol and, after its first use, where it is. Small, because the loader writes to each in every process.
#[derive(Debug)]
pub(crate) struct Next {
    /// Of a constant string.
    name: *const c_char,
    whose: SymbolProvider,
    found: AtomicPtr<c_void>,
    /// Where the stub of this name jumps instead of to its wrapper; null when it does not.
    detour: AtomicPtr<c_void>,
}

// SAFETY: the string is never written, and the rest is atomic or never written either.
unsafe impl Sync for Next {}

/// The library that is expected to define the symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SymbolProvider {
    /// The C library; what else has the name is something else, and the program's to call.
    Wrapped,
    /// The C library; what else has the name does not matter.
    Inner,
    /// An MPI, to which the chain of interposition may not lead.
    Mpi,
    /// A Fortran library, the same.
    Fortran,
    /// The library of io_uring; what else has the name is something else, and the program's to call.
    IoUring,
}

impl SymbolProvider {
    /// Whether something else may have the name.
    const fn is_told_apart(self) -> bool {
        matches!(self, Self::Wrapped | Self::IoUring)
    }

    /// Where else a definition may be that the chain of interposition does not lead to.
    const fn objects(self) -> &'static [&'static CStr] {
        match self {
            Self::Mpi => MPI,
            Self::Fortran => FORTRAN,
            Self::IoUring => IO_URING,
            Self::Wrapped | Self::Inner => &[],
        }
    }
}

impl Next {
    /// Where in it the address is, null before its first use: for code that must keep registers.
    pub(crate) const FOUND: usize = core::mem::offset_of!(Self, found);
    /// Where in it the address is that a stub jumps to, unless it is null.
    pub(crate) const DETOUR: usize = core::mem::offset_of!(Self, detour);

    /// The symbol of the C library called `name`, which a stub of ours exports as well.
    pub(crate) const fn new(name: &'static CStr) -> Self {
        Self::with(name, SymbolProvider::Wrapped)
    }

    /// A symbol of the C library that is called by wrappers of others.
    pub(crate) const fn inner(name: &'static CStr) -> Self {
        Self::with(name, SymbolProvider::Inner)
    }

    /// A symbol of an MPI, which plugins and Python modules may have loaded for themselves.
    pub(crate) const fn of_mpi(name: &'static CStr) -> Self {
        Self::with(name, SymbolProvider::Mpi)
    }

    /// A symbol of a Fortran library, of an MPI or of the compiler.
    pub(crate) const fn of_fortran(name: &'static CStr) -> Self {
        Self::with(name, SymbolProvider::Fortran)
    }

    /// A symbol of the library of io_uring, which a stub of ours exports as well.
    pub(crate) const fn of_io_uring(name: &'static CStr) -> Self {
        Self::with(name, SymbolProvider::IoUring)
    }

    const fn with(name: &'static CStr, whose: SymbolProvider) -> Self {
        let found = AtomicPtr::new(core::ptr::null_mut());
        // Before it is known where to, the stub must not touch what was passed to it.
        let detour = if whose.is_told_apart() { UNKNOWN } else { core::ptr::null_mut() };
        Self { name: name.as_ptr(), whose, found, detour: AtomicPtr::new(detour) }
    }

    /// Its address; null when no loaded object defines it.
    #[inline(always)]
    pub(crate) fn address(&self) -> *mut c_void {
        let found = self.found.load(Ordering::Relaxed);
        if found.is_null() { self.look_up() } else { found }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        // SAFETY: errno is a location of the calling thread.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: the same location.
        let before = unsafe { *errno };
        // SAFETY: a constant string; RTLD_NEXT is valid in any object.
        let found = unsafe { real_dlsym()(libc::RTLD_NEXT, self.name) };
        let found = self.choose(found);
        // SAFETY: the same location; the program must not see what looking up left there.
        unsafe { *errno = before };
        found
    }

    /// Finds what the program's calls of this name go to, in a process into which we were loaded late:
    /// there the chain of interposition does not pass through us.
    #[cold]
    pub(crate) fn look_up_late(&self, places: &SearchedObjects) {
        let first = first_of(self.name());
        let first = if definition::is_by_another(first) { first } else { core::ptr::null_mut() };
        match self.whose {
            SymbolProvider::Mpi | SymbolProvider::Fortran if first.is_null() => {
                self.found.store(places.find(self.name()), Ordering::Relaxed);
            }
            SymbolProvider::Mpi | SymbolProvider::Fortran => {
                self.found.store(first, Ordering::Relaxed)
            }
            _ => {
                self.choose(first);
            }
        }
    }

    /// Where calls through the stub go on to; `None` when nothing of the name is there, or something
    /// that only has the name in common.
    pub(crate) fn found_for_stub(&self) -> Option<usize> {
        let found = self.found.load(Ordering::Relaxed) as usize;
        let is_detour =
            self.whose.is_told_apart() && !self.detour.load(Ordering::Relaxed).is_null();
        (found != 0 && !is_detour).then_some(found)
    }

    /// The symbol.
    pub(crate) const fn name(&self) -> &'static CStr {
        // SAFETY: it was one when this was made.
        unsafe { CStr::from_ptr(self.name) }
    }

    /// Whether it is a function of MPI, in any language.
    pub(crate) fn is_of_mpi(&self) -> bool {
        let name = self.name().to_bytes();
        [&b"MPI_"[..], b"PMPI_", b"mpi_"].iter().any(|start| name.starts_with(start))
    }

    /// Keeps what is called from now on, the first definition that follows ours or another one.
    fn choose(&self, first: *mut c_void) -> *mut c_void {
        let mut found = first;
        let mut detour = core::ptr::null_mut();
        match self.whose {
            // Loaded late, nothing comes next: the object has no place in the chain.
            SymbolProvider::Wrapped | SymbolProvider::Inner if first.is_null() => {
                found = definition::of_c_library(self.name());
            }
            SymbolProvider::Wrapped if !definition::is_expected(self.name(), first) => {
                detour = first
            }
            SymbolProvider::Inner if !definition::is_expected(self.name(), first) => {
                found = definition::of_c_library(self.name());
            }
            SymbolProvider::Mpi | SymbolProvider::Fortran | SymbolProvider::IoUring
                if first.is_null() =>
            {
                let mut places = self.whose.objects().iter().map(|file| look_in(file, self.name()));
                found = places.find(|place| !place.is_null()).unwrap_or(first);
            }
            SymbolProvider::IoUring if !definition::is_of(IO_URING, first) => detour = first,
            _ => {}
        }
        // It may be loaded later.
        if found.is_null() && self.whose == SymbolProvider::IoUring {
            detour = UNKNOWN;
        }
        self.found.store(found, Ordering::Relaxed);
        self.detour.store(detour, Ordering::Relaxed);
        found
    }
}

/// Where the stub of a name jumps that was not looked up yet.
const UNKNOWN: *mut c_void = first_call as *mut c_void;

/// Where a stub jumps until its `Next`, whose address is in r10, was looked up.
///
/// # Safety
/// Only for a jump from the first instructions of an exported function.
#[unsafe(naked)]
unsafe extern "C" fn first_call() {
    core::arch::naked_asm!(
        "lea r11, [rip + {look_up}]",
        "jmp {keep}",
        look_up = sym look_up,
        keep = sym keep_and_jump,
    )
}

// SAFETY: called by `keep_and_jump`, which passes r10 on; jumps to a function of this argument.
#[unsafe(naked)]
unsafe extern "C" fn look_up() {
    core::arch::naked_asm!("mov rdi, r10", "jmp {at_first}", at_first = sym at_first)
}

/// Where the very first call of a stub goes, which is before anything is measured.
extern "C" fn at_first(next: &Next) -> *const u8 {
    let found = next.address();
    if found.is_null() { absent as *const u8 } else { found.cast_const().cast() }
}

/// What a call answers whose function no loaded object defines.
#[cold]
pub(crate) extern "C" fn absent() -> usize {
    // SAFETY: the thread's own errno.
    unsafe { *libc::__errno_location() = libc::ENOSYS };
    usize::MAX
}

/// The objects in which functions of MPI and Fortran are looked for, as far as they are loaded.
#[derive(Debug)]
pub(crate) struct SearchedObjects {
    handles: [*mut c_void; MPI.len() + FORTRAN.len()],
}

impl SearchedObjects {
    /// Those that are loaded now.
    pub(crate) fn now() -> Self {
        let mut handles = [core::ptr::null_mut(); MPI.len() + FORTRAN.len()];
        for (handle, object) in handles.iter_mut().zip(MPI.iter().chain(FORTRAN)) {
            let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
            // SAFETY: a constant string; RTLD_NOLOAD loads nothing.
            *handle = unsafe { libc::dlopen(object.as_ptr(), flags) };
        }
        Self { handles }
    }

    fn find(&self, name: &CStr) -> *mut c_void {
        let open = self.handles.iter().filter(|handle| !handle.is_null());
        // SAFETY: the handles are open, and stay so: the objects must not go while addresses are kept.
        let mut found = open.map(|handle| unsafe { real_dlsym()(*handle, name.as_ptr()) });
        found.find(|place| !place.is_null()).unwrap_or(core::ptr::null_mut())
    }
}

const IO_URING: &[&CStr] = &[c"liburing.so.2", c"liburing.so.1"];
const MPI: &[&CStr] = &[c"libmpi.so.40", c"libmpich.so.12", c"libmpi.so.12", c"libmpi_abi.so.0"];
const FORTRAN: &[&CStr] = &[
    c"libmpi_mpifh.so.40",
    c"libmpi_usempif08.so.40",
    c"libmpichfort.so.12",
    c"libmpifort.so.12",
    c"libgfortran.so.5",
];
