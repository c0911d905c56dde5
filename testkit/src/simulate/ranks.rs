//! A data source of random jobs whose processes all do the same, or of which one is slower: what splits by process are tested against.
//!
//! ```text
//!   rank 0  ████████▒▒▒▒      each interval a process computes for a share of the time and waits for the rest;
//!   rank 1  ███████▒▒▒▒▒      the shares vary by noise of a drawn kind, and have one mean over the run
//!   rank 2  █████████▒▒▒      unless one process computes longer, for which the others then wait
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::f64::consts::TAU;

use whyperf_consultant::{DataSource, Event, MeasurementId, RunAmount};
use whyperf_model::{
    Category, Comparison, FocusMembership, Interval, Nanos, Pair, Quantity, Resource, Sample, Time,
};

use super::dice::Dice;
use super::program::{SimulatedActivity, SimulatedProcess};

const STEP: Nanos = Nanos::from_millis(50);
/// How much longer the slow one computes.
const SLOWER: f64 = 1.2;

/// A job of processes side by side.
#[derive(Clone, Debug)]
pub struct Ranks {
    processes: Vec<SimulatedProcess>,
    /// Who is slower than the others.
    slow: Option<usize>,
    /// What each process does, one after the other.
    activities: Vec<SimulatedActivity>,
    /// For each interval and rank how long each activity takes.
    amounts: Vec<Vec<Vec<i64>>>,
    at: usize,
    measured: BTreeMap<MeasurementId, SimulatedMeasurement>,
    events: VecDeque<Event>,
}

/// A pair, and which processes and activities count for it.
#[derive(Clone, Debug)]
struct SimulatedMeasurement {
    ranks: Vec<bool>,
    activities: Vec<bool>,
    comparison: Option<Comparison>,
}

/// How a share varies about its mean. All kinds have the mean zero over a run, as far as the run is long enough to show it.
#[derive(Clone, Copy, Debug)]
enum Noise {
    /// Each interval for itself.
    White { spread: f64 },
    /// What an interval has, the next one keeps a part of.
    Lasting { spread: f64, kept: f64 },
    /// A slow wave, which is another one in each process, and some noise on it.
    Drift { height: f64, waves: f64, spread: f64 },
    /// Now and then a process does nothing but compute for a while.
    Bursts { chance: f64, intervals: u64 },
}

impl Ranks {
    /// A job in which all processes do the same: the same job for the same seed.
    #[must_use]
    pub fn balanced(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let count = dice.between(2, 32);
        // A third each: waiting near its threshold, computing near its threshold, anything.
        let computing = match dice.below(3) {
            0 => dice.real(0.77, 0.83),
            1 => dice.real(0.27, 0.33),
            _ => dice.real(0.05, 0.95),
        };
        Self::drawn(&mut dice, &vec![computing; count], None)
    }

    /// The same with one process that computes a fifth longer, for which the others wait.
    #[must_use]
    pub fn one_slow(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let count = dice.between(2, 32);
        let slow = dice.between(0, count - 1);
        let computing = dice.real(0.35, 0.95);
        let period = 1.0 + (SLOWER - 1.0) * computing;
        let mut shares = vec![computing / period; count];
        shares[slow] *= SLOWER;
        Self::drawn(&mut dice, &shares, Some(slow))
    }

    /// Who is slower than the others.
    #[must_use]
    pub fn slow(&self) -> Option<&SimulatedProcess> {
        self.slow.map(|rank| &self.processes[rank])
    }

