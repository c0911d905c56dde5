//! A store on a server of PostgreSQL: what comes back is what a file gives back, and what goes wrong is named.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use whyperf_experiments::{
    Access, Diagnosis, Ending, ForeignSource, History, ImportRecorder, Progress, Recorder, RunId,
    SafeRecorder, Selector, Store, StoreError, TauFolder, Topic, import_threads,
};

use crate::postgres_server::PostgresServer;
use crate::sample::{Place, new_run, pair, progress, written};

/// All that is stored of a run, but for its id.
fn told(place: &Path, run: &RunId) -> String {
    let store = Store::open(place, Access::Read).expect("it was written");
    let told = || -> Result<String, StoreError> {
        let summary = store.summary(run)?;
        let head = (&summary.application, &summary.experiment, &summary.trial, &summary.started);
        let end = (summary.elapsed_s, summary.exit_status, summary.complete, &summary.command);
        let found = (store.verdicts(run)?, store.edges(run)?, store.steps(run)?);
        let measured = (store.profile(run)?, store.user_events(run)?);
        let series = (store.histogram(run, &pair())?, store.pairs(run)?);
        let about = (store.facts(run)?, store.directives(run)?, store.resources(run)?);
        let rest = (store.report(run)?, store.extent(run)?, store.objects(run)?, summary.tags);
        Ok(format!("{:?}", (head, end, found, measured, series, about, rest)))
    };
    told().expect("every part of it can be read")
}

const ENDING: Ending = Ending { elapsed: Duration::from_secs(3), exit_status: Some(0) };

#[test]
fn a_run_comes_back_as_from_a_file() {
    let file = Place::new("server-round-trip");
    let server = PostgresServer::shared().store("round_trip");
    let [here, there] = [&file.store(), &server].map(|place| told(place, &written(place, 0)));
    assert_eq!(here, there);
}

#[test]
fn a_diagnosis_is_found_by_a_tag_and_goes_with_its_source() {
    let url = PostgresServer::shared().store("diagnosed");
    let source = written(&url, 0);
    let facts = vec![(Topic::Setting, "verdict".into(), "classic".into())];
    let (directives, found) = (Vec::new(), progress());
    let diagnosis = Diagnosis { source: source.clone(), facts, directives, found };
    let mut store = Store::open(&url, Access::Change).expect("it was written");
    let made = store.add_diagnosis(&diagnosis).expect("its source is there");
    store.tag(&made, "better", true).expect("it is there");
    let tagged = store.find(&Selector::Named("better".into())).expect("it is called so");
    let removed = store.remove(std::slice::from_ref(&source)).expect("it is there");
    assert_eq!((&tagged, removed), (&made, vec![source, made.clone()]));
}

#[test]
fn names_with_every_odd_character_come_back() {
    let server = PostgresServer::shared().store("odd_names");
    let odd: String =
        (1..=0x2ff).filter_map(char::from_u32).chain("\u{1f600}'\"\\%$1".chars()).collect();
    let mut run = new_run(0);
    run.trial.clone_from(&odd);
    run.directives = vec![format!("with a zero: {}", '\0')];
    let run = Recorder::begin(&server, &run).and_then(|run| run.finish(&progress(), ENDING));
    let run = run.expect("it can be written");
    let store = Store::open(&server, Access::Read).expect("it was written");
    let told = (store.summary(&run).expect("it is there").trial, store.directives(&run).ok());
    assert_eq!(told, (odd, Some(vec!["with a zero: \u{fffd}".to_owned()])));
}

#[test]
fn a_password_counts_wherever_libpq_looks_for_it() {
    let server = PostgresServer::shared();
    let place = Place::new("server-password");
    for user in ["member", "elder"] {
        let hash = if user == "elder" { "SET password_encryption = 'md5';" } else { "" };
        server.sql(&format!("{hash} CREATE ROLE {user} LOGIN PASSWORD 'secret'; CREATE SCHEMA {user} AUTHORIZATION {user};"));
        let file = place.folder().join("passwords");
        fs::write(&file, format!("*:*:*:{user}:secret\n")).expect("writable");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("it is ours");
        let kept = format!("{}?passfile={}", server.url(user, "").display(), file.display());
        for url in [server.url(user, ":secret"), kept.into()] {
            written(&url, 0);
        }
    }
    let runs = Store::open(&server.url("member", ":secret"), Access::Read).expect("it lets in");
    assert_eq!(runs.runs(&History::default()).expect("readable").len(), 2);
}

