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
    /// Adds others of the same route and side.
    pub fn add(&mut self, more: Self) {
        self.number = self.number.saturating_add(more.number);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.time = Nanos(self.time.0.saturating_add(more.time.0));
    }

    /// What came since it was as it was earlier. A sum that became smaller was misread, and grew by nothing.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            number: self.number.saturating_sub(earlier.number),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            time: Nanos(self.time.0.saturating_sub(earlier.time.0)),
        }
    }
}

/// Who saw a message: what each side counts of it is kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MessageSide {
    /// The rank that sent it.
    Sender,
    /// The rank that received it.
    Receiver,
}

/// By how much one side's count of a route grew in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageGrowth {
    /// Between which ranks.
    pub route: Route,
    /// Who saw them.
    pub side: MessageSide,
    /// What it saw.
    pub by: MessageSums,
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
    /// Adds what one side saw.
    pub fn add(&mut self, growth: MessageGrowth) {
        let [sent, received] = self.rows.entry(growth.route).or_default();
        let seen = match growth.side {
            MessageSide::Sender => sent,
            MessageSide::Receiver => received,
        };
        seen.add(growth.by);
    }

    /// What came since the table was as it was earlier.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut table = Self::default();
        for (route, sides) in &self.rows {
            let before = earlier.rows.get(route).copied().unwrap_or_default();
            let [sent, received] = [0, 1].map(|side: usize| sides[side].since(before[side]));
            if [sent, received] != [MessageSums::default(); 2] {
                table.rows.insert(*route, [sent, received]);
            }
        }
        table
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

    fn of(route: Route, side: MessageSide, number: u64, millis: u64) -> MessageGrowth {
        let by = MessageSums { number, bytes: 8 * number, time: Nanos::from_millis(millis) };
        MessageGrowth { route, side, by }
    }

    fn table(all: &[MessageGrowth]) -> MessageTable {
        let mut table = MessageTable::default();
        all.iter().for_each(|growth| table.add(*growth));
        table
    }

    #[test]
    fn both_sides_of_a_message_are_one() {
        let table = table(&[
            of(FROM_0_TO_1, MessageSide::Sender, 10, 1),
            of(FROM_0_TO_1, MessageSide::Receiver, 10, 20),
        ]);
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
        let table = table(&[
            of(FROM_0_TO_1, MessageSide::Receiver, 10, 20),
            of(FROM_0_TO_1, MessageSide::Sender, 4, 1),
            of(FROM_0_TO_1, MessageSide::Sender, 2, 1),
        ]);
        assert_eq!(table.rows().map(|row| row.number).collect::<Vec<_>>(), [10]);
    }

    #[test]
    fn jobs_are_kept_apart() {
        let other = Route { job: 1, ..FROM_0_TO_1 };
        let all = [(FROM_0_TO_1, 1), (other, 2)];
        let table = table(&all.map(|(route, number)| of(route, MessageSide::Sender, number, 0)));
        assert_eq!(table.rows().map(|row| row.number).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_part_of_the_run_has_what_came_in_it() {
        let other = Route { to: Some(2), ..FROM_0_TO_1 };
        let first = of(FROM_0_TO_1, MessageSide::Receiver, 10, 20);
        let then = [
            of(FROM_0_TO_1, MessageSide::Receiver, 1, 0),
            of(FROM_0_TO_1, MessageSide::Sender, 3, 0),
        ];
        let before = table(&[first, of(other, MessageSide::Sender, 1, 1)]);
        let mut all = before.clone();
        then.iter().for_each(|growth| all.add(*growth));
        assert_eq!(all.since(&before), table(&then));
        assert_eq!(all.since(&all), MessageTable::default());
    }

    #[test]
    fn what_became_smaller_grew_by_nothing() {
        let sums = |number, bytes, time| MessageSums { number, bytes, time: Nanos(time) };
        assert_eq!(sums(5, 1, 9).since(sums(3, 2, 9)), sums(2, 0, 0));
    }
}
