//! `prctl`: a process that is about to give up system calls is measured no further.
//!
//! A filter allows what the program itself needs. So everything of ours stops before the real call,
//! and each wrapper is a mere detour from then on.

use core::ffi::c_int;

use whyperf_runtime::sandbox;

use crate::wrapped::{accompanied, keep_errno};

accompanied! {
    prctl(option, second, third, fourth, fifth) before(option as c_int);
}

fn before(option: c_int) {
    // Without new privileges a process may filter, which many do by `syscall`, not seen here.
    if matches!(option, libc::PR_SET_SECCOMP | libc::PR_SET_NO_NEW_PRIVS) {
        keep_errno(sandbox::enter);
    }
}
