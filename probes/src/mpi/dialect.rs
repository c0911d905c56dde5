//! The MPI that the process has loaded, and the constants in which the MPIs differ.
//!
//! | | Open MPI | MPICH family | MPI-5 ABI |
//! |---|---|---|---|
//! | handles | addresses | `int` | small constants and addresses |
//! | status | 24 bytes | 20 bytes | 32 bytes |
//!
//! The library that defines the functions at run time decides, never the MPI of the build.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicUsize, Ordering};

use whyperf_runtime::OncePointer;

use super::real;

/// Which MPI, as [`whyperf_layout::Header::mpi_family`] numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Family {
    /// Open MPI, `libmpi.so.40`.
    OpenMpi = 1,
    /// MPICH and its descendants, `libmpi.so.12` or `libmpich.so.12`.
    Mpich = 2,
    /// The ABI of the MPI standard 5.0, `libmpi_abi.so`.
    Standard = 3,
}

/// The constants of one MPI.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// Which it is.
    pub(crate) family: Family,
    /// What the program passes as buffer for `MPI_IN_PLACE`.
    pub(crate) in_place: usize,
    /// What it passes for `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE`.
    pub(crate) ignore: usize,
    /// `MPI_ANY_TAG`.
    pub(crate) any_tag: i32,
    /// `MPI_PROC_NULL`.
    pub(crate) proc_null: i32,
    /// `MPI_ROOT`.
    pub(crate) root: i32,
    /// Distance of statuses in an array.
    pub(crate) status_size: usize,
    /// Whether handles are `int` instead of pointers.
    handles_are_int: bool,
    comm_world: AtomicUsize,
    comm_self: AtomicUsize,
    comm_null: AtomicUsize,
    request_null: AtomicUsize,
    datatype_null: AtomicUsize,
    no_op: AtomicUsize,
}

impl Dialect {
    /// `MPI_COMM_WORLD`.
    pub(crate) fn comm_world(&self) -> usize {
        self.comm_world.load(Ordering::Relaxed)
    }

    /// `MPI_COMM_SELF`.
    pub(crate) fn comm_self(&self) -> usize {
        self.comm_self.load(Ordering::Relaxed)
    }

    /// `MPI_COMM_NULL`.
    pub(crate) fn comm_null(&self) -> usize {
        self.comm_null.load(Ordering::Relaxed)
    }

    /// `MPI_REQUEST_NULL`.
    #[inline(always)]
    pub(crate) fn request_null(&self) -> usize {
        self.request_null.load(Ordering::Relaxed)
    }

    /// `MPI_DATATYPE_NULL`.
    #[inline(always)]
    pub(crate) fn datatype_null(&self) -> usize {
        self.datatype_null.load(Ordering::Relaxed)
    }

    /// `MPI_NO_OP`.
    pub(crate) fn no_op(&self) -> usize {
        self.no_op.load(Ordering::Relaxed)
    }

    /// Whether a call answered that the statuses tell which of its requests failed.
    pub(crate) const fn is_in_status(&self, result: c_int) -> bool {
        match self.family {
            Family::OpenMpi => result == 18,
            // The class is in the lowest bits of an error of this family.
            Family::Mpich => result & 0x7f == 17,
            Family::Standard => result == 19,
        }
    }

    /// Whether the error in a status means that its request is still open.
    pub(crate) const fn is_pending(&self, error: c_int) -> bool {
        match self.family {
            Family::OpenMpi => error == 19,
            Family::Mpich => error & 0x7f == 18,
            Family::Standard => error == 18,
        }
    }

    /// A handle as it came in an argument.
    #[inline(always)]
    pub(crate) const fn handle(&self, word: usize) -> usize {
        if self.handles_are_int { word as u32 as usize } else { word }
    }

    /// The handle number `index` of the array at `address`.
    ///
    /// # Safety
    /// The array must be readable and that long.
    #[inline(always)]
    pub(crate) unsafe fn handle_at(&self, address: usize, index: usize) -> usize {
        if self.handles_are_int {
            // SAFETY: the caller's promise; handles of this family are `int`.
            unsafe { *(address as *const u32).add(index) as usize }
        } else {
            // SAFETY: the caller's promise; handles of this family are pointers.
            unsafe { *(address as *const usize).add(index) }
        }
    }
}

static OPEN_MPI: Dialect = Dialect {
    family: Family::OpenMpi,
    in_place: 1,
    ignore: 0,
    any_tag: -1,
    proc_null: -2,
    root: -4,
    status_size: 24,
    handles_are_int: false,
    comm_world: AtomicUsize::new(0),
    comm_self: AtomicUsize::new(0),
    comm_null: AtomicUsize::new(0),
    request_null: AtomicUsize::new(0),
    datatype_null: AtomicUsize::new(0),
    no_op: AtomicUsize::new(0),
};

