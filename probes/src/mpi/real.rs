//! The functions of the loaded MPI that the wrappers themselves use.

use core::ffi::{CStr, c_int};
use core::mem::transmute;

use crate::loader;
use crate::next::Next;

/// What is answered for a function that the loaded MPI does not have; no program gets there but
/// by asking for the symbol. `MPI_ERR_OTHER` of Open MPI and the standard.
pub(crate) const NO_SUCH_FUNCTION: c_int = 16;

/// `PMPI_Type_size`, also the function by which the library is recognized.
pub(crate) static TYPE_SIZE: Next = Next::of_mpi(c"PMPI_Type_size");
/// `PMPI_Get_library_version`.
pub(crate) static LIBRARY_VERSION: Next = Next::of_mpi(c"PMPI_Get_library_version");

static INITIALIZED: Next = Next::of_mpi(c"PMPI_Initialized");
static FINALIZED: Next = Next::of_mpi(c"PMPI_Finalized");
static TYPE_SIZE_X: Next = Next::of_mpi(c"PMPI_Type_size_x");
static COMM_RANK: Next = Next::of_mpi(c"PMPI_Comm_rank");
static COMM_SIZE: Next = Next::of_mpi(c"PMPI_Comm_size");
static COMM_REMOTE_SIZE: Next = Next::of_mpi(c"PMPI_Comm_remote_size");
static COMM_TEST_INTER: Next = Next::of_mpi(c"PMPI_Comm_test_inter");
static COMM_GROUP: Next = Next::of_mpi(c"PMPI_Comm_group");
static COMM_REMOTE_GROUP: Next = Next::of_mpi(c"PMPI_Comm_remote_group");
static GROUP_SIZE: Next = Next::of_mpi(c"PMPI_Group_size");
static GROUP_TRANSLATE: Next = Next::of_mpi(c"PMPI_Group_translate_ranks");
static GROUP_FREE: Next = Next::of_mpi(c"PMPI_Group_free");
static TEST_CANCELLED: Next = Next::of_mpi(c"PMPI_Test_cancelled");
static GET_COUNT: Next = Next::of_mpi(c"PMPI_Get_count");
static GET_COUNT_C: Next = Next::of_mpi(c"PMPI_Get_count_c");
static TOPO_TEST: Next = Next::of_mpi(c"PMPI_Topo_test");
static CART_GET: Next = Next::of_mpi(c"PMPI_Cart_get");
static CARTDIM: Next = Next::of_mpi(c"PMPI_Cartdim_get");
static GRAPH_COUNT: Next = Next::of_mpi(c"PMPI_Graph_neighbors_count");
static DIST_GRAPH_COUNT: Next = Next::of_mpi(c"PMPI_Dist_graph_neighbors_count");

/// A function that takes a handle and writes one number.
type Ask<T> = unsafe extern "C" fn(usize, *mut T) -> c_int;

/// Whether MPI was initialized and is not finalized yet.
pub(crate) fn is_running() -> bool {
    // SAFETY: both take the address of an `int`.
    unsafe { says(&INITIALIZED) && !says(&FINALIZED) }
}

/// What a function answers that may be called at any time.
///
/// # Safety
/// The function must take the address of an `int`.
unsafe fn says(next: &Next) -> bool {
    let address = next.address();
    if address.is_null() {
        return false;
    }
    // SAFETY: the caller's promise.
    let function: unsafe extern "C" fn(*mut c_int) -> c_int = unsafe { transmute(address) };
    let mut flag = 0;
    // SAFETY: the caller's promise; `flag` is ours.
    (unsafe { function(&raw mut flag) }) == 0 && flag != 0
}

/// Size of one element in bytes; 0 when the MPI does not know.
///
/// # Safety
/// The datatype must be valid in the loaded MPI.
pub(crate) unsafe fn type_size(datatype: usize) -> u64 {
    // SAFETY: the caller's promise; the function writes an `int`.
    let size: c_int = unsafe { ask(&TYPE_SIZE, datatype) }.unwrap_or(0);
    // A size that `int` cannot hold is MPI_UNDEFINED, which is negative.
    let wide = |_| {
        // SAFETY: the caller's promise; the function writes an `MPI_Count`.
        u64::try_from(unsafe { ask::<i64>(&TYPE_SIZE_X, datatype) }.unwrap_or(0))
    };
    u64::try_from(size).or_else(wide).unwrap_or(0)
}

