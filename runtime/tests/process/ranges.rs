//! Interrupts a change of the ranges that the SIGBUS handler looks for, between any two instructions.

#[path = "../../src/range.rs"]
mod range;

use crate::measured::run;
use crate::stepping::at_every_step;
use range::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

static RANGE: Range = Range::none();
static LOOKS: AtomicU64 = AtomicU64::new(0);
static MISTAKES: AtomicU64 = AtomicU64::new(0);

const WIDE: (usize, usize) = (0x1_0000, 0x9000);
const NARROW: (usize, usize) = (0x3_0000, 0x1000);
/// In neither, but where the narrow one begins and as far as the wide one reaches.
const BEYOND: usize = NARROW.0 + 0x5000;

fn look() {
    LOOKS.fetch_add(1, Relaxed);
    MISTAKES.fetch_add(u64::from(RANGE.around(BEYOND).is_some()), Relaxed);
}

#[test]
fn a_handler_never_finds_the_size_of_one_where_the_other_begins() {
    run(&[], || {
        let instructions = at_every_step(look, |_| {
            for (start, size) in [WIDE, NARROW, WIDE] {
                RANGE.set(start, size);
            }
        });
        assert_eq!((RANGE.start(), RANGE.around(WIDE.0 + 1)), (WIDE.0, Some(WIDE)));
        assert!(instructions > 10, "only {instructions} instructions");
        assert!(LOOKS.load(Relaxed) > 10, "only {} looks", LOOKS.load(Relaxed));
        assert_eq!(MISTAKES.load(Relaxed), 0);
    });
}
