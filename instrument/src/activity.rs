//! The activity of a process's functions since the pass before: visits and time of each.

use std::collections::BTreeMap;

use whyperf_model::{Nanos, Scale};

/// What a function's region grew by.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionGrowth {
    pub(crate) visits: u64,
    /// Ticks in it alone.
    pub(crate) own: u64,
    /// Visits by each thread that made some.
    by_thread: Vec<u64>,
}

/// What a thread did in a function's region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entered {
    /// The region.
    pub region: u32,
    /// How often it was entered.
    pub visits: u64,
    /// Ticks in it alone.
    pub ticks: u64,
}

/// What each function's region grew by; one that was not entered has no entry.
#[derive(Debug)]
pub struct Activity {
    deeds: BTreeMap<u32, FunctionGrowth>,
    /// The time it speaks of: as much of the interval as the process lived.
    pub(crate) length: Nanos,
    /// For how long the process could call anything by now.
    pub(crate) age: Nanos,
    /// Ticks at its end.
    pub(crate) now: u64,
    /// What an event costs, in 1/256 ticks.
    price: u64,
    scale: Scale,
}

/// The time an activity speaks of, in ticks of the process.
#[derive(Clone, Copy, Debug)]
pub struct ActivitySpan {
    /// Where it begins.
    pub begin: u64,
    /// Where it ends.
    pub end: u64,
    /// When the process began.
    pub birth: u64,
}

impl Activity {
    /// Of all threads of a process, each with what it did in functions. A call costs so many 1/256 ticks.
    pub fn of<Thread: Iterator<Item = Entered>>(
        threads: impl Iterator<Item = Thread>,
        price: u64,
        span: ActivitySpan,
        scale: Scale,
    ) -> Self {
        let mut deeds: BTreeMap<u32, FunctionGrowth> = BTreeMap::new();
        for thread in threads {
            let mut own: BTreeMap<u32, u64> = BTreeMap::new();
            for Entered { region, visits, ticks } in thread {
                *own.entry(region).or_default() += visits;
                deeds.entry(region).or_default().own += ticks;
            }
            for (number, visits) in own {
                let deeds = deeds.entry(number).or_default();
                deeds.visits += visits;
                deeds.by_thread.push(visits);
            }
        }
        let time = |from: u64| Nanos(scale.nanos(span.end.saturating_sub(from)));
        let (length, age) = (time(span.begin.max(span.birth)), time(span.birth));
        Self { deeds, length, age, now: span.end, price, scale }
    }

    /// The time it speaks of.
    #[must_use]
    pub const fn length(&self) -> Nanos {
        self.length
    }

    /// Ticks as time.
    pub(crate) fn time(&self, ticks: u64) -> Nanos {
        Nanos(self.scale.nanos(ticks))
    }

    /// What a function did, if it was entered.
    pub(crate) fn of_region(&self, region: u32) -> Option<&FunctionGrowth> {
        self.deeds.get(&region)
    }

    /// What the program would have needed for what it did in so many ticks while a function was on:
    /// each thread the time less what its own calls cost.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(crate) fn needed(&self, region: u32, covered: u64) -> Nanos {
        let threads = self.deeds.get(&region).map_or(&[][..], |deeds| &deeds.by_thread);
        let covered = self.time(covered).0 as f64;
        let (mut visits, mut rate) = (0.0, 0.0);
        for own in threads.iter().filter(|own| **own > 0) {
            let cost = self.cost(*own).0 as f64;
            visits += *own as f64;
            rate += *own as f64 / (covered - cost).max(covered * FASTEST).max(1.0);
        }
        let needed = if visits > 0.0 { visits / rate } else { covered };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above 0")]
        Nanos(needed as u64)
    }

    /// The same as running time of all threads together, which ran for so many nanoseconds in each tick: a thread that waits for a processor
    /// calls nothing meanwhile. `None` where events took more of it than the program did, for what they cost is not known as well as that.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate, above 0"
    )]
    pub(crate) fn ran(&self, region: u32, running: f64, covered: u64) -> Option<Nanos> {
        let visits = self.deeds.get(&region)?.visits;
        let ran = running * covered as f64;
        let needed = ran - self.cost(visits).0 as f64;
        (needed >= (ran / 2.0).max(1.0)).then_some(Nanos(needed as u64))
    }

    /// Seconds that a call costs.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub(crate) fn price(&self) -> f64 {
        const MANY: u64 = 1 << 20;
        self.cost(MANY).as_secs_f64() / MANY as f64
    }

    /// What so many calls cost.
    pub(crate) fn cost(&self, visits: u64) -> Nanos {
        self.time(visits.saturating_mul(self.price) >> 8)
    }

    /// Calls a second while a function was on, for so many ticks.
    #[expect(clippy::cast_precision_loss, reason = "a rate is a ratio, not a count")]
    pub(crate) fn rate(&self, region: u32, covered: u64) -> f64 {
        let visits = self.deeds.get(&region).map_or(0, |deeds| deeds.visits);
        let covered = self.time(covered);
        if covered.is_zero() { 0.0 } else { visits as f64 / covered.as_secs_f64() }
    }
}

/// No event makes a program slower than by this.
const FASTEST: f64 = 0.05;
