//! Wrappers of `exec`: the process becomes another program, which gets no signal of ours.
//!
//! ```text
//!   exec* ──► replaced; no change of code, and none begins; the attach signal is ignored ──► the real one
//!   failed ──► all of that is undone
//! ```
//! Handlers end with the program, so a signal that asks the old one would end the new one. One that is ignored stays
//! so, and the library takes it over in the new one if it is there.
//!
//! The variadic ones have their arguments in a row on the stack, as the others want them, and go on to those.

use core::arch::naked_asm;

use whyperf_runtime::patch::gate;
use whyperf_runtime::{attach_request, measurement, process};

use crate::next::Next;
use crate::wrapped::{accompanied, c_name};

accompanied! {
    // What follows a successful one is another program.
    execve(path, arguments, environment) leave() => stay;
    execv(path, arguments) leave() => stay;
    execvp(file, arguments) leave() => stay;
    execvpe(file, arguments, environment) leave() => stay;
    fexecve(fd, arguments, environment) leave() => stay;
    execveat(at, path, arguments, environment, flags) leave() => stay;
}

/// What has to be undone.
struct Left {
    is_gated: bool,
    ignored: attach_request::IgnoredSignal,
}

fn leave() -> Left {
    // A child of `vfork` has its parent's memory: its gate is not ours to hold.
    let is_gated = measurement::is_own();
    if is_gated {
        gate::enter();
    }
    process::replaced();
    Left { is_gated, ignored: attach_request::ignore_signal() }
}

fn stay(left: Left) {
    left.ignored.restore();
    process::not_replaced();
    if left.is_gated {
        gate::leave();
    }
}

/// Exports a variadic function, which has `arguments` in a row in memory for `with`.
macro_rules! variadic {
    ($($name:ident, $next:ident => $with:path;)*) => { $(
        static $next: Next = Next::new(c_name!($name));

        // SAFETY: a naked function of the platform's C convention. It puts the five registers of arguments below
        // those on the stack, and the return address below them; afterwards all is where it was.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[doc = concat!("`", stringify!($name), "`, interposed.")]
        pub(crate) unsafe extern "C" fn $name() {
            naked_asm!(
                $crate::stub::listed!(),
                "endbr64",
                "pop r11",
                "push r9",
                "push r8",
                "push rcx",
                "push rdx",
                "push rsi",
                "mov rsi, rsp",
                "push r11",
                "push rbp",
                "mov rbp, rsp",
                "and rsp, -16",
                "call {with}",
                "mov rsp, rbp",
                "pop rbp",
                "pop r11",
                "add rsp, 40",
                "push r11",
                "ret",
                with = sym $with,
                next = sym $next,
            )
        }
    )* };
}

variadic! {
    execl, EXECL => with_list;
    execlp, EXECLP => with_list_on_path;
    execle, EXECLE => with_list_and_environment;
}

unsafe extern "C" fn with_list(path: usize, arguments: usize) -> usize {
    // SAFETY: the program's arguments, in a row.
    unsafe { execv::wrapper(path, arguments) }
}

unsafe extern "C" fn with_list_on_path(file: usize, arguments: usize) -> usize {
    // SAFETY: as above.
    unsafe { execvp::wrapper(file, arguments) }
}

unsafe extern "C" fn with_list_and_environment(path: usize, arguments: usize) -> usize {
    let mut at = arguments as *const usize;
    // SAFETY: the list ends with null, and the environment follows.
    let environment = unsafe {
        while at.read() != 0 {
            at = at.add(1);
        }
        at.add(1).read()
    };
    // SAFETY: as above.
    unsafe { execve::wrapper(path, arguments, environment) }
}
