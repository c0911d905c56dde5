//! The messages of a run by sender and receiver over time, pass by pass, in bounded room.
//!
//! ```text
//!   passes   |  1  |  2  |  3  |  4  | ...            at first the passes of the daemon, as in the record
//!   fold     |     1     |     2     | ...            when there is too much, two become one: messages add up, none is lost
//! ```
//! In each pass each side of a route has an entry if it saw anything. A job in which all ranks send to all has so many routes
//! that few passes are left. When no more than [`MessageSeries::LEAST_PASSES`] are left and that is still too much, the
//! [`LargestRoutes`] are told apart from there on back to the beginning, and the entries of all others become one sum in each pass.
//!
//! Invariant: the entries of a pass are in the order of route and side, each once.

mod bytes;

use whyperf_model::{Interval, LargestRoutes, MessageGrowth, MessageTable, Nanos};

pub use self::bytes::MessageSeriesError;

/// Messages by sender and receiver over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageSeries {
    passes: Vec<MessagePass>,
    entries: usize,
}

/// What was sent and received in a part of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MessagePass {
    interval: Interval,
    grown: Vec<MessageGrowth>,
}

impl MessageSeries {
    /// A series has at most so many passes, as many as a record.
    pub const MOST_PASSES: usize = crate::Record::MOST_PASSES;
    /// With more entries passes are folded.
    pub const MOST_ENTRIES: usize = 1 << 18;
    /// So few passes are not folded for the sake of room: routes are.
    pub const LEAST_PASSES: usize = 4;

    /// Adds a pass, the next in time.
    pub fn add(&mut self, interval: Interval, grown: &[MessageGrowth]) {
        if self.passes.len() >= Self::MOST_PASSES {
            self.fold();
        }
        self.push(MessagePass::of(interval, grown.to_vec()));
        if self.entries > Self::MOST_ENTRIES {
            self.make_room();
        }
    }

    fn push(&mut self, pass: MessagePass) {
        self.entries += pass.grown.len();
        self.passes.push(pass);
    }

    /// Leaves a quarter of the room to what comes: each fold takes the time of all entries.
    fn make_room(&mut self) {
        const ENOUGH: usize = MessageSeries::MOST_ENTRIES / 4 * 3;
        while self.entries > ENOUGH && self.passes.len() > Self::LEAST_PASSES {
            self.fold();
        }
        if self.entries > ENOUGH {
            self.fold_routes();
        }
    }

    /// All messages of the run.
    #[must_use]
    pub fn whole(&self) -> MessageTable {
        Self::sum(self.passes.iter())
    }

    /// The messages of a part of the run; none where passes are too long to tell. A pass that is only partly inside belongs to the
    /// part in which it begins, and the two that may be so are at most a tenth of the part.
    #[must_use]
    pub fn within(&self, part: Interval) -> Option<MessageTable> {
        let cuts = |pass: &Interval, at| pass.start < at && at < pass.end;
        let passes = self.passes.iter().map(|pass| pass.interval);
        let cut = passes.filter(|pass| cuts(pass, part.start) || cuts(pass, part.end));
        let doubtful = cut.fold(Nanos::ZERO, |sum, pass| sum + pass.length());
        let begins_inside = |pass: &&MessagePass| {
            part.start <= pass.interval.start && pass.interval.start < part.end
        };
        let mut inside = self.passes.iter().filter(begins_inside).peekable();
        inside.peek()?;
        (doubtful.0 <= part.length().0 / DOUBTFUL).then(|| Self::sum(inside))
    }

    /// All that is kept, pass by pass.
    pub(crate) fn grown(&self) -> impl Iterator<Item = &MessageGrowth> {
        self.passes.iter().flat_map(|pass| &pass.grown)
    }

    /// How many passes there are.
    #[must_use]
    pub const fn passes(&self) -> usize {
        self.passes.len()
    }

    /// How many entries all passes have together.
    #[must_use]
    pub const fn entries(&self) -> usize {
        self.entries
    }

    fn sum<'a>(passes: impl Iterator<Item = &'a MessagePass>) -> MessageTable {
        let mut table = MessageTable::default();
        passes.flat_map(|pass| &pass.grown).for_each(|growth| table.add(*growth));
        table
    }

    /// Two passes become one.
    fn fold(&mut self) {
        self.entries = 0;
        let mut old = std::mem::take(&mut self.passes).into_iter();
        while let Some(MessagePass { mut interval, mut grown }) = old.next() {
            if let Some(next) = old.next() {
                interval = Interval::new(interval.start, next.interval.end);
                grown.extend(next.grown);
            }
            self.push(MessagePass::of(interval, grown));
        }
    }

    /// Small routes become one.
    fn fold_routes(&mut self) {
        let largest = LargestRoutes::of(self.whole().times());
        self.entries = 0;
        for MessagePass { interval, mut grown } in std::mem::take(&mut self.passes) {
            largest.fold(&mut grown);
            self.push(MessagePass::of(interval, grown));
        }
    }
}

/// A part of the run is told where at most one part in so many is doubtful.
const DOUBTFUL: u64 = 10;

