//! Random programs with planted bottlenecks, judged by the sequential and by the classic verdict: what is found, what is not
//! there, how long it takes, and what it costs.
//!
//! A sample of them is searched here; `WHYPERF_PROGRAMS=1000` searches that many, best with `--release`.

use std::collections::BTreeMap;

use whyperf_consultant::{
    Classic, DirectivesInForce, Happening, Hypotheses, Operator, SearchScope, Searches, Settings,
    Step, Truth, Verdicts, drive,
};
use whyperf_model::{Category, Focus, Hierarchy, Interval, Nanos, Pair, Resource, Time};
use whyperf_testkit::simulate::{
    CostRecorder, Script, Simulated, SimulatedActivity, SimulatedCode, SimulatedPhase,
    SimulatedProcess, SimulatedProgram,
};

/// Numbers without order; the tests need no secrets.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }
}

/// A program, what resists being measured, and what was planted: a hypothesis at a focus.
#[derive(Default)]
struct Planted {
    program: SimulatedProgram,
    code: SimulatedCode,
    bottlenecks: Vec<(&'static str, Focus)>,
}

const LONGEST: Nanos = Nanos::from_secs(200);
const CALL_COST: f64 = 60e-9;

fn resource(text: &str) -> Resource {
    Resource::parse(text).expect("well formed")
}

impl Planted {
    /// Some processes that all do the same, with one to three bottlenecks and noise; sometimes one of them does something else.
    fn drawn(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
        let mut planted = Self::default();
        let processes = dice.between(1, 8);
        for rank in 0..processes {
            planted.program.processes.push(SimulatedProcess {
                process: Resource::root(Hierarchy::Process).child(&rank.to_string()),
                machine: Resource::root(Hierarchy::Machine).child(&format!("n{}", rank / 4)),
            });
        }
        planted.call("/Code", "/Code/main.c/main", &mut dice);
        let mut activities = Vec::new();
        let mut left = 1000;
        for nth in 0..dice.between(1, 3) {
            let share = dice.between(380, 600);
            if share <= left {
                left -= share;
                activities.push(planted.plant(nth, share, &mut dice));
            }
        }
        planted.strew(left, &mut activities, &mut dice);
        let odd = (processes > 2 && dice.below(3) == 0).then(|| dice.below(processes));
        let period = Nanos::from_millis(dice.between(3, 95));
        planted.phase((0..processes).filter(|rank| Some(*rank) != odd), period, activities);
        if let Some(rank) = odd {
            planted.plant_one(rank, period);
        }
        planted
    }

    /// One bottleneck of all processes: computing at the end of a chain of calls, waiting for a message, or a file.
    fn plant(&mut self, nth: u64, permille: u64, dice: &mut Dice) -> SimulatedActivity {
        let site = format!("/Code/site{nth}.c/wait");
        match dice.below(3) {
            0 => {
                let mut path = vec![resource("/Code/main.c/main")];
                for depth in 0..dice.between(1, 5) {
                    let callee = format!("/Code/deep{nth}.c/f{depth}");
                    self.call(path[path.len() - 1].path(), &callee, dice);
                    path.push(resource(&callee));
                    self.expect("CPUbound", &format!("<{callee}>"));
                }
                activity(permille, Category::User, path)
            }
            1 => {
                let tag = format!("/SyncObject/Message/MPI_COMM_WORLD/{nth}");
                self.expect("ExcessiveSyncWaitingTime", &format!("<{site}>"));
                self.expect("ExcessiveSyncWaitingTime", &format!("<{site},{tag}>"));
                activity(permille, Category::Receive, vec![resource(&site), resource(&tag)])
            }
            _ => {
                let file = format!("/File/data{nth}");
                self.expect("ExcessiveIOBlockingTime", &format!("<{site}>"));
                self.expect("ExcessiveIOBlockingTime", &format!("<{site},{file}>"));
                let (calls_per_second, bytes_per_call) = (300, 1 << 20);
                let resources = vec![resource(&site), resource(&file)];
                let plain = activity(permille, Category::Write, resources);
                SimulatedActivity { calls_per_second, bytes_per_call, ..plain }
            }
        }
    }

    /// What is left of the time, in small pieces of all kinds.
    fn strew(&mut self, mut left: u64, activities: &mut Vec<SimulatedActivity>, dice: &mut Dice) {
        let mut nth = 0;
        while left > 0 {
            let share = left.min(dice.between(10, 150));
            left -= share;
            nth += 1;
            let module = dice.below(5);
            let function = format!("/Code/m{module}.c/g{nth}");
            self.call("/Code/main.c/main", &function, dice);
            let path = vec![resource("/Code/main.c/main"), resource(&function)];
            let kinds = [Category::User, Category::User, Category::Barrier, Category::Read];
            let kind = kinds[usize::try_from(dice.below(4)).expect("less than four")];
            activities.push(match kind {
                Category::User => activity(share, kind, path),
                Category::Barrier => {
                    activity(share, kind, vec![path[1].clone(), resource("/SyncObject/Barrier/w")])
                }
                _ => activity(share, kind, vec![path[1].clone(), resource("/File/input")]),
            });
        }
    }