/// Rank of the caller.
///
/// # Safety
/// The communicator must be valid in the loaded MPI.
pub(crate) unsafe fn comm_rank(comm: usize) -> Option<i32> {
    // SAFETY: the caller's promise; the function writes an `int`.
    unsafe { ask(&COMM_RANK, comm) }
}

/// Number of members, of the local group if there are two.
///
/// # Safety
/// The communicator must be valid in the loaded MPI.
pub(crate) unsafe fn comm_size(comm: usize) -> Option<i32> {
    // SAFETY: the caller's promise; the function writes an `int`.
    unsafe { ask(&COMM_SIZE, comm) }
}

/// Number of members of the other group, `None` when there is one group only.
///
/// # Safety
/// The communicator must be valid in the loaded MPI.
pub(crate) unsafe fn comm_remote_size(comm: usize) -> Option<i32> {
    // SAFETY: the caller's promise; the function writes an `int`.
    let two: c_int = unsafe { ask(&COMM_TEST_INTER, comm) }?;
    // SAFETY: the same, and there are two groups.
    if two == 0 { None } else { unsafe { ask(&COMM_REMOTE_SIZE, comm) } }
}

/// The neighbours that a list has an entry for, and which of the first 64 there really are: in a
/// grid that ends, the neighbours beyond its edge are `MPI_PROC_NULL`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Neighbours {
    /// Entries of the list.
    pub(crate) listed: u64,
    missing: u64,
}

impl Neighbours {
    const fn all(listed: u64) -> Self {
        Self { listed, missing: 0 }
    }

    /// Whether bytes go to or come from the neighbour of this entry.
    pub(crate) const fn is_there(self, entry: u64) -> bool {
        entry >= 64 || self.missing >> entry & 1 == 0
    }

    /// How many there are.
    pub(crate) fn number(self) -> u64 {
        self.listed.saturating_sub(u64::from(self.missing.count_ones()))
    }
}

/// Sources and destinations of a neighbourhood operation.
///
/// # Safety
/// The communicator must be valid in the loaded MPI.
pub(crate) unsafe fn neighbours(comm: usize, topology: &Topologies) -> (Neighbours, Neighbours) {
    // SAFETY: the caller's promise; the function writes an `int`.
    let kind: c_int = unsafe { ask(&TOPO_TEST, comm) }.unwrap_or(-1);
    let count = |number: Option<c_int>| u64::try_from(number.unwrap_or(0)).unwrap_or(0);
    if kind == topology.cart {
        // SAFETY: the same; the communicator has a grid.
        let dimensions = count(unsafe { ask(&CARTDIM, comm) });
        // SAFETY: the grid has that many dimensions, as it said itself.
        let missing = unsafe { missing_in_grid(comm, dimensions as usize) };
        let both = Neighbours { listed: 2 * dimensions, missing };
        return (both, both);
    }
    if kind == topology.graph {
        // SAFETY: the caller's promise.
        let Some(rank) = (unsafe { comm_rank(comm) }) else { return Default::default() };
        // SAFETY: the communicator has a graph, as it said itself, and the caller is in it.
        let both = Neighbours::all(count(unsafe { graph_neighbours(comm, rank) }));
        return (both, both);
    }
    if kind != topology.dist_graph {
        return Default::default();
    }
    // SAFETY: the communicator has a distributed graph, as it said itself.
    let (sources, targets) = unsafe { dist_graph_neighbours(comm) };
    (Neighbours::all(sources), Neighbours::all(targets))
}

