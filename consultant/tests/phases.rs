//! Searches of phases: a search finds what happens in its phase, beside the search over the whole run, and all keep one
//! cost limit.

use std::fmt::Write as _;

use whyperf_consultant::{
    Directive, DirectivesInForce, Event, Happening, Hypotheses, Observer, SearchResult,
    SearchScope, Searches, Step, drive,
};
use whyperf_model::{Nanos, Time};
use whyperf_testkit::simulate::{Checked, CostRecorder, Scenario};

const PROGRAM: &str = "length 24s
processes 1 on n0
call_cost 60
call /Code /Code/app.c/main
call /Code/app.c/main /Code/app.c/solve /Code/app.c/output
function /Code/app.c/main rate 1000
function /Code/app.c/solve rate 1000
function /Code/app.c/output rate 1000
phase 0s 16s * period 70ms
  0.9 User /Code/app.c/main /Code/app.c/solve
  0.1 User /Code/app.c/main
phase 16s 24s * period 70ms
  0.5 User /Code/app.c/main /Code/app.c/output
  0.5 Write /Code/app.c/save /File/data ops 100 size 1000000
";

/// Begins phases at these seconds, and writes down the steps.
struct Announcer<'names> {
    left: &'names [(u64, &'names str)],
    log: Vec<String>,
}

impl<S> Observer<S> for Announcer<'_> {
    fn before(&mut self, event: &Event, searches: &mut Searches, _: &mut S) {
        if let [(second, name), left @ ..] = self.left
            && Time::from_secs(*second) < event.time()
        {
            self.left = left;
            searches.begin(event.time(), name);
        }
    }

    fn step(&mut self, scope: SearchScope, step: &Step) {
        self.log.push(format!("{scope:?} {step}"));
    }
}

fn searched(names: &[(u64, &str)]) -> (Searches, Vec<String>) {
    let scenario = Scenario::parse(PROGRAM).expect("well formed");
    let mut searches = Searches::new(
        Hypotheses::built_in(),
        scenario.settings.clone(),
        DirectivesInForce::default(),
    );
    let mut source = Checked::new(scenario.source());
    let mut announcer = Announcer { left: names, log: Vec::new() };
    drive(&mut searches, &mut source, &mut announcer);
    assert_eq!(source.complaints(), [] as [String; 0], "numbers got mixed up");
    (searches, announcer.log)
}

fn foci(report: &SearchResult) -> Vec<String> {
    report.bottlenecks.iter().map(|found| format!("{} {}", found.hypothesis, found.focus)).collect()
}

#[test]
fn each_phase_has_its_own_findings() {
    let (phases, log) = searched(&[(0, "solve"), (16, "output")]);
    let [solve, output] = phases.past() else { panic!("two phases were begun") };
    assert_eq!((solve.name.as_str(), output.name.as_str()), ("solve", "output"));
    assert_eq!(solve.interval.end, output.interval.start);
    assert_eq!(output.interval.length(), Nanos::from_millis(7950));
    let has = |report: &SearchResult, text: &str| foci(report).iter().any(|one| one.contains(text));
    assert!(has(&solve.report, "CPUbound </Code/app.c/solve,"), "{:?}", foci(&solve.report));
    assert!(!has(&solve.report, "IO") && !has(&solve.report, "/Code/app.c/output"));
    assert!(has(&output.report, "CPUbound </Code/app.c/output,"), "{:?}", foci(&output.report));
    assert!(has(&output.report, "ExcessiveIOBlockingTime </Code/app.c/save,"));
    assert!(!has(&output.report, "/Code/app.c/solve,"));
    let global = phases.global().report();
    assert!(has(&global, "CPUbound </Code/app.c/solve,"), "{:?}", foci(&global));
    assert!(phases.current().is_none());
    let of = |scope: SearchScope| {
        log.iter().filter(|line| line.starts_with(&format!("{scope:?}"))).count()
    };
    assert!(of(SearchScope::Global) > 10 && of(SearchScope::Current) > 10);
    assert_eq!(log, searched(&[(0, "solve"), (16, "output")]).1, "searched in two ways");
}

#[test]
fn a_run_without_phases_is_one_search() {
    let (phases, log) = searched(&[]);
    assert!(phases.past().is_empty());
    assert!(log.iter().all(|line| line.starts_with("Global")));
}

/// Forty functions, each of which takes a tenth of what may be spent: most have to wait.
fn dear() -> String {
    let mut text = "length 30s\nprocesses 1 on n0\ncall_cost 60\n".to_owned();
    text.push_str("set assumed_rate 80000\ncall /Code /Code/app.c/main\n");
    for nth in 0..40 {
        writeln!(text, "call /Code/app.c/main /Code/app.c/f{nth}").expect("a text");
        writeln!(text, "function /Code/app.c/f{nth} rate 83000").expect("a text");
    }
    text.push_str("phase 0s 30s * period 50ms\n");
    for nth in 0..40 {
        writeln!(text, "  0.025 User /Code/app.c/main /Code/app.c/f{nth}").expect("a text");
    }
    text
}

/// Begins a phase every 2.3 seconds, and pauses in every third of them.
struct Restless {
    next: Time,
    /// What was measured at a price, by the search over the whole run and by those over phases.
    tested: [usize; 2],
}

