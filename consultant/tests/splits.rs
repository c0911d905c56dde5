//! Searches random jobs whose processes all do the same, and jobs in which one process computes a fifth longer: no process
//! of the former is a finding; in at least 19 of 20 of the latter, only the slower one is.
//!
//! A sample of them is searched here; `WHYPERF_JOBS=200` searches that many of each, best with `--release`.

use whyperf_consultant::{
    Bottleneck, Conclusion, DirectivesInForce, Hypotheses, Question, SearchScope, Searches,
    Settings, Split, Step, Truth, drive,
};
use whyperf_model::{Focus, Hierarchy};
use whyperf_testkit::simulate::Ranks;

/// What the report says in the end, what was said before, and what is kept of each question.
struct Told {
    report: Vec<Bottleneck>,
    meanwhile: Vec<Conclusion>,
    kept: Vec<Question>,
}

fn searched(mut job: Ranks) -> Told {
    let (hypotheses, settings) = (Hypotheses::built_in(), Settings::default());
    let mut searches = Searches::new(hypotheses, settings, DirectivesInForce::default());
    let mut meanwhile = Vec::new();
    let mut note = |_: SearchScope, step: &Step| meanwhile.extend(step.finding().cloned());
    drive(&mut searches, &mut job, &mut note);
    let kept = searches.global().questions().collect();
    Told { report: searches.global().report().bottlenecks, meanwhile, kept }
}

/// Whether a focus is about some processes or machines.
fn is_split(focus: &Focus) -> bool {
    !focus.is_root(Hierarchy::Process) || !focus.is_root(Hierarchy::Machine)
}

fn is_told(split: Split) -> bool {
    matches!(split, Split::Differing | Split::Uncompared)
}

fn jobs() -> u64 {
    let asked = std::env::var("WHYPERF_JOBS").ok();
    asked.map_or(16, |text| text.parse().expect("WHYPERF_JOBS is a number"))
}

#[test]
fn of_processes_that_do_the_same_none_is_a_finding() {
    let (mut wrong, mut hasty) = (Vec::new(), Vec::new());
    for seed in 0..jobs() {
        let Told { report, meanwhile, kept } = searched(Ranks::balanced(seed));
        let named = report.iter().find(|one| is_split(&one.focus));
        wrong.extend(named.map(|one| format!("{seed}: {} {}", one.hypothesis, one.focus)));
        let named = meanwhile.iter().find(|one| is_split(&one.subject.focus));
        hasty.extend(
            named.map(|one| format!("{seed}: {} {:?} {}", one.subject, one.since, one.value)),
        );
        let learned = kept.iter().find(|one| one.truth == Truth::True && is_told(one.split));
        wrong.extend(learned.map(|one| format!("{seed}: kept {} {}", one.hypothesis, one.focus)));
    }
    println!("{} of {} balanced jobs have a process for a finding", wrong.len(), jobs());
    println!("and of {} one was named while they ran", hasty.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(hasty.len() as u64 * 100 <= jobs(), "{hasty:#?}");
}

#[test]
fn who_computes_a_fifth_longer_is_named_and_nobody_else() {
    let mut missed = Vec::new();
    for seed in 0..jobs() {
        let job = Ranks::one_slow(seed);
        let slow = job.slow().expect("there is one").clone();
        let count = job.count();
        let Told { report, .. } = searched(job);
        let computing = report.iter().filter(|one| one.hypothesis == "CPUbound");
        let named = |hierarchy| {
            let focus = computing.clone().map(|one| &one.focus);
            focus.filter(move |focus| !focus.is_root(hierarchy)).map(move |one| one.part(hierarchy))
        };
        let is_named = named(Hierarchy::Process).next().is_some();
        if !is_named
            || named(Hierarchy::Process).any(|of| of != [slow.process.clone()])
            || named(Hierarchy::Machine).any(|of| of != [slow.machine.clone()])
        {
            let all: Vec<String> = named(Hierarchy::Process).map(|of| format!("{of:?}")).collect();
            missed.push(format!("{seed}: {} of {count}, named are {all:?}", slow.process));
        }
    }
    println!("the slow process is not told from the others in {} of {} jobs", missed.len(), jobs());
    assert!(missed.len() as u64 * 20 <= jobs(), "{missed:#?}");
}
