//! Round trips through the store: what is written comes back, what is written again replaces, and what is removed is gone.

use whyperf_experiments::{
    Access, Edge, History, Phase, Progress, Recorder, Selector, Store, StoreError, StoredReport,
    StoredVerdict,
};

use crate::sample::{Place, at, new_run, pair, progress, row, verdict, written};

#[test]
fn every_part_of_a_run_comes_back() {
    let place = Place::new("parts");
    let id = written(&place.store(), 0);
    let store = Store::open(&place.store(), Access::Read).expect("it was just written");
    let wrote = progress();
    let summary = store.summary(&id).expect("it is there");
    assert_eq!((summary.exit_status, summary.complete), (Some(0), true));
    assert!((summary.elapsed_s - 3.0).abs() < 1e-9, "{summary:?}");
    assert_eq!(summary.started, "2026-03-01T12:00:00Z");
    assert_eq!(*summary.command, *new_run(0).command);
    let spans = store.resources(&id).expect("it is there");
    assert_eq!((spans[0].name.as_str(), spans[0].appeared), ("/Process/0", at(7)));
    assert_eq!(spans[0].retired, Some(at(9)));
    assert_eq!(store.verdicts(&id).expect("it is there"), wrote.verdicts);
    assert_eq!(store.edges(&id).expect("it is there"), wrote.edges);
    assert_eq!(store.steps(&id).expect("it is there"), wrote.steps);
    assert_eq!(store.profile(&id).expect("it is there"), wrote.profile);
    assert_eq!(store.user_events(&id).expect("it is there"), wrote.user_events);
    assert_eq!(store.report(&id).expect("it is there"), wrote.report);
    assert_eq!(store.pairs(&id).expect("it is there"), [pair()]);
    assert_eq!(
        store.histogram(&id, &pair()).expect("it is there"),
        Some(wrote.histograms[0].histogram.clone())
    );
    assert_eq!(store.directives(&id).expect("it is there"), new_run(0).directives);
    assert_eq!(store.facts(&id).expect("it is there")[0].value, "node07");
}

