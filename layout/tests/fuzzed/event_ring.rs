//! Drains a ring of traced events whose writer writes any index and any entries, as its reader in the daemon does.

use std::alloc::{Layout, alloc_zeroed};

use whyperf_layout::{EventRing, RING_ENTRIES, RingEntry, Traced};

/// Bytes of one step: what is done, and a word.
const STEP: usize = 9;

/// Each nine bytes are one step.
pub(crate) fn feed(bytes: &[u8]) {
    // SAFETY: zeros are a ring: all of it are atomics. It is too large for the stack.
    let ring: Box<EventRing> =
        unsafe { Box::from_raw(alloc_zeroed(Layout::new::<EventRing>()).cast()) };
    let (mut next, mut room) = (0, [RingEntry::default(); 64]);
    for step in bytes.chunks_exact(STEP) {
        let (what, word) = step.split_at(1);
        let word = u64::from_le_bytes(*word.first_chunk().expect("eight bytes are left"));
        match what[0] % 4 {
            0 => ring.record(RingEntry { what: word, word: !word }),
            1 => ring.pretend(word),
            2 => next = word,
            _ => {
                let drained = ring.drain(next, &mut room);
                assert!(
                    drained.taken.end <= room.len() && drained.taken.start <= drained.taken.end
                );
                for entry in &room[drained.taken] {
                    // One that nobody writes is none, and one that is some is told in the same words again.
                    if let Some(said) = Traced::decode(*entry) {
                        assert_eq!(Traced::decode(said.encode()), Some(said));
                    }
                }
                next = drained.next;
            }
        }
    }
    // Whatever the index says, a reader is through with a ring after as many looks as fill it.
    let looks = RING_ENTRIES.div_ceil(room.len()) + 1;
    for _ in 0..looks {
        next = ring.drain(next, &mut room).next;
    }
    assert_eq!(ring.drain(next, &mut room).taken.len(), 0);
}
