//! The wrapper of `prctl`: a process that is about to give up system calls is measured no further.
//!
//! A filter allows only what the program itself needs. So everything of ours stops before the real call, and from then on
//! each wrapper only calls the real function.

use core::ffi::c_int;

use whyperf_runtime::{agent_thread, sandbox};

use crate::wrapped::accompanied;

accompanied! {
    prctl(option, second, third, fourth, fifth) before(option as c_int) => agent_thread::call_back;
}

/// Does what such an option needs; answers whether the agent was sent away.
pub(crate) fn before(option: c_int) -> bool {
    match option {
        // Without new privileges a process may filter.
        libc::PR_SET_SECCOMP | libc::PR_SET_NO_NEW_PRIVS => {
            sandbox::enter();
            false
        }
        // These change the calling thread alone, and the agent would keep what it has.
        libc::PR_CAPBSET_DROP
        | libc::PR_SET_SECUREBITS
        | libc::PR_SET_KEEPCAPS
        | libc::PR_CAP_AMBIENT => agent_thread::send_away(),
        _ => false,
    }
}
