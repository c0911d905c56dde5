//! An imported profile as a run: asked, compared, and given out again.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use whyperf_experiments::{
    Access, ComparisonSettings, Ending, ForeignProfile, ForeignSource, History, ImportRecorder,
    NewRun, Operand, Query, Recorder, RunId, RunPart, Selector, Store, StoredProfileRow, TauFolder,
    Timer, caliper_json, compare, cube, import_threads, tau_files,
};

use crate::round_trip::Folder;

/// Two ranks, of which the second computes `slower` microseconds more in `work`, while the first waits.
fn profile(folder: &Folder, slower: u64) -> ForeignProfile {
    for rank in 0..2u64 {
        let work = 1_000_000 + slower * rank;
        let wait = 500_000 + slower * (1 - rank);
        let all = work + wait;
        let text = format!(
            "5 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Hostname</name><value>node{rank}</value></attribute></metadata>\n\
             \"main\" 1 2 0 {all} 0 GROUP=\"TAU_USER\" \n\
             \"work [{{/src/a.c}} {{20,1}}]\" 10 0 {work} {work} 0 GROUP=\"TAU_USER\" \n\
             \"MPI_Recv()\" 4 0 {wait} {wait} 0 GROUP=\"MPI\" \n\
             \"main => work [{{/src/a.c}} {{20,1}}]\" 10 0 {work} {work} 0 GROUP=\"TAU_CALLPATH|TAU_USER\" \n\
             \"main => MPI_Recv()\" 4 0 {wait} {wait} 0 GROUP=\"TAU_CALLPATH|MPI\" \n\
             0 aggregates\n1 userevents\n# eventname numevents max min mean sumsqr\n\"residual\" 3 9 1 4 98\n"
        );
        std::fs::write(folder.0.join(format!("profile.{rank}.0.0")), text).expect("writable");
    }
    tau_files(&folder.0, |_, _| {}).expect("well formed")
}

pub(crate) fn store(folder: &Folder) -> PathBuf {
    folder.0.join("whyperf.db")
}

fn new_run(slower: u64, experiment: &str) -> NewRun {
    NewRun {
        application: "ocean".into(),
        experiment: experiment.into(),
        trial: slower.to_string(),
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_366_400),
        command: vec!["whyperf".into(), "import".into()],
        facts: Vec::new(),
        directives: Vec::new(),
    }
}

pub(crate) fn imported(folder: &Folder, slower: u64, experiment: &str) -> RunId {
    let (progress, notes) = profile(folder, slower).progress();
    assert!(notes.is_empty(), "{notes:?}");
    let run = new_run(slower, experiment);
    let recorder = Recorder::begin(&store(folder), &run).expect("writable");
    let ending = Ending { elapsed: progress.elapsed, exit_status: None };
    recorder.finish(&progress, ending).expect("writable")
}

fn answers(store: &Store, question: &str) -> Vec<(String, Option<f64>)> {
    let query: Query = question.parse().expect("well formed");
    let answers = store.answers(&query).expect("readable");
    answers.rows.into_iter().map(|row| (row.foci.join(" "), row.value)).collect()
}

#[test]
fn an_imported_run_is_asked_like_any_other() {
    let folder = Folder::new();
    imported(&folder, 0, "as it was");
    let store = Store::open(&store(&folder), Access::Read).expect("just written");
    let value = |question: &str| answers(&store, question)[0].1;
    assert_eq!(value("sync_wait"), Some(1e9));
    assert_eq!(value("wall"), Some(3e9));
    assert_eq!(value("sync_wait at </Code/main,/Process/1>"), Some(5e8));
    assert_eq!(value("compute at </Code/a.c/work>"), Some(2e9));
    assert_eq!(value("compute at </Code/*/work,/Process/(0,1)>"), Some(2e9));
    assert_eq!(value("sync_ops of app:ocean where ranks = 2"), Some(8.0));
    let apart = answers(&store, "compute at </Process/*> aggregate cluster 5%");
    assert_eq!(apart.len(), 1, "both ranks computed as long: {apart:?}");
    assert_eq!(answers(&store, "wall where ranks > 2"), []);
}