    /// How many processes there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.processes.len()
    }

    fn drawn(dice: &mut Dice, shares: &[f64], slow: Option<usize>) -> Self {
        let per_machine = dice.between(1, shares.len());
        let processes = (0..shares.len()).map(|rank| SimulatedProcess {
            process: resource(&format!("/Process/{rank}")),
            machine: resource(&format!("/Machine/n{}", rank / per_machine)),
        });
        let activities = activities(dice);
        let intervals = dice.between(200, 600);
        let noise = Noise::draw(dice);
        let common = if dice.below(2) == 0 { dice.real(0.0, 0.05) } else { 0.0 };
        let common = Noise::Lasting { spread: common, kept: 0.9 }.series(dice, intervals);
        let mut amounts = vec![Vec::new(); intervals];
        for share in shares {
            let own = noise.series(dice, intervals);
            for (at, amounts) in amounts.iter_mut().enumerate() {
                let computing = (share + own[at] + common[at]).clamp(0.0, 1.0);
                amounts.push(spent(&activities, computing));
            }
        }
        Self {
            processes: processes.collect(),
            slow,
            activities,
            amounts,
            at: 0,
            measured: BTreeMap::new(),
            events: VecDeque::new(),
        }
    }

    /// A pair of which nothing was measured yet.
    fn measured_from_now(&self, pair: &Pair) -> SimulatedMeasurement {
        let definition = pair.metric.definition();
        let aggregation = definition.aggregation;
        // Nothing is called and nothing is moved: there is only time.
        let is_time = matches!(definition.quantity, Quantity::Time | Quantity::RunningTime);
        SimulatedMeasurement {
            ranks: self.processes.iter().map(|one| one.is_in(&pair.focus)).collect(),
            activities: { self.activities.iter() }
                .map(|one| is_time && one.counts(pair.metric) && one.is_in(&pair.focus))
                .collect(),
            comparison: aggregation.compares().then(|| Comparison::new(aggregation)),
        }
    }

    fn announce(&mut self, now: Time) {
        for SimulatedProcess { process, machine } in &self.processes {
            self.events.push_back(Event::Placed(now, process.clone(), machine.clone()));
            for resource in [machine, process] {
                self.events.push_back(Event::Resource(now, resource.clone()));
            }
        }
        for resource in self.activities.iter().flat_map(|activity| &activity.resources) {
            self.events.push_back(Event::Resource(now, resource.clone()));
        }
    }
}

impl DataSource for Ranks {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.measured.insert(id, self.measured_from_now(pair));
    }

    fn stop(&mut self, id: MeasurementId) {
        self.measured.remove(&id);
        self.events.retain(|event| !matches!(event, Event::Sample(other, _) if *other == id));
    }

    fn callees(&mut self, of: &Resource) {
        let now = Time::ZERO + Nanos(STEP.0 * self.at as u64);
        self.events.push_back(Event::Callees(now, of.clone(), Vec::new()));
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        let mut measured = self.measured_from_now(pair);
        if measured.comparison.is_some() {
            return None;
        }
        let interval = Interval::new(Time::ZERO, Time::ZERO + Nanos(STEP.0 * self.at as u64));
        let each = self.amounts[..self.at].iter();
        let amount = each.map(|amounts| measured.sample(interval, amounts).amount).sum();
        Some(RunAmount { amount, error: 0, interval })
    }

    fn poll(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn advance(&mut self) -> bool {
        let Some(amounts) = self.amounts.get(self.at) else { return false };
        let start = Time::ZERO + Nanos(STEP.0 * self.at as u64);
        let interval = Interval::new(start, start + STEP);
        for (id, measured) in &mut self.measured {
            let sample = measured.sample(interval, amounts);
            self.events.push_back(Event::Sample(*id, sample));
        }
        self.at += 1;
        if self.at == 1 {
            self.announce(interval.end);
        }
        if self.at == self.amounts.len() {
            self.events.push_back(Event::End(interval.end));
        }
        true
    }
}

impl SimulatedMeasurement {
    fn sample(&mut self, interval: Interval, amounts: &[Vec<i64>]) -> Sample {
        let inside = self.ranks.iter().filter(|is| **is).count();
        let counted = |of: &[i64]| -> i64 {
            { of.iter().zip(&self.activities) }.filter(|(_, is)| **is).map(|(time, _)| time).sum()
        };
        let each = || self.ranks.iter().zip(amounts).map(|(is, amounts)| (*is, counted(amounts)));
        let Some(comparison) = &mut self.comparison else {
            let amount = each().filter(|(is, _)| *is).map(|(_, time)| time).sum();
            return Sample::complete(interval, amount, number(inside));
        };
        let values: Vec<(bool, i64)> = each().collect();
        for (rank, (is_inside, time)) in values.into_iter().enumerate() {
            let membership =
                if is_inside { FocusMembership::Inside } else { FocusMembership::Outside };
            comparison.watch((0, number(rank)), membership);
            comparison.take((0, number(rank)), membership, Some(0), time);
        }
        Sample::complete(interval, comparison.close(|_| true), number(self.ranks.len()))
    }
}

