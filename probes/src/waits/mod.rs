//! Wrappers of calls that wait for anything but another thread or a file: time, one of several descriptors, a socket, a
//! signal, another process.
//!
//! Each call is a region, each kind of waiting one object, and of sockets each other end (`io/peer.rs`). Calls that the C
//! library makes inside of its own functions are not seen, nor are bare system calls: looks at the threads find those
//! (`daemon/src/thread_activity.rs`).

mod child;
pub(crate) mod poll;
mod ring;
mod sleep;
mod socket;

use whyperf_layout::ObjectKind;
use whyperf_runtime::{ObjectId, object};

/// Looks every function up, so that none is looked up while the program reads `dlerror`.
pub(crate) fn resolve() {
    child::resolve();
    poll::resolve();
    ring::resolve_where_linked();
    sleep::resolve();
    socket::resolve();
}

/// The one object of its kind.
#[inline(always)]
pub(crate) fn only(kind: ObjectKind) -> ObjectId {
    object::find(kind, ObjectId::NONE, 0)
        .unwrap_or_else(|| object::intern(kind, ObjectId::NONE, 0, b"", 0))
}
