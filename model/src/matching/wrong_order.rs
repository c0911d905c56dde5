//! Finds waits for a message while another one has long been there: messages that are received in the wrong order.
//!
//! ```text
//!   rank 1   ██████████████████████ send ─┐
//!   rank 2   ████ send ─┐                 │       █ computes
//!   rank 0   ▒▒▒▒▒▒▒▒▒▒▒│▒▒▒▒▒▒▒▒▒▒ receive 1     ▒ waits to receive
//!                       └───── lies there ────► receive 2
//! ```
//! In an interval, a message is overdue that was sent before it began, and was not received when it ended. What its receiver waits to receive meanwhile is in
//! the wrong order, once it turns out that the message was received later: until then it may be one that nobody counted, as where a process was attached
//! to while its messages were under way.
//!
//! Shorter waits are not seen, nor are those of a run that is over: its record does not have messages by interval.

use ahash::{AHashMap, AHashSet};

use super::classes::ClassId;
use super::resources::ThreadPlace;
use crate::{MessageGrowth, MessageSide, Nanos};

/// A rank of a job.
type Rank = (u32, u32);
/// Waiting of a thread in a class of calls.
type Place = (ThreadPlace, ClassId);

/// Messages that were sent and not received yet, and what was waited meanwhile.
#[derive(Debug, Default)]
pub(super) struct WrongOrder {
    /// By receiver and sender.
    routes: AHashMap<(Rank, u32), Arrivals>,
    /// By receiver: of whom there are messages that it did not receive.
    open: AHashMap<Rank, AHashSet<u32>>,
    waits: AHashMap<Place, OrderedWait>,
}

/// Messages of one rank to another one.
#[derive(Debug, Default)]
struct Arrivals {
    sent: u64,
    received: u64,
    /// Sent until the interval before ended, as far as any of them was not received then.
    sent_before: u64,
    /// What its receiver waited while one was overdue, since all of them were received last.
    waited: AHashMap<Place, Nanos>,
}

/// What was waited to receive.
#[derive(Clone, Copy, Debug, Default)]
struct OrderedWait {
    all: Nanos,
    in_wrong_order: Nanos,
}

impl WrongOrder {
    /// A rank saw messages.
    pub(super) fn exchanged(&mut self, growth: &MessageGrowth) {
        let route = growth.route;
        let Some((from, to)) = route.from.zip(route.to) else { return };
        let receiver = (route.job, to);
        let arrivals = self.routes.entry((receiver, from)).or_default();
        let count = match growth.side {
            MessageSide::Sender => &mut arrivals.sent,
            MessageSide::Receiver => &mut arrivals.received,
        };
        *count = count.saturating_add(growth.by.number);
        if arrivals.sent > arrivals.received {
            self.open.entry(receiver).or_default().insert(from);
        }
    }

    /// In the interval just past a rank waited to receive.
    pub(super) fn waited(&mut self, receiver: Rank, place: Place, time: Nanos) {
        self.waits.entry(place).or_default().all += time;
        let overdue = self.open.get(&receiver).into_iter().flatten().filter(|from| {
            let arrivals = self.routes.get(&(receiver, **from));
            arrivals.is_some_and(|arrivals| arrivals.received < arrivals.sent_before)
        });
        if let Some(from) = overdue.min().copied()
            && let Some(arrivals) = self.routes.get_mut(&(receiver, from))
        {
            *arrivals.waited.entry(place).or_default() += time;
        }
    }

    /// Ends an interval.
    pub(super) fn close(&mut self) {
        let Self { routes, open, waits } = self;
        for (receiver, senders) in open.iter_mut() {
            senders.retain(|from| {
                let Some(arrivals) = routes.get_mut(&(*receiver, *from)) else { return false };
                arrivals.sent_before = arrivals.sent;
                let is_open = arrivals.sent > arrivals.received;
                if !is_open {
                    for (place, time) in arrivals.waited.drain() {
                        waits.entry(place).or_default().in_wrong_order += time;
                    }
                }
                is_open
            });
        }
        open.retain(|_, senders| !senders.is_empty());
    }

    /// Whether most of what a thread waited to receive in these calls was in the wrong order.
    pub(super) fn is_most(&self, place: Place) -> bool {
        let waited = self.waits.get(&place);
        waited.is_some_and(|waited| waited.in_wrong_order.0 > waited.all.0 / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::resources::ResourceId;
    use crate::{MessageSums, Route};

    const PLACE: Place = ([ResourceId(1); 2], ClassId(7));
    const RECEIVER: Rank = (0, 0);

    fn message(order: &mut WrongOrder, from: u32, sides: &[MessageSide]) {
        for side in sides {
            let route = Route { job: 0, from: Some(from), to: Some(0) };
            let by = MessageSums { number: 1, ..MessageSums::default() };
            order.exchanged(&MessageGrowth { route, side: *side, by });
        }
    }

    fn interval(order: &mut WrongOrder) {
        order.waited(RECEIVER, PLACE, Nanos::from_millis(50));
        order.close();
    }

    const SENT: MessageSide = MessageSide::Sender;
    const RECEIVED: MessageSide = MessageSide::Receiver;

    #[test]
    fn a_wait_while_another_message_is_there_is_in_the_wrong_order() {
        let mut order = WrongOrder::default();
        for _ in 0..3 {
            interval(&mut order);
            message(&mut order, 2, &[SENT]);
            (0..6).for_each(|_| interval(&mut order));
            message(&mut order, 1, &[SENT, RECEIVED]);
            message(&mut order, 2, &[RECEIVED]);
        }
        interval(&mut order);
        assert!(order.is_most(PLACE));
        assert!(!order.is_most((PLACE.0, ClassId(8))), "other calls");
    }

    #[test]
    fn who_receives_what_comes_first_waits_for_a_late_sender() {
        let mut order = WrongOrder::default();
        for _ in 0..3 {
            (0..6).for_each(|_| interval(&mut order));
            message(&mut order, 1, &[SENT]);
            message(&mut order, 2, &[SENT, RECEIVED]);
            message(&mut order, 1, &[RECEIVED]);
        }
        interval(&mut order);
        assert!(!order.is_most(PLACE));
    }

    #[test]
    fn a_message_that_nobody_counts_as_received_says_nothing() {
        let mut order = WrongOrder::default();
        message(&mut order, 2, &[SENT]);
        for _ in 0..9 {
            message(&mut order, 2, &[SENT, RECEIVED]);
            interval(&mut order);
        }
        assert!(!order.is_most(PLACE));
    }
}
