//! The list of exported functions, each with the function it stands for; found by name.

use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use crate::loader::first_of;
use crate::next::{Next, SearchedObjects};

/// An exported function of ours. All of them lie in one section, put there by their assembly (`stub::listed`). It holds distances, for each
/// address would be written by the loader in each process, on pages that short ones never read.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Listed {
    next: i32,
    stub: i32,
}

impl Listed {
    /// Where calls are to go.
    pub(crate) fn stub(&self) -> usize {
        (&raw const self.stub).addr().wrapping_add_signed(self.stub as isize)
    }

    fn next(&self) -> &'static Next {
        let place = (&raw const self.next).addr().wrapping_add_signed(self.next as isize);
        // SAFETY: the assembly put the distance to a static here, and nothing writes to it.
        unsafe { &*core::ptr::with_exposed_provenance::<Next>(place) }
    }

    /// Where they would go without us; `None` when the program means something else by the name.
    pub(super) fn real(&self) -> Option<usize> {
        self.next().found_for_stub()
    }

    /// Whether anything of the program's has the name.
    pub(crate) fn has_real(&self) -> bool {
        !self.next().address().is_null()
    }

    /// Whether it is a function of MPI.
    pub(crate) fn is_of_mpi(&self) -> bool {
        self.next().is_of_mpi()
    }
}

/// Where in the list names are, by their hash: the place + 1, 0 for none.
static INDEX: [AtomicU16; PLACES] = [const { AtomicU16::new(0) }; PLACES];
/// More than twice the functions there are, and a power of two.
const PLACES: usize = 1 << 13;

static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// Finds out what each function stands for in this program.
pub(super) fn prepare() {
    let places = SearchedObjects::now();
    all().iter().for_each(|listed| listed.next().look_up_late(&places));
    enter_all();
}

/// Whether everybody's calls of these functions find ours; those of a library that is loaded late do not.
pub(crate) fn are_first(names: &[&CStr]) -> bool {
    // What this object defines under a name is the function of ours; to go through the list for each would bring all its pages in.
    let (first, end) = (&raw const __ehdr_start, &raw const _end);
    names.iter().all(|name| (first.addr()..end.addr()).contains(&first_of(name).addr()))
}

/// The exported function of this name, of which nothing need be prepared.
pub(crate) fn exported(name: &CStr) -> Option<&'static Listed> {
    if !IS_ENTERED.load(Ordering::Relaxed) {
        enter_all();
    }
    named(name)
}

/// The exported function of this name.
pub(super) fn named(name: &CStr) -> Option<&'static Listed> {
    let start = hash(name.to_bytes());
    for step in 0..PLACES {
        let number = INDEX.get((start + step) % PLACES)?.load(Ordering::Relaxed);
        let listed = all().get(usize::from(number).checked_sub(1)?)?;
        if listed.next().name() == name {
            return Some(listed);
        }
    }
    None
}

/// Enters all functions into the index; two threads that do this at once enter the same.
fn enter_all() {
    (1_u16..).zip(all()).for_each(|(number, listed)| enter(number, listed));
    IS_ENTERED.store(true, Ordering::Relaxed);
}

fn enter(number: u16, listed: &Listed) {
    let start = hash(listed.next().name().to_bytes());
    for step in 0..PLACES {
        let Some(place) = INDEX.get((start + step) % PLACES) else { return };
        let there = place.load(Ordering::Relaxed);
        if there == 0 || there == number {
            place.store(number, Ordering::Relaxed);
            return;
        }
    }
}

fn hash(name: &[u8]) -> usize {
    let mix = |sum: u32, byte: &u8| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let sum = name.iter().fold(0x811c_9dc5, mix);
    (sum ^ sum >> 15) as usize % PLACES
}

fn all() -> &'static [Listed] {
    let (first, last) = (&raw const __start_whyperf_listed, &raw const __stop_whyperf_listed);
    let (first, last) = (first.cast::<Listed>(), last.cast::<Listed>());
    let count = (last as usize - first as usize) / size_of::<Listed>();
    // SAFETY: the linker defines both names as the borders of the section, which holds nothing else.
    unsafe { core::slice::from_raw_parts(first, count) }
}

// Of no other library.
core::arch::global_asm!(
    ".hidden __start_whyperf_listed",
    ".hidden __stop_whyperf_listed",
    ".hidden __ehdr_start",
    ".hidden _end",
);

// SAFETY: the linker defines the first two, because a section is called so, and the others in every object: where it begins and ends.
unsafe extern "C" {
    static __start_whyperf_listed: u8;
    static __stop_whyperf_listed: u8;
    static __ehdr_start: u8;
    static _end: u8;
}
