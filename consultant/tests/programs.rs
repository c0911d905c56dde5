//! A thousand random programs: what must be found is found, what is found is there, and all of it twice the same.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_consultant::simulate::{
    Activity, Checked, Code, Phase, Process, Program, Script, Simulated,
};
use whyperf_consultant::{Hypotheses, Report, Search, Settings, run};
use whyperf_model::{Category, Hierarchy, Interval, Nanos, Resource, Time};

/// All thousand where tests are compiled to be fast.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 200 } else { 1000 };
/// Of `CPUbound`.
const THRESHOLD: f64 = 0.30;
const LENGTH: Nanos = Nanos::from_secs(15);

/// Numbers without order; the tests need no secrets.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// A program with its truth: calls, and the inclusive share of each function in thousandths.
struct Drawn {
    program: Program,
    script: Script,
    calls: BTreeSet<(Resource, Resource)>,
    inclusive: BTreeMap<Resource, u64>,
}

fn root() -> Resource {
    Resource::root(Hierarchy::Code)
}

fn drawn(seed: u64) -> Drawn {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
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
    let mut code = Code { call_cost: 60e-9, ..Code::default() };
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
    let phases = vec![Phase { interval, ranks: vec![0], period, activities }];
    let process = Resource::root(Hierarchy::Process).child("0");
    let machine = Resource::root(Hierarchy::Machine).child("n0");
    let program = Program { processes: vec![Process { process, machine }], phases };
    let script = Script { length: LENGTH, code, ..Script::default() };
    Drawn { program, script, calls, inclusive }
}

fn activity(permille: u64, resources: Vec<Resource>) -> Activity {
    let category = Category::User;
    Activity { permille, category, resources, calls_per_second: 0, bytes_per_call: 0 }
}

impl Drawn {
    fn share(&self, function: &Resource) -> f64 {
        self.inclusive.get(function).copied().unwrap_or_default() as f64 / 1000.0
    }

    /// Functions clearly above the threshold, reached from a beginning through such functions, and through what cannot be measured.
    /// What is measured in windows takes its time: nobody is due behind it.
    fn due(&self) -> BTreeSet<Resource> {
        let mut pending = vec![root()];
        let mut seen = BTreeSet::from([root()]);
        while let Some(caller) = pending.pop() {
            for (_, callee) in self.calls.iter().filter(|(of, _)| *of == caller) {
                let is_refused = self.script.code.refused.contains_key(callee);
                let is_hot = self.script.code.hot.contains_key(callee);
                let leads_on = is_refused || (!is_hot && self.share(callee) > 1.25 * THRESHOLD);
                if leads_on && seen.insert(callee.clone()) {
                    pending.push(callee.clone());
                }
            }
        }
        let is_refused = |function: &Resource| self.script.code.refused.contains_key(function);
        seen.into_iter().filter(|function| !function.is_root() && !is_refused(function)).collect()
    }

    fn searched(&self) -> (String, Report) {
        let mut search = Search::new(Hypotheses::built_in(), Settings::default());
        let mut world = Checked::new(Simulated::new(self.program.clone(), self.script.clone()));
        let mut log = String::new();
        run(&mut search, &mut world, |step| log.push_str(&format!("{step}\n")));
        assert_eq!(
            world.complaints(),
            [] as [String; 0],
            "the simulated world breaks its promises"
        );
        (log, search.report())
    }
}

fn found(report: &Report) -> BTreeSet<Resource> {
    let computing = report.bottlenecks.iter().filter(|one| one.hypothesis == "CPUbound");
    computing
        .flat_map(|one| one.focus.part(Hierarchy::Code).to_vec())
        .filter(|code| !code.is_root())
        .collect()
}

#[test]
fn what_lies_on_a_true_chain_is_found_and_little_else() {
    let (mut due, mut missed, mut found_at_all, mut wrong) = (0_u64, Vec::new(), 0, 0);
    for seed in 0..PROGRAMS {
        let drawn = drawn(seed);
        let (log, report) = drawn.searched();
        let found = found(&report);
        for function in drawn.due() {
            due += 1;
            if !found.contains(&function) {
                missed.push(format!("{seed}: {function} {}", drawn.share(&function)));
            }
        }
        found_at_all += found.len();
        wrong += found.iter().filter(|function| drawn.share(function) < THRESHOLD).count();
        if seed % 20 == 0 {
            assert_eq!(log, drawn.searched().0, "program {seed} is searched in two ways");
        }
    }
    assert!(due > 2 * PROGRAMS, "only {due} functions to be found");
    assert!(missed.is_empty(), "{} of {due} missed: {missed:#?}", missed.len());
    assert!(wrong * 100 <= found_at_all, "{wrong} of {found_at_all} are not there");
}