    /// One process that writes while no other process does.
    fn plant_one(&mut self, rank: u64, period: Nanos) {
        let resources = vec![resource("/Code/save.c/save"), resource("/File/out")];
        let writing = SimulatedActivity {
            calls_per_second: 100,
            bytes_per_call: 1 << 20,
            ..activity(600, Category::Write, resources)
        };
        let rest = activity(400, Category::User, vec![resource("/Code/main.c/main")]);
        self.phase([rank].into_iter(), period, vec![writing, rest]);
        self.expect("ExcessiveIOBlockingTime", &format!("</Process/{rank}>"));
    }

    fn expect(&mut self, hypothesis: &'static str, focus: &str) {
        self.bottlenecks.push((hypothesis, focus.parse().expect("well formed")));
    }

    fn call(&mut self, caller: &str, callee: &str, dice: &mut Dice) {
        let callee = resource(callee);
        self.code.calls.push((Time::ZERO, resource(caller), callee.clone()));
        let rates = [10.0, 1e3, 1e4, 1e5, 4e5, 2e6];
        let rate = rates[usize::try_from(dice.below(6)).expect("less than six")];
        self.code.rates.insert(callee.clone(), rate);
        let cost = rate * CALL_COST;
        // What is too hot is measured in windows by every data source.
        let most = Settings::default().cost_limit / 2.0;
        if cost > most {
            self.code.hot.insert(callee, most / cost / 2.0);
        }
    }

    fn phase(
        &mut self,
        ranks: impl Iterator<Item = u64>,
        period: Nanos,
        of: Vec<SimulatedActivity>,
    ) {
        let interval = Interval::new(Time::ZERO, Time(LONGEST));
        let ranks = ranks.map(|rank| usize::try_from(rank).expect("few")).collect();
        self.program.phases.push(SimulatedPhase { interval, ranks, period, activities: of });
    }

    /// The value of a pair over a whole number of seconds.
    fn value(&self, (above, below): &(Pair, Pair)) -> f64 {
        let amount = |pair: &Pair| {
            let mut all = self.program.select(pair.metric, &pair.focus);
            self.program.amount(&mut all, Interval::new(Time::ZERO, Time(LONGEST))) as f64
        };
        amount(above) / amount(below).max(1.0)
    }

    /// The planted ones that are steady at more than 1.25 of the threshold, and told at once: not those measured in windows.
    fn due(&self, hypotheses: &Hypotheses) -> Vec<(&'static str, Focus)> {
        let is_due = |(name, focus): &&(&'static str, Focus)| {
            let row = hypotheses.row(hypotheses.named(name).expect("shipped"));
            self.value(&row.pairs(focus)) > 1.25 * row.threshold && !self.is_hidden(name, focus)
        };
        self.bottlenecks.iter().filter(is_due).cloned().collect()
    }

