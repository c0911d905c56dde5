//! Estimates how much of what ranks wait for each other enough processors would save; mostly too little.
//!
//! ```text
//!   rank 0   ████░░░░████▒▒▒▒▒▒▒▒     █ runs its own code    ░ could run it, and has no processor
//!   rank 1   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓     ▒ waits in MPI         ▓ what it waited for is there, and it has no processor
//! ```
//! Of the waiting of rank 1, `▓` is lost by its own lack of a processor, and `▒` above `░` by that of the rank it waits for. The kernel tells how long
//! a rank had no processor, and not whether what it waited for was there: a rank that polls and has none loses nothing.
//!
//! * **Ready** is at most the run delay in calls, and at most the waiting while no processor polls: one that polls gives way at once to a rank that is
//!   ready, where ranks yield. Where they do not, ranks have no processor in their own code while others poll: as much of their run delay in calls may
//!   be no loss, and is not counted. It is no less than that part of the run delay for which looks find that all ranks have entered what it is in.
//! * **Late** is the part of the time in which a rank does not wait for others that it has no processor. Of the waiting that is not *ready*, that part of those that are
//!   waited for is lost: of the rank that waits least as far as a rank waits longer than that one, and of all ranks for the rest.
//! * **Never more** than what would be left of the waiting if each rank had run its own code alone, on a processor of its own: as long as it waits longer than
//!   the one with most of that has it more.
//!
//! So the sum is too small where ranks poll without yielding and have no operation of all with all. It is too large where ranks have work in turns
//! that are shorter than an interval: each has as much of its own then, and one that is ready late, though it is nobody's turn to wait for it, counts.

/// How a rank spent an interval, in parts of its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RankTime {
    /// In its own code or its own calls, whatever it needs no processor of another rank for.
    pub(super) own: f64,
    /// In its own code, without a processor.
    pub(super) delayed: f64,
    /// In calls that wait for other ranks.
    pub(super) waiting: f64,
    /// In such calls, without a processor.
    pub(super) delayed_in_calls: f64,
    /// In such calls, on a processor.
    pub(super) polling: f64,
    /// In such calls, without a processor, while all had entered the call: as far as looks tell.
    pub(super) found_ready: f64,
}

/// How short of processors the ranks of a job were in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ProcessorLoss {
    /// What the rank with most has of its own.
    longest: f64,
    /// For how much of the time processors poll, over all that share the machine.
    polling: f64,
    /// The part of their time for which all ranks are late.
    late: f64,
}

impl ProcessorLoss {
    /// Of these ranks; `polling` is the sum over all that share the machine.
    pub(super) fn of(ranks: &[RankTime], polling: f64) -> Self {
        let (late, all) = ranks.iter().fold((0.0, 0.0), |(late, all), rank| {
            let [own_late, own] = rank.without_waiting(polling);
            (late + own_late, all + own)
        });
        let longest = ranks.iter().map(|rank| rank.own).fold(0.0, f64::max);
        Self { longest, polling, late: part(late, all) }
    }

    /// Of what a rank waits, the part that enough processors would save. `first` waits least of those that it waits for.
    pub(super) fn saved(self, rank: &RankTime, first: &RankTime) -> f64 {
        let ready = rank.ready(self.polling);
        let excess = part((rank.waiting - first.waiting).max(0.0), rank.waiting);
        let [late, own] = first.without_waiting(self.polling);
        let late = excess * part(late, own) + (1.0 - excess) * self.late;
        let lost = ready + (rank.waiting - ready) * late;
        let most = rank.waiting - (self.longest - rank.own);
        part(lost.min(most).max(0.0), rank.waiting)
    }
}

impl RankTime {
    /// What it waited for is there, and it has no processor.
    fn ready(&self, polling: f64) -> f64 {
        let unpolled = (1.0 - polling).max(0.0);
        let most = self.delayed_in_calls.min(self.waiting * unpolled);
        let unless_polled = most - self.delayed.min(polling);
        unless_polled.max(self.found_ready)
    }

    /// For how long it had no processor, and all that it did, without its waiting for others.
    fn without_waiting(&self, polling: f64) -> [f64; 2] {
        let late = self.delayed + self.ready(polling);
        [late, self.own + late]
    }
}

