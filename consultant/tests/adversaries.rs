//! Programs that are hard for a search: the bottleneck moves, comes late, comes and goes, lies on the threshold, hides
//! among thousands of functions, or next to nothing may be spent. Bottlenecks that exist are found, no others are reported,
//! and the search comes to rest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use whyperf_consultant::{
    Conclusion, DataSource, DirectivesInForce, Event, Happening, Hypotheses, MeasurementId,
    Operator, RunAmount, SearchResult, SearchScope, Searches, Step, Truth, drive,
};
use whyperf_model::{Focus, Interval, Pair, Resource, Time};
use whyperf_testkit::simulate::{Checked, Scenario, Simulated};

/// So much is switched on and off in a second at most: all that may be undecided at once, once over.
const BUSIEST: usize = 300;
/// So many steps a second are taken at most, on average.
const STEPS: u64 = 110;

/// A data source whose costs are recorded, and what is asked of it.
struct Watched {
    source: Checked<Simulated>,
    now: Time,
    costs: Vec<f64>,
    /// How much was switched on and off in each second.
    switches: BTreeMap<u64, usize>,
}

impl Watched {
    fn count(&mut self) {
        *self.switches.entry(self.now.0.0 / 1_000_000_000).or_default() += 1;
    }
}

impl DataSource for Watched {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.count();
        self.source.start(id, pair);
    }

    fn stop(&mut self, id: MeasurementId) {
        self.count();
        self.source.stop(id);
    }

    fn callees(&mut self, of: &Resource) {
        self.source.callees(of);
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        self.source.over_run(pair)
    }

    fn poll(&mut self) -> Option<Event> {
        let event = self.source.poll()?;
        self.now = self.now.max(event.time());
        if let Event::Cost(_, fraction) = &event {
            self.costs.push(*fraction);
        }
        Some(event)
    }

    fn advance(&mut self) -> bool {
        self.source.advance()
    }
}

/// What a search came to.
struct Outcome {
    report: SearchResult,
    steps: Vec<Step>,
    /// True at the end, though it was not so from the beginning of its evidence to the end.
    wrong: Vec<String>,
    /// Questions that the whole run answers with no, and those of them that were ever answered with yes.
    no: [usize; 2],
    /// The most that any second cost.
    cost: f64,
}

/// Searches a program. Whatever it is, the search keeps within bounds.
fn searched(text: &str) -> Outcome {
    let scenario = Scenario::parse(text).unwrap_or_else(|complaint| panic!("{complaint}: {text}"));
    let hypotheses = Hypotheses::built_in();
    let (table, settings) = (hypotheses.clone(), scenario.settings.clone());
    let mut searches = Searches::new(table, settings, DirectivesInForce::default());
    let source = Checked::new(scenario.source());
    let mut watched =
        Watched { source, now: Time::ZERO, costs: Vec::new(), switches: BTreeMap::new() };
    let mut steps = Vec::new();
    drive(&mut searches, &mut watched, &mut |_: SearchScope, step: &Step| steps.push(step.clone()));
    let search = searches.global();
    assert_eq!(
        watched.source.complaints(),
        [""; 0],
        "the simulated data source breaks its promises"
    );
    let end = Time(scenario.script.length);
    let ever: BTreeMap<_, _> = steps.iter().filter_map(yes).collect();
    let (mut wrong, mut no) = (Vec::new(), [0; 2]);
    for question in search.questions().filter(|question| question.asked > 0) {
        let row = hypotheses.row(hypotheses.named(&question.hypothesis).expect("shipped"));
        let is_so = |since| {
            let value = value(&scenario, &row.pairs(&question.focus), Interval::new(since, end));
            row.operator == Operator::Below || row.operator.holds(value, row.threshold)
        };
        let since = ever.get(&(question.hypothesis.to_string(), question.focus.to_string()));
        no[0] += usize::from(!is_so(Time::ZERO));
        no[1] += usize::from(!is_so(Time::ZERO) && since.is_some());
        if question.truth == Truth::True && !is_so(*since.expect("nothing is true unsaid")) {
            wrong.push(format!("{} {}", question.hypothesis, question.focus));
        }
    }
    let busiest = watched.switches.values().copied().max().unwrap_or_default();
    assert!(busiest <= 2 * BUSIEST, "{busiest} switches in a second");
    let seconds = scenario.script.length.0 / 1_000_000_000;
    assert!(steps.len() as u64 <= STEPS * seconds, "{} steps in {seconds} s", steps.len());
    let costs = watched.costs.windows(20).map(|of| of.iter().sum::<f64>() / 20.0);
    let cost = costs.fold(0.0, f64::max);
    Outcome { report: search.report(), steps, wrong, no, cost }
}

