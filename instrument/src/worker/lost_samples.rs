//! Stack samples that were lost because the ring was full: the samples after them stand for them, too.
//!
//! ```text
//!   ring full: ─ x x x x x x │ next sample, which says that six were lost
//!                            └─ this one and the five that follow stand for two each
//! ```
//! The one sample that reports the loss does not know better than others where the thread was meanwhile: it must not stand
//! for all of them alone.

use whyperf_model::Nanos;

/// Those of one process that nothing stands for yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LostSamples {
    owed: u64,
}

impl LostSamples {
    /// The running time that each of so many found samples stands for when so many more were lost.
    pub(crate) fn period(&mut self, period: Nanos, found: u64, lost: u64) -> Nanos {
        self.owed += lost;
        let paid = self.owed.min(found);
        self.owed -= paid;
        Nanos(period.0.saturating_mul(found + paid) / found.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sample_stands_for_more_than_one_that_was_lost() {
        let mut lost_samples = LostSamples::default();
        let mut period = |found, lost| lost_samples.period(Nanos(6), found, lost).0;
        assert_eq!(period(3, 0), 6);
        assert_eq!(period(1, 10), 12);
        assert_eq!(period(0, 0), 0);
        assert_eq!(period(8, 0), 12);
        assert_eq!(period(2, 0), 9, "the last one that was lost");
        assert_eq!(period(2, 0), 6);
    }
}
