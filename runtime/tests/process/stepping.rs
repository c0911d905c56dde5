//! The processor's own single step: a trap after every instruction, and at one of them, each in its
//! turn, a signal handler does what a test gives it to do.

use std::arch::asm;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What the handler does; one in each process.
static HANDLER: OnceLock<fn()> = OnceLock::new();
static STEPS: AtomicU64 = AtomicU64::new(0);
static WANTED: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_step(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if STEPS.fetch_add(1, Relaxed) == WANTED.load(Relaxed) {
        HANDLER.get().expect("given before the first step")();
        // SAFETY: the kernel passes the interrupted context, whose trap flag is cleared here.
        unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[FLAGS] &= !TRAP };
    }
}

const FLAGS: usize = libc::REG_EFL as usize;
const TRAP: i64 = 0x100;
/// Instructions that are tried at most; where there are more, evenly spread ones.
const TRIED: u64 = 120;

/// Runs `work` again and again, with `handler` after another instruction each time. Answers how many
/// instructions there are.
pub(crate) fn at_every_step(handler: fn(), work: impl Fn(u64)) -> u64 {
    HANDLER.get_or_init(|| handler);
    // SAFETY: the handler has the right type, and does what a handler may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_step as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTRAP, &raw const action, std::ptr::null_mut());
    }
    let all = steps_until(u64::MAX, || work(0));
    for (round, wanted) in (0..all).step_by(all.div_ceil(TRIED) as usize).enumerate() {
        steps_until(wanted, || work(round as u64 + 1));
    }
    all
}

/// Runs `work` with the handler after instruction `wanted`; answers how many there were.
fn steps_until(wanted: u64, work: impl Fn()) -> u64 {
    WANTED.store(wanted, Relaxed);
    STEPS.store(0, Relaxed);
    // SAFETY: sets the trap flag, which the handler above serves.
    unsafe { asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    work();
    // SAFETY: clears it again.
    unsafe { asm!("pushfq", "and qword ptr [rsp], ~0x100", "popfq") };
    STEPS.load(Relaxed)
}