fn part(of: f64, all: f64) -> f64 {
    if all > 0.0 { of / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved(ranks: &[RankTime]) -> Vec<f64> {
        let polling = ranks.iter().map(|rank| rank.polling).sum();
        let loss = ProcessorLoss::of(ranks, polling);
        let first = ranks.iter().min_by(|one, other| one.waiting.total_cmp(&other.waiting));
        let first = first.expect("some ranks");
        ranks.iter().map(|rank| (loss.saved(rank, first) * 100.0).round() / 100.0).collect()
    }

    #[test]
    fn ranks_with_processors_of_their_own_lose_nothing() {
        let alike = RankTime { own: 0.6, waiting: 0.4, ..RankTime::default() };
        let slow = RankTime { own: 0.95, waiting: 0.05, ..RankTime::default() };
        assert_eq!(saved(&[alike; 4]), [0.0; 4]);
        assert_eq!(saved(&[slow, alike, alike]), [0.0; 3]);
    }

    #[test]
    fn equal_ranks_that_yield_lose_all_that_is_not_polling() {
        let rank = RankTime {
            own: 0.4,
            delayed: 0.02,
            waiting: 0.58,
            delayed_in_calls: 0.5,
            polling: 0.02,
            ..RankTime::default()
        };
        assert!(saved(&[rank; 4]).iter().all(|saved| *saved > 0.85), "{:?}", saved(&[rank; 4]));
    }

    #[test]
    fn equal_ranks_that_poll_lose_what_their_partners_are_late() {
        // Two processors: each rank has half of one, in its own code as in its calls.
        let rank = RankTime {
            own: 0.25,
            delayed: 0.25,
            waiting: 0.5,
            delayed_in_calls: 0.25,
            polling: 0.25,
            ..RankTime::default()
        };
        assert_eq!(saved(&[rank; 4]), [0.5; 4]);
    }

    #[test]
    fn two_that_poll_in_turns_on_one_processor_and_do_not_yield_lose_half() {
        // With two processors each would still wait while the other one computes.
        let rank = RankTime {
            own: 0.25,
            delayed: 0.25,
            waiting: 0.5,
            delayed_in_calls: 0.25,
            polling: 0.25,
            ..RankTime::default()
        };
        assert_eq!(saved(&[rank; 2]), [0.5; 2]);
    }

    #[test]
    fn equal_ranks_of_which_one_polls_all_the_time_lose_what_they_are_found_ready() {
        // Eight on two processors, one of which polls at any time.
        let rank = RankTime {
            own: 0.12,
            delayed: 0.02,
            waiting: 0.86,
            delayed_in_calls: 0.72,
            polling: 0.14,
            found_ready: 0.5,
        };
        assert!(saved(&[rank; 8]).iter().all(|saved| *saved > 0.8), "{:?}", saved(&[rank; 8]));
        let unseen = RankTime { found_ready: 0.0, ..rank };
        assert!(saved(&[unseen; 8]).iter().all(|saved| *saved < 0.2), "{:?}", saved(&[unseen; 8]));
    }

    #[test]
    fn a_chain_whose_other_ranks_yield_loses_nothing() {
        // One rank after the other has work and a processor; the others share the second one, and poll on it.
        let rank = RankTime {
            own: 0.25,
            delayed: 0.0,
            waiting: 0.75,
            delayed_in_calls: 0.5,
            polling: 0.25,
            ..RankTime::default()
        };
        assert_eq!(saved(&[rank; 4]), [0.0; 4]);
    }

    #[test]
    fn what_is_waited_for_the_work_of_one_rank_is_not_lost() {
        let slow = RankTime { own: 0.9, delayed: 0.1, ..RankTime::default() };
        let fast = RankTime {
            own: 0.3,
            delayed: 0.05,
            waiting: 0.65,
            delayed_in_calls: 0.3,
            polling: 0.3,
            ..RankTime::default()
        };
        let told = saved(&[slow, fast, fast]);
        // With a processor for each they would still wait for 0.6 of 0.65.
        assert_eq!(told[0], 0.0);
        assert!(told[1..].iter().all(|saved| *saved <= 0.08), "{told:?}");
    }

    #[test]
    fn a_rank_that_writes_is_no_lack_of_processors() {
        let writer = RankTime { own: 0.9, waiting: 0.1, ..RankTime::default() };
        let poller = RankTime {
            own: 0.1,
            delayed: 0.0,
            waiting: 0.9,
            delayed_in_calls: 0.45,
            polling: 0.45,
            ..RankTime::default()
        };
        let told = saved(&[writer, poller, poller, poller]);
        assert!(told.iter().all(|saved| *saved <= 0.12), "{told:?}");
    }
}