/// The question that a step says yes to, and since when it is so.
fn yes(step: &Step) -> Option<((String, String), Time)> {
    let one = conclusion(step).filter(|one| one.truth == Truth::True)?;
    Some(((one.subject.hypothesis.to_string(), one.subject.focus.to_string()), one.since))
}

fn conclusion(step: &Step) -> Option<&Conclusion> {
    match &step.happening {
        Happening::Concluded(one) => Some(one),
        _ => None,
    }
}

fn value(scenario: &Scenario, (above, below): &(Pair, Pair), interval: Interval) -> f64 {
    let amount = |pair: &Pair| {
        let mut all = scenario.program.select(pair.metric, &pair.focus);
        scenario.program.amount(&mut all, interval) as f64
    };
    amount(above) / amount(below).max(1.0)
}

impl Outcome {
    fn reports(&self, hypothesis: &str, focus: &str) -> bool {
        let focus: Focus = focus.parse().expect("well formed");
        self.report.bottlenecks.iter().any(|one| one.hypothesis == hypothesis && one.focus == focus)
    }

    /// When a question was answered with yes for the first time.
    fn found(&self, hypothesis: &str, focus: &str) -> Option<Time> {
        let focus: Focus = focus.parse().expect("well formed");
        let subject = (hypothesis.to_owned(), focus.to_string());
        let mut found =
            self.steps.iter().filter(|step| yes(step).is_some_and(|yes| yes.0 == subject));
        found.next().map(|step| step.time)
    }
}

#[test]
fn what_moves_from_process_to_process_is_of_none_of_them() {
    let mut text = "length 48s\nprocesses 8 on n0\n".to_owned();
    for (second, rank) in (0..48).flat_map(|second| (0..8).map(move |rank| (second, rank))) {
        let end = second + 1;
        writeln!(text, "phase {second}s {end}s {rank} period 10ms").expect("a text");
        text.push_str(match second % 8 == rank {
            true => "  0.9 Write /Code/a.c/save /File/data ops 90\n  0.1 User /Code/a.c/work\n",
            false => "  1 User /Code/a.c/work\n",
        });
    }
    let outcome = searched(&text);
    assert_eq!(outcome.wrong, [""; 0]);
    let is_of_one = |step: &&Step| yes(step).is_some_and(|yes| yes.0.1.contains("/Process/3,"));
    assert!(outcome.steps.iter().any(|step| is_of_one(&step)), "it was seen while it was there");
    let left = outcome.report.bottlenecks.iter().filter(|one| one.hypothesis != "CPUbound");
    assert_eq!(left.count(), 0, "{:?}", outcome.report.bottlenecks);
}

#[test]
fn what_comes_late_is_found() {
    let outcome = searched(
        "length 75s\nprocesses 4 on n0\ncall /Code /Code/a.c/main\n\
         call /Code/a.c/main /Code/a.c/work /Code/a.c/late\ncall /Code/a.c/late /Code/a.c/deep\n\
         phase 0s 35s * period 70ms\n  1 User /Code/a.c/main /Code/a.c/work\n\
         phase 35s 75s * period 70ms\n  0.5 Receive /Code/b.c/get /SyncObject/Message/w/7\n  \
         0.5 User /Code/a.c/main /Code/a.c/late /Code/a.c/deep\n",
    );
    assert_eq!(outcome.wrong, [""; 0]);
    let waiting = "</Code/b.c/get,/SyncObject/Message/w/7>";
    assert!(outcome.reports("ExcessiveSyncWaitingTime", waiting));
    let found = outcome.found("ExcessiveSyncWaitingTime", waiting).expect("reported");
    assert!(found.since(Time::from_secs(35)).as_secs_f64() < 5.0, "{found:?}");
    assert!(outcome.reports("CPUbound", "</Code/a.c/deep>"), "asked again after it was false");
}