/// Bit `2 d` when the grid ends before the caller in dimension `d`, the next bit when behind it.
///
/// # Safety
/// The communicator must have a grid of that many dimensions.
unsafe fn missing_in_grid(comm: usize, dimensions: usize) -> u64 {
    let address = CART_GET.address();
    if address.is_null() || dimensions == 0 || dimensions > MOST_DIMENSIONS {
        return 0;
    }
    // SAFETY: this is `MPI_Cart_get`: communicator, number, lengths, periods, coordinates out.
    let get: unsafe extern "C" fn(usize, c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int =
        unsafe { transmute(address) };
    let [mut lengths, mut periods, mut own] = [[0; MOST_DIMENSIONS]; 3];
    let places = (lengths.as_mut_ptr(), periods.as_mut_ptr(), own.as_mut_ptr());
    // SAFETY: the caller's promise; the arrays have room for as many.
    if unsafe { get(comm, dimensions as c_int, places.0, places.1, places.2) } != 0 {
        return 0;
    }
    let ends = lengths.iter().zip(&periods).zip(&own).take(dimensions).enumerate();
    ends.filter(|(_, ((_, periodic), _))| **periodic == 0)
        .map(|(at, ((length, _), own))| {
            (u64::from(*own == 0) | u64::from(*own + 1 == *length) << 1) << (2 * at)
        })
        .fold(0, |missing, bits| missing | bits)
}

/// Dimensions whose ends are looked at.
const MOST_DIMENSIONS: usize = 32;

/// The numbers by which an MPI tells topologies.
#[derive(Debug)]
pub(crate) struct Topologies {
    /// `MPI_CART`.
    pub(crate) cart: i32,
    /// `MPI_GRAPH`.
    pub(crate) graph: i32,
    /// `MPI_DIST_GRAPH`.
    pub(crate) dist_graph: i32,
}

/// How many neighbours a rank has in a graph.
///
/// # Safety
/// The communicator must have a graph that has this rank.
unsafe fn graph_neighbours(comm: usize, rank: i32) -> Option<c_int> {
    let address = GRAPH_COUNT.address();
    if address.is_null() {
        return None;
    }
    // SAFETY: this is `MPI_Graph_neighbors_count`: communicator, rank, where the number goes.
    let count: unsafe extern "C" fn(usize, c_int, *mut c_int) -> c_int =
        unsafe { transmute(address) };
    let mut number = 0;
    // SAFETY: the caller's promise; `number` is ours.
    (unsafe { count(comm, rank, &raw mut number) } == 0).then_some(number)
}

/// How many sources and targets the caller has in a distributed graph.
///
/// # Safety
/// The communicator must have a distributed graph.
unsafe fn dist_graph_neighbours(comm: usize) -> (u64, u64) {
    let address = DIST_GRAPH_COUNT.address();
    if address.is_null() {
        return (0, 0);
    }
    // SAFETY: this is `MPI_Dist_graph_neighbors_count`: communicator, three numbers out.
    let count: unsafe extern "C" fn(usize, *mut c_int, *mut c_int, *mut c_int) -> c_int =
        unsafe { transmute(address) };
    let (mut sources, mut targets, mut weighted) = (0, 0, 0);
    // SAFETY: the caller's promise; the numbers are ours.
    let failed = unsafe { count(comm, &raw mut sources, &raw mut targets, &raw mut weighted) } != 0;
    let known = |number| if failed { 0 } else { u64::try_from(number).unwrap_or(0) };
    (known(sources), known(targets))
}

/// The group of a communicator, freed when dropped.
#[derive(Debug)]
pub(crate) struct CommunicatorGroup(usize);

impl CommunicatorGroup {
    /// The local group.
    ///
    /// # Safety
    /// The communicator must be valid in the loaded MPI.
    pub(crate) unsafe fn of(comm: usize) -> Option<Self> {
        // SAFETY: the caller's promise; no handle is larger than a word.
        unsafe { ask(&COMM_GROUP, comm) }.map(Self)
    }

    /// The other group of an intercommunicator.
    ///
    /// # Safety
    /// The communicator must be valid in the loaded MPI, and have two groups.
    pub(crate) unsafe fn remote(comm: usize) -> Option<Self> {
        // SAFETY: the caller's promise; no handle is larger than a word.
        unsafe { ask(&COMM_REMOTE_GROUP, comm) }.map(Self)
    }

    /// Number of members.
    pub(crate) fn size(&self) -> i32 {
        // SAFETY: the group is alive; the function writes an `int`.
        unsafe { ask(&GROUP_SIZE, self.0) }.unwrap_or(0)
    }

    /// Ranks that members have in another group; negative where they have none.
    pub(crate) fn translate(&self, ranks: &[i32], into: &Self, translated: &mut [i32]) -> bool {
        let address = GROUP_TRANSLATE.address();
        if address.is_null() || translated.len() < ranks.len() {
            return false;
        }
        // SAFETY: this is `MPI_Group_translate_ranks`: group, number, ranks, group, ranks out.
        let translate: unsafe extern "C" fn(
            usize,
            c_int,
            *const c_int,
            usize,
            *mut c_int,
        ) -> c_int = unsafe { transmute(address) };
        let (from, to) = (ranks.as_ptr(), translated.as_mut_ptr());
        // SAFETY: both groups are alive, both arrays have the length passed.
        unsafe { translate(self.0, ranks.len() as c_int, from, into.0, to) == 0 }
    }
}

impl Drop for CommunicatorGroup {
    fn drop(&mut self) {
        let address = GROUP_FREE.address();
        if !address.is_null() {
            // SAFETY: this is `MPI_Group_free`, which takes the address of a handle.
            let free: unsafe extern "C" fn(*mut usize) -> c_int = unsafe { transmute(address) };
            // SAFETY: the group came from `of` or `remote` and is freed once.
            unsafe { free(&raw mut self.0) };
        }
    }
}

/// Bytes that a status of the standard ABI tells of; `byte` is its `MPI_BYTE`.
///
/// # Safety
/// A call of the loaded MPI must have filled the status, and `byte` must be of that MPI.
pub(crate) unsafe fn count_bytes(status: usize, byte: usize) -> u64 {
    let wide = GET_COUNT_C.address();
    let narrow = GET_COUNT.address();
    if !wide.is_null() {
        // SAFETY: this is `MPI_Get_count_c`: status, datatype, where the `MPI_Count` goes.
        let count: unsafe extern "C" fn(usize, usize, *mut i64) -> c_int =
            unsafe { transmute(wide) };
        let mut bytes = 0_i64;
        // SAFETY: the caller's promise; the number is ours.
        unsafe { count(status, byte, &raw mut bytes) };
        return u64::try_from(bytes).unwrap_or(0);
    }
    if narrow.is_null() {
        return 0;
    }
    // SAFETY: this is `MPI_Get_count`: status, datatype, where the `int` goes.
    let count: unsafe extern "C" fn(usize, usize, *mut c_int) -> c_int =
        unsafe { transmute(narrow) };
    let mut bytes = 0;
    // SAFETY: the caller's promise; the number is ours.
    unsafe { count(status, byte, &raw mut bytes) };
    u64::try_from(bytes).unwrap_or(0)
}

/// Whether a status says that its message was cancelled.
///
/// # Safety
/// A call of the loaded MPI that completes requests must have filled the status.
pub(crate) unsafe fn is_cancelled(status: usize) -> bool {
    // SAFETY: the caller's promise; `MPI_Test_cancelled` takes the address of a status and writes
    // an `int`, like a call that asks for a handle.
    unsafe { ask::<c_int>(&TEST_CANCELLED, status) }.is_some_and(|cancelled| cancelled != 0)
}

/// Address of a data symbol of the MPI, 0 when it has none of that name.
///
/// The first definition counts, not the next one: the linker may have moved the data into the
/// program (a copy relocation), and then the MPI itself uses it there.
pub(crate) fn data(name: &'static CStr) -> usize {
    // SAFETY: a constant string; RTLD_DEFAULT is valid in any object.
    let first = unsafe { loader::real_dlsym()(libc::RTLD_DEFAULT, name.as_ptr()) };
    let found = if first.is_null() { Next::of_mpi(name).address() } else { first };
    found as usize
}

/// What a function answers about a handle; `None` when it fails or the MPI has none of it.
///
/// # Safety
/// The function must take such a handle and the address of a `T`, and the handle must be valid.
unsafe fn ask<T: Default>(next: &Next, handle: usize) -> Option<T> {
    let address = next.address();
    if address.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    let function: Ask<T> = unsafe { transmute(address) };
    let mut answer = T::default();
    // SAFETY: the caller's promise; `answer` is ours.
    (unsafe { function(handle, &raw mut answer) } == 0).then_some(answer)
}
