//! Wrappers of calls that move the position in a file, or change its length.

use super::file::{descriptor, stream};
use super::moved::nothing;
use crate::wrapped::wrapped;

wrapped! {
    lseek(fd, offset, whence) => Seek, descriptor(fd), nothing;
    lseek64(fd, offset, whence) => Seek, descriptor(fd), nothing;
    fseek(file, offset, whence) => Seek, stream(file), nothing;
    fseeko(file, offset, whence) => Seek, stream(file), nothing;
    fseeko64(file, offset, whence) => Seek, stream(file), nothing;
    fsetpos(file, position) => Seek, stream(file), nothing;
    fsetpos64(file, position) => Seek, stream(file), nothing;
    rewind(file) => Seek, stream(file), nothing;
    ftruncate(fd, length) => Metadata, descriptor(fd), nothing;
    ftruncate64(fd, length) => Metadata, descriptor(fd), nothing;
    fallocate(fd, mode, offset, length) => Metadata, descriptor(fd), nothing;
    fallocate64(fd, mode, offset, length) => Metadata, descriptor(fd), nothing;
    posix_fallocate(fd, offset, length) => Metadata, descriptor(fd), nothing;
    posix_fallocate64(fd, offset, length) => Metadata, descriptor(fd), nothing;
}
