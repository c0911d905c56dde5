//! Functions that are called too often to stay switched on, or even armed: short windows, between
//! which they have their original bytes.
//!
//! Inside a window the program is slower, for each call costs its event. So what counts as covered is
//! the window less what the events took: the time that the program would have needed.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use whyperf_layout::Command;
use whyperf_model::Nanos;
use whyperf_model::matching::PairId;

use super::activity::Activity;
use super::armory::{Armory, Site, Stage, Turn};
use super::desk::{Outcome, Planned};
use super::{Instrumenter, PRICED};
use crate::control::ring_doorbell;
use crate::region::Region;

/// A function that is on for a part of the time only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Window {
    /// Ticks that were covered when it was last looked at.
    seen: u64,
    /// Of the last interval: the share that the program would have needed for what was covered.
    share: f64,
    /// Covered, and all, since it is measured so.
    covered: Nanos,
    pub(super) lived: Nanos,
}

impl Armory {
    /// Takes note of what its functions did.
    pub(super) fn note(&mut self, activity: &Activity, region: &Region) {
        for site in self.sites.values_mut() {
            let Some(number) = site.region else { continue };
            site.entered |= activity.visits.contains_key(&number);
            site.rate = activity.rate(number);
            let Some(window) = &mut site.window else { continue };
            let Some(record) = region.regions().get(number as usize) else { continue };
            let covered = record.covered.load(Ordering::Relaxed);
            let new =
                activity.time(covered.wrapping_sub(std::mem::replace(&mut window.seen, covered)));
            window.note(new, activity.cost(number), activity.length);
        }
    }

    /// The function that costs most is measured in windows from now on.
    pub(super) fn cool(&mut self) {
        let rates = self.sites.values_mut().filter(|site| site.window.is_none());
        let hottest = rates.max_by(|one, other| one.rate.total_cmp(&other.rate));
        if let Some(site) = hottest.filter(|site| site.rate >= LEAST) {
            site.window = Some(Window::default());
            site.on_since = None;
        }
    }

    /// What came of planning a function.
    pub(super) fn planned(&mut self, mut planned: Planned, round: u64) {
        let outcome = std::mem::replace(&mut planned.outcome, Outcome::Absent);
        match outcome {
            Outcome::Patch(patch, arena) => self.ready(&planned, patch, arena),
            Outcome::Refused(reason) => self.not_ready(planned.function, Stage::Refused(reason)),
            Outcome::Absent => self.not_ready(planned.function, Stage::Absent(round)),
        }
    }

    /// Opens one window for functions that are too hot, and waits for its end: armed but off they
    /// would cost the program more than the window does.
    pub(super) fn open_windows(&mut self, turn: Turn<'_>) {
        if !turn.round.is_multiple_of(PERIOD) || self.batch.is_some() {
            return;
        }
        let is_due =
            |site: &Site| site.wanted && site.window.is_some() && site.stage == Stage::Ready;
        let due = self.sites.iter_mut().filter(|(_, site)| is_due(site) && site.region.is_some());
        let due: Vec<_> = due.take(AT_ONCE).collect();
        let regions: Vec<u32> = due.iter().filter_map(|(_, site)| site.region).collect();
        let Some(first) = regions.first() else { return };
        for (record, (_, site)) in turn.region.staging().iter().zip(&due) {
            if let Some(patch) = &site.patch {
                record.write(patch);
            }
        }
        let before = covered(turn.region, *first);
        self.batches += 1;
        if !turn.send(Command::Arm, [0, due.len() as u64, self.batches]) {
            return;
        }
        let mut keys = Vec::new();
        for (key, site) in due {
            site.stage = Stage::Arming;
            keys.push(*key);
        }
        self.batch = Some((self.batches, keys));
        for region in &regions {
            turn.send(Command::Window, [u64::from(*region), WINDOW, HOUR]);
        }
        ring_doorbell(turn.region);
        for _ in 0..TRIES {
            thread::sleep(STEP);
            if covered(turn.region, *first) != before {
                break;
            }
        }
        for region in regions {
            turn.send(Command::Window, [u64::from(region), 0, 0]);
            turn.send(Command::Disarm, [u64::from(region), 0, 0]);
        }
        ring_doorbell(turn.region);
    }
}

