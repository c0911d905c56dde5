//! Opening files; what is opened gets its name here.
//!
//! The variadic `mode` of `open` travels in the word where a third argument lies, so the word is
//! always passed on, chosen by the caller or not.

use super::file::{HERE, descriptor, opened, opened_stream, path};
use super::moved::nothing;
use crate::wrapped::wrapped;
use whyperf_runtime::ObjectId;

wrapped! {
    open(name, flags, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    open64(name, flags, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    __open_2(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    __open64_2(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    openat(at, name, flags, mode) => Open, path(at, name), |fd| opened(fd, at, name);
    openat64(at, name, flags, mode) => Open, path(at, name), |fd| opened(fd, at, name);
    __openat_2(at, name, flags) => Open, path(at, name), |fd| opened(fd, at, name);
    __openat64_2(at, name, flags) => Open, path(at, name), |fd| opened(fd, at, name);
    creat(name, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    creat64(name, mode) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    fopen(name, mode) => Open, path(HERE, name), |file| opened_stream(file, name);
    fopen64(name, mode) => Open, path(HERE, name), |file| opened_stream(file, name);
    freopen(name, mode, old) => Open, path(HERE, name), |file| opened_stream(file, name);
    freopen64(name, mode, old) => Open, path(HERE, name), |file| opened_stream(file, name);
    fdopen(fd, mode) => Open, descriptor(fd), nothing;
    tmpfile() => Open, ObjectId::NONE, nothing;
    tmpfile64() => Open, ObjectId::NONE, nothing;
    mkstemp(name) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkstemp64(name) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkostemp(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkostemp64(name, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkstemps(name, tail) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkstemps64(name, tail) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkostemps(name, tail, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    mkostemps64(name, tail, flags) => Open, path(HERE, name), |fd| opened(fd, HERE, name);
    opendir(name) => Open, path(HERE, name), nothing;
}
