//! The price that a thread pays for a sample of it, and the number of samples that follows from the price.

use std::time::Duration;

use whyperf_model::Nanos;

/// What a sample of its place costs a thread at most: 15 us in a virtual machine, where each timer takes two ways out of it.
pub(crate) const PLACE: Nanos = Nanos(15_000);
/// What a sample of its stack costs it at most.
pub(crate) const STACK: Nanos = Nanos(30_000);

/// What a turn on a processor costs it while it is sampled: 2.5 us in a virtual machine, of which setting and clearing the timer is 1.7.
const SWITCH: Nanos = Nanos(2_500);

/// What so many turns cost.
pub(crate) const fn switches(turns: u64) -> Nanos {
    Nanos(SWITCH.0.saturating_mul(turns))
}

/// The share of a thread's time that its turns may cost.
pub(crate) fn switch_part(limit: f64) -> f64 {
    (limit * SWITCH_PART).max(1e-9)
}

/// Running time from sample to sample, so that they take no more than their part of the limit. No even
/// number: what a program or a window does at even times is not always met, or never.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
pub(crate) fn period(price: Nanos, limit: f64) -> Duration {
    let least = price.as_secs_f64() / (limit * PART).max(1e-9);
    Duration::from_nanos((least * 1e9).clamp(SHORTEST, LONGEST) as u64)
}

/// Samples a second of each of so many counters of a thread, so that they take no more than the part of the limit that stack samples take, and
/// no more than a ring holds until it is emptied.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
#[expect(clippy::cast_precision_loss, reason = "there are some tens")]
pub(crate) fn frequency(limit: f64, counters: usize) -> u64 {
    let all = limit * PART / STACK.as_secs_f64();
    (all / counters.max(1) as f64).clamp(1.0, MOST_OFTEN) as u64
}

/// A ring has room for three stacks, and is emptied fifty times a second.
const MOST_OFTEN: f64 = 100.0;
/// The parts of the limit that samples may take, and the turns of sampled threads.
const PART: f64 = 0.1;
const SWITCH_PART: f64 = 0.2;
/// Nanoseconds.
const SHORTEST: f64 = 3_987_001.0;
const LONGEST: f64 = 499_970_003.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_keep_to_their_part_of_the_limit() {
        assert_eq!(period(PLACE, 0.05), Duration::from_nanos(3_987_001));
        assert_eq!(period(PLACE, 0.01), Duration::from_millis(15));
        assert_eq!(period(STACK, 0.01), Duration::from_millis(30));
        assert_eq!(period(PLACE, 0.0), Duration::from_nanos(499_970_003));
        assert_eq!([1, 2, 10].map(|counters| frequency(0.05, counters)), [100, 83, 16]);
        assert_eq!(frequency(0.0, 1), 1);
    }
}
