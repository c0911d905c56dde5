//! Divides the running time of a thread among the places in which it computed.
//!
//! ```text
//!   computed, by events      solver ▒▒▒▒▒▒▒▒▒▒  work ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒      wall time: a thread that sleeps unseen counts
//!   stack samples            solver ·           work · · · · · · · · ·           none where the thread sleeps
//!   ran, by the system       solver ▒           work ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒      no more than was computed there
//! ```
//! The system says how long a thread ran, and events say how long it was at each place. A thread that slept in a call
//! without an event, or had no processor, ran for less time than events say that it computed. Stack samples show where it
//! ran: the share of the time at a place in which they find the thread running. Without samples all places are assumed to
//! be alike. A place is the innermost function that is switched on.

use std::collections::BTreeMap;

use whyperf_model::Nanos;

use crate::running::Granted;

/// How one thread's running time is divided.
#[derive(Debug, Default)]
pub(crate) struct RunningSplit {
    /// By number of the region, 0 where no function is switched on.
    places: BTreeMap<u32, PlaceHistory>,
    /// What the thread ran lately in its own code, and in all, in seconds that fade.
    ran: f64,
    ran_in_all: f64,
    /// What stack samples stand for that found it running in calls that events tell of.
    polled: f64,
}

/// What was seen of a place lately, in seconds that fade.
#[derive(Clone, Copy, Debug, Default)]
struct PlaceHistory {
    computed: f64,
    sampled: f64,
}

/// What an interval brought to a place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PlaceTime {
    pub(crate) computed: Nanos,
    /// Seconds of that in which the thread ran, in which it could and had no processor, and in which it waited unseen by events.
    ran: f64,
    delayed: f64,
    blocked: f64,
}

impl PlaceTime {
    /// Of this much of what was computed here, the run delay.
    pub(crate) fn run_delay(self, part: Nanos) -> Nanos {
        self.of(part, self.delayed)
    }

    /// Of this much of what was computed here, what the thread waited unseen by events.
    pub(crate) fn blocked(self, part: Nanos) -> Nanos {
        self.of(part, self.blocked)
    }

    fn of(self, part: Nanos, seconds: f64) -> Nanos {
        if self.computed.is_zero() {
            return Nanos::ZERO;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "less than an interval"
        )]
        Nanos((part.0 as f64 * (seconds / self.seconds()).min(1.0)) as u64)
    }

    fn seconds(self) -> f64 {
        self.computed.as_secs_f64()
    }
}

impl RunningSplit {
    /// A stack sample found the thread running at a place, or in a call that events tell of, which stands for so much of its
    /// running time.
    pub(crate) fn see(&mut self, place: Option<u32>, period: Nanos) {
        let sampled = match place {
            Some(place) => &mut self.places.entry(place).or_default().sampled,
            None => &mut self.polled,
        };
        *sampled += period.as_secs_f64();
    }

    /// The part of its running time in which it polled in calls that events tell of: none where samples are too few to tell.
    pub(crate) fn polled_share(&self) -> f64 {
        self.polled / (self.polled + self.sampled() + DOUBT)
    }

    /// The part of its running time that was in user code of its own at least: sampling may have rested.
    pub(crate) fn least_own_share(&self) -> f64 {
        if self.ran_in_all > DOUBT { (self.sampled() / self.ran_in_all).min(1.0) } else { 0.0 }
    }

    /// Whether stack samples tell what polls from what computes.
    pub(crate) fn has_samples(&self) -> bool {
        self.polled + self.sampled() > DOUBT
    }

    fn sampled(&self) -> f64 {
        self.places.values().map(|history| history.sampled).sum()
    }

    /// Divides what ran in an interval among the places in which the thread computed, and its run delay among those where it did
    /// not run.
    pub(crate) fn divide(&mut self, times: &mut BTreeMap<u32, PlaceTime>, granted: Granted) {
        let computed: f64 = times.values().map(|time| time.seconds()).sum();
        if computed <= 0.0 {
            return;
        }
        let ran = granted.ran.as_secs_f64().min(computed);
        self.ran += ran;
        self.ran_in_all += granted.anywhere.as_secs_f64();
        let mean = ran / computed;
        let sampled = self.sampled();
        let sight = sampled / (sampled + DOUBT);
        // Stack samples that found no room are taken to be spread like those that did.
        let each = if sampled > 0.0 { self.ran / sampled } else { 0.0 };
        for (place, time) in &mut *times {
            let history = self.places.entry(*place).or_default();
            history.computed += time.seconds();
            let seen = (history.sampled * each / history.computed).min(1.0);
            time.ran = time.seconds() * (sight * seen + (1.0 - sight) * mean);
        }
        fit(times, ran);
        let idle = computed - ran;
        let share = if idle > 0.0 { (granted.delayed.as_secs_f64() / idle).min(1.0) } else { 0.0 };
        for time in times.values_mut() {
            let idle = time.seconds() - time.ran;
            (time.delayed, time.blocked) = (idle * share, idle * (1.0 - share));
        }
        self.fade(computed);
    }

    fn fade(&mut self, computed: f64) {
        let left = (-computed / MEMORY).exp();
        self.ran *= left;
        self.ran_in_all *= left;
        self.polled *= left;
        self.places.retain(|_, history| {
            history.computed *= left;
            history.sampled *= left;
            history.computed + history.sampled > FORGOTTEN
        });
    }
}