#[test]
fn sums_and_records_answer_alike() {
    let folder = Folder::new();
    imported(&folder, 0, "as it was");
    imported(&folder, 300_000, "slower");
    let source = ForeignSource::Tau(TauFolder::open(&folder.0).expect("just written"));
    let recorder = ImportRecorder::begin(&store(&folder), &new_run(7, "parts")).expect("writable");
    import_threads(source, recorder, |_, _| {}).expect("well formed");
    let asked = |question: &str| {
        let store = Store::open(&store(&folder), Access::Read).expect("just written");
        store.answers(&question.parse().expect("well formed")).expect("readable")
    };
    let told = || {
        let all = [
            "wall, cpu, compute, sync_wait, sync_ops, io_wait, msgs, late_wait, observed_cost",
            "compute, calls, sync_wait at </Code/*/work> of app:ocean",
            "compute at </Code/*> aggregate list",
            "sync_wait at </SyncObject/*> where ranks = 2",
            "sync_wait at </Code/main,/SyncObject/Message>",
            "compute at </Code/none/*>",
            "compute at </Code/none/f>",
            "compute at </Process/*> of experiment:parts aggregate list",
            "wall during 0%..50%",
        ];
        all.map(asked)
    };
    let by_sums = told();
    assert!(by_sums[1].rows.iter().any(|row| row.value == Some(2.3e9)), "{:?}", by_sums[1]);
    let connection = rusqlite::Connection::open(store(&folder)).expect("writable");
    // Records that nobody finds.
    connection.pragma_update(None, "foreign_keys", false).expect("it can be switched off");
    let hide = "UPDATE record SET run = -run";
    assert_eq!(connection.execute(hide, []), Ok(3));
    assert_eq!(by_sums[1], asked("compute, calls, sync_wait at </Code/*/work> of app:ocean"));
    assert_eq!(connection.execute(hide, []), Ok(3));
    assert_eq!(connection.execute("DELETE FROM run_sums", []), Ok(3));
    assert_eq!(by_sums, told());
}

#[test]
fn the_cause_stands_before_the_waiting_that_follows_from_it() {
    let folder = Folder::new();
    for _ in 0..2 {
        imported(&folder, 0, "before");
        imported(&folder, 300_000, "after");
    }
    let store = Store::open(&store(&folder), Access::Read).expect("just written");
    let operand = |name: &str| {
        let runs = store.trials(name).expect("two trials");
        Operand::of_runs(&store, name.into(), &runs, &RunPart::Whole).expect("readable")
    };
    let (mut a, mut b) = (operand("before"), operand("after"));
    let found = compare(&mut a, &mut b, &ComparisonSettings::default());
    let first = found.differences.first().expect("they differ");
    assert_eq!(first.metric, "compute", "{:#?}", found.differences);
    assert_eq!(first.focus, "</Code/a.c/work,/Machine,/Process/1,/SyncObject>");
    assert!(first.is_cause && first.change.is_some_and(|change| (change - 0.3).abs() < 1e-9));
    let same =
        compare(&mut operand("before"), &mut operand("before"), &ComparisonSettings::default());
    assert_eq!((same.differences, same.structure), (vec![], vec![]));
}

#[test]
fn what_came_in_goes_out_to_the_letter() {
    let folder = Folder::new();
    let profile = profile(&folder, 7);
    let run = imported(&folder, 7, "kept");
    let store = Store::open(&store(&folder), Access::Read).expect("just written");
    assert_eq!(store.foreign_profile(&run).expect("readable").as_ref(), Some(&profile));
    let out = Folder::new();
    store.exported(&run).expect("readable").tau().write_tau(&out.0).expect("writable");
    let mut again = tau_files(&out.0, |_, _| {}).expect("just written");
    for thread in &mut again.threads {
        thread.metadata.retain(|(name, _)| name != "Metric Name");
    }
    assert_eq!(again, profile);
}

#[test]
fn threads_that_come_one_after_the_other_make_the_same_run() {
    let folder = Folder::new();
    let run = imported(&folder, 7, "whole");
    let source = ForeignSource::Tau(TauFolder::open(&folder.0).expect("just written"));
    let recorder = ImportRecorder::begin(&store(&folder), &new_run(7, "parts")).expect("writable");
    let parts = import_threads(source, recorder, |_, _| {}).expect("well formed");
    assert_eq!((parts.threads, parts.callpaths), (2, 6));
    let store = Store::open(&store(&folder), Access::Read).expect("just written");
    let rows = |run| store.profile(run).expect("readable");
    assert_eq!(rows(&parts.run), rows(&run));
    let foreign = |run| store.foreign_profile(run).expect("readable");
    assert_eq!(foreign(&parts.run), foreign(&run));
}

#[test]
fn the_same_name_twice_is_one_and_what_other_metrics_lack_is_told() {
    let folder = Folder::new();
    let text = |metric: &str, timers: &[&str]| {
        let lines = timers.iter().map(|name| format!("\"{name}\" 2 0 5 5 0 GROUP=\"A\"\n"));
        let (count, lines) = (timers.len(), lines.collect::<String>());
        format!("{count} templated_functions_MULTI_{metric}\n# Name\n{lines}0 aggregates\n")
    };
    for (metric, timers) in [("FP", &["f", "g  h", "g h"][..]), ("TIME", &["g h", "f", "f"])] {
        let below = folder.0.join(format!("MULTI__{metric}"));
        std::fs::create_dir(&below).expect("writable");
        std::fs::write(below.join("profile.0.0.0"), text(metric, timers)).expect("writable");
    }
    let whole = tau_files(&folder.0, |_, _| {}).expect("well formed");
    let told = |timer: &Timer| {
        let values = timer.values.iter().map(|value| value.exclusive).collect();
        (timer.name.clone(), timer.calls, values)
    };
    let timers: Vec<(String, f64, Vec<f64>)> = whole.threads[0].timers.iter().map(told).collect();
    let two = |name: &str, calls, values: [f64; 2]| (name.to_owned(), calls, values.to_vec());
    assert_eq!(timers, [two("f", 2.0, [5.0, 10.0]), two("g h", 4.0, [10.0, 5.0])]);
}

