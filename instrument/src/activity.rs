//! What the functions of a process did since the round before.

use std::collections::BTreeMap;

use whyperf_model::{Category, Nanos};

use crate::clock::Scale;
use crate::compensation::Price;
use crate::process::Process;

/// What a function's region grew by.
#[derive(Clone, Debug, Default)]
pub(super) struct Deeds {
    pub(super) visits: u64,
    /// Ticks in it alone.
    pub(super) own: u64,
    /// Visits by each thread that made some.
    by_thread: Vec<u64>,
}

/// What each function's region grew by; one that was not entered has no entry.
#[derive(Debug)]
pub(crate) struct Activity {
    deeds: BTreeMap<u32, Deeds>,
    /// The time it speaks of: as much of the interval as the process lived.
    pub(super) length: Nanos,
    /// For how long the process could call anything by now.
    pub(super) age: Nanos,
    /// Ticks at its end.
    pub(super) now: u64,
    /// What an event costs, in 1/256 ticks.
    price: u64,
    scale: Scale,
}

/// The time an activity speaks of, in ticks of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// When the process began.
    pub(crate) birth: u64,
}

impl Activity {
    /// Of all threads of a process, after a pass.
    pub(crate) fn of(process: &Process, price: Price, span: Span, scale: Scale) -> Self {
        let (members, catalogue) = (&process.members, &process.catalogue);
        let mut deeds: BTreeMap<u32, Deeds> = BTreeMap::new();
        for member in members {
            let mut own: BTreeMap<u32, u64> = BTreeMap::new();
            for growth in &member.growth {
                let number = member.thread.nodes[growth.node as usize].region;
                let region = catalogue.tables.region(number);
                if region.is_some_and(|region| region.category == Category::Function) {
                    *own.entry(number).or_default() += growth.by.visits;
                    deeds.entry(number).or_default().own += growth.by.time;
                }
            }
            for (number, visits) in own {
                let deeds = deeds.entry(number).or_default();
                deeds.visits += visits;
                deeds.by_thread.push(visits);
            }
        }
        let time = |from: u64| Nanos(scale.nanos(span.end.saturating_sub(from)));
        let (length, age) = (time(span.begin.max(span.birth)), time(span.birth));
        let price = price.inside + price.outside;
        Self { deeds, length, age, now: span.end, price, scale }
    }

    /// Ticks as time.
    pub(super) fn time(&self, ticks: u64) -> Nanos {
        Nanos(self.scale.nanos(ticks))
    }

    /// What a function did, if it was entered.
    pub(super) fn of_region(&self, region: u32) -> Option<&Deeds> {
        self.deeds.get(&region)
    }

    /// What the program would have needed for what it did in so many ticks while a function was on:
    /// each thread the time less what its own calls cost.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn needed(&self, region: u32, covered: u64) -> Nanos {
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

    /// Seconds that a call costs.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    pub(super) fn price(&self) -> f64 {
        const MANY: u64 = 1 << 20;
        self.cost(MANY).as_secs_f64() / MANY as f64
    }

    /// What so many calls cost.
    pub(super) fn cost(&self, visits: u64) -> Nanos {
        self.time(visits.saturating_mul(self.price) >> 8)
    }

    /// Calls a second while a function was on, for so many ticks.
    #[expect(clippy::cast_precision_loss, reason = "a rate is a ratio, not a count")]
    pub(super) fn rate(&self, region: u32, covered: u64) -> f64 {
        let visits = self.deeds.get(&region).map_or(0, |deeds| deeds.visits);
        let covered = self.time(covered);
        if covered.is_zero() { 0.0 } else { visits as f64 / covered.as_secs_f64() }
    }
}

/// No event makes a program slower than by this.
const FASTEST: f64 = 0.05;