#[test]
fn a_report_is_replaced_and_that_of_another_run_is_not() {
    let place = Place::new("report");
    let [id, other] = [0, 1].map(|n| written(&place.store(), n));
    let mut store = Store::open(&place.store(), Access::Change).expect("it was just written");
    let report = StoredReport { json: r#"{"version":3}"#.into(), text: "amended\n".into() };
    store.replace_report(&id, &report).expect("writable");
    let kept = [&id, &other].map(|run| store.report(run).expect("it is there"));
    assert_eq!(kept, [Some(report), progress().report]);
}

#[test]
fn what_is_written_again_replaces_and_the_log_grows() {
    let place = Place::new("again");
    let mut recorder = Recorder::begin(&place.store(), &new_run(0)).expect("writable");
    recorder.record(&progress()).expect("writable");
    let again = Progress { verdicts: vec![verdict("false")], profile: vec![row(9)], ..progress() };
    recorder.record(&again).expect("writable");
    let store = Store::open(&place.store(), Access::Read).expect("it was just written");
    let id = recorder.id().clone();
    assert_eq!(store.verdicts(&id).expect("there"), [verdict("false")]);
    assert_eq!(store.profile(&id).expect("there"), [row(9)]);
    assert_eq!(store.steps(&id).expect("there").len(), 2);
    assert!(!store.summary(&id).expect("there").complete);
}

#[test]
fn runs_are_found_by_id_beginning_age_and_tag() {
    let place = Place::new("names");
    let ids: Vec<_> = (0..20).map(|n| written(&place.store(), n)).collect();
    let mut store = Store::open(&place.store(), Access::Change).expect("writable");
    let find = |store: &Store, text: &str| store.find(&text.parse().expect("well formed"));
    assert_eq!(find(&store, "latest").expect("there"), ids[19]);
    assert_eq!(find(&store, "latest~3").expect("there"), ids[16]);
    assert_eq!(find(&store, ids[4].as_str()).expect("there"), ids[4]);
    assert!(matches!(find(&store, "latest~20"), Err(StoreError::NoSuchRun { .. })));
    assert!(matches!(find(&store, "no such"), Err(StoreError::NoSuchRun { .. })));
    // Twenty ids begin with sixteen digits at most, so two of them share their first.
    let shared = (0..16).map(|digit| format!("{digit:x}"));
    let ambiguous =
        shared.filter(|digit| matches!(find(&store, digit), Err(StoreError::Ambiguous { .. })));
    assert!(ambiguous.count() > 0);
    store.tag(&ids[7], "baseline", true).expect("writable");
    assert_eq!(store.find(&Selector::Named("baseline".into())).expect("there"), ids[7]);
    assert_eq!(store.summary(&ids[7]).expect("there").tags, ["baseline"]);
    store.tag(&ids[7], "baseline", false).expect("writable");
    assert!(find(&store, "baseline").is_err());
}

#[test]
fn lists_are_newest_first_and_removing_forgets_all() {
    let place = Place::new("list");
    let ids: Vec<_> = (0..3).map(|n| written(&place.store(), n)).collect();
    let mut store = Store::open(&place.store(), Access::Change).expect("writable");
    let listed = |store: &Store, history: &History| -> Vec<_> {
        store.runs(history).expect("readable").into_iter().map(|run| run.id).collect()
    };
    assert_eq!(listed(&store, &History::default()), [&ids[2], &ids[1], &ids[0]].map(Clone::clone));
    let newest = History { most: Some(1), ..History::default() };
    assert_eq!(listed(&store, &newest), [ids[2].clone()]);
    let other = History { application: Some("other".into()), ..History::default() };
    assert_eq!(listed(&store, &other), []);
    store.remove(&ids[1..2]).expect("writable");
    assert_eq!(listed(&store, &History::default()), [&ids[2], &ids[0]].map(Clone::clone));
    assert!(matches!(store.verdicts(&ids[1]), Err(StoreError::NoSuchRun { .. })));
    assert!(matches!(store.remove(&ids), Err(StoreError::NoSuchRun { .. })));
    assert_eq!(listed(&store, &History::default()).len(), 2, "all or none");
}

#[test]
fn phases_come_back_apart_from_the_whole_run() {
    let place = Place::new("phases");
    let mut recorder = Recorder::begin(&place.store(), &new_run(0)).expect("writable");
    let phase = |number, name: &str, ended| {
        (Phase { number, name: name.into(), began: at(5), ended: at(ended) }, vec![], vec![])
    };
    let mut second = phase(2, "solve", 90);
    second.1 = vec![StoredVerdict { value: Some(0.5), ..verdict("true") }];
    second.2 = vec![Edge { parent: 0, child: 1, axis: "why".into() }];
    let wrote = Progress { searched: vec![phase(1, "start", 7), second.clone()], ..progress() };
    recorder.record(&wrote).expect("writable");
    let later = Progress { searched: vec![phase(2, "solve", 99)], ..Progress::default() };
    recorder.record(&later).expect("writable");
    let store = Store::open(&place.store(), Access::Read).expect("it was just written");
    let id = recorder.id();
    let phases = store.phases(id).expect("readable");
    assert_eq!(phases, [phase(1, "start", 7).0, phase(2, "solve", 99).0]);
    assert_eq!(store.verdicts_in(id, 1).expect("readable"), []);
    assert_eq!(store.verdicts_in(id, 2).expect("readable"), second.1);
    assert_eq!(store.edges_in(id, 2).expect("readable"), second.2);
    assert_eq!(store.verdicts(id).expect("readable"), wrote.verdicts);
    assert_eq!(store.edges(id).expect("readable"), wrote.edges);
}

#[test]
fn a_name_that_could_be_two_runs_is_refused() {
    let place = Place::new("meant");
    let ids: Vec<_> = (0..2).map(|n| written(&place.store(), n)).collect();
    let mut store = Store::open(&place.store(), Access::Change).expect("writable");
    let beginning = &ids[0].as_str()[..6];
    store.tag(&ids[1], beginning, true).expect("writable");
    let named = |name: &str| store.find(&Selector::Named(name.into()));
    let refused = named(beginning);
    assert!(matches!(refused, Err(StoreError::Ambiguous { .. })), "{refused:?}");
    assert_eq!(named(ids[0].as_str()).expect("there"), ids[0], "an id is what it is");
}

#[test]
fn two_runs_write_at_once() {
    let place = Place::new("two");
    let path = place.store();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || (0..5).for_each(|n| drop(written(path, thread * 10 + n))));
        }
    });
    let store = Store::open(&path, Access::Read).expect("it was just written");
    let runs = store.runs(&History::default()).expect("readable");
    assert_eq!(runs.len(), 20);
    assert!(runs.iter().all(|run| run.complete));
}
