//! Wrappers of calls that read or change the metadata of files.
//!
//! A path that is only asked about becomes no object: a search along a path list would fill the table of objects with files
//! that no call opens.

use super::file::{HERE, descriptor, path};
use super::moved::nothing;
use crate::wrapped::wrapped;

wrapped! {
    stat(name, answer) => Metadata, path(HERE, name), nothing;
    stat64(name, answer) => Metadata, path(HERE, name), nothing;
    lstat(name, answer) => Metadata, path(HERE, name), nothing;
    lstat64(name, answer) => Metadata, path(HERE, name), nothing;
    fstat(fd, answer) => Metadata, descriptor(fd), nothing;
    fstat64(fd, answer) => Metadata, descriptor(fd), nothing;
    fstatat(at, name, answer, flags) => Metadata, path(at, name), nothing;
    fstatat64(at, name, answer, flags) => Metadata, path(at, name), nothing;
    statx(at, name, flags, mask, answer) => Metadata, path(at, name), nothing;
    __xstat(version, name, answer) => Metadata, path(HERE, name), nothing;
    __xstat64(version, name, answer) => Metadata, path(HERE, name), nothing;
    __lxstat(version, name, answer) => Metadata, path(HERE, name), nothing;
    __lxstat64(version, name, answer) => Metadata, path(HERE, name), nothing;
    __fxstat(version, fd, answer) => Metadata, descriptor(fd), nothing;
    __fxstat64(version, fd, answer) => Metadata, descriptor(fd), nothing;
    access(name, mode) => Metadata, path(HERE, name), nothing;
    faccessat(at, name, mode, flags) => Metadata, path(at, name), nothing;
    unlink(name) => Metadata, path(HERE, name), nothing;
    unlinkat(at, name, flags) => Metadata, path(at, name), nothing;
    remove(name) => Metadata, path(HERE, name), nothing;
    rename(old, new) => Metadata, path(HERE, old), nothing;
    renameat(at, old, new_at, new) => Metadata, path(at, old), nothing;
    renameat2(at, old, new_at, new, flags) => Metadata, path(at, old), nothing;
    link(old, new) => Metadata, path(HERE, old), nothing;
    symlink(target, name) => Metadata, path(HERE, name), nothing;
    readlink(name, buffer, size) => Metadata, path(HERE, name), nothing;
    mkdir(name, mode) => Metadata, path(HERE, name), nothing;
    mkdirat(at, name, mode) => Metadata, path(at, name), nothing;
    rmdir(name) => Metadata, path(HERE, name), nothing;
    chmod(name, mode) => Metadata, path(HERE, name), nothing;
    fchmod(fd, mode) => Metadata, descriptor(fd), nothing;
    truncate(name, length) => Metadata, path(HERE, name), nothing;
    truncate64(name, length) => Metadata, path(HERE, name), nothing;
}
