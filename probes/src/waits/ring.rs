//! Wrappers of calls of liburing that wait for what was submitted to a ring of the kernel: it may be anything, so they wait as `poll` does.
//!
//! The library is no part of the C library, and programs link it statically as well: then looks at the threads find these waits. Some calls are
//! made by functions of its header, so the inner ones are here, too; of those that call each other only the outer one counts. All have at
//! most six arguments, so what a library of another version passes is passed on.

use whyperf_layout::ObjectKind;

use super::only;
use crate::wrapped::{nothing, wrapped_of};

wrapped_of! { of_io_uring;
    io_uring_submit_and_wait(ring, number, a, b, c, d) => Poll, only(ObjectKind::Poll), nothing;
    io_uring_submit_and_wait_timeout(ring, entry, number, limit, mask, a) => Poll, only(ObjectKind::Poll), nothing;
    io_uring_wait_cqes(ring, entry, number, limit, mask, a) => Poll, only(ObjectKind::Poll), nothing;
    io_uring_wait_cqe_timeout(ring, entry, limit, a, b, c) => Poll, only(ObjectKind::Poll), nothing;
    __io_uring_get_cqe(ring, entry, submit, number, mask, a) => Poll, only(ObjectKind::Poll), nothing;
    __io_uring_sqring_wait(ring, a, b, c, d, e) => Poll, only(ObjectKind::Poll), nothing;
    io_uring_enter(fd, submit, number, flags, mask, size) => Poll, only(ObjectKind::Poll), nothing;
    io_uring_enter2(fd, submit, number, flags, mask, size) => Poll, only(ObjectKind::Poll), nothing;
}

/// Looks every function up where the program is linked with the library. In others it costs one look, and the first call of each is not counted.
///
/// The look is by the names of what is loaded: asked for a library that is not there, the loader would search every folder of its path.
pub(crate) fn resolve_where_linked() {
    if crate::loader::is_loaded(b"liburing.so") && !__io_uring_get_cqe::NEXT.address().is_null() {
        resolve();
    }
}