static MPICH: Dialect = Dialect {
    family: Family::Mpich,
    in_place: usize::MAX,
    ignore: 1,
    any_tag: -1,
    proc_null: -1,
    root: -3,
    status_size: 20,
    handles_are_int: true,
    comm_world: AtomicUsize::new(0x4400_0000),
    comm_self: AtomicUsize::new(0x4400_0001),
    comm_null: AtomicUsize::new(0x0400_0000),
    request_null: AtomicUsize::new(0x2c00_0000),
    datatype_null: AtomicUsize::new(0x0c00_0000),
    no_op: AtomicUsize::new(0x5800_000e),
};

static STANDARD: Dialect = Dialect {
    family: Family::Standard,
    in_place: 1,
    ignore: 0,
    any_tag: -2,
    proc_null: -3,
    root: -4,
    status_size: 32,
    handles_are_int: false,
    comm_world: AtomicUsize::new(0x101),
    comm_self: AtomicUsize::new(0x102),
    comm_null: AtomicUsize::new(0x100),
    request_null: AtomicUsize::new(0x180),
    datatype_null: AtomicUsize::new(0x200),
    no_op: AtomicUsize::new(0x3d),
};

static CURRENT: OncePointer<Dialect> = OncePointer::null();

/// The dialect that was detected.
#[inline(always)]
pub(crate) fn known() -> Option<&'static Dialect> {
    CURRENT.get()
}

/// Finds out which MPI is loaded; `None` when it is one we do not know.
#[cold]
#[inline(never)]
pub(crate) fn detect() -> Option<&'static Dialect> {
    let dialect = by_file().or_else(by_version)?;
    if dialect.family == Family::OpenMpi {
        dialect.comm_world.store(real::data(c"ompi_mpi_comm_world"), Ordering::Relaxed);
        dialect.comm_self.store(real::data(c"ompi_mpi_comm_self"), Ordering::Relaxed);
        dialect.comm_null.store(real::data(c"ompi_mpi_comm_null"), Ordering::Relaxed);
        dialect.request_null.store(real::data(c"ompi_request_null"), Ordering::Relaxed);
        let nothing = real::data(c"ompi_mpi_datatype_null");
        dialect.datatype_null.store(nothing, Ordering::Relaxed);
        dialect.no_op.store(real::data(c"ompi_mpi_op_no_op"), Ordering::Relaxed);
    }
    CURRENT.set(dialect);
    Some(dialect)
}

/// Another measurement begins: the kind of MPI and the rank of this process are asked for again.
pub(crate) fn forget() {
    CURRENT.forget();
}

/// By the name of the file that defines `PMPI_Type_size`, a function that tools seldom define.
fn by_file() -> Option<&'static Dialect> {
    let address = real::TYPE_SIZE.address();
    // SAFETY: all-zero is a valid `Dl_info`.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: `dladdr` takes any address and writes `info`.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `dladdr` answered the loader's own string, which lives as long as the object.
    let path = unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes();
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    if file.starts_with(b"libmpi_abi.so") {
        return Some(&STANDARD);
    }
    if file.starts_with(b"libmpi.so.40") {
        return Some(&OPEN_MPI);
    }
    (file.starts_with(b"libmpich.so") || file.starts_with(b"libmpi.so.12")).then_some(&MPICH)
}

/// By what the library says of itself, where a file has another name.
fn by_version() -> Option<&'static Dialect> {
    let address = real::LIBRARY_VERSION.address();
    if address.is_null() {
        return None;
    }
    // SAFETY: this is `MPI_Get_library_version`, whose arguments are two pointers in every ABI.
    let version = unsafe {
        core::mem::transmute::<
            *mut core::ffi::c_void,
            unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int,
        >(address)
    };
    let mut text = [0_u8; LONGEST_VERSION];
    let mut length = 0;
    // SAFETY: no MPI writes more than the longest string any of them declares.
    unsafe { version(text.as_mut_ptr().cast(), &raw mut length) };
    let said = |what: &[u8]| text.windows(what.len()).any(|part| part == what);
    if said(b"Open MPI") {
        return Some(&OPEN_MPI);
    }
    (said(b"MPICH") || said(b"Intel") || said(b"MVAPICH") || said(b"CRAY")).then_some(&MPICH)
}

/// `MPI_MAX_LIBRARY_VERSION_STRING` of the one that declares most.
const LONGEST_VERSION: usize = 8192;
