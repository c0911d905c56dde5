//! Files opened by MPI: the object of each handle.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use whyperf_layout::ObjectKind;
use whyperf_runtime::{ObjectId, losses, object};

use super::association::Association;
use super::call;

static FILES: Association<FILE_CAPACITY> = Association::new();

/// Files that may be open at a time, a power of two.
const FILE_CAPACITY: usize = 512;
const OBJECT: usize = 0;

/// The object of an open file.
pub(crate) fn find(handle: usize) -> ObjectId {
    let Some(place) = FILES.find(handle) else { return ObjectId::NONE };
    ObjectId::from_number(FILES.word(place, OBJECT).load(Ordering::Relaxed) as u32)
}

/// The object of a path.
///
/// # Safety
/// `path` is null or a C string.
pub(crate) unsafe fn of_path(path: usize) -> ObjectId {
    if path == 0 {
        return ObjectId::NONE;
    }
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path as *const core::ffi::c_char) }.to_bytes();
    object::intern(ObjectKind::File, ObjectId::NONE, call::hash(path), path, 0)
}

/// Notes that a file was opened.
pub(crate) fn opened(handle: usize, object: ObjectId) {
    closed(handle);
    if FILES.insert(handle, [u64::from(object.number()), 0, 0, 0, 0]).is_none() {
        losses::count(|losses| &losses.objects);
    }
}

/// Forgets a handle; the file itself may be opened again and stays the same object.
pub(crate) fn closed(handle: usize) {
    if let Some(place) = FILES.find(handle) {
        FILES.remove(place);
    }
}
