//! What the first process of a run finds out about the machine, left in the run directory for those that come after it.
//!
//! A job of many short processes would measure the same again in each: the cost of events takes 0.4 ms, asking which clock to use a trap
//! into the hypervisor of a virtual machine. The run directory lies in the memory of this machine, so what is in it is about this machine.
//! A file that is not whole, of another version, or not there is as good as none.

use crate::zero_ended_path::ZeroEndedPath;
use crate::{environ, kernel};
use core::cell::UnsafeCell;
use core::ffi::CStr;
use whyperf_layout::VERSION;

/// What was found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MachineFacts {
    /// Whether ticks are those of the time stamp counter.
    pub(crate) has_counter: bool,
    /// See `event_costs::all`.
    pub(crate) costs: [u32; COSTS],
}

/// Numbers that say what events cost.
pub(crate) const COSTS: usize = 6;

/// Opens each file.
const MARK: u32 = 0x7768_7966;
/// Mark, version, clock, costs, sum.
const WORDS: usize = COSTS + 4;
const BYTES: usize = WORDS * 4;

impl MachineFacts {
    /// What an earlier process of this run found out.
    ///
    /// # Safety
    /// The library is being loaded, by this thread: no other one uses the path.
    pub(crate) unsafe fn read() -> Option<Self> {
        let mut bytes = [0; BYTES];
        // SAFETY: the caller's contract.
        let length = kernel::read_file(unsafe { path() }?, &mut bytes);
        Self::of(bytes.get(..length)?)
    }

    /// Leaves it for those that come, if no other process did.
    ///
    /// # Safety
    /// The lock is held, so no other thread uses the path.
    pub(crate) unsafe fn leave(&self) {
        // SAFETY: the caller's contract.
        if let Some(path) = unsafe { path() } {
            kernel::write_new(path, &self.bytes());
        }
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        let mut words = [0; WORDS];
        if bytes.len() != BYTES {
            return None;
        }
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_ne_bytes(*bytes);
        }
        let [mark, version, clock, costs @ .., sum] = words;
        let facts = Self { has_counter: clock != 0, costs };
        let is_whole = mark == MARK && version == VERSION && clock <= 1 && sum == facts.sum();
        is_whole.then_some(facts)
    }

    fn bytes(&self) -> [u8; BYTES] {
        let mut words = [0; WORDS];
        let [mark, version, clock, costs @ .., sum] = &mut words;
        (*mark, *version, *clock) = (MARK, VERSION, u32::from(self.has_counter));
        *costs = self.costs;
        *sum = self.sum();
        let mut bytes = [0; BYTES];
        for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(words) {
            *bytes = word.to_ne_bytes();
        }
        bytes
    }

    fn sum(&self) -> u32 {
        let mix = |sum: u32, word: &u32| (sum ^ word).wrapping_mul(0x0100_0193).rotate_left(13);
        self.costs.iter().fold(mix(MARK, &u32::from(self.has_counter)), mix)
    }
}

type FactsPath = ZeroEndedPath<4096>;

struct SharedPath(UnsafeCell<FactsPath>);

// SAFETY: reached by `path` alone, whose callers are one at a time.
unsafe impl Sync for SharedPath {}

/// Not on the stack: a thread may have no more than a few pages of it.
static PATH: SharedPath = SharedPath(UnsafeCell::new(FactsPath::EMPTY));

/// The file of the run directory.
///
/// # Safety
/// No other thread is in here, or has what this answers.
unsafe fn path() -> Option<&'static CStr> {
    // SAFETY: the caller's contract.
    let path = unsafe { &mut *PATH.0.get() };
    let is_room = path.take(&[environ::settings().directory().to_bytes(), b"/machine"]);
    is_room.then(|| path.as_c_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_counts_when_it_is_whole() {
        let facts = MachineFacts { has_counter: true, costs: [1, 2, 3, 4, 5, 6] };
        let bytes = facts.bytes();
        assert_eq!(MachineFacts::of(&bytes), Some(facts));
        assert_eq!(MachineFacts::of(&bytes[..BYTES - 1]), None);
        for at in 0..BYTES {
            let mut changed = bytes;
            changed[at] ^= 1;
            assert_ne!(MachineFacts::of(&changed), Some(facts), "byte {at}");
        }
    }
}
