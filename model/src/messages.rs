//! Messages between the ranks of a job: one row for each pair of sender and receiver.
//!
//! Both sides count what they see of a message. The sender knows how many it sent, the receiver for how long it waited for them.
//! A row has both, so a message to or from a rank that was not measured is there as well.
//!
//! Where all ranks send to all there are as many routes as ranks squared. Of so many the largest are told apart, and all others are one
//! sum, [`Route::others`]: rows add up to all messages, however many there are.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::time::Nanos;

/// Which ranks a row is about. Where neither can be told it is the sum of all routes of its job that are not told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// Of several jobs in one run, which one.
    pub job: u32,
    /// Rank that sent; `None` where it cannot be told.
    pub from: Option<u32>,
    /// Rank that received; `None` where it cannot be told.
    pub to: Option<u32>,
}

impl Route {
    /// All routes of a job that are not told apart. Of any other one a rank is known: the one that saw the message.
    #[must_use]
    pub const fn others(job: u32) -> Self {
        Self { job, from: None, to: None }
    }

    /// Whether it is the sum of all that are not told apart.
    #[must_use]
    pub const fn is_others(self) -> bool {
        self.from.is_none() && self.to.is_none()
    }
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

/// The routes that are told apart where there are too many for all of them.
#[derive(Clone, Debug)]
pub struct LargestRoutes {
    /// In their order.
    routes: Vec<Route>,
}

impl LargestRoutes {
    /// So many are told apart: the pairs of 128 ranks that all send to all, or of 4,000 that send to four each.
    pub const MOST: usize = 1 << 14;

    /// Those with most time in calls for their messages. Of several with the same the first ones, so that one choice is as the other.
    #[must_use]
    pub fn of(times: impl IntoIterator<Item = (Route, Nanos)>) -> Self {
        let apart = times.into_iter().filter(|(route, _)| !route.is_others());
        let mut all: Vec<(Route, Nanos)> = apart.collect();
        all.sort_unstable_by_key(|(route, _)| *route);
        all.dedup_by(|(next, more), (route, time)| {
            let is_same = next == route;
            if is_same {
                time.0 = time.0.saturating_add(more.0);
            }
            is_same
        });
        if all.len() > Self::MOST {
            all.select_nth_unstable_by_key(Self::MOST, |(route, time)| (Reverse(*time), *route));
            all.truncate(Self::MOST);
        }
        let mut routes: Vec<Route> = all.into_iter().map(|(route, _)| route).collect();
        routes.sort_unstable();
        Self { routes }
    }

    /// Where the messages of a route count: there, or among the others.
    #[must_use]
    pub fn place(&self, route: Route) -> Route {
        let is_told_apart = self.routes.binary_search(&route).is_ok();
        if is_told_apart { route } else { Route::others(route.job) }
    }

    /// The same growth, that of all others as one sum for each job and side.
    pub fn fold(&self, grown: &mut Vec<MessageGrowth>) {
        let mut others: BTreeMap<(Route, MessageSide), MessageSums> = BTreeMap::new();
        grown.retain(|growth| {
            let place = self.place(growth.route);
            if place.is_others() {
                others.entry((place, growth.side)).or_default().add(growth.by);
            }
            !place.is_others()
        });
        let sums = others.into_iter();
        grown.extend(sums.map(|((route, side), by)| MessageGrowth { route, side, by }));
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

    /// The same with all routes but the largest as one sum for each job, if there are more than [`LargestRoutes::MOST`].
    #[must_use]
    pub fn folded(self) -> Self {
        if self.rows.len() <= LargestRoutes::MOST {
            return self;
        }
        let largest = LargestRoutes::of(self.times());
        let mut folded = Self::default();
        for (route, sides) in self.rows {
            let sums = folded.rows.entry(largest.place(route)).or_default();
            sums.iter_mut().zip(sides).for_each(|(sum, side)| sum.add(side));
        }
        folded
    }

    /// The time that both sides of each route were in calls for its messages.
    pub fn times(&self) -> impl Iterator<Item = (Route, Nanos)> + '_ {
        self.rows.iter().map(|(route, sides)| (*route, time_of(sides)))
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

fn time_of([sent, received]: &[MessageSums; 2]) -> Nanos {
    Nanos(sent.time.0.saturating_add(received.time.0))
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

    /// Growth of many routes, each with more time than the one before.
    fn many(count: u32) -> Vec<MessageGrowth> {
        let route = |number| Route { job: 3, from: Some(number / 1000), to: Some(number % 1000) };
        let one = |number| {
            let side = if number % 2 == 0 { MessageSide::Sender } else { MessageSide::Receiver };
            of(route(number), side, 1, u64::from(number))
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn of_too_many_routes_the_largest_have_rows_and_the_others_a_sum() {
        let most = u32::try_from(LargestRoutes::MOST).expect("few enough");
        let few = table(&many(most));
        assert_eq!(few.clone().folded(), few);
        let all = table(&many(most + 1000));
        let folded = all.clone().folded();
        let rows: Vec<MessageRow> = folded.rows().collect();
        assert_eq!(rows.len(), LargestRoutes::MOST + 1);
        let others = rows[0];
        assert_eq!(others.route, Route::others(3));
        // Of a thousand the even ones were sent, the odd ones received.
        assert_eq!(others.number, 500);
        let millis = |of: Nanos| of.0 / 1_000_000;
        assert_eq!([others.sending, others.waiting].map(millis), [499 * 500, 500 * 500]);
        assert_eq!(rows[1].route, Route { job: 3, from: Some(1), to: Some(0) });
        assert!(all.rows().skip(1000).eq(folded.rows().skip(1)), "and those are as they were");
        assert_eq!(folded.clone().folded(), folded, "a sum is no route of its own");
    }

    #[test]
    fn growth_is_folded_as_rows_are() {
        let most = u32::try_from(LargestRoutes::MOST).expect("few enough");
        let mut grown = many(most + 1000);
        let all = table(&grown);
        LargestRoutes::of(all.times()).fold(&mut grown);
        assert_eq!(grown.len(), LargestRoutes::MOST + 2, "the others of both sides");
        assert_eq!(table(&grown), all.folded());
    }

    #[test]
    fn of_routes_with_the_same_time_the_first_are_told_apart() {
        let same = |number| (Route { job: 0, from: Some(number), to: None }, Nanos(5));
        let largest = LargestRoutes::of((0..20_000).rev().map(same));
        let place = |number| largest.place(same(number).0);
        assert_eq!([place(0), place(16_383)], [same(0).0, same(16_383).0]);
        assert_eq!([place(16_384), place(19_999)], [Route::others(0); 2]);
    }
}
