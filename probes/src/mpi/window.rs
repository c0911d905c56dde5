//! Windows of MPI: the object of each handle, and a name that every member and every run agree on.

use core::sync::atomic::Ordering;

use whyperf_layout::ObjectKind;
use whyperf_runtime::{ObjectId, losses, object};

use super::association::Association;
use super::communicator::Communicator;
use super::text::CommunicatorName;

static WINDOWS: Association<WINDOW_CAPACITY> = Association::new();

/// Windows that may be open at a time, a power of two.
const WINDOW_CAPACITY: usize = 512;
const OBJECT: usize = 0;
const OVER: usize = 1;

/// The object of a window.
pub(crate) fn find(handle: usize) -> ObjectId {
    let Some(place) = WINDOWS.find(handle) else { return ObjectId::NONE };
    ObjectId::from_number(WINDOWS.word(place, OBJECT).load(Ordering::Relaxed) as u32)
}

/// Notes a window that was made over a communicator: `MPI_COMM_WORLD.win1`.
pub(crate) fn made(handle: usize, over: Option<Communicator>, comm: usize) {
    let name = over.map_or_else(CommunicatorName::new, |over| over.next_name(b"win"));
    forget(handle);
    enter(handle, name.bytes(), comm);
}

/// Handle of the communicator that a window was made over; 0 where that was not seen.
pub(crate) fn over(handle: usize) -> usize {
    let Some(place) = WINDOWS.find(handle) else { return 0 };
    WINDOWS.word(place, OVER).load(Ordering::Relaxed) as usize
}

/// Notes a name that the program gave.
pub(crate) fn named(handle: usize, name: &[u8]) {
    let known = find(handle);
    if known == ObjectId::NONE {
        enter(handle, name, 0);
    } else {
        object::rename(known, name);
    }
}

/// Forgets a window that is being freed.
pub(crate) fn forget(handle: usize) {
    if let Some(place) = WINDOWS.find(handle) {
        object::retire(find(handle));
        WINDOWS.remove(place);
    }
}

fn enter(handle: usize, name: &[u8], comm: usize) {
    let object = object::intern(ObjectKind::Window, ObjectId::NONE, handle as u64, name, 0);
    if WINDOWS.insert(handle, [u64::from(object.number()), comm as u64, 0, 0, 0]).is_none() {
        losses::count(|losses| &losses.objects);
    }
}
