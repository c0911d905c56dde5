//! Wrappers of calls that write to descriptors, copy between them, or force data out.

use super::file::descriptor;
use super::moved::{copied, nothing, sent};
use crate::wrapped::wrapped;

wrapped! {
    write(fd, buffer, size) => Write, descriptor(fd), sent;
    pwrite(fd, buffer, size, at) => Write, descriptor(fd), sent;
    pwrite64(fd, buffer, size, at) => Write, descriptor(fd), sent;
    writev(fd, parts, count) => Write, descriptor(fd), sent;
    pwritev(fd, parts, count, at) => Write, descriptor(fd), sent;
    pwritev64(fd, parts, count, at) => Write, descriptor(fd), sent;
    pwritev2(fd, parts, count, at, flags) => Write, descriptor(fd), sent;
    pwritev64v2(fd, parts, count, at, flags) => Write, descriptor(fd), sent;
    sendfile(to, from, at, count) => Write, descriptor(to), copied;
    sendfile64(to, from, at, count) => Write, descriptor(to), copied;
    copy_file_range(from, from_at, to, to_at, size, flags) => Write, descriptor(to), copied;
    splice(from, from_at, to, to_at, size, flags) => Write, descriptor(to), copied;
    fsync(fd) => Flush, descriptor(fd), nothing;
    fdatasync(fd) => Flush, descriptor(fd), nothing;
    sync_file_range(fd, at, size, flags) => Flush, descriptor(fd), nothing;
    syncfs(fd) => Flush, descriptor(fd), nothing;
}