#[test]
fn a_wrong_password_is_told_and_no_password_is_shown() {
    let server = PostgresServer::shared();
    let url = server.url("member", ":mistaken");
    let refused = Store::open(&url, Access::Write).expect_err("it is not that");
    let said = (matches!(refused, StoreError::Refused { .. }), refused.to_string());
    assert!(said.0 && said.1.contains(":***@") && !said.1.contains("mistaken"), "{said:?}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let nowhere = Path::new("postgres://me@%2Fno%2Fsuch%2Ffolder/runs");
    let refused = Store::open(nowhere, Access::Read).expect_err("nobody answers");
    assert!(matches!(refused, StoreError::Unreachable { .. }), "{refused}");
}

#[test]
fn a_store_of_a_newer_version_is_not_touched() {
    let server = PostgresServer::shared();
    let url = server.store("newer");
    written(&url, 0);
    server.sql("INSERT INTO newer.schema_version VALUES (999)");
    let refused = Store::open(&url, Access::Write);
    assert!(matches!(refused, Err(StoreError::Newer { found: 999, .. })), "{refused:?}");
}

#[test]
fn a_store_of_an_older_version_is_read_as_it_is_and_brought_up_to_date_when_written() {
    let server = PostgresServer::shared();
    let url = server.store("older");
    let run = written(&url, 0);
    server.sql("DROP TABLE older.run_sums; DROP TABLE older.foreign_part; DROP TABLE older.record_part; DROP VIEW older.profile_view; DROP VIEW older.whole_profile; DROP TABLE older.callpath_source; DROP TABLE older.profile_row; DROP TABLE older.callpath; CREATE VIEW older.profile_view AS SELECT * FROM older.profile; DROP VIEW older.user_event_view; DROP TABLE older.user_event; DELETE FROM older.schema_version WHERE version > 7");
    let read = Store::open(&url, Access::Read).and_then(|store| store.user_events(&run));
    written(&url, 1);
    let now = Store::open(&url, Access::Read).and_then(|store| store.user_events(&run));
    assert_eq!((read.ok(), now.ok()), (Some(Vec::new()), Some(Vec::new())));
}

/// An imported run of two ranks in a store.
fn imported(store: &Path, files: &Path) -> RunId {
    for rank in 0..2 {
        let text = format!(
            "2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n\
             \"main [{{/src/a.c}} {{7,1}}]\" 1 1 {rank}.5 30 0 GROUP=\"TAU_USER\"\n\
             \"main [{{/src/a.c}} {{7,1}}] => MPI_Recv()\" 4 0 20 20 0 GROUP=\"TAU_CALLPATH|MPI\"\n0 aggregates\n\
             1 userevents\n# eventname numevents max min mean sumsqr\n\"residual\" 3 9 1 4 98\n"
        );
        fs::write(files.join(format!("profile.{rank}.0.0")), text).expect("writable");
    }
    let source = ForeignSource::Tau(TauFolder::open(files).expect("just written"));
    let recorder = ImportRecorder::begin(store, &new_run(0)).expect("writable");
    import_threads(source, recorder, |_, _| {}).expect("well formed").run
}

#[test]
fn an_imported_run_is_the_same_in_a_file_and_on_a_server_and_where_it_is_copied_to() {
    let [file, back] = ["server-imported", "server-imported-back"].map(Place::new);
    let url = PostgresServer::shared().store("imported");
    let all = |place: &Path, run: &RunId| {
        let store = Store::open(place, Access::Read).expect("it was written");
        let waits = store.run_results(run).expect("it has a record").amount(&pair());
        (told(place, run), store.foreign_profile(run).expect("readable"), waits)
    };
    let [here, there] =
        [&file.store(), &url].map(|place| all(place, &imported(place, file.folder())));
    assert_eq!(here, there);
    let mut to = Store::open(&back.store(), Access::Write).expect("writable");
    let from = Store::open(&url, Access::Read).expect("it was written");
    let copied = from.copy_to(&mut to, |_| {}).expect("both are there").copied;
    assert_eq!(all(&back.store(), &copied[0]), here);
}

#[test]
fn a_database_of_something_else_is_not_changed() {
    let server = PostgresServer::shared();
    let url = server.store("foreign_tables");
    server.sql("CREATE TABLE foreign_tables.letters (text TEXT)");
    let refused = Store::open(&url, Access::Write);
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
}

#[test]
fn runs_that_begin_at_once_are_all_written() {
    let url = PostgresServer::shared().store("at_once");
    thread::scope(|scope| {
        for first in 0..4 {
            let url = &url;
            scope.spawn(move || (0..5).for_each(|n| drop(written(url, first * 5 + n))));
        }
    });
    let store = Store::open(&url, Access::Read).expect("it was written");
    let whole = History { complete: true, ..History::default() };
    assert_eq!(store.runs(&whole).expect("readable").len(), 20);
}

#[test]
fn a_run_whose_server_goes_away_goes_on_in_a_file_and_is_copied_later() {
    let server = PostgresServer::shared();
    let url = server.store("gone");
    let place = Place::new("server-gone");
    let whole = Place::new("server-not-gone");
    let mut recorder = SafeRecorder::new(&url, &place.store(), new_run(0));
    recorder.record(&progress()).expect("the server is there");
    server.sql("ALTER ROLE gone NOLOGIN; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'gone'");
    recorder.record(&Progress::default()).expect("the file is there");
    let kept = recorder.finish(&Progress::default(), ENDING).expect("the file is there");
    assert!(kept.place == place.store() && kept.why.is_some_and(|why| why.is_out_of_reach()));
    server.sql("ALTER ROLE gone LOGIN");
    let from = Store::open(&place.store(), Access::Read).expect("it was written");
    let mut to = Store::open(&url, Access::Write).expect("it lets in again");
    let copied = from.copy_to(&mut to, |_| {}).expect("both are there");
    assert_eq!(copied.completed, std::slice::from_ref(&kept.run));
    assert_eq!(told(&url, &kept.run), told(&whole.store(), &written(&whole.store(), 0)));
}

#[test]
fn a_server_that_cannot_be_reached_at_first_loses_no_run() {
    let place = Place::new("server-never");
    let nowhere = Path::new("postgres://me@%2Fno%2Fsuch%2Ffolder/runs");
    let recorder = SafeRecorder::new(nowhere, &place.store(), new_run(0));
    let kept = recorder.finish(&progress(), ENDING).expect("the file is there");
    let store = Store::open(&place.store(), Access::Read).expect("it was written");
    assert!(store.summary(&kept.run).is_ok_and(|run| run.complete));
}

#[test]
fn what_is_copied_there_and_back_is_the_same_and_copied_once() {
    let [here, back] = ["server-from", "server-back"].map(Place::new);
    let url = PostgresServer::shared().store("copied");
    let runs = [0, 1].map(|n| written(&here.store(), n));
    let copy = |from: &Path, to: &Path| {
        let mut to = Store::open(to, Access::Write).expect("writable");
        Store::open(from, Access::Read).and_then(|from| from.copy_to(&mut to, |_| {})).ok()
    };
    copy(&here.store(), &url);
    let again = copy(&here.store(), &url).map(|copied| copied.present);
    copy(&url, &back.store());
    let told = |place: &Place| runs.clone().map(|run| told(&place.store(), &run));
    assert_eq!((again, told(&here)), (Some(2), told(&back)));
}

#[test]
fn a_certificate_is_checked_as_the_mode_asks() {
    let server = PostgresServer::shared();
    server.store("encrypted");
    let root = |name| format!("sslrootcert={}", server.folder.join(name).display());
    let open = |host, parameters: String| {
        let url = format!("postgres://encrypted@{host}:{}/postgres?{parameters}", server.port);
        Store::open(Path::new(&url), Access::Write).is_ok()
    };
    let opened = [
        open("localhost", "sslmode=require".into()),
        open("localhost", format!("sslmode=verify-full&{}", root("ca.crt"))),
        open("127.0.0.1", format!("sslmode=verify-ca&{}", root("ca.crt"))),
        open("127.0.0.1", format!("sslmode=verify-full&{}", root("ca.crt"))),
        open("localhost", format!("sslmode=verify-ca&{}", root("other.crt"))),
        open("localhost", "sslmode=disable".into()),
    ];
    assert_eq!(opened, [true, true, true, false, false, false]);
}
