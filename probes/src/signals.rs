//! Signals: what blocks the trap, by which code is changed, and what the program may see of our handlers.
//!
//! ```text
//!   pthread_sigmask(all)      waits for a change of code that goes on; none begins during the call
//!   sigsuspend(all)           the trap is let in: a handler begins with this mask, at any time
//!   sigaction, signal         wait as well; for the trap, the program's wish is kept beside our handler
//! ```

use libc::{sigaction as Action, sigset_t};
use whyperf_runtime::patch::disposition::{self, Wish};
use whyperf_runtime::patch::gate;
use whyperf_runtime::process;

use crate::next::Next;
use crate::wrapped::{c_name, keep_errno, real};

/// A function that is called while the gate is held; `$between` makes the call.
macro_rules! gated {
    ($($name:ident($($argument:ident),*) if $blocks:expr, |$real:ident| $between:expr;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: Next = Next::new(c_name!($name));

                pub(super) unsafe extern "C" fn wrapper(
                    $($argument: $crate::wrapped::word!($argument)),*
                ) -> usize {
                    let plain = || real!(NEXT, $($argument),*);
                    if !process::is_measured() || !$blocks {
                        return plain();
                    }
                    keep_errno(gate::enter);
                    let $real = plain;
                    let result = $between;
                    keep_errno(gate::leave);
                    result
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        fn resolve_gated() {
            $($name::NEXT.address();)*
        }
    };
}

gated! {
    pthread_sigmask(how, set, old) if blocks_trap(how, set), |real| real();
    sigprocmask(how, set, old) if blocks_trap(how, set), |real| real();
    sigblock(mask) if true, |real| real();
    sigsetmask(mask) if true, |real| real();
    sighold(signal) if signal as i32 == libc::SIGTRAP, |real| real();
    sigaction(signal, new, old) if true, |real| exchange(signal as i32, new, old, real);
    signal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    bsd_signal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    ssignal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    sysv_signal(signal, handler) if true, |real| real();
    __sysv_signal(signal, handler) if true, |real| real();
    sigset(signal, handler) if true, |real| real();
    sigignore(signal) if true, |real| real();
    siginterrupt(signal, flag) if true, |real| real();
}

/// Whether a call sets a mask that holds the trap.
fn blocks_trap(how: usize, set: usize) -> bool {
    how as i32 != libc::SIG_UNBLOCK && set != 0 && has_trap(set)
}

fn has_trap(set: usize) -> bool {
    // SAFETY: the program passes a set of signals, of which the kernel reads the first word.
    unsafe { (set as *const u64).read() & TRAP != 0 }
}

const TRAP: u64 = 1 << (libc::SIGTRAP - 1);

/// `sigaction`: what there is of ours stays, and is not told.
fn exchange(signal: i32, new: usize, old: usize, real: impl Fn() -> usize) -> usize {
    // SAFETY: null or the description that the program passes.
    let new = unsafe { (new as *const Action).as_ref() };
    let Some(before) = disposition::replace(signal, new.map(wish)) else {
        let result = real();
        // SAFETY: null or a description that the call has just filled.
        if let Some(old) = unsafe { (old as *mut Action).as_mut() }
            && result as i32 == 0
            && let Some(behind) = disposition::behind(old.sa_sigaction)
        {
            tell(old, behind);
        }
        return result;
    };
    // SAFETY: null or a description that the program wants filled.
    if let Some(old) = unsafe { (old as *mut Action).as_mut() } {
        tell(old, before);
    }
    0
}

fn wish(action: &Action) -> Wish {
    // SAFETY: a set of signals begins with a word, which is all that the kernel knows.
    let mask = unsafe { (&raw const action.sa_mask).cast::<u64>().read() };
    Wish { handler: action.sa_sigaction, flags: u64::from(action.sa_flags as u32), mask }
}

fn tell(old: &mut Action, wish: Wish) {
    const RESTORER: u64 = 0x0400_0000;
    old.sa_sigaction = wish.handler;
    old.sa_flags = (wish.flags & !RESTORER) as u32 as i32;
    // SAFETY: as above; all of the set is the program's to be filled.
    unsafe {
        (&raw mut old.sa_mask).write(core::mem::zeroed());
        (&raw mut old.sa_mask).cast::<u64>().write(wish.mask);
    }
}

/// `signal`: the same, where the handler alone is asked for.
fn shown(signal: i32, handler: usize, real: impl Fn() -> usize) -> usize {
    let mask = if signal == libc::SIGTRAP { TRAP } else { 0 };
    let new = Wish { handler, flags: libc::SA_RESTART as u64, mask };
    if let Some(before) = disposition::replace(signal, Some(new)) {
        return before.handler;
    }
    let before = real();
    disposition::behind(before).map_or(before, |behind| behind.handler)
}

/// A function that waits with another mask, in which the trap is let in.
macro_rules! waiting {
    ($($name:ident($($before:ident),*; $mask:ident $(; $after:ident)*);)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: Next = Next::new(c_name!($name));

                pub(super) unsafe extern "C" fn wrapper(
                    $($before: $crate::wrapped::word!($before),)*
                    $mask: usize $(, $after: $crate::wrapped::word!($after))*
                ) -> usize {
                    if $mask == 0 || !process::is_measured() || !has_trap($mask) {
                        return real!(NEXT, $($before,)* $mask $(, $after)*);
                    }
                    let let_in = without_trap($mask);
                    let $mask = &raw const let_in as usize;
                    real!(NEXT, $($before,)* $mask $(, $after)*)
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        fn resolve_waiting() {
            $($name::NEXT.address();)*
        }
    };
}

waiting! {
    sigsuspend(; mask);
    __sigsuspend(; mask);
    ppoll(entries, count, limit; mask);
    __ppoll_chk(entries, count, limit; mask; size);
    pselect(count, to_read, to_write, others, limit; mask);
    epoll_pwait(fd, events, count, limit; mask);
    epoll_pwait2(fd, events, count, limit; mask);
}

fn without_trap(set: usize) -> sigset_t {
    // SAFETY: a set of signals is words, for which zero is valid.
    let mut copy: sigset_t = unsafe { core::mem::zeroed() };
    // SAFETY: both begin with a word, which is all that the kernel knows.
    unsafe { (&raw mut copy).cast::<u64>().write((set as *const u64).read() & !TRAP) };
    copy
}

/// Looks every function of this file up.
pub(crate) fn resolve() {
    resolve_gated();
    resolve_waiting();
}
