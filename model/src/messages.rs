//! Messages between the ranks of a job: one row for each pair of sender and receiver.
//!
//! Both sides count what they see of a message. The sender knows how many it sent, the receiver for how long it waited for them.
//! A row has both, so a message to or from a rank that was not measured is there as well.

use std::collections::BTreeMap;

use crate::time::Nanos;

/// Which ranks a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// Of several jobs in one run, which one.
    pub job: u32,
    /// Rank that sent; `None` where it cannot be told.
    pub from: Option<u32>,
    /// Rank that received; `None` where it cannot be told.
    pub to: Option<u32>,
}

/// What one side saw of the messages of a route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageSums {
    /// How many.
    pub number: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time in calls for them.
    pub time: Nanos,
}

impl MessageSums {
    fn add(&mut self, more: Self) {
        self.number = self.number.saturating_add(more.number);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.time += more.time;
    }
}

/// The messages of a run by route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageTable {
    rows: BTreeMap<Route, [MessageSums; 2]>,
}

/// The messages of one route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRow {
    /// Between which ranks.
    pub route: Route,
    /// How many there were.
    pub number: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time for which the receiver was in calls that received them or waited for them.
    pub waiting: Nanos,
    /// Time for which the sender was in calls that sent them or waited until they were sent.
    pub sending: Nanos,
}

impl MessageTable {
    /// Adds what a sender saw.
    pub fn add_sent(&mut self, route: Route, seen: MessageSums) {
        self.rows.entry(route).or_default()[0].add(seen);
    }

    /// Adds what a receiver saw.
    pub fn add_received(&mut self, route: Route, seen: MessageSums) {
        self.rows.entry(route).or_default()[1].add(seen);
    }

    /// All rows, by route. Where both sides were measured the one that saw more tells how many there were: the other one may
    /// have been measured later, or may not have received all.
    pub fn rows(&self) -> impl Iterator<Item = MessageRow> + '_ {
        self.rows.iter().map(|(route, [sent, received])| {
            let more = if received.number > sent.number { received } else { sent };
            MessageRow {
                route: *route,
                number: more.number,
                bytes: more.bytes,
                waiting: received.time,
                sending: sent.time,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM_0_TO_1: Route = Route { job: 0, from: Some(0), to: Some(1) };

    fn seen(number: u64, millis: u64) -> MessageSums {
        MessageSums { number, bytes: 8 * number, time: Nanos::from_millis(millis) }
    }

    #[test]
    fn both_sides_of_a_message_are_one() {
        let mut table = MessageTable::default();
        table.add_sent(FROM_0_TO_1, seen(10, 1));
        table.add_received(FROM_0_TO_1, seen(10, 20));
        let row = MessageRow {
            route: FROM_0_TO_1,
            number: 10,
            bytes: 80,
            waiting: Nanos::from_millis(20),
            sending: Nanos::from_millis(1),
        };
        assert_eq!(table.rows().collect::<Vec<_>>(), [row]);
    }

    #[test]
    fn a_side_that_was_measured_later_takes_nothing_away() {
        let mut table = MessageTable::default();
        table.add_received(FROM_0_TO_1, seen(10, 20));
        table.add_sent(FROM_0_TO_1, seen(4, 1));
        table.add_sent(FROM_0_TO_1, seen(2, 1));
        assert_eq!(table.rows().map(|row| row.number).collect::<Vec<_>>(), [10]);
    }

    #[test]
    fn jobs_are_kept_apart() {
        let mut table = MessageTable::default();
        table.add_sent(FROM_0_TO_1, seen(1, 0));
        table.add_sent(Route { job: 1, ..FROM_0_TO_1 }, seen(2, 0));
        assert_eq!(table.rows().map(|row| row.number).collect::<Vec<_>>(), [1, 2]);
    }
}
