//! Wrappers of calls that read from descriptors.

use super::file::descriptor;
use super::moved::received;
use crate::wrapped::wrapped;

wrapped! {
    read(fd, buffer, size) => Read, descriptor(fd), received;
    __read_chk(fd, buffer, size, room) => Read, descriptor(fd), received;
    pread(fd, buffer, size, at) => Read, descriptor(fd), received;
    pread64(fd, buffer, size, at) => Read, descriptor(fd), received;
    __pread_chk(fd, buffer, size, at, room) => Read, descriptor(fd), received;
    __pread64_chk(fd, buffer, size, at, room) => Read, descriptor(fd), received;
    readv(fd, parts, count) => Read, descriptor(fd), received;
    preadv(fd, parts, count, at) => Read, descriptor(fd), received;
    preadv64(fd, parts, count, at) => Read, descriptor(fd), received;
    preadv2(fd, parts, count, at, flags) => Read, descriptor(fd), received;
    preadv64v2(fd, parts, count, at, flags) => Read, descriptor(fd), received;
}