/// Waits for a share of each second, and then of none, in turn.
fn on_and_off(share: u32, length: u32) -> Outcome {
    let mut text = "length 60s\nprocesses 2 on n0\n".to_owned();
    for turn in 0..60_000 / length {
        let (start, end) = (turn * length, (turn + 1) * length);
        writeln!(text, "phase {start}ms {end}ms * period 10ms").expect("a text");
        let share = if turn % 2 == 0 { share } else { 0 };
        let rest = 1000 - share;
        writeln!(text, "  0.{share:03} Receive /Code/b.c/get /SyncObject/Message/w/7")
            .expect("a text");
        writeln!(text, "  {}.{:03} User /Code/a.c/work", rest / 1000, rest % 1000).expect("a text");
    }
    searched(&text)
}

#[test]
fn what_comes_and_goes_counts_by_the_whole() {
    let lengths: &[u32] = if cfg!(debug_assertions) { &[1000] } else { &[300, 1000, 3000] };
    for &length in lengths {
        for share in [300, 380] {
            let outcome = on_and_off(share, length);
            assert_eq!(outcome.wrong, [""; 0], "{share} for {length} ms");
            assert!(!outcome.reports("ExcessiveSyncWaitingTime", "<>"), "{share} for {length} ms");
        }
        let outcome = on_and_off(900, length);
        assert_eq!(outcome.wrong, [""; 0], "{length} ms");
        let deepest = "</Code/b.c/get,/SyncObject/Message/w/7>";
        assert!(outcome.reports("ExcessiveSyncWaitingTime", deepest), "{length} ms");
    }
}

/// Numbers without order; the tests need no secrets.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Fewer where tests are not compiled to be fast.
const SEEDS: u64 = if cfg!(debug_assertions) { 8 } else { 30 };

/// All or nothing in each interval, by chance: on the threshold, with the widest spread. Half of the time is computing, so that there is more to ask.
fn wavering(seed: u64) -> String {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let mut text = "length 20s\nprocesses 2 on n0\n".to_owned();
    for at in 0..400 {
        let kind = match dice.below(1000) {
            0..200 => "Receive /Code/b.c/get /SyncObject/Message/w/7",
            200..400 => "Write /Code/c.c/put /File/x ops 20 size 100000",
            400..700 => "User /Code/a.c/work",
            _ => "User /Code/d.c/more",
        };
        let (start, end) = (at * 50, at * 50 + 50);
        writeln!(text, "phase {start}ms {end}ms * period 50ms\n  1 {kind}").expect("a text");
    }
    text
}

#[test]
fn on_the_threshold_yes_is_as_rare_as_stated() {
    let (mut no, mut yes, mut wrong) = (0, 0, Vec::new());
    for seed in 0..SEEDS {
        let outcome = searched(&wavering(seed));
        no += outcome.no[0];
        yes += outcome.no[1];
        wrong.extend(outcome.wrong);
    }
    assert!(no as u64 > 10 * SEEDS, "only {no} questions whose answer is no");
    assert!(
        yes * 50 <= no,
        "{yes} of {no}: the errors of a question's verdicts add up to two percent"
    );
    assert!(wrong.len() * 100 <= no, "{wrong:?}");
    let steady = searched(
        "length 60s\nprocesses 4 on n0\nphase 0s 60s * period 53ms\n  0.2 Receive /Code/b.c/get /SyncObject/Message/w/7\n  \
         0.199 Write /Code/c.c/put /File/x\n  0.3 User /Code/a.c/work\n  0.301 User /Code/d.c/more\n",
    );
    assert_eq!((steady.no[1], steady.wrong), (0, Vec::new()));
}

