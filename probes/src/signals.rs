//! Wrappers of signal calls: they keep the trap, by which code is changed, from being blocked, and hide our handlers from
//! the program.
//!
//! ```text
//!   pthread_sigmask(all)      waits for a change of code that goes on; none begins during the call
//!   sigsuspend(any)           a trap is blocked meanwhile if it is before: that comes back, at any time
//!   sigaction, signal         wait as well; the program's handlers are those behind ours
//!   sigaltstack(small)        waits as well; no code changes after it
//! ```

use libc::{sigaction as Action, sigset_t};
use whyperf_layout::ObjectKind;
use whyperf_runtime::measurement;
use whyperf_runtime::patch::signal_disposition::SignalDisposition;
use whyperf_runtime::patch::{disposition, gate, handlers, signal_stack, trap_signals};

use crate::next::Next;
use crate::waits::only;
use crate::waits::poll::one_of;
use crate::wrapped::{c_name, keep_errno, nothing, observe, of_this_call, real};

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
                    if !measurement::is_measured() || !of_this_call!($blocks) {
                        return plain();
                    }
                    keep_errno(gate::enter);
                    let $real = plain;
                    let result = of_this_call!($between);
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
    sighold(signal) if is_trap(signal as i32), |real| real();
    sigaction(signal, new, old) if true, |real| exchange(signal as i32, new, old, real);
    signal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    bsd_signal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    ssignal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    sysv_signal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    __sysv_signal(signal, handler) if true, |real| shown(signal as i32, handler, real);
    sigset(signal, handler) if true, |real| shown(signal as i32, handler, real);
    sigignore(signal) if true, |real| shown(signal as i32, libc::SIG_IGN, real);
    siginterrupt(signal, flag) if true, |real| real();
}

mod sigaltstack {
    use super::*;

    pub(super) static NEXT: Next = Next::new(c_name!(sigaltstack));

    /// A stack without room for a trap is given when no code changes, and none changes after it.
    pub(super) unsafe extern "C" fn wrapper(new: usize, old: usize) -> usize {
        let give = || real!(NEXT, new, old);
        // SAFETY: the program passes it.
        if !unsafe { is_small_stack(new) } {
            return give();
        }
        keep_errno(gate::enter);
        let result = give();
        if result as i32 == 0 {
            signal_stack::forbid_traps();
        }
        keep_errno(gate::leave);
        result
    }
}

crate::stub::entry! { sigaltstack => sigaltstack::wrapper, before sigaltstack::NEXT; }

/// Whether a call gives a stack on which a trap finds no room.
///
/// # Safety
/// `new` must be null or the address of a description of a stack.
unsafe fn is_small_stack(new: usize) -> bool {
    // SAFETY: the caller's promise.
    let new = unsafe { (new as *const libc::stack_t).as_ref() };
    new.is_some_and(|new| {
        new.ss_flags & libc::SS_DISABLE == 0 && signal_stack::is_small(new.ss_size)
    })
}

/// Whether a call sets a mask that holds the trap.
///
/// # Safety
/// `set` must be null or the address of a set of signals.
unsafe fn blocks_trap(how: usize, set: usize) -> bool {
    let is_set = how as i32 != libc::SIG_UNBLOCK && set != 0;
    // SAFETY: the caller's promise; of a set of signals the kernel reads the first word.
    is_set && unsafe { (set as *const u64).read() } & trap_signals::SIGNALS != 0
}

const fn is_trap(signal: i32) -> bool {
    matches!(signal, 1..=64) && trap_signals::SIGNALS & 1 << (signal - 1) != 0
}

/// `sigaction`: what there is of ours stays, and is not told.
///
/// # Safety
/// `new` must be null or the address of an action, `old` null or the address of room for one.
unsafe fn exchange(signal: i32, new: usize, old: usize, real: impl Fn() -> usize) -> usize {
    // SAFETY: the caller's promise.
    let new = unsafe { (new as *const Action).as_ref() };
    let (result, before) = disposition::exchange(signal, new.map(of_action), real);
    // SAFETY: the caller's promise.
    let old = unsafe { (old as *mut Action).as_mut() };
    match (result, old) {
        (None, Some(old)) => tell(old, before),
        (Some(result), Some(old)) if result as i32 == 0 => {
            if let Some(behind) = disposition::behind(old.sa_sigaction, before) {
                tell(old, behind);
            }
        }
        _ => {}
    }
    result.unwrap_or(0)
}

