//! Random programs with known truth: calls, how long each function takes, and what a search is due to find.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Category, Hierarchy, Interval, Nanos, Resource, Time};

use super::code::SimulatedCode;
use super::dice::Dice;
use super::program::{SimulatedActivity, SimulatedPhase, SimulatedProcess, SimulatedProgram};
use super::simulated::{Script, Simulated};

const LENGTH: Nanos = Nanos::from_secs(15);

/// A program with its truth.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    program: SimulatedProgram,
    script: Script,
    calls: BTreeSet<(Resource, Resource)>,
    /// The inclusive share of each function in thousandths.
    inclusive: BTreeMap<Resource, u64>,
}

fn root() -> Resource {
    Resource::root(Hierarchy::Code)
}

impl RandomProgram {
    /// Draws one: the same for the same seed.
    #[must_use]
    pub fn draw(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let count = 5 + dice.below(30);
        let function = |at: usize| root().child(&format!("m{}.c", at % 3)).child(&format!("f{at}"));
        let mut calls = BTreeSet::from([(root(), function(0))]);
        let mut activities = Vec::new();
        let mut inclusive: BTreeMap<Resource, u64> = BTreeMap::new();
        let mut left = 1000;
        while left > 0 {
            let share = left.min(20 + dice.below(400) as u64);
            left -= share;
            let mut path = vec![function(0)];
            for _ in 0..dice.below(8) {
                let callee = function(dice.below(count));
                calls.insert((path[path.len() - 1].clone(), callee.clone()));
                path.push(callee);
            }
            let on_path: BTreeSet<_> = path.iter().cloned().collect();
            for function in on_path {
                *inclusive.entry(function).or_default() += share;
            }
            activities.push(activity(share, path));
        }
        // Calls that take no time, to be tried in vain.
        for _ in 0..dice.below(2 * count) {
            calls.insert((function(dice.below(count)), function(dice.below(count))));
        }
        let mut code = SimulatedCode { call_cost: 60e-9, ..SimulatedCode::default() };
        for (caller, callee) in &calls {
            let late = dice.below(10) == 0 && !caller.is_root();
            let known = if late { Time::from_millis(dice.below(3000) as u64) } else { Time::ZERO };
            code.calls.push((known, caller.clone(), callee.clone()));
            code.rates.insert(callee.clone(), [10.0, 1e3, 1e4, 5e4][dice.below(4)]);
            if dice.below(30) == 0 {
                code.refused.insert(callee.clone(), "it is too short".to_owned());
            } else if dice.below(30) == 0 {
                code.hot.insert(callee.clone(), 0.05);
            }
        }
        let period = Nanos::from_millis(3 + dice.below(90) as u64);
        let interval = Interval::new(Time::ZERO, Time(LENGTH));
        let phases = vec![SimulatedPhase { interval, ranks: vec![0], period, activities }];
        let process = Resource::root(Hierarchy::Process).child("0");
        let machine = Resource::root(Hierarchy::Machine).child("n0");
        let program =
            SimulatedProgram { processes: vec![SimulatedProcess { process, machine }], phases };
        let script = Script { length: LENGTH, code, ..Script::default() };
        Self { program, script, calls, inclusive }
    }

    /// The share of the time that is spent in a function and what it calls.
    #[must_use]
    pub fn share(&self, function: &Resource) -> f64 {
        self.inclusive.get(function).copied().unwrap_or_default() as f64 / 1000.0
    }

    /// Functions that a search with this threshold must find: clearly above it, and reached from where threads begin through such
    /// functions and through functions that cannot be measured. Windows take their time, so nothing behind one is due.
    #[must_use]
    pub fn due(&self, threshold: f64) -> BTreeSet<Resource> {
        let mut pending = vec![root()];
        let mut seen = BTreeSet::from([root()]);
        while let Some(caller) = pending.pop() {
            for (_, callee) in self.calls.iter().filter(|(of, _)| *of == caller) {
                let is_refused = self.script.code.refused.contains_key(callee);
                let is_hot = self.script.code.hot.contains_key(callee);
                let leads_on = is_refused || (!is_hot && self.share(callee) > 1.25 * threshold);
                if leads_on && seen.insert(callee.clone()) {
                    pending.push(callee.clone());
                }
            }
        }
        let is_refused = |function: &Resource| self.script.code.refused.contains_key(function);
        seen.into_iter().filter(|function| !function.is_root() && !is_refused(function)).collect()
    }

    /// A data source of it, from its beginning.
    #[must_use]
    pub fn source(&self) -> Simulated {
        Simulated::new(self.program.clone(), self.script.clone())
    }
}

fn activity(permille: u64, resources: Vec<Resource>) -> SimulatedActivity {
    let category = Category::User;
    SimulatedActivity { permille, category, resources, calls_per_second: 0, bytes_per_call: 0 }
}
