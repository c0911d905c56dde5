//! The clock of events: the time stamp counter where it can be trusted, else nanoseconds.

use crate::kernel;
use core::arch::x86_64::{__cpuid, _rdtsc};
use core::sync::atomic::{AtomicBool, Ordering};

/// Whether ticks are those of the time stamp counter; decided once, when the library is loaded.
static COUNTER: AtomicBool = AtomicBool::new(false);

/// Ticks now.
#[inline]
#[must_use]
pub fn now() -> u64 {
    if is_counter() { counter() } else { program_nanos() }
}

/// The time stamp counter, not fenced: what slips over the border of one segment, its neighbour has.
#[inline(always)]
pub(crate) fn counter() -> u64 {
    // SAFETY: every x86-64 processor has this instruction; it changes nothing but two registers.
    unsafe { _rdtsc() }
}

/// Whether [`now`] reads the time stamp counter.
#[inline(always)]
pub(crate) fn is_counter() -> bool {
    COUNTER.load(Ordering::Relaxed)
}

/// Nanoseconds of `CLOCK_MONOTONIC`, asked of the kernel itself: whoever stands in for the C library's function,
/// as sanitizers do, expects a thread of the C library's, which the agent is not.
pub(crate) fn nanos() -> u64 {
    kernel::monotonic().map_or(0, in_nanos)
}

/// The same in a thread of the program's, without entering the kernel.
fn program_nanos() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours and has the type the call fills.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    in_nanos(time)
}

fn in_nanos(time: libc::timespec) -> u64 {
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// Decides which clock to use: the counter only where the processor promises a constant rate and
/// the kernel, which compares the cores with each other, keeps its own time by it.
pub(crate) fn choose() {
    COUNTER.store(has_constant_rate() && kernel_trusts_it(), Ordering::Relaxed);
}

/// Uses the clock that another process of this machine chose.
pub(crate) fn take(is_counter: bool) {
    COUNTER.store(is_counter, Ordering::Relaxed);
}

fn has_constant_rate() -> bool {
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    __cpuid(0x8000_0000).eax >= POWER && __cpuid(POWER).edx & INVARIANT != 0
}

fn kernel_trusts_it() -> bool {
    let path = c"/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let mut text = [0_u8; 16];
    let length = kernel::read_file(path, &mut text);
    matches!(text.get(..length), Some(b"tsc\n" | b"kvm-clock\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_stand_still() {
        let before = now();
        while now() == before {}
        assert!(nanos() > 0);
    }
}