fn of_action(action: &Action) -> SignalDisposition {
    // SAFETY: a set of signals begins with a word, which is all that the kernel knows.
    let mask = unsafe { (&raw const action.sa_mask).cast::<u64>().read() };
    SignalDisposition {
        handler: action.sa_sigaction,
        flags: u64::from(action.sa_flags as u32),
        mask,
    }
}

fn tell(old: &mut Action, disposition: SignalDisposition) {
    const RESTORER: u64 = 0x0400_0000;
    old.sa_sigaction = disposition.handler;
    old.sa_flags = (disposition.flags & !RESTORER) as u32 as i32;
    // SAFETY: as above; all of the set is the program's to be filled.
    unsafe {
        (&raw mut old.sa_mask).write(core::mem::zeroed());
        (&raw mut old.sa_mask).cast::<u64>().write(disposition.mask);
    }
}

/// `signal` and its kin: the same, where the handler alone is asked for.
fn shown(signal: i32, handler: usize, real: impl Fn() -> usize) -> usize {
    let new = SignalDisposition { handler, flags: 0, mask: 0 };
    let (result, before) = disposition::exchange(signal, Some(new), real);
    result.map_or(before.handler, |handler| {
        disposition::behind(handler, before).map_or(handler, |behind| behind.handler)
    })
}

/// A function that waits with another mask, in which the traps are as they are without. It is an event of the kind behind `=>`;
/// of those without one the program's handlers have the time.
macro_rules! waiting {
    ($($name:ident($($before:ident),*; $mask:ident $(; $after:ident)*) $(=> $kind:ident, $object:expr)?;)*) => {
        $(
            mod $name {
                use super::*;

                pub(super) static NEXT: Next = Next::new(c_name!($name));

                pub(super) unsafe extern "C" fn wrapper(
                    $($before: $crate::wrapped::word!($before),)*
                    $mask: usize $(, $after: $crate::wrapped::word!($after))*
                ) -> usize {
                    let wait = || {
                        if $mask == 0 || !measurement::is_measured() {
                            return real!(NEXT, $($before,)* $mask $(, $after)*);
                        }
                        // SAFETY: the program passes a set of signals, which is not null.
                        let let_in = unsafe { with_traps_as_outside($mask) };
                        let $mask = &raw const let_in as usize;
                        real!(NEXT, $($before,)* $mask $(, $after)*)
                    };
                    observed!(wait $(, $name is $kind, $object)?)
                }
            }
        )*

        $crate::stub::entry! { $($name => $name::wrapper, before $name::NEXT;)* }

        fn resolve_waiting() {
            $($name::NEXT.address();)*
        }
    };
}

/// Such a call, and whether it is an event.
macro_rules! observed {
    ($wait:ident) => {
        $wait()
    };
    ($wait:ident, $name:ident is $kind:ident, $object:expr) => {{
        static REGION: whyperf_runtime::Region =
            whyperf_runtime::Region::new(c_name!($name), whyperf_layout::Kind::$kind);
        observe(&REGION, || $object, $wait, nothing)
    }};
}

waiting! {
    sigsuspend(; mask);
    __sigsuspend(; mask);
    ppoll(entries, count, limit; mask) => Poll, one_of(count);
    __ppoll_chk(entries, count, limit; mask; size) => Poll, one_of(count);
    pselect(count, to_read, to_write, others, limit; mask) => Poll, one_of(count);
    epoll_pwait(fd, events, count, limit; mask) => Poll, only(ObjectKind::Poll);
    epoll_pwait2(fd, events, count, limit; mask) => Poll, only(ObjectKind::Poll);
}

/// The set, but for the traps: whoever comes back from the call blocks again what he blocked before, at any moment and
/// without a word.
///
/// # Safety
/// `set` must be the address of a set of signals.
unsafe fn with_traps_as_outside(set: usize) -> sigset_t {
    // SAFETY: a set of signals is words, for which zero is valid.
    let mut copy: sigset_t = unsafe { core::mem::zeroed() };
    // SAFETY: the caller's promise; both begin with a word, which is all that the kernel knows.
    unsafe {
        let mask = (set as *const u64).read();
        (&raw mut copy).cast::<u64>().write(handlers::with_traps_as_outside(mask));
    }
    copy
}

/// Looks every function of this file up.
pub(crate) fn resolve() {
    resolve_gated();
    sigaltstack::NEXT.address();
    resolve_waiting();
}