impl Noise {
    fn draw(dice: &mut Dice) -> Self {
        match dice.below(4) {
            0 => Self::White { spread: dice.real(0.0, 0.15) },
            1 => Self::Lasting { spread: dice.real(0.0, 0.06), kept: dice.real(0.7, 0.98) },
            2 => Self::Drift {
                height: dice.real(0.01, 0.08),
                waves: dice.between(1, 5) as f64,
                spread: dice.real(0.0, 0.05),
            },
            _ => Self::Bursts {
                chance: dice.real(0.0, 0.003),
                intervals: dice.between(1, 20) as u64,
            },
        }
    }

    /// What it adds to the share of each interval.
    fn series(self, dice: &mut Dice, intervals: usize) -> Vec<f64> {
        let phase = dice.real(0.0, TAU);
        let mut last = None;
        let mut left = 0;
        let each = |at: usize| match self {
            Self::White { spread } => spread * dice.normal(),
            Self::Lasting { spread, kept } => {
                let fresh = spread * dice.normal();
                let now = last.map_or(fresh, |last: f64| {
                    last.mul_add(kept, fresh * (1.0 - kept * kept).sqrt())
                });
                last = Some(now);
                now
            }
            Self::Drift { height, waves, spread } => {
                let turn = TAU * waves * at as f64 / intervals as f64 + phase;
                height * turn.sin() + spread * dice.normal()
            }
            Self::Bursts { chance, intervals } => {
                if dice.real(0.0, 1.0) < chance {
                    left = intervals;
                }
                left = u64::saturating_sub(left, 1);
                if left > 0 { 0.5 } else { 0.0 }
            }
        };
        (0..intervals).map(each).collect()
    }
}

/// Computing in two functions, and waiting: in a collective, or for messages of two tags.
fn activities(dice: &mut Dice) -> Vec<SimulatedActivity> {
    let first = dice.between(300, 1000) as u64;
    let waits = match dice.below(2) {
        0 => vec![(1000, Category::Collective, "/SyncObject/Collective/MPI_COMM_WORLD")],
        _ => vec![
            (first, Category::Receive, "/SyncObject/Message/MPI_COMM_WORLD/1"),
            (1000 - first, Category::Receive, "/SyncObject/Message/MPI_COMM_WORLD/2"),
        ],
    };
    let computing = [(first, "/Code/solve.c/sweep"), (1000 - first, "/Code/solve.c/update")];
    let computing = computing
        .into_iter()
        .map(|(permille, code)| activity(permille, Category::User, vec![resource(code)]));
    let waiting = waits.into_iter().map(|(permille, category, object)| {
        activity(permille, category, vec![resource("/Code/solve.c/exchange"), resource(object)])
    });
    computing.chain(waiting).collect()
}

/// How long each activity takes in an interval.
fn spent(activities: &[SimulatedActivity], computing: f64) -> Vec<i64> {
    let each = |activity: &SimulatedActivity| {
        let share = if activity.category == Category::User { computing } else { 1.0 - computing };
        (share * activity.permille as f64 / 1000.0 * STEP.0 as f64) as i64
    };
    activities.iter().map(each).collect()
}

fn activity(permille: u64, category: Category, resources: Vec<Resource>) -> SimulatedActivity {
    SimulatedActivity { permille, category, resources, calls_per_second: 0, bytes_per_call: 0 }
}

fn resource(text: &str) -> Resource {
    Resource::parse(text).expect("well formed")
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
