//! The wipe-on-fork pages: the switches, one private byte per region, and what else a forked child must find zero.
//!
//! ```text
//!   byte [id] = 1   region is on        byte [0] = 0 always: "not registered" is "off"
//! ```
//! The kernel wipes the pages in every copy of this memory that a fork makes, however it was made: a
//! forked child that was not announced reads "off" everywhere and leaves its parent's region alone.
//! What the daemon may see is the mirror in `RegionRecord::switched`.

use crate::kernel;
use crate::process_status::{MeasurementStage, StageWord};
use crate::spin_lock::SpinLock;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::geometry::{PAGE, REGION_CAPACITY};

/// Pages that a forked child finds zero.
#[derive(Debug)]
#[repr(C, align(4096))]
pub(crate) struct WipeOnForkPages {
    switches: [AtomicU8; REGION_CAPACITY],
    /// How far the process is in its measurement.
    pub(crate) stage: StageWord,
    /// The lock of the cold paths.
    pub(crate) lock: SpinLock,
    /// Number of this process once it has an agent.
    pub(crate) agent: AtomicU32,
    /// Number of the agent's thread; the kernel clears it when that ends.
    pub(crate) agent_thread: AtomicU32,
    /// Calls that go on and must not meet the agent.
    pub(crate) agent_away: AtomicU32,
    /// Calls that go on with every signal blocked.
    pub(crate) blocking: AtomicU32,
    /// Not 0 while the process is being left.
    pub(crate) leaving: AtomicU32,
    /// Number of the change of code that goes on, 0 while there is none.
    pub(crate) changing: AtomicU32,
    pad: [AtomicU32; PAGE / 4 - 8],
    /// Functions that are off until the next interval of the budget.
    pub(crate) resting: Regions,
    /// Functions that are off for good, because they alone would take too much; the agent is to know.
    pub(crate) hot: Regions,
    /// Functions that are measured in windows.
    pub(crate) in_windows: Regions,
}

/// A set of regions, a bit for each.
#[derive(Debug)]
#[repr(C, align(4096))]
pub(crate) struct Regions([AtomicU64; REGION_CAPACITY / 64]);

impl Regions {
    const fn new() -> Self {
        Self([const { AtomicU64::new(0) }; REGION_CAPACITY / 64])
    }

    pub(crate) fn has(&self, id: u16) -> bool {
        self.word(id).load(Ordering::Relaxed) & bit(id) != 0
    }

    /// Answers whether it was not there.
    pub(crate) fn add(&self, id: u16) -> bool {
        self.word(id).fetch_or(bit(id), Ordering::Relaxed) & bit(id) == 0
    }

    pub(crate) fn remove(&self, id: u16) {
        self.word(id).fetch_and(!bit(id), Ordering::Relaxed);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| word.load(Ordering::Relaxed) == 0)
    }

    /// Takes all of them out.
    pub(crate) fn drain(&self) -> impl Iterator<Item = u16> {
        (0_u16..).zip(&self.0).flat_map(|(at, word)| {
            let mut left = word.swap(0, Ordering::Relaxed);
            core::iter::from_fn(move || {
                let next = left.trailing_zeros() as u16;
                left &= left.wrapping_sub(1);
                (next < 64).then(|| at * 64 + next)
            })
        })
    }

    fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }

    fn word(&self, id: u16) -> &AtomicU64 {
        &self.0[usize::from(id / 64)]
    }
}

const fn bit(id: u16) -> u64 {
    1 << (id % 64)
}

pub(crate) static WIPE_ON_FORK: WipeOnForkPages = WipeOnForkPages {
    switches: [const { AtomicU8::new(0) }; REGION_CAPACITY],
    stage: StageWord::new(),
    lock: SpinLock::new(),
    agent: AtomicU32::new(0),
    agent_thread: AtomicU32::new(0),
    agent_away: AtomicU32::new(0),
    blocking: AtomicU32::new(0),
    leaving: AtomicU32::new(0),
    changing: AtomicU32::new(0),
    pad: [const { AtomicU32::new(0) }; PAGE / 4 - 8],
    resting: Regions::new(),
    hot: Regions::new(),
    in_windows: Regions::new(),
};

/// Whether events of the region are recorded.
#[inline(always)]
pub(crate) fn is_on(id: u32) -> bool {
    let index = (id & 0xffff) as usize;
    // SAFETY: the mask keeps the index below the array's 65 536 elements.
    unsafe { WIPE_ON_FORK.switches.get_unchecked(index) }.load(Ordering::Relaxed) != 0
}

/// Switches the region for all threads of this process.
pub(crate) fn set(id: u16, on: bool) {
    if id != 0 {
        WIPE_ON_FORK.switches[usize::from(id)].store(u8::from(on), Ordering::Relaxed);
    }
}

/// Switches everything off.
pub(crate) fn all_off() {
    for byte in &WIPE_ON_FORK.switches {
        byte.store(0, Ordering::Relaxed);
    }
}

/// No function rests, is too hot, or has windows any more.
pub(crate) fn forget_functions() {
    [&WIPE_ON_FORK.resting, &WIPE_ON_FORK.hot, &WIPE_ON_FORK.in_windows]
        .into_iter()
        .for_each(Regions::clear);
}

/// Asks the kernel to wipe these pages in every child.
pub(crate) fn wipe_on_fork() {
    let arguments = [
        &raw const WIPE_ON_FORK as usize,
        size_of::<WipeOnForkPages>(),
        libc::MADV_WIPEONFORK as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the pages are ours and wholly covered, because the structure is a number of pages
    // on a page border; a kernel that does not know the advice answers an error and does nothing.
    unsafe { kernel::call(libc::SYS_madvise, arguments) };
}

/// Makes the pages what the kernel should have made them, for kernels that cannot.
pub(crate) fn wipe() {
    all_off();
    WIPE_ON_FORK.stage.set(MeasurementStage::Unknown);
    WIPE_ON_FORK.lock.wipe();
    WIPE_ON_FORK.agent.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.agent_thread.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.agent_away.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.blocking.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.leaving.store(0, Ordering::Relaxed);
    WIPE_ON_FORK.changing.store(0, Ordering::Relaxed);
    forget_functions();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_regions_gives_each_back_once() {
        let set = Regions::new();
        assert!(set.is_empty());
        let all = [0, 1, 63, 64, 4711, 65535];
        assert!(all.iter().all(|id| set.add(*id)));
        assert!(!set.add(64) && set.has(64) && !set.has(65));
        set.remove(1);
        assert_eq!(set.drain().collect::<Vec<_>>(), [0, 63, 64, 4711, 65535]);
        assert!(set.is_empty());
    }
}