/// Makes the parts add up to what ran, none of them larger than what was computed there: all are scaled alike, and what finds no
/// room at a place is left to the others. Those that are full first come first.
fn fit(times: &mut BTreeMap<u32, PlaceTime>, ran: f64) {
    if times.len() == 1 {
        // As most threads have it, in each pass: nothing is to be sorted.
        let only = times.values_mut();
        only.for_each(|time| time.ran = if time.ran > 0.0 { ran.min(time.seconds()) } else { 0.0 });
        return;
    }
    let mut all: Vec<&mut PlaceTime> = times.values_mut().collect();
    let room = |time: &PlaceTime| time.seconds() / time.ran.max(f64::MIN_POSITIVE);
    all.sort_by(|one, other| room(one).total_cmp(&room(other)));
    let (mut left, mut weight) = (ran, all.iter().map(|time| time.ran).sum::<f64>());
    for time in all {
        let part = if weight > 0.0 { left * (time.ran / weight).min(1.0) } else { 0.0 };
        weight -= time.ran;
        time.ran = part.min(time.seconds());
        left -= time.ran;
    }
}

/// Seconds of computing after which what was seen counts for a third.
const MEMORY: f64 = 2.0;
/// Seconds of running for which stack samples must stand to count for half.
const DOUBT: f64 = 0.02;
/// Seconds that nobody needs to know of any more.
const FORGOTTEN: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Nanos = Nanos::from_millis(5);

    fn ran(ran: Nanos) -> Granted {
        Granted { ran, ..Granted::default() }
    }

    fn computed(millis: [u64; 2]) -> BTreeMap<u32, PlaceTime> {
        let time =
            |millis| PlaceTime { computed: Nanos::from_millis(millis), ..PlaceTime::default() };
        (0..).zip(millis.map(time)).collect()
    }

    /// Passes of 50 ms in which a thread is half of the time at each of two places, and runs in one of them alone.
    fn after(passes: u32, samples: u32) -> BTreeMap<u32, PlaceTime> {
        let mut split = RunningSplit::default();
        let mut times = BTreeMap::new();
        for _ in 0..passes {
            (0..samples).for_each(|_| split.see(Some(1), PERIOD));
            times = computed([25, 25]);
            split.divide(&mut times, ran(Nanos::from_millis(25)));
        }
        times
    }

    #[test]
    fn running_time_goes_where_samples_find_the_thread() {
        let times = after(40, 5);
        assert!(times[&0].ran < 0.001 && times[&1].ran > 0.024, "{times:?}");
        let early = after(1, 5);
        assert!(early[&0].ran < early[&1].ran, "{early:?}");
    }

    #[test]
    fn run_delay_is_where_the_thread_did_not_run() {
        let mut times = computed([30, 20]);
        let [ran, delayed, blocked] = [25, 20, 5].map(Nanos::from_millis);
        let granted = Granted { ran, delayed, blocked, anywhere: ran, ..Granted::default() };
        RunningSplit::default().divide(&mut times, granted);
        let delay = |place: u32| times[&place].run_delay(times[&place].computed);
        assert_eq!((delay(0).0 + 500) / 1000, 12_000);
        assert_eq!((delay(1).0 + 500) / 1000, 8_000);
        let blocked = |place: u32| times[&place].blocked(times[&place].computed);
        assert_eq!([0, 1].map(|place| (blocked(place).0 + 500) / 1000), [3_000, 2_000]);
    }

    #[test]
    fn what_polls_is_told_apart_by_samples() {
        let mut split = RunningSplit::default();
        assert_eq!(split.polled_share(), 0.0);
        for at in 0..400_u32 {
            split.see(Some(1).filter(|_| at % 4 == 0), PERIOD);
        }
        let share = split.polled_share();
        assert!((share - 0.75).abs() < 0.02, "{share}");
    }

    #[test]
    fn samples_that_are_missing_change_nothing() {
        let (all, some) = (after(40, 5), after(40, 2));
        assert!((all[&1].ran - some[&1].ran).abs() < 0.001, "{all:?} {some:?}");
    }

    #[test]
    fn without_samples_all_places_are_alike() {
        let times = after(40, 0);
        assert!((times[&0].ran - times[&1].ran).abs() < 1e-9, "{times:?}");
    }

    #[test]
    fn what_always_runs_needs_no_samples() {
        let mut times = computed([30, 20]);
        RunningSplit::default().divide(&mut times, ran(Nanos::from_millis(50)));
        assert!((times[&0].ran - 0.03).abs() < 1e-9 && (times[&1].ran - 0.02).abs() < 1e-9);
    }

    #[test]
    fn parts_add_up_and_none_is_larger_than_its_whole() {
        let mut split = RunningSplit::default();
        for at in 0..200_u32 {
            // Samples come late, and now and then from a place that was left meanwhile.
            (0..at % 4).for_each(|_| split.see(Some(at % 3), PERIOD));
            let mut times = computed([u64::from(at % 5) * 10, u64::from(at % 7) * 4]);
            let all: f64 = times.values().map(|time| time.seconds()).sum();
            let ran = all * f64::from(at % 11) / 10.0;
            split.divide(
                &mut times,
                Granted { ran: Nanos((ran * 1e9) as u64), ..Granted::default() },
            );
            let sum: f64 = times.values().map(|time| time.ran).sum();
            assert!((sum - ran).abs() < 1e-6, "{at}: {times:?}");
            let fits = |time: &PlaceTime| time.ran <= time.seconds() + 1e-9;
            assert!(times.values().all(fits), "{at}: {times:?}");
        }
    }
}
