//! The handler of traps: who runs into a site while its bytes change goes on in the copy.
//!
//! A change begins with a trap in the first byte, which alone may be swapped at any time. Whoever
//! meets it is led to the copy of the function's first instructions, uncounted, and sees no
//! difference. Traps that are not ours go where the program sends them.

use super::disposition::Wish;
use super::site;
use crate::kernel::{self, Disposition};
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// What the program itself does about the signal.
static CHAINED: AtomicUsize = AtomicUsize::new(libc::SIG_DFL);
static FLAGS: AtomicU64 = AtomicU64::new(0);
static MASK: AtomicU64 = AtomicU64::new(0);

/// Installs the handler if it is not there; false when the kernel refuses. It stays: a trap that was
/// taken may arrive late.
pub(super) fn install() -> bool {
    let Some(now) = kernel::disposition(libc::SIGTRAP) else { return false };
    if now.handler == hit as *const () as usize {
        return true;
    }
    // A process that ignores the signal hands that down to the programs that it starts.
    if now.handler == libc::SIG_IGN {
        return false;
    }
    CHAINED.store(now.handler, Ordering::Relaxed);
    FLAGS.store(now.flags, Ordering::Relaxed);
    MASK.store(now.mask, Ordering::Relaxed);
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // Nothing comes in between: each handler takes kilobytes of a stack that the program made as small as it could.
    let new = Disposition { handler: hit as *const () as usize, flags: flags as u64, ..now };
    // SAFETY: `hit` has the type that the flags say; it uses atomics and the interrupted context, or
    // does what the program itself would have done at this moment.
    unsafe { kernel::dispose(libc::SIGTRAP, Disposition { mask: u64::MAX, ..new }) }
}

/// What the program would learn of the signal if the handler is the one here.
pub(super) fn behind(handler: usize) -> Option<Wish> {
    (handler == hit as *const () as usize).then(|| Wish {
        handler: CHAINED.load(Ordering::Relaxed),
        flags: FLAGS.load(Ordering::Relaxed),
        mask: MASK.load(Ordering::Relaxed),
    })
}

/// The program wants something else to happen, which from now on does for traps that are not ours; answers what
/// it wanted before. `None` when the kernel is to do it.
pub(super) fn replace(new: Option<Wish>) -> Option<Wish> {
    let before = behind(kernel::disposition(libc::SIGTRAP)?.handler)?;
    if let Some(new) = new {
        if new.handler == libc::SIG_IGN {
            return None;
        }
        CHAINED.store(new.handler, Ordering::Relaxed);
        FLAGS.store(new.flags, Ordering::Relaxed);
        MASK.store(new.mask, Ordering::Relaxed);
    }
    Some(before)
}

extern "C" fn hit(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes the interrupted context.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    const BREAKPOINT: i64 = 3;
    let [number, at] = [libc::REG_TRAPNO as usize, libc::REG_RIP as usize];
    if registers.get(number) == Some(&BREAKPOINT)
        && let Some(place) = registers.get_mut(at)
        && let Some(copy) = site::copy_of((*place as u64).wrapping_sub(1))
    {
        *place = copy as i64;
        return;
    }
    pass_on(signal, info, context);
}

/// Does what the program would have done.
#[cold]
fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let handler = CHAINED.load(Ordering::Relaxed);
    // SAFETY: the kernel passes the signal's description.
    let is_sent = unsafe { (*info).si_code } <= 0;
    if handler == libc::SIG_DFL || (handler == libc::SIG_IGN && !is_sent) {
        kernel::set_default(signal);
        kernel::send_to_thread(signal);
        return;
    }
    if handler == libc::SIG_IGN {
        return;
    }
    let flags = FLAGS.load(Ordering::Relaxed) as i32;
    let own = if flags & libc::SA_NODEFER == 0 { 1 << (signal - 1) } else { 0 };
    if flags & libc::SA_RESETHAND != 0 {
        CHAINED.store(libc::SIG_DFL, Ordering::Relaxed);
    }
    // SAFETY: the kernel passes the interrupted context, in which it keeps a mask of one word.
    let interrupted = unsafe {
        (&raw const (*context.cast::<libc::ucontext_t>()).uc_sigmask).cast::<u64>().read()
    };
    kernel::restore_signals(interrupted | MASK.load(Ordering::Relaxed) | own);
    // Returning from this handler brings the interrupted mask back.
    if flags & libc::SA_SIGINFO != 0 {
        type Told = extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void);
        // SAFETY: the program installed it with the flag that promises this type.
        let handler = unsafe { core::mem::transmute::<usize, Told>(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: the program installed it without that flag.
        let handler = unsafe { core::mem::transmute::<usize, extern "C" fn(i32)>(handler) };
        handler(signal);
    }
}
