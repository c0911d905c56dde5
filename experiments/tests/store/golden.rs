//! Stores that earlier versions wrote: each opens, and says today what it said when it was written.
//!
//! The files in `golden/` are never written again. Each store has two: the packed database, and its content in words.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use whyperf_consultant::{DataSource as _, Event, MeasurementId};
use whyperf_experiments::{Access, History, RunId, Store, StoreError, Summary};
use whyperf_model::matching::{CausedBy, CausedWait};
use whyperf_model::{Focus, Hierarchy, Interval, MessageTable, Metric, Pair, Route};

use crate::sample::{Place, sql, written};

/// Version of the store, and of the records in it.
const STORES: [&str; 13] = [
    "schema-1",
    "schema-2-record-1",
    "schema-2-record-2",
    "schema-3-record-3",
    "schema-4-record-3",
    "schema-5-record-3",
    "schema-5-record-4",
    "schema-6-record-5",
    "schema-7-record-5",
    "schema-8-record-5",
    "schema-9-record-5",
    "schema-10-record-5",
    "schema-11-record-5",
];

/// What is summed over a run of each thread's and node's growth.
const SUMMED: [Metric; 9] = [
    Metric::Wall,
    Metric::Compute,
    Metric::SyncWait,
    Metric::IoWait,
    Metric::SyncOps,
    Metric::IoBytes,
    Metric::MsgBytes,
    Metric::CollectiveWait,
    Metric::LockWait,
];

#[test]
fn each_store_of_old_opens_and_says_what_it_held() {
    for name in STORES {
        let place = Place::new(name);
        let path = unpacked(name, &place);
        let before = fs::read(&path).expect("it was just unpacked");
        let said = told(&Store::open(&path, Access::Read).expect("it was a store once"));
        assert_eq!(said, as_written(name, &said), "{name}");
        assert_eq!(fs::read(&path).expect("readable"), before, "{name} was changed by reading");
    }
}

#[test]
fn each_store_of_old_is_written_on_and_loses_nothing() {
    for name in STORES {
        let place = Place::new(&format!("{name}-on"));
        let path = unpacked(name, &place);
        let new = written(&path, 0);
        let mut store = Store::open(&path, Access::Change).expect("it was brought up to date");
        store.remove(&[new]).expect("it was just written");
        let said = told(&store);
        assert_eq!(said, as_written(name, &said), "{name}");
    }
}

#[test]
fn messages_are_unknown_in_stores_that_are_older_than_they() {
    for name in STORES {
        let place = Place::new(&format!("{name}-messages"));
        let path = unpacked(name, &place);
        let knows = |access| {
            let store = Store::open(&path, access).expect("it was a store once");
            let runs = store.runs(&History::default()).expect("readable");
            assert!(!runs.is_empty(), "{name}");
            runs.iter().any(|run| store.messages(&run.id).expect("readable").is_some())
        };
        let version = name.split('-').nth(1).and_then(|version| version.parse::<u32>().ok());
        let is_of_today = version.expect("its name says it") >= 5;
        assert_eq!([knows(Access::Read), knows(Access::Change)], [is_of_today; 2], "{name}");
    }
}

#[test]
fn a_store_of_a_newer_whyperf_is_refused_in_one_sentence_and_stays_as_it_is() {
    let place = Place::new("downgrade");
    let path = unpacked("schema-3-record-3", &place);
    sql(&path, "INSERT INTO schema_version (version) VALUES (12)");
    let before = fs::read(&path).expect("readable");
    for access in [Access::Read, Access::Change, Access::Write] {
        let refused = Store::open(&path, access).expect_err("it is newer");
        assert!(matches!(refused, StoreError::Newer { found: 12, known: 11, .. }), "{refused:?}");
        let said = refused.to_string();
        assert!(said.contains("use a newer whyperf") && !said.contains('\n'), "{said}");
    }
    assert_eq!(fs::read(&path).expect("readable"), before);
}

