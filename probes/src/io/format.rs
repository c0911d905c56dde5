//! Wrappers of formatted reading and writing.
//!
//! A variadic function cannot be written in stable Rust, and none is: the entry stub saves the
//! argument registers the way the platform's `va_start` does, and the wrapper calls the function's
//! twin that takes a `va_list`, which is what the C library's own variadic functions do.

use super::file::{STANDARD_INPUT, STANDARD_OUTPUT, descriptor, stream};
use super::moved::{nothing, sent_int};
use crate::wrapped::wrapped;

wrapped! {
    vprintf(format, list) => Write, descriptor(STANDARD_OUTPUT), sent_int;
    vfprintf(file, format, list) => Write, stream(file), sent_int;
    vdprintf(fd, format, list) => Write, descriptor(fd), sent_int;
    __vprintf_chk(flag, format, list) => Write, descriptor(STANDARD_OUTPUT), sent_int;
    __vfprintf_chk(file, flag, format, list) => Write, stream(file), sent_int;
    __vdprintf_chk(fd, flag, format, list) => Write, descriptor(fd), sent_int;
    vscanf(format, list) => Read, descriptor(STANDARD_INPUT), nothing;
    vfscanf(file, format, list) => Read, stream(file), nothing;
    __isoc99_vscanf(format, list) => Read, descriptor(STANDARD_INPUT), nothing;
    __isoc99_vfscanf(file, format, list) => Read, stream(file), nothing;
    __isoc23_vscanf(format, list) => Read, descriptor(STANDARD_INPUT), nothing;
    __isoc23_vfscanf(file, format, list) => Read, stream(file), nothing;
}
