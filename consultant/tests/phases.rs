//! What a phase does is found in that phase, beside what the whole run does, and within one limit.

use whyperf_consultant::simulate::{Checked, Scenario};
use whyperf_consultant::{Guidance, Hypotheses, Phases, Report, Request, Scope};
use whyperf_model::{Nanos, Time};

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

fn searched(names: &[(u64, &str)]) -> (Phases, Vec<String>) {
    let scenario = Scenario::parse(PROGRAM).expect("well formed");
    let mut phases =
        Phases::new(Hypotheses::built_in(), scenario.settings.clone(), Guidance::default());
    let mut world = Checked::new(scenario.world());
    let mut left = names.iter().peekable();
    let mut log = Vec::new();
    let begin = |phases: &mut Phases, now: Time| -> Vec<Request> {
        match left.next_if(|(second, _)| Time::from_secs(*second) < now) {
            Some((_, name)) => phases.begin(now, name),
            None => Vec::new(),
        }
    };
    phases.run(&mut world, begin, |scope, step| log.push(format!("{scope:?} {step}")));
    assert_eq!(world.complaints(), [] as [String; 0], "numbers got mixed up");
    (phases, log)
}

fn foci(report: &Report) -> Vec<String> {
    report.bottlenecks.iter().map(|found| format!("{} {}", found.hypothesis, found.focus)).collect()
}

#[test]
fn each_phase_has_its_own_findings() {
    let (phases, log) = searched(&[(0, "solve"), (16, "output")]);
    let [solve, output] = phases.past() else { panic!("two phases were begun") };
    assert_eq!((solve.name.as_str(), output.name.as_str()), ("solve", "output"));
    assert_eq!(solve.interval.end, output.interval.start);
    assert_eq!(output.interval.length(), Nanos::from_millis(7950));
    let has = |report: &Report, text: &str| foci(report).iter().any(|one| one.contains(text));
    assert!(has(&solve.report, "CPUbound </Code/app.c/solve,"), "{:?}", foci(&solve.report));
    assert!(!has(&solve.report, "IO") && !has(&solve.report, "/Code/app.c/output"));
    assert!(has(&output.report, "CPUbound </Code/app.c/output,"), "{:?}", foci(&output.report));
    assert!(has(&output.report, "ExcessiveIOBlockingTime </Code/app.c/save,"));
    assert!(!has(&output.report, "/Code/app.c/solve,"));
    let global = phases.global().report();
    assert!(has(&global, "CPUbound </Code/app.c/solve,"), "{:?}", foci(&global));
    assert!(phases.current().is_none());
    let of =
        |scope: Scope| log.iter().filter(|line| line.starts_with(&format!("{scope:?}"))).count();
    assert!(of(Scope::Global) > 10 && of(Scope::Current) > 10);
    assert_eq!(log, searched(&[(0, "solve"), (16, "output")]).1, "searched in two ways");
}

#[test]
fn a_run_without_phases_is_one_search() {
    let (phases, log) = searched(&[]);
    assert!(phases.past().is_empty());
    assert!(log.iter().all(|line| line.starts_with("Global")));
}
