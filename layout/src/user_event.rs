//! Counters and gauges of the program: which node holds which part of what they come to.
//!
//! ```text
//!   whyperf_add   Added      visits   what was added, and what was taken away
//!   whyperf_set   Set        visits   the sum of the values: of those above zero, and of those below
//!                 Squares    visits   the sum of their squares: the low half, and the high half
//!                 Extremes   visits   the least, and the most
//! ```
//! The nodes of a gauge lie side by side, below the node that was current. They differ by their call site, where no code lies. One object of a
//! program may be both, a counter and a gauge.

use crate::slot::Moved;

/// What a node of a counter or gauge holds in its two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum UserEventPart {
    /// Of a counter: what was added, what was taken away.
    Added = 0,
    /// Of a gauge: the sum of what it was set to, above zero and below.
    Set = 1,
    /// Of a gauge: the sum of the squares, in two halves.
    Squares = 2,
    /// Of a gauge: the least and the most that it was set to.
    Extremes = 3,
}

impl UserEventPart {
    const ALL: [Self; 4] = [Self::Added, Self::Set, Self::Squares, Self::Extremes];

    /// What stands for its call site.
    #[must_use]
    pub const fn site(self) -> u64 {
        SITES + self as u64
    }

    /// The part that a node with this call site holds; `None` of all calls.
    #[must_use]
    pub fn at_site(site: u64) -> Option<Self> {
        let number = site.checked_sub(SITES)?;
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }

    /// Whether its words only ever grow.
    #[must_use]
    pub const fn grows(self) -> bool {
        matches!(self, Self::Added | Self::Set)
    }
}

/// The last page of addresses: the kernel's own, so no call returns there.
const SITES: u64 = u64::MAX - 0xfff;

impl Moved {
    /// An amount of either sign, as two words that only grow.
    #[must_use]
    pub const fn signed(amount: i64) -> Self {
        let size = amount.unsigned_abs();
        if amount < 0 { Self { out: 0, r#in: size } } else { Self { out: size, r#in: 0 } }
    }
}

/// What the two words of the parts of a gauge mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge;

impl Gauge {
    /// The words of the squares after one more value.
    #[must_use]
    pub const fn squares_with(before: Moved, value: i64) -> Moved {
        let size = value.unsigned_abs() as u128;
        let sum = Self::squares(before).saturating_add(size * size);
        Moved { out: sum as u64, r#in: (sum >> 64) as u64 }
    }

    /// The sum of the squares.
    #[must_use]
    pub const fn squares(words: Moved) -> u128 {
        words.out as u128 | (words.r#in as u128) << 64
    }

    /// The words of the extremes after one more value, the `visits`-th.
    #[must_use]
    pub fn extremes_with(before: Moved, visits: u64, value: i64) -> Moved {
        let [least, most] = if visits == 1 { [value; 2] } else { Self::extremes(before) };
        let (least, most) = (least.min(value), most.max(value));
        Moved { out: least.cast_unsigned(), r#in: most.cast_unsigned() }
    }

    /// The least and the most.
    #[must_use]
    pub const fn extremes(words: Moved) -> [i64; 2] {
        [words.out.cast_signed(), words.r#in.cast_signed()]
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_part_has_a_site_of_its_own() {
        for part in UserEventPart::ALL {
            assert_eq!(UserEventPart::at_site(part.site()), Some(part));
        }
        assert!(
            [0, 4, SITES - 1, SITES + 4].iter().all(|at| UserEventPart::at_site(*at).is_none())
        );
    }

    #[test]
    fn a_gauge_knows_its_extremes_and_its_squares() {
        let (mut squares, mut extremes) = (Moved::default(), Moved::default());
        for (visits, value) in (1..).zip([-3, i64::MIN, 7, i64::MAX]) {
            squares = Gauge::squares_with(squares, value);
            extremes = Gauge::extremes_with(extremes, visits, value);
        }
        assert_eq!(Gauge::extremes(extremes), [i64::MIN, i64::MAX]);
        let large = (1_u128 << 126) + u128::from(i64::MAX.unsigned_abs()).pow(2);
        assert_eq!(Gauge::squares(squares), 58 + large);
        assert_eq!([Moved::signed(-4).r#in, Moved::signed(4).out], [4, 4]);
    }
}
