//! Keeps for how much of a thread's waiting it is known what others did meanwhile: there it would not have come sooner with a processor of its own.

use whyperf_model::{Category, CategorySet, Nanos};

/// What a thread waited in calls lately, and how much of that because of what others did; in seconds, of which older ones count less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct KnownReasons {
    waited: f64,
    known: f64,
}

impl KnownReasons {
    /// It waited for so long in a pass.
    pub(crate) fn waited(&mut self, time: Nanos) {
        self.waited = self.waited * KEPT + time.as_secs_f64();
        self.known *= KEPT;
    }

    /// Of the last passes so much was because of something.
    pub(crate) fn tell(&mut self, category: Category, time: Nanos) {
        if DOINGS.contains(category) {
            self.known += time.as_secs_f64();
        }
    }

    /// What is left of a time in such calls where the reason was not what others did.
    pub(crate) fn rest_of(self, time: Nanos) -> Nanos {
        let share = if self.waited > 0.0 { (self.known / self.waited).min(1.0) } else { 0.0 };
        time.scaled(1.0 - share)
    }
}

/// So much of what is kept is left after a pass: a tenth after one and a half seconds.
const KEPT: f64 = 0.93;
/// What others did, and did not wait for a processor.
const DOINGS: CategorySet =
    CategorySet::of(&[Category::WaitByComputing, Category::WaitByIo, Category::WaitByBlocked]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_did_is_taken_off() {
        let mut reasons = KnownReasons::default();
        let time = Nanos::from_millis(40);
        assert_eq!(reasons.rest_of(time), time);
        for _ in 0..50 {
            reasons.waited(Nanos::from_millis(50));
            reasons.tell(Category::WaitByBlocked, Nanos::from_millis(30));
            reasons.tell(Category::WaitByProcessors, Nanos::from_millis(20));
        }
        let rest = reasons.rest_of(time);
        assert!(rest.0.abs_diff(16_000_000) < 10, "{rest:?}");
        (0..50).for_each(|_| reasons.waited(Nanos::from_millis(50)));
        assert!(reasons.rest_of(time).0 > 39_000_000, "what was long ago says nothing");
    }
}