/// Four thousand functions below eighty drivers, called up to two million times a second. What is measured in windows takes half of what may be spent.
fn many_functions(limit: f64) -> String {
    let mut text = format!("set cost_limit {limit}\nprocesses 1 on n0\ncall_cost 60\n");
    text.push_str("call /Code /Code/m.c/main\n");
    let rates = [1.0, 100.0, 3e3, 2e4, 1e5, 3e5, 2e6];
    for driver in 0..80 {
        writeln!(text, "call /Code/m.c/main /Code/d.c/d{driver}").expect("a text");
        for nth in 0..50 {
            let name = format!("/Code/f{driver}.c/f{nth}");
            writeln!(text, "call /Code/d.c/d{driver} {name}").expect("a text");
            let rate = rates[(driver * 50 + nth) % rates.len()];
            write!(text, "function {name} rate {rate}").expect("a text");
            let cost = rate * 60e-9;
            if limit > 0.0 && cost > limit / 2.0 {
                write!(text, " hot {:.6}", limit / 4.0 / cost).expect("a text");
            }
            text.push('\n');
        }
    }
    text
}

/// A little time in each of some of them.
fn strewn(count: u32, permille: u32) -> String {
    let lines = (0..count).map(|at| {
        let (driver, nth) = (at % 80, at / 80);
        format!(
            "  0.{permille:03} User /Code/m.c/main /Code/d.c/d{driver} /Code/f{driver}.c/f{nth}\n"
        )
    });
    lines.collect()
}

#[test]
fn thousands_of_tiny_functions_hide_one_and_are_none() {
    let head = format!("length 12s\n{}phase 0s 12s * period 50ms\n", many_functions(0.05));
    let tiny = searched(&format!("{head}{}", strewn(200, 5)));
    assert_eq!(tiny.wrong, [""; 0]);
    assert!(tiny.reports("CPUbound", "</Code/m.c/main>"));
    let one = "  0.500 User /Code/m.c/main /Code/d.c/d77 /Code/f77.c/f49\n";
    let hidden = searched(&format!("{head}{one}{}", strewn(100, 5)));
    assert_eq!(hidden.wrong, [""; 0]);
    assert!(hidden.reports("CPUbound", "</Code/f77.c/f49>"), "{:?}", hidden.report.bottlenecks);
    for outcome in [tiny, hidden] {
        assert!(outcome.cost <= 1.1 * 0.05, "{}", outcome.cost);
    }
}

#[test]
fn next_to_nothing_may_be_spent() {
    for limit in [0.0, 0.001, 0.01] {
        let head = many_functions(limit);
        let waiting = "  0.300 Receive /Code/b.c/get /SyncObject/Message/w/7\n";
        let one = "  0.500 User /Code/m.c/main /Code/d.c/d1 /Code/f1.c/f0\n";
        let text = format!(
            "length 20s\n{head}phase 0s 20s * period 50ms\n{waiting}{one}{}",
            strewn(40, 5)
        );
        let outcome = searched(&text);
        assert_eq!(outcome.wrong, [""; 0]);
        assert!(outcome.cost <= 1.1 * limit, "{} of {limit}", outcome.cost);
        assert!(outcome.reports("ExcessiveSyncWaitingTime", "<>"), "what is seen anyway is told");
        assert_eq!(outcome.reports("CPUbound", "</Code/f1.c/f0>"), limit > 0.0, "at {limit}");
    }
}

#[test]
fn processes_that_come_and_go_leave_nothing_behind() {
    let mut text = "length 20s\nprocesses 200 on n0\n".to_owned();
    for rank in 0..200 {
        let (start, end) = (rank * 100, rank * 100 + 300);
        writeln!(text, "at {end}ms retire /Process/{rank}").expect("a text");
        writeln!(text, "phase {start}ms {end}ms {rank} period 10ms").expect("a text");
        text.push_str(
            "  0.6 Receive /Code/b.c/get /SyncObject/Message/w/7\n  0.4 User /Code/a.c/work\n",
        );
    }
    let outcome = searched(&text);
    assert_eq!(outcome.wrong, [""; 0]);
    let waiting = "</Code/b.c/get,/SyncObject/Message/w/7>";
    assert!(outcome.reports("ExcessiveSyncWaitingTime", waiting));
}