impl<S> Observer<S> for Restless {
    fn before(&mut self, event: &Event, searches: &mut Searches, _: &mut S) {
        let now = event.time();
        if now < self.next {
            return;
        }
        self.next = now + Nanos::from_millis(2300);
        let is_third = searches.past().len() % 3 == 2;
        if is_third != searches.is_paused() {
            if is_third { searches.pause(now) } else { searches.unpause(now) }
        }
        searches.begin(now, "again");
    }

    fn step(&mut self, scope: SearchScope, step: &Step) {
        let is_priced = matches!(step.happening, Happening::Started { price, .. } if price > 0.0);
        self.tested[usize::from(scope == SearchScope::Current)] += usize::from(is_priced);
    }
}

#[test]
fn both_searches_keep_to_one_limit_however_often_a_phase_begins() {
    let scenario = Scenario::parse(&dear()).expect("well formed");
    let settings = scenario.settings.clone();
    let limit = settings.cost_limit;
    let mut phases = Searches::new(Hypotheses::built_in(), settings, DirectivesInForce::default());
    let mut source = CostRecorder::new(Checked::new(scenario.source()));
    let mut restless = Restless { next: Time::from_millis(700), tested: [0, 0] };
    drive(&mut phases, &mut source, &mut restless);
    let tested = restless.tested;
    assert_eq!(source.source.complaints(), [""; 0]);
    assert!(phases.past().len() >= 12 && tested.iter().all(|count| *count > 20), "{tested:?}");
    let most = source.worst(20);
    assert!(most <= 1.1 * limit && most > 0.5 * limit, "{most}");
}

/// Gives directives at these seconds.
struct Adviser<'texts> {
    left: &'texts [(u64, &'texts str)],
    refused: Vec<String>,
}

impl<S> Observer<S> for Adviser<'_> {
    fn before(&mut self, event: &Event, searches: &mut Searches, _: &mut S) {
        if let [(second, text), left @ ..] = self.left
            && Time::from_secs(*second) < event.time()
        {
            self.left = left;
            let directive = Directive::parse(text, searches.global().hypotheses());
            let directive = directive.expect("well formed");
            let refused = searches.direct(event.time(), &directive).err();
            self.refused.extend(refused.map(|refusal| refusal.to_string()));
        }
    }
}

fn advised(advice: &[(u64, &str)]) -> (Searches, Vec<String>) {
    let scenario = Scenario::parse(PROGRAM).expect("well formed");
    let (table, settings) = (Hypotheses::built_in(), scenario.settings.clone());
    let mut searches = Searches::new(table, settings, DirectivesInForce::default());
    let mut source = Checked::new(scenario.source());
    let mut adviser = Adviser { left: advice, refused: Vec::new() };
    drive(&mut searches, &mut source, &mut adviser);
    assert_eq!(source.complaints(), [] as [String; 0], "numbers got mixed up");
    (searches, adviser.refused)
}

/// Where a question of a search is, and how often it was asked.
fn asked(searches: &Searches, hypothesis: &str, part: &str) -> Vec<(String, u32)> {
    let questions = searches.global().questions();
    let of = questions.filter(|one| one.hypothesis == hypothesis);
    let of = of.map(|one| (one.focus.to_string(), one.asked));
    of.filter(|(focus, _)| focus.contains(part)).collect()
}

#[test]
fn what_a_prune_forbids_while_the_search_goes_on_is_asked_no_longer() {
    let (free, _) = advised(&[]);
    assert!(!asked(&free, "CPUbound", "/Code/app.c/solve").is_empty());
    let (searches, refused) = advised(&[
        (0, "prune CPUbound /Code"),
        (1, "priority high CPUbound </Code/app.c/solve>"),
        (1, "threshold CPUbound 0.5"),
    ]);
    assert_eq!(asked(&searches, "CPUbound", "/Code/app.c"), []);
    assert!(foci(&searches.global().report()).iter().any(|one| one.starts_with("CPUbound")));
    let [pruned, kind] = refused.as_slice() else { panic!("{refused:?}") };
    assert!(pruned.contains("a prune forbids") && kind.contains("priorities and prunes only"));
    let (late, _) = advised(&[(12, "prune CPUbound /Code")]);
    let found = |searches: &Searches| {
        foci(&searches.global().report()).iter().any(|one| one.contains("CPUbound </Code/app.c/"))
    };
    assert!(found(&late), "what was found stays found");
}

#[test]
fn a_priority_while_the_search_goes_on_is_asked_at_once_and_stays() {
    let (free, _) = advised(&[]);
    let focus = "</Code/app.c/output,/Machine,/Process/0,/SyncObject>";
    assert_eq!(asked(&free, "CPUbound", "/Code/app.c/output,/Machine,/Process/0"), []);
    let (searches, refused) = advised(&[(2, &format!("priority high CPUbound {focus}"))]);
    assert_eq!(refused, [] as [String; 0]);
    let [(_, times)] = asked(&searches, "CPUbound", focus)[..] else { panic!("it is asked") };
    assert!(times > 0);
    assert_eq!(searches.global().report().guided.used, 1);
}