impl MessagePass {
    fn of(interval: Interval, mut grown: Vec<MessageGrowth>) -> Self {
        grown.sort_by_key(|growth| (growth.route, growth.side));
        grown.dedup_by(|next, first| {
            let is_same = (next.route, next.side) == (first.route, first.side);
            if is_same {
                first.by.add(next.by);
            }
            is_same
        });
        grown.shrink_to_fit();
        Self { interval, grown }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::{MessageSide, MessageSums, Nanos, Route, Time};

    use super::*;

    fn span(from: u64, to: u64) -> Interval {
        Interval::new(Time(Nanos(from)), Time(Nanos(to)))
    }

    /// One message of eight bytes from a rank to another one, as both see it.
    fn one(from: u32, to: u32) -> [MessageGrowth; 2] {
        let route = Route { job: 0, from: Some(from), to: Some(to) };
        let seen = |side, time| {
            let by = MessageSums { number: 1, bytes: 8, time: Nanos(time) };
            MessageGrowth { route, side, by }
        };
        [seen(MessageSide::Sender, 1), seen(MessageSide::Receiver, 5)]
    }

    fn numbers(table: &MessageTable) -> Vec<u64> {
        table.rows().map(|row| row.number).collect()
    }

    #[test]
    fn a_fold_loses_no_message() {
        let mut series = MessageSeries::default();
        for n in 0..3500 {
            let twice = [one(0, 1), one(0, 1)].concat();
            series.add(span(n, n + 1), if n % 7 == 0 { &twice } else { &[] });
        }
        assert!(series.passes() <= MessageSeries::MOST_PASSES);
        let rows: Vec<_> = series.whole().rows().collect();
        let [row] = rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.number, row.bytes, row.waiting.0, row.sending.0), (1000, 8000, 5000, 1000));
    }

    #[test]
    fn a_part_has_the_passes_that_begin_in_it() {
        let mut series = MessageSeries::default();
        for n in 0..10 {
            series.add(span(10 * n, 10 * (n + 1)), &one(0, 1));
        }
        let of = |from, to| series.within(span(from, to)).as_ref().map(numbers);
        let told = |number| Some(vec![number]);
        assert_eq!([of(0, 100), of(0, 30), of(30, 100)], [10, 3, 7].map(told));
        assert_eq!(of(50, 200), told(5), "after the end there was nothing");
    }

    #[test]
    fn a_part_that_passes_do_not_tell_is_unknown_and_not_empty() {
        let mut series = MessageSeries::default();
        for n in 0..30 {
            series.add(span(10 * n, 10 * (n + 1)), &one(0, 1));
        }
        let of = |from, to| series.within(span(from, to)).as_ref().map(numbers);
        assert_eq!(of(5, 205), Some(vec![20]), "of twenty passes one may be off by half");
        assert_eq!([of(5, 95), of(11, 19), of(15, 15)], [None, None, None]);
        assert_eq!([of(300, 400), of(7, 7)], [None, None], "nobody looked");
        assert_eq!(MessageSeries::default().within(span(0, 10)), None);
    }

    #[test]
    fn ranks_that_all_send_to_all_have_fewer_passes_and_not_more_room() {
        let mut series = MessageSeries::default();
        let pairs = (0..64).flat_map(|from| (0..64).map(move |to| (from, to)));
        let all: Vec<_> = pairs.flat_map(|(from, to)| one(from, to)).collect();
        for n in 0..200 {
            series.add(span(n, n + 1), &all);
        }
        assert!(series.passes() > 20, "phases are told apart");
        assert!(series.entries() <= MessageSeries::MOST_ENTRIES + all.len());
        assert_eq!(numbers(&series.whole()), vec![200; 64 * 64]);
    }

    /// What each of so many ranks sends to each, the later ones with longer waits.
    fn all_to_all(ranks: u32) -> Vec<MessageGrowth> {
        let pairs = (0..ranks).flat_map(|from| (0..ranks).map(move |to| (from, to)));
        let mut all: Vec<_> = pairs.flat_map(|(from, to)| one(from, to)).collect();
        all.iter_mut().for_each(|one| one.by.time.0 += u64::from(one.route.from.unwrap_or(0)));
        all
    }

    #[test]
    fn more_routes_than_there_is_room_for_are_told_apart_or_summed() {
        let mut series = MessageSeries::default();
        let (all, passes) = (all_to_all(400), 12);
        for n in 0..passes {
            series.add(span(n, n + 1), &all);
            assert!(series.entries() <= MessageSeries::MOST_ENTRIES, "after {n}");
        }
        let table = series.whole();
        let rows: Vec<_> = table.rows().collect();
        let (others, apart) = rows.split_first().expect("there are rows");
        assert!(others.route.is_others());
        assert!(apart.len() >= LargestRoutes::MOST, "{}", apart.len());
        let told = |of: fn(&whyperf_model::MessageRow) -> u64| rows.iter().map(of).sum::<u64>();
        let sums = [told(|row| row.number), told(|row| row.bytes), told(|row| row.waiting.0)];
        let sent = all.iter().filter(|growth| growth.side == MessageSide::Receiver);
        let waiting: u64 = sent.map(|growth| growth.by.time.0).sum();
        let number = 400 * 400 * passes;
        assert_eq!(sums, [number, 8 * number, passes * waiting], "none is lost");
        let longest = |number: u64| apart.iter().filter(|row| row.number == number).count();
        assert!(longest(passes) > 10_000, "those that wait longest have rows from the beginning");
    }

    #[test]
    fn as_many_routes_as_are_told_apart_are_all_there() {
        let mut series = MessageSeries::default();
        let all = all_to_all(128);
        for n in 0..30 {
            series.add(span(n, n + 1), &all);
        }
        assert!(series.passes() > MessageSeries::LEAST_PASSES, "{}", series.passes());
        assert_eq!(numbers(&series.whole()), vec![30; 128 * 128]);
    }
}
