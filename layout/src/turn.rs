//! Whose turn it is to compute, where the threads of a job are measured one at a time: tickets in memory that all of them share.
//!
//! Whoever wants to compute draws a ticket and waits until it is served; whoever is about to wait for others gives its turn on. A turn that lasts
//! longer than the limit is taken back by those who wait: the holder may poll for something that only they can do, or be gone. Nothing is
//! guarded by a turn but the processor, so no memory order is needed, and a turn that two have for a moment does no harm.

use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// The page that all threads of the job share.
#[derive(Debug, Default)]
#[cfg_attr(not(loom), repr(C, align(4096)))]
pub struct TurnPage {
    /// The ticket that is served; a futex.
    pub served: AtomicU32,
    /// The ticket that is drawn next.
    pub drawn: AtomicU32,
    /// Nanoseconds of the monotonic clock when the served ticket changed last.
    pub since: AtomicU64,
    /// After so many nanoseconds a turn is taken back.
    pub limit: AtomicU64,
    /// Turns that were taken back.
    pub taken_back: AtomicU64,
}

/// A ticket of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(pub u32);

/// Where a ticket stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is served.
    Served,
    /// This one is served before it.
    After(u32),
    /// Its turn is over.
    Over,
}

impl TurnPage {
    /// Draws a ticket.
    pub fn draw(&self) -> Ticket {
        Ticket(self.drawn.fetch_add(1, Ordering::Relaxed))
    }

    /// Where a ticket stands.
    #[must_use]
    pub fn standing(&self, ticket: Ticket) -> Standing {
        let served = self.served.load(Ordering::Relaxed);
        match ticket.0.wrapping_sub(served).cast_signed() {
            0 => Standing::Served,
            before if before > 0 => Standing::After(served),
            _ => Standing::Over,
        }
    }

    /// Gives the turn of a ticket on; false when it has none.
    pub fn give(&self, ticket: Ticket, now: u64) -> bool {
        self.pass(ticket.0, now)
    }

    /// Takes the turn of the ticket back that is served, if it has lasted too long; whether that was done.
    pub fn take_back(&self, served: u32, now: u64) -> bool {
        let lasts = now.saturating_sub(self.since.load(Ordering::Relaxed));
        let is_taken = lasts > self.limit.load(Ordering::Relaxed) && self.pass(served, now);
        if is_taken {
            self.taken_back.fetch_add(1, Ordering::Relaxed);
        }
        is_taken
    }

    fn pass(&self, served: u32, now: u64) -> bool {
        let next = served.wrapping_add(1);
        let passed =
            self.served.compare_exchange(served, next, Ordering::Relaxed, Ordering::Relaxed);
        if passed.is_ok() {
            self.since.store(now, Ordering::Relaxed);
        }
        passed.is_ok()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn turns_go_round_in_the_order_of_the_tickets() {
        let page = TurnPage::default();
        let [first, second] = [page.draw(), page.draw()];
        assert_eq!(page.standing(first), Standing::Served);
        assert_eq!(page.standing(second), Standing::After(0));
        assert!(!page.give(second, 1), "it has no turn to give");
        assert!(page.give(first, 1));
        assert_eq!(
            [page.standing(first), page.standing(second)],
            [Standing::Over, Standing::Served]
        );
    }

    #[test]
    fn a_turn_that_lasts_too_long_is_taken_back_once() {
        let page = TurnPage::default();
        page.limit.store(100, Ordering::Relaxed);
        let [_, second] = [page.draw(), page.draw()];
        assert!(!page.take_back(0, 100));
        assert!(page.take_back(0, 101));
        assert!(!page.take_back(0, 300), "another one is served");
        assert_eq!(
            (page.standing(second), page.taken_back.load(Ordering::Relaxed)),
            (Standing::Served, 1)
        );
    }

    #[test]
    fn numbers_of_tickets_begin_again() {
        let page = TurnPage::default();
        page.served.store(u32::MAX, Ordering::Relaxed);
        page.drawn.store(u32::MAX, Ordering::Relaxed);
        let [last, first] = [page.draw(), page.draw()];
        assert!(page.give(last, 1));
        assert_eq!(page.standing(first), Standing::Served);
    }
}
