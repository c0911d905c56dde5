//! The processor's own single step: a trap after every instruction, and at one of them, each in its
//! turn, a signal handler does what a test gives it to do.

use std::arch::asm;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread;

/// What the handler does; one in each process.
static HANDLER: OnceLock<fn()> = OnceLock::new();
static STEPS: AtomicU64 = AtomicU64::new(0);
static WANTED: AtomicU64 = AtomicU64::new(0);

extern "C" fn on_step(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes the interrupted context, which is the handler's to change.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    // SAFETY: the instruction that comes next, of two bytes or followed by another.
    let next = unsafe { (registers[libc::REG_RIP as usize] as *const [u8; 2]).read() };
    let is_wanted = STEPS.fetch_add(1, Relaxed) == WANTED.load(Relaxed);
    if is_wanted {
        HANDLER.get().expect("given before the first step")();
    }
    if is_wanted || (next == SYSTEM_CALL && UNTIL_CALL.load(Relaxed)) {
        registers[libc::REG_EFL as usize] &= !TRAP;
    }
}

const TRAP: i64 = 0x100;
const SYSTEM_CALL: [u8; 2] = [0x0f, 0x05];
/// Whether stepping ends before the first system call, which may block the trap.
static UNTIL_CALL: AtomicBool = AtomicBool::new(false);
/// Instructions that are tried at most; where there are more, evenly spread ones.
const TRIED: u64 = 120;

/// Runs `work` again and again, with `handler` after another instruction each time. Answers how many
/// instructions there are.
pub(crate) fn at_every_step(handler: fn(), work: impl Fn(u64)) -> u64 {
    serve(handler);
    let all = steps_until(u64::MAX, || work(0));
    for (round, wanted) in (0..all).step_by(all.div_ceil(TRIED) as usize).enumerate() {
        steps_until(wanted, || work(round as u64 + 1));
    }
    all
}

/// The same in a new thread each time, up to its first system call.
pub(crate) fn at_every_step_of_threads(handler: fn(), work: impl Fn() + Sync) {
    serve(handler);
    UNTIL_CALL.store(true, Relaxed);
    let steps = |wanted| {
        let stepped = || steps_until(wanted, &work);
        thread::scope(|scope| scope.spawn(stepped).join().expect("it returns"))
    };
    let all = steps(u64::MAX);
    for wanted in 0..all {
        steps(wanted);
    }
}

fn serve(handler: fn()) {
    HANDLER.get_or_init(|| handler);
    // SAFETY: the handler has the right type, and does what a handler may do.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_step as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        libc::sigaction(libc::SIGTRAP, &raw const action, std::ptr::null_mut());
    }
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
