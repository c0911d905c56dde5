//! Counts calls without timing them, for functions that take less time than an event: one instruction a call.
//!
//! ```text
//!   stub: jmp [word] ──► inc fs:[count] ──► jmp copy        behind the stub, in the same arena
//! ```
//! Each thread counts for itself; the sum over all is taken before and after. One function counts at a
//! time.

use super::text::Text;
use crate::functions::counts;
use crate::functions::site::PatchedFunction;
use core::sync::atomic::Ordering;
use whyperf_layout::patch::COUNTING;

/// Bytes of the code, behind the stub.
pub(super) const LENGTH: usize = COUNTING;

/// What all threads counted so far. A thread that ended unseen takes its count with it.
pub(super) fn sum(text: &Text) -> u64 {
    let (mut sum, places) = counts::places();
    for at in places {
        let mut bytes = [0; 8];
        if text.read(at, &mut bytes) {
            sum = sum.wrapping_add(u64::from_le_bytes(bytes));
        }
    }
    sum
}

/// Writes the code that counts calls of a function; false when that cannot be.
pub(super) fn prepare(text: &Text, site: &PatchedFunction) -> bool {
    let Ok(distance) = i32::try_from(counts::distance()) else { return false };
    let [a, b, c, d] = distance.to_le_bytes();
    let at = site.counting_code();
    let next = at.wrapping_add(14);
    let Ok(way) = i32::try_from(site.copy.load(Ordering::Relaxed).wrapping_sub(next) as i64) else {
        return false;
    };
    let [e, f, g, h] = way.to_le_bytes();
    let code = [0x64, 0x48, 0xff, 0x04, 0x25, a, b, c, d, 0xe9, e, f, g, h, 0xcc, 0xcc];
    let mut found = [0; LENGTH];
    if !text.read(at, &mut found) {
        return false;
    }
    let is_there = found.iter().eq(&code);
    // SAFETY: the room behind a site's stub, in the same arena; it holds nothing, so nothing leads there yet.
    is_there || (found.iter().all(|byte| *byte == 0) && unsafe { text.write(at, &code) })
}