#[test]
fn a_record_of_a_newer_whyperf_is_refused_and_the_rest_of_the_run_is_there() {
    let place = Place::new("newer-record");
    let path = unpacked("schema-3-record-3", &place);
    let newer = "UPDATE record SET bytes = CAST(x'06' || substr(bytes, 2) AS BLOB)";
    sql(&path, newer);
    let store = Store::open(&path, Access::Read).expect("it is a store as before");
    for run in store.runs(&History::default()).expect("readable") {
        let refused = store.replay(&run.id).expect_err("it is newer").to_string();
        assert!(refused.contains("has version 6") && refused.contains("use a newer whyperf"));
        assert!(!store.verdicts(&run.id).expect("readable").is_empty());
    }
}

fn golden(name: &str, ending: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/store/golden/{name}.{ending}"))
}

/// What a store held when it was written. Of a store that was just added it is written down, and the test fails once.
fn as_written(name: &str, said: &str) -> String {
    let path = golden(name, "txt");
    fs::read_to_string(&path).unwrap_or_else(|error| {
        fs::write(&path, said).expect("the folder of the test can be written");
        panic!("{}: {error}; it is there now, look whether it is right", path.display());
    })
}

fn unpacked(name: &str, place: &Place) -> PathBuf {
    let packed = fs::File::open(golden(name, "db.xz")).expect("it is there");
    let mut file = fs::File::create(place.store()).expect("the folder is ours");
    let mut bytes = lzma_rust2::XzReader::new(packed, false);
    std::io::copy(&mut bytes, &mut file).expect("it was packed whole");
    place.store()
}

/// All runs of a store in words.
fn told(store: &Store) -> String {
    let mut out = String::new();
    for run in store.runs(&History::default()).expect("readable") {
        run_told(store, &run, &mut out);
        replay_told(store, &run.id, &mut out);
    }
    out
}

fn run_told(store: &Store, run: &Summary, out: &mut String) {
    let Summary { id, application, started, elapsed_s, exit_status, complete, .. } = run;
    // Of an imported run nobody knows it.
    let status = exit_status.map_or_else(|| "unknown".to_owned(), |status| status.to_string());
    let line = format!("run {id} of {application} at {started} for {elapsed_s:.6} s");
    say(out, format_args!("{line}, status {status}, complete {complete}"));
    say(out, format_args!("command {}", run.command.join(" ")));
    for fact in store.facts(id).expect("readable") {
        say(out, format_args!("{} {} = {}", fact.topic, fact.name, fact.value));
    }
    for directive in store.directives(id).expect("readable") {
        say(out, format_args!("directive {directive}"));
    }
    let phases = store.phases(id).expect("readable");
    for phase in &phases {
        let [began, ended] = [phase.began, phase.ended].map(|time| time.as_secs_f64());
        say(out, format_args!("phase {} {} from {began} to {ended}", phase.number, phase.name));
    }
    for number in phases.iter().map(|phase| phase.number).chain([0]) {
        let edges = store.edges_in(id, number).expect("readable").len();
        say(out, format_args!("search {number} with {edges} edges"));
        for verdict in store.verdicts_in(id, number).expect("readable") {
            let (hypothesis, focus, truth) = (verdict.hypothesis, verdict.focus, verdict.truth);
            let value = verdict.value.unwrap_or(f64::NAN);
            let line = format!("{truth} {hypothesis} {focus} {value:.6} {}", verdict.threshold);
            say(out, format_args!("{line} {} {}", verdict.asked, verdict.origin));
        }
    }
    let resources = store.resources(id).expect("readable").len();
    let (steps, objects) = (store.steps(id), store.objects(id));
    let counts = [resources, steps.expect("readable").len(), objects.expect("readable").len()];
    say(out, format_args!("resources, steps, objects {counts:?}"));
    if let Some(report) = store.report(id).expect("readable") {
        let [json, lines] = [report.json.len(), report.text.lines().count()];
        say(out, format_args!("report of {json} bytes, printed in {lines} lines"));
    }
    measured_told(store, id, out);
}