fn covered(region: &Region, number: u32) -> u64 {
    region.regions().get(number as usize).map_or(0, |record| record.covered.load(Ordering::Relaxed))
}

impl Window {
    pub(super) fn coverage(self) -> f64 {
        if self.lived.is_zero() {
            0.0
        } else {
            self.covered.as_secs_f64() / self.lived.as_secs_f64()
        }
    }

    fn note(&mut self, covered: Nanos, cost: Nanos, length: Nanos) {
        self.covered += covered;
        self.lived += length;
        let covered = covered.as_secs_f64();
        let needed = (covered - cost.as_secs_f64()).max(covered * FASTEST);
        self.share = if length.is_zero() { 0.0 } else { needed / length.as_secs_f64() };
    }
}

impl Instrumenter {
    /// By how much a pair's amount is to be multiplied because its functions were on in a window
    /// only; 0 when there was none; `None` when they are on all the time.
    pub(crate) fn scale(&self, pair: PairId) -> Option<f64> {
        let mut shares = Vec::new();
        let mut is_hot = false;
        for site in self.sites_of(pair) {
            is_hot |= site.window.is_some();
            let is_on = site.on_since.is_some();
            let whole = || f64::from(u8::from(is_on));
            shares.push(site.window.map_or_else(whole, |window| window.share));
        }
        let sum: f64 = shares.iter().sum();
        #[expect(clippy::cast_precision_loss, reason = "a few processes")]
        let scale = if sum > 0.0 { shares.len() as f64 / sum } else { 0.0 };
        is_hot.then_some(scale)
    }

    /// Pairs whose functions turned out too hot, each once, with the share that windows will cover.
    pub(crate) fn take_too_hot(&mut self) -> Vec<(PairId, f64)> {
        let hot = self
            .needs
            .keys()
            .filter(|pair| self.sites_of(**pair).any(|site| site.window.is_some()));
        let hot: Vec<PairId> = hot.copied().collect();
        hot.into_iter()
            .filter(|pair| self.told.hot.insert(*pair))
            .map(|pair| (pair, SHARE))
            .collect()
    }

    /// How often functions are called per second, now and then.
    pub(crate) fn take_prices(&mut self) -> Vec<(whyperf_model::Resource, f64)> {
        if !self.round.is_multiple_of(PRICED) {
            return Vec::new();
        }
        std::mem::take(&mut self.told.prices).into_iter().collect()
    }

    /// Whether all functions of a pair are on for a while, and none of them was entered.
    pub(crate) fn is_quiet(&self, pair: PairId) -> bool {
        let mut all = self.sites_of(pair).peekable();
        let is_quiet = |site: &Site| {
            let since = site.on_since.is_some_and(|since| self.round >= since + PATIENCE);
            !site.is_system && !site.entered && since
        };
        all.peek().is_some() && all.all(is_quiet)
    }

    fn sites_of(&self, pair: PairId) -> impl Iterator<Item = &Site> {
        let needs = self.needs.get(&pair).into_iter().flatten();
        let keys = needs.filter_map(|code| self.found.get(code)).flat_map(|found| &found.functions);
        let sites = keys
            .flat_map(|key| self.armories.values().filter_map(move |armory| armory.sites.get(key)));
        sites.filter(|site| !matches!(site.stage, Stage::Absent(_) | Stage::Refused(_)))
    }
}

/// Nanoseconds of a window.
const WINDOW: u64 = 1_000_000;
/// Until the next one the agent would wait as long as it can: the daemon ends it before.
const HOUR: u64 = 3_600_000_000_000;
/// Rounds from window to window.
const PERIOD: u64 = 10;
/// The share of the time that this makes, as long as nothing is known better.
const SHARE: f64 = 0.002;
/// Functions with windows at a time: their commands fit into the ring together.
const AT_ONCE: usize = 12;
/// How often, and how far apart, it is looked whether a window is over.
const TRIES: u32 = 60;
const STEP: Duration = Duration::from_micros(300);
/// No event makes a program slower than by this.
const FASTEST: f64 = 0.05;
/// Calls a second below which no function is too hot.
const LEAST: f64 = 20_000.0;
/// Rounds after which a function that nobody entered is looked through.
const PATIENCE: u64 = 7;
