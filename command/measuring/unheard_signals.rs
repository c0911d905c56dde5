//! Signals that ask whyperf to end and that nothing takes: when its own work hangs, they end it all the same.

use std::time::{Duration, Instant};

/// How many came, and since when none of them was taken.
#[derive(Debug, Default)]
pub(crate) struct UnheardSignals {
    sent: u32,
    since: Option<Instant>,
}

impl UnheardSignals {
    /// Another one came, and so many were taken by now; answers whether whyperf is to end without waiting any more.
    pub(crate) fn is_over(&mut self, now: Instant, taken: u32) -> bool {
        let is_behind = self.sent != taken;
        self.sent = self.sent.wrapping_add(1);
        if !is_behind {
            self.since = Some(now);
        }
        is_behind && self.since.is_some_and(|since| now.duration_since(since) >= PATIENCE)
    }
}

/// Longer than anything takes that whyperf does between two looks at its events, as a rule.
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_one_ends_what_did_not_take_the_first() {
        let (begin, mut unheard) = (Instant::now(), UnheardSignals::default());
        let mut at = |seconds, taken| unheard.is_over(begin + Duration::from_secs(seconds), taken);
        assert!(!at(0, 0), "it is the first");
        assert!(!at(10, 1), "the first was taken");
        assert!(!at(11, 1), "the second may still be");
        assert!(at(13, 1));
        assert!(!at(20, 4), "all were taken");
    }
}