/// Histograms and callpaths.
fn measured_told(store: &Store, run: &RunId, out: &mut String) {
    for pair in store.pairs(run).expect("readable") {
        let histogram = store.histogram(run, &pair).expect("readable").expect("it was listed");
        let whole = histogram.whole();
        let (amount, covered, width) = (whole.amount, whole.covered.0, histogram.width().0);
        say(out, format_args!("histogram {pair} {amount} in {covered} ns by {width} ns"));
    }
    messages_told(store, run, out);
    for event in store.user_events(run).expect("readable") {
        let (kind, name, path) = (event.kind.name(), event.name, event.path.join(" => "));
        say(out, format_args!("{kind} {name} in {path:?}: {:?}", event.totals));
    }
    for row in store.profile(run).expect("readable") {
        let (place, path) = ((row.process, row.thread), row.path.join(" => "));
        let times = [row.calls, row.inclusive.0, row.exclusive.0, row.sent, row.received];
        say(out, format_args!("callpath {place:?} {path} {times:?} {:?}", row.source));
    }
    if let Some(profile) = store.foreign_profile(run).expect("readable") {
        say(out, format_args!("to the letter {profile:?}"));
    }
}

/// Messages by sender and receiver, as far as they are known, over the run and over each phase.
fn messages_told(store: &Store, run: &RunId, out: &mut String) {
    let Some(series) = store.messages(run).expect("readable") else { return };
    let phases = store.phases(run).expect("readable");
    let parts = phases.iter().map(|phase| Interval::new(phase.began, phase.ended));
    let parts = parts.map(|part| series.within(part));
    for (part, table) in (0..).zip(std::iter::once(Some(series.whole())).chain(parts)) {
        for row in table.iter().flat_map(MessageTable::rows) {
            let Route { job, from, to } = row.route;
            let sums = [row.number, row.bytes, row.waiting.0, row.sending.0];
            say(out, format_args!("messages {part} of job {job} {from:?} to {to:?} {sums:?}"));
        }
    }
    say(out, format_args!("messages in {} passes", series.passes()));
}

/// What a search over the run would be told.
fn replay_told(store: &Store, run: &RunId, out: &mut String) {
    let mut source = match store.replay(run) {
        Ok(source) => source,
        Err(error) => {
            assert!(matches!(error, StoreError::NoRecord { .. }), "{error}");
            return say(out, format_args!("no record"));
        }
    };
    for (id, metric) in (0..).zip(SUMMED) {
        source.start(MeasurementId(id), &Pair::new(metric, Focus::whole_program()));
    }
    let (mut sums, mut passes, mut events) = ([0; SUMMED.len()], 0, 0);
    while let Some(event) = source.next() {
        events += 1;
        if let Event::Sample(MeasurementId(id), sample) = event {
            sums[id as usize] += sample.amount;
            passes += u32::from(id == 0);
        }
    }
    for (metric, sum) in SUMMED.iter().zip(sums) {
        say(out, format_args!("sum {metric} {sum}"));
    }
    let efforts = source.efforts().map(|all| all.len());
    let line = format!("{passes} passes, {events} events, {} lines", source.lines().len());
    say(out, format_args!("{line}, {efforts:?} ranks, {:.6} s of threads", source.thread_time()));
    let waits = Pair::new(Metric::SyncWait, Focus::whole_program());
    let causes = source.wait_causes(&[waits]).remove(0).into_iter();
    // Records before the fourth version know of ranks alone, and not in which code.
    let is_of_old = |cause: &CausedWait| {
        cause.by != CausedBy::LockHolder && cause.focus.is_root(Hierarchy::Code)
    };
    for CausedWait { spent, by, focus, share, .. } in causes.filter(|cause| !is_of_old(cause)) {
        say(out, format_args!("cause {} {} {focus} {share:.6}", by.name(), spent.name()));
    }
}

fn say(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("writing to a string does not fail");
}