/// How many rows of runs there are, seen or not.
fn rows_of_runs(folder: &Folder) -> i64 {
    let connection = rusqlite::Connection::open(store(folder)).expect("a database");
    let count = "SELECT count(*) FROM run";
    connection.query_row(count, [], |row| row.get(0)).expect("it is a store")
}

#[test]
fn an_import_that_was_not_ended_is_no_run_and_goes_with_a_later_one() {
    let folder = Folder::new();
    profile(&folder, 7);
    drop(ImportRecorder::begin(&store(&folder), &new_run(7, "killed")).expect("writable"));
    let seen = |folder: &Folder| {
        let store = Store::open(&store(folder), Access::Read).expect("it is there");
        let latest = store.find(&Selector::Latest(0)).is_ok();
        let connection = rusqlite::Connection::open(self::store(folder)).expect("a database");
        let count = "SELECT count(*) FROM run_view";
        let rows: i64 = connection.query_row(count, [], |row| row.get(0)).expect("a view");
        (store.runs(&History::default()).expect("readable").len(), latest, rows)
    };
    assert_eq!((seen(&folder), rows_of_runs(&folder)), ((0, false, 0), 1));
    let connection = rusqlite::Connection::open(store(&folder)).expect("a database");
    connection.execute("UPDATE run SET written = 0", []).expect("it is there");
    let source = ForeignSource::Tau(TauFolder::open(&folder.0).expect("just written"));
    let recorder = ImportRecorder::begin(&store(&folder), &new_run(7, "later")).expect("writable");
    import_threads(source, recorder, |_, _| {}).expect("well formed");
    assert_eq!((seen(&folder), rows_of_runs(&folder)), ((1, true, 1), 1));
}

#[test]
fn what_cannot_be_read_to_its_end_is_no_run() {
    let folder = Folder::new();
    profile(&folder, 7);
    std::fs::write(folder.0.join("profile.2.0.0"), "no profile").expect("writable");
    let source = ForeignSource::Tau(TauFolder::open(&folder.0).expect("the first makes sense"));
    let recorder = ImportRecorder::begin(&store(&folder), &new_run(7, "cut")).expect("writable");
    let told = import_threads(source, recorder, |_, _| {}).expect_err("it makes no sense");
    assert!(told.to_string().contains("profile.2.0.0, line 1"), "{told}");
    let store = Store::open(&store(&folder), Access::Read).expect("it is there");
    assert_eq!(store.runs(&History::default()).expect("readable"), []);
    assert_eq!(rows_of_runs(&folder), 0);
}

#[test]
fn users_ask_the_views_by_sql() {
    let folder = Folder::new();
    let run = imported(&folder, 0, "as it was");
    let connection = rusqlite::Connection::open(store(&folder)).expect("a database");
    let count = |query: &str| -> i64 {
        connection.query_row(query, [run.as_str()], |row| row.get(0)).expect("the view is there")
    };
    assert_eq!(
        count(
            "SELECT count(*) FROM run_view WHERE run = $1 AND application = 'ocean' AND elapsed_s = 1.5"
        ),
        1
    );
    assert_eq!(count("SELECT count(*) FROM profile_view WHERE run = $1 AND exclusive_s = 1.0"), 2);
    assert_eq!(
        count("SELECT count(*) FROM resource_view WHERE run = $1 AND resource = '/Code/a.c/work'"),
        1
    );
    assert_eq!(count("SELECT count(*) FROM fact_view WHERE run = $1 AND name = 'Hostname'"), 1);
    assert_eq!(count("SELECT count(*) FROM verdict_view WHERE run = $1"), 0);
}

#[test]
fn what_goes_out_as_cube_or_caliper_comes_in_again() {
    let folder = Folder::new();
    let run = imported(&folder, 7, "there and back");
    let store = Store::open(&store(&folder), Access::Read).expect("just written");
    let exported = store.exported(&run).expect("readable");
    let rows = store.profile(&run).expect("readable");
    let seconds = |rows: &[StoredProfileRow]| -> Vec<(u32, Vec<String>, u64)> {
        let told = rows.iter().filter(|row| row.exclusive.0 > 0);
        told.map(|row| (row.process, row.path.clone(), row.exclusive.0)).collect()
    };
    let report = folder.0.join("run.cubex");
    std::fs::write(&report, exported.cube()).expect("writable");
    let again = cube(&report).expect("we wrote it").progress().0.profile;
    assert_eq!(seconds(&again), seconds(&rows));
    let again = caliper_json(&folder.0.join("run.json"), &exported.caliper()).expect("we wrote it");
    assert_eq!(seconds(&again.progress().0.profile), seconds(&rows));
}