    /// Whether it, or what calls it, is measured in windows.
    fn is_hidden(&self, name: &str, focus: &Focus) -> bool {
        let [code] = focus.part(Hierarchy::Code) else { return false };
        let hot = &self.code.hot;
        let mut above = Some(code.clone());
        while let Some(at) = above {
            if name == "CPUbound" && hot.contains_key(&at) {
                return true;
            }
            let caller = self.code.calls.iter().find(|(.., callee)| *callee == at);
            above = caller.map(|(_, caller, _)| caller.clone());
        }
        false
    }
}

fn activity(permille: u64, category: Category, resources: Vec<Resource>) -> SimulatedActivity {
    SimulatedActivity { permille, category, resources, calls_per_second: 0, bytes_per_call: 0 }
}

/// What a search came to.
struct Outcome {
    /// When each due bottleneck was found.
    found: Vec<Option<Time>>,
    /// Reported at the end; not there; false questions that were answered; with yes at any time.
    counts: [usize; 4],
    /// The most that any second cost.
    cost: f64,
    put_back: usize,
    /// Switched on for a price.
    priced: usize,
}

fn searched(planted: &Planted, settings: Settings, length: Nanos, step: Nanos) -> Outcome {
    let hypotheses = Hypotheses::built_in();
    let due = planted.due(&hypotheses);
    let code = SimulatedCode { call_cost: CALL_COST, ..planted.code.clone() };
    let script = Script { length, step, code, ..Script::default() };
    let source = Simulated::new(planted.program.clone(), script);
    let mut source = CostRecorder::new(source);
    let mut searches = Searches::new(hypotheses.clone(), settings, DirectivesInForce::default());
    let mut first: BTreeMap<(String, Focus), Time> = BTreeMap::new();
    let (mut put_back, mut priced) = (0, 0);
    let mut note = |_: SearchScope, step: &Step| match &step.happening {
        Happening::Concluded(one) if one.truth == Truth::True => {
            let subject = (one.subject.hypothesis.to_string(), one.subject.focus.clone());
            first.entry(subject).or_insert(step.time);
        }
        Happening::PutBack { .. } => put_back += 1,
        Happening::Started { price, .. } if *price > 0.0 => priced += 1,
        _ => {}
    };
    drive(&mut searches, &mut source, &mut note);
    let mut counts = [0; 4];
    for question in searches.global().questions() {
        let row = hypotheses.row(hypotheses.named(&question.hypothesis).expect("shipped"));
        let is_there =
            row.operator.holds(planted.value(&row.pairs(&question.focus)), row.threshold);
        let was = first.contains_key(&(question.hypothesis.to_string(), question.focus));
        counts[0] += usize::from(question.truth == Truth::True);
        counts[1] += usize::from(question.truth == Truth::True && !is_there);
        let is_answered = question.truth != Truth::Unknown || was;
        if row.operator == Operator::Above && !is_there && is_answered {
            counts[2] += 1;
            counts[3] += usize::from(was);
        }
    }
    let found = due.into_iter().map(|(name, focus)| first.get(&(name.to_owned(), focus)).copied());
    let second = usize::try_from(1_000_000_000 / step.0).expect("not many");
    let cost = source.worst(second);
    Outcome { found: found.collect(), counts, cost, put_back, priced }
}

fn programs() -> u64 {
    let asked = std::env::var("WHYPERF_PROGRAMS").ok();
    asked.map_or(6, |text| text.parse().expect("WHYPERF_PROGRAMS is a number"))
}

/// The smallest, the median, and the largest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [values[0], values[values.len() / 2], values[values.len() - 1]]
}

#[test]
fn evidence_finds_what_is_planted_in_a_third_of_the_time_and_within_the_limit() {
    let classic =
        Settings { verdicts: Verdicts::Classic(Classic::default()), ..Settings::default() };
    let (mut due, mut missed, mut missed_by_classic) = (0, Vec::new(), 0);
    let (mut counts, mut ratios) = ([[0; 4]; 2], Vec::new());
    let (mut costs, mut put_back, mut priced) = ([0.0_f64; 2], 0, 0);
    for seed in 0..programs() {
        let planted = Planted::drawn(seed);
        let (short, long) = (Nanos::from_secs(40), LONGEST);
        let now = searched(&planted, Settings::default(), short, Nanos::from_millis(50));
        let old = searched(&planted, classic.clone(), long, Nanos::from_millis(50));
        for (at, (new, then)) in now.found.iter().zip(&old.found).enumerate() {
            due += 1;
            match (new, then) {
                (None, _) => missed.push((seed, planted.due(&Hypotheses::built_in())[at].clone())),
                (_, None) => missed_by_classic += 1,
                (Some(new), Some(then)) => {
                    ratios.push(
                        new.since(Time::ZERO).as_secs_f64() / then.since(Time::ZERO).as_secs_f64(),
                    );
                }
            }
        }
        for (total, outcome) in counts.iter_mut().zip([&now, &old]) {
            total.iter_mut().zip(outcome.counts).for_each(|(total, count)| *total += count);
        }
        costs = [costs[0].max(now.cost), costs[1].max(old.cost)];
        put_back += now.put_back;
        priced += now.priced;
    }
    let [least, median, most] = spread(ratios);
    println!(
        "{} programs, {due} planted; missed {} and, by the classic verdict, {missed_by_classic}",
        programs(),
        missed.len()
    );
    println!(
        "time against that of the classic verdict: median {median:.3}, from {least:.3} to {most:.3}"
    );
    println!(
        "reported, not there, false ones answered, ever with yes: {:?}; classic {:?}",
        counts[0], counts[1]
    );
    println!(
        "most of any second: {:.4} and {:.4}; {priced} switched on, {put_back} put back",
        costs[0], costs[1]
    );
    assert!(due as u64 > programs(), "only {due} planted");
    assert!(missed.is_empty(), "missed {missed:?}");
    assert!(counts[0][1] * 100 <= counts[0][0] && counts[0][3] * 100 <= counts[0][2]);
    assert!(most <= 1.0 / 3.0, "one took {most} of the time of the classic verdict");
    assert!(costs[0].max(costs[1]) <= 1.1 * Settings::default().cost_limit);
    assert!(priced > 0);
}
