//! Functions that are called too often to stay switched on, or even armed: short windows, between
//! which they have their original bytes.
//!
//! Inside a window the program is slower, for each call costs its event. So what is told of it stands
//! for the window less what the events took: the time that the program would have needed.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use whyperf_layout::Command;
use whyperf_model::matching::PairId;

use super::account::{Spell, Stretch};
use super::activity::Activity;
use super::armory::{Armory, Site, Stage, Turn};
use super::desk::{Outcome, Planned};
use super::{Instrumenter, PRICED};
use crate::control::ring_doorbell;
use crate::region::Region;

/// A function that is on for a part of the time only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Window {
    /// Calls of the burst for which it was switched off, and the ticks that they took; zeros when that
    /// is not known.
    burst: (u32, u32),
    /// It was switched off since the round before.
    is_new: bool,
    /// Windows in a row in which nothing entered it.
    quiet: u32,
    /// The round of the next one.
    due: u64,
}

impl Window {
    /// From now on, because of a burst of so many calls in so many ticks.
    pub(super) fn after(burst: (u32, u32)) -> Self {
        Self { burst, is_new: true, ..Self::default() }
    }

    /// Calls a nanosecond in the burst, without what they cost.
    fn rate(self, activity: &Activity) -> Option<f64> {
        let (visits, ticks) = self.burst;
        let took = activity.time(u64::from(ticks)) - activity.cost(u64::from(visits));
        #[expect(clippy::cast_precision_loss, reason = "less than 2^52 ns")]
        (!took.is_zero()).then(|| f64::from(visits) / took.0 as f64)
    }
}

impl Armory {
    /// Takes note of what its functions did.
    pub(super) fn note(&mut self, activity: &Activity, region: &Region) {
        for site in self.sites.values_mut() {
            let Some(number) = site.region else {
                site.spell = site.blank_spell(activity);
                continue;
            };
            let Some(record) = region.regions().get(number as usize) else { continue };
            site.entered |= activity.of_region(number).is_some();
            site.rate = activity.rate(number);
            let is_off = record.switched.load(Ordering::Relaxed) == 0;
            if is_off && site.is_expected_on() && record.hot_visits.load(Ordering::Relaxed) != 0 {
                // Its reply is still to come, or never will.
                site.window = Some(Window::after((0, 0)));
                site.on_since = None;
            }
            let covered = record.coverage(activity.now);
            let new = covered.saturating_sub(std::mem::replace(&mut site.seen, covered));
            site.spell = site.spell(number, new, activity);
            site.was_on |= covered > 0;
            site.watch_windows();
        }
    }

    /// The function that costs most is measured in windows from now on.
    pub(super) fn cool(&mut self) {
        let rates = self.sites.values_mut().filter(|site| site.window.is_none());
        let hottest = rates.max_by(|one, other| one.rate.total_cmp(&other.rate));
        if let Some(site) = hottest.filter(|site| site.rate >= LEAST) {
            site.window = Some(Window::after((0, 0)));
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
        if self.batch.is_some() {
            return;
        }
        let is_due = |site: &Site| {
            let is_due = site.window.is_some_and(|window| turn.round >= window.due);
            site.wanted && is_due && site.stage == Stage::Ready
        };
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
            if let Some(window) = &mut site.window {
                // In all processes in the same rounds.
                window.due = (turn.round / PERIOD + 1) * PERIOD;
            }
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

impl Site {
    /// Whether amounts of the interval that just ended can be told.
    pub(super) fn is_measured(&self, round: u64) -> bool {
        if self.window.is_some() && self.spell.stretch == Stretch::Window {
            return self.spell.is_evidence();
        }
        let is_armed = matches!(self.stage, Stage::Armed(_));
        is_armed && self.on_since.is_some_and(|since| since < round)
    }

    /// Whether nothing more has to be waited for before it is called.
    pub(super) fn is_settled(&self) -> bool {
        let is_left = matches!(self.stage, Stage::Absent(_) | Stage::Refused(_));
        is_left || self.window.is_some() || self.on_since.is_some()
    }

    /// Whether it counts among what is measured, now or later.
    pub(super) fn is_measurable(&self) -> bool {
        !matches!(self.stage, Stage::Absent(_) | Stage::Refused(_))
    }

    /// Whether it is on unless the process itself switched it off.
    fn is_expected_on(&self) -> bool {
        self.window.is_none() && self.on_since.is_some()
    }

    /// Nothing is known of an interval before it was armed.
    fn blank_spell(&self, activity: &Activity) -> Spell {
        let stretch = if self.window.is_some() { Stretch::Window } else { Stretch::Waiting };
        Spell { lived: activity.length, age: activity.age, stretch, ..Spell::default() }
    }

    fn spell(&mut self, region: u32, covered: u64, activity: &Activity) -> Spell {
        let deeds = activity.of_region(region);
        let time = activity.time(covered);
        let is_new = self.window.as_mut().is_some_and(|window| std::mem::take(&mut window.is_new));
        let stretch = match self.window {
            Some(window) if is_new => Stretch::Ending(window.rate(activity)),
            Some(_) => Stretch::Window,
            None if covered == 0 => Stretch::Waiting,
            None if !self.was_on => Stretch::Beginning(activity.age - time),
            None => Stretch::On,
        };
        Spell {
            lived: activity.length,
            age: activity.age,
            covered: time,
            needed: activity.needed(region, covered),
            visits: deeds.map_or(0, |deeds| deeds.visits),
            own: deeds.map_or(0, |deeds| deeds.own),
            stretch,
        }
    }

    /// A function that nobody enters any more needs no windows: it is on again, until it is called
    /// too often.
    fn watch_windows(&mut self) {
        let Some(window) = &mut self.window else { return };
        if self.spell.stretch != Stretch::Window || self.spell.covered.is_zero() {
            return;
        }
        window.quiet = if self.spell.visits == 0 { window.quiet + 1 } else { 0 };
        if window.quiet >= QUIET {
            self.window = None;
        }
    }
}

impl Instrumenter {
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
        sites.filter(|site| site.is_measurable())
    }
}

/// Nanoseconds of a window.
const WINDOW: u64 = 500_000;
/// Until the next one the agent would wait as long as it can: the daemon ends it before.
const HOUR: u64 = 3_600_000_000_000;
/// Rounds from window to window.
const PERIOD: u64 = 4;
/// The share of the time that this makes, as long as nothing is known better.
pub(super) const SHARE: f64 = 0.0025;
/// Windows that show no call, after which there are none.
const QUIET: u32 = 2;
/// Functions with windows at a time: their commands fit into the ring together.
const AT_ONCE: usize = 12;
/// How often, and how far apart, it is looked whether a window is over.
const TRIES: u32 = 60;
const STEP: Duration = Duration::from_micros(300);
/// Calls a second below which no function is too hot.
const LEAST: f64 = 20_000.0;
/// Rounds after which a function that nobody entered is looked through.
const PATIENCE: u64 = 7;
