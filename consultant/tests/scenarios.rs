//! Runs each scenario file and compares what the search does with what the file says it should do.
//!
//! A file is a program, a line of four dashes, and the expected steps and report. `UPDATE_GOLDEN=1` rewrites the expectation: read the
//! difference before you commit it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use whyperf_consultant::{
    Directives, DirectivesInForce, Happening, Hypotheses, SearchResult, Searches, Step, Truth,
    drive,
};
use whyperf_model::{Interval, Time};
use whyperf_testkit::simulate::{Checked, Scenario};

const MARK: &str = "\n----\n";

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let entries = std::fs::read_dir(&folder).expect("the scenarios are part of the crate");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    files
}

/// Everything that happened, and what was reported at the end.
fn search(scenario: &Scenario) -> (Vec<Step>, SearchResult) {
    let table = Hypotheses::built_in();
    let directives = Directives::parse("scenario", &scenario.directives, &table);
    let in_force =
        DirectivesInForce::new(&directives.expect("right"), &table).expect("without circles");
    let mut searches = Searches::new(table, scenario.settings.clone(), in_force);
    let mut source = Checked::new(scenario.source());
    let mut person = scenario.person();
    drive(&mut searches, &mut source, &mut person);
    assert_eq!(
        source.complaints(),
        [] as [String; 0],
        "the simulated data source breaks its promises"
    );
    assert!(source.samples() > 0, "the simulated data source said nothing");
    (person.steps, searches.global().report())
}

fn is_of_interest(step: &Step) -> bool {
    match &step.happening {
        Happening::Concluded(conclusion) => {
            conclusion.truth == Truth::True || conclusion.was == Truth::True
        }
        Happening::Started { .. } | Happening::Refined { .. } | Happening::Priced { .. } => false,
        _ => true,
    }
}

fn shown(scenario: &Scenario) -> String {
    let (steps, report) = search(scenario);
    let mut text = String::new();
    for step in steps.iter().filter(|step| scenario.shows_all || is_of_interest(step)) {
        writeln!(text, "{step}").expect("writing to a text");
    }
    if report.guided.used > 0 {
        writeln!(text, "{} directives used", report.guided.used).expect("writing to a text");
    }
    for waiting in &report.guided.waiting {
        writeln!(text, "waits  {waiting}").expect("writing to a text");
    }
    for pruned in &report.guided.pruned {
        writeln!(text, "pruned {pruned}").expect("writing to a text");
    }
    for untold in &report.untold {
        writeln!(text, "untold {} {}: {}", untold.hypothesis, untold.focus, untold.reason)
            .expect("writing to a text");
    }
    for found in &report.bottlenecks {
        let leaf = if found.leaf { "leaf" } else { "    " };
        let (value, hypothesis, focus) = (found.value, &found.hypothesis, &found.focus);
        let indent = 2 * found.depth;
        write!(text, "{leaf} {:indent$}{hypothesis} {focus} {value:.3}", "").expect("writing");
        if found.interval.start > Time::ZERO {
            write!(text, " {}", from_to(found.interval)).expect("writing");
        }
        for stretch in &found.happened {
            let (value, interval) = (stretch.value, from_to(stretch.interval));
            write!(text, ", {value:.3} {interval}").expect("writing");
        }
        text.push('\n');
    }
    let counts = report.counts;
    writeln!(
        text,
        "{} nodes, {} tested, {} true, {} unknown",
        counts.nodes, counts.tested, counts.found, counts.unknown
    )
    .expect("writing to a text");
    text
}

fn from_to(interval: Interval) -> String {
    let [start, end] = [interval.start, interval.end].map(Time::as_secs_f64);
    format!("from {start:.3} to {end:.3}")
}

#[test]
fn scenarios_go_as_written() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let files = files();
    assert!(files.len() >= 10, "only {} scenarios found", files.len());
    let mut different = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("readable");
        let (source, expected) = text.split_once(MARK).unwrap_or_else(|| (text.trim_end(), ""));
        let scenario = Scenario::parse(source)
            .unwrap_or_else(|complaint| panic!("{}: {complaint}", path.display()));
        let actual = shown(&scenario);
        if update {
            std::fs::write(&path, format!("{source}{MARK}{actual}")).expect("writable");
        } else if actual != expected {
            different.push(format!("{}: {}", path.display(), first_difference(expected, &actual)));
        }
    }
    let different = different.join("\n");
    assert!(
        different.is_empty(),
        "not as written:\n{different}\nUPDATE_GOLDEN=1 rewrites the files; read the difference"
    );
}

fn first_difference(expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(wanted, found)| wanted == found);
    let at = same.count();
    let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_owned();
    format!("line {} is `{}`, expected `{}`", at + 1, line(actual), line(expected))
}

/// Every hypothesis of the table, and so every one that is added to it, has a described program that it is true for at the end, and
/// one of which it is found false at the first look and never true.
#[test]
fn each_hypothesis_is_true_of_one_and_false_of_another() {
    let mut is_true = BTreeSet::new();
    let mut is_false = BTreeSet::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let source = text.split(MARK).next().unwrap_or_default();
        let (steps, report) = search(&Scenario::parse(source).expect("checked by the other test"));
        is_true.extend(report.bottlenecks.iter().map(|found| found.hypothesis.to_string()));
        let concluded = steps.iter().filter_map(|step| match &step.happening {
            Happening::Concluded(conclusion) => Some(conclusion),
            _ => None,
        });
        let of = |truth| {
            let such = concluded.clone().filter(move |conclusion| conclusion.truth == truth);
            such.map(|one| one.subject.hypothesis.to_string()).collect::<BTreeSet<_>>()
        };
        is_false.extend(&of(Truth::False) - &of(Truth::True));
    }
    let table = Hypotheses::built_in();
    for row in table.ids().map(|id| table.row(id)) {
        assert!(is_true.contains(&*row.name), "no scenario shows {}", row.name);
        assert!(is_false.contains(&*row.name), "no scenario refutes {}", row.name);
    }
}

#[test]
fn the_same_source_gives_the_same_steps() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let source = text.split(MARK).next().unwrap_or_default();
        let scenario = Scenario::parse(source).expect("checked by the other test");
        assert_eq!(search(&scenario), search(&scenario), "{}", path.display());
    }
}

#[test]
fn a_wrong_scenario_is_refused_with_its_line() {
    let line = |text: &str| Scenario::parse(text).map_err(|complaint| complaint.line);
    assert_eq!(line("length 10s\nphase 0s 10s *\n  0.5 Sleeping"), Err(3));
    assert_eq!(line("0.5 User"), Err(1));
    assert_eq!(line("# fine\n\nlength 10"), Err(3));
    assert_eq!(line("refuse <Code> why"), Err(1));
}
