//! Wrappers of calls that open files, which get their names here.
//!
//! The variadic `mode` of `open` travels in the word where a third argument lies, so the word is
//! always passed on, chosen by the caller or not.

use super::file::{HERE, descriptor, opened, opened_stream, path, stream_gone};
use super::moved::nothing;
use crate::wrapped::wrapped;
use whyperf_runtime::ObjectId;

wrapped! {
    open(name, flags, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name, flags);
    open64(name, flags, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name, flags);
    __open_2(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name, flags);
    __open64_2(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name, flags);
    openat(at, name, flags, mode) => Open, path(at, name), |fd| opened(fd, at, name, flags);
    openat64(at, name, flags, mode) => Open, path(at, name), |fd| opened(fd, at, name, flags);
    __openat_2(at, name, flags) => Open, path(at, name), |fd| opened(fd, at, name, flags);
    __openat64_2(at, name, flags) => Open, path(at, name), |fd| opened(fd, at, name, flags);
    creat(name, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    creat64(name, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    fopen(name, mode) => Open, path(HERE, name), |file| opened_stream(file, name);
    fopen64(name, mode) => Open, path(HERE, name), |file| opened_stream(file, name);
    freopen(name, mode, old) with left = stream_gone(old) =>
        Open, if name == 0 { left } else { path(HERE, name) }, |file| opened_stream(file, name);
    freopen64(name, mode, old) with left = stream_gone(old) =>
        Open, if name == 0 { left } else { path(HERE, name) }, |file| opened_stream(file, name);
    fdopen(fd, mode) => Open, descriptor(fd), nothing;
    tmpfile() => Open, ObjectId::NONE, nothing;
    tmpfile64() => Open, ObjectId::NONE, nothing;
    mkstemp(name) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkstemp64(name) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkostemp(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkostemp64(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkstemps(name, tail) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkstemps64(name, tail) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkostemps(name, tail, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    mkostemps64(name, tail, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name, 0);
    opendir(name) => Open, path(HERE, name), nothing;
}
