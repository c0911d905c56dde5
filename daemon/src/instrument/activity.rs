//! What the functions of a process did since the round before.

use std::collections::BTreeMap;

use whyperf_model::{Category, Nanos};

use crate::clock::Scale;
use crate::compensation::Price;
use crate::process::Process;

/// What each function's region grew by; one that was not entered has no entry.
#[derive(Debug)]
pub(crate) struct Activity {
    pub(super) visits: BTreeMap<u32, u64>,
    /// The time it speaks of.
    pub(super) length: Nanos,
    /// What an event costs, in 1/256 ticks.
    price: u64,
    scale: Scale,
}

impl Activity {
    /// Of all threads of a process, after a pass.
    pub(crate) fn of(process: &Process, price: Price, length: Nanos, scale: Scale) -> Self {
        let (members, catalogue) = (&process.members, &process.catalogue);
        let mut visits = BTreeMap::new();
        for member in members {
            for growth in &member.growth {
                let number = member.thread.nodes[growth.node as usize].region;
                let region = catalogue.tables.region(number);
                if region.is_some_and(|region| region.category == Category::Function) {
                    *visits.entry(number).or_default() += growth.by.visits;
                }
            }
        }
        Self { visits, length, price: price.inside + price.outside, scale }
    }

    /// Ticks as time.
    pub(super) fn time(&self, ticks: u64) -> Nanos {
        Nanos(self.scale.nanos(ticks))
    }

    /// What the events of a function took.
    pub(super) fn cost(&self, region: u32) -> Nanos {
        let visits = self.visits.get(&region).copied().unwrap_or(0);
        self.time(visits.saturating_mul(self.price) >> 8)
    }

    /// Calls a second.
    #[expect(clippy::cast_precision_loss, reason = "a rate is a ratio, not a count")]
    pub(super) fn rate(&self, region: u32) -> f64 {
        let visits = self.visits.get(&region).copied().unwrap_or(0);
        if self.length.is_zero() { 0.0 } else { visits as f64 / self.length.as_secs_f64() }
    }
}
