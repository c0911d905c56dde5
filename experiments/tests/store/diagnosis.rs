//! What is kept of a run can be searched again, and what that finds is a run, too.

use whyperf_consultant::{Event, MeasurementId, World as _};
use whyperf_experiments::{
    Access, Diagnosis, Ending, Extent, History, ObjectRow, Progress, Record, Recorder, Replay,
    Selector, Store, StoreError, Topic,
};
use whyperf_model::matching::{ClassId, Grown, Kind, Line, Seat, SeatId, Tally, Totals};
use whyperf_model::{Category, Focus, Interval, Metric, Nanos, Pair};

use crate::sample::{Place, at, new_run, progress};

/// One thread that waits for all of a millisecond, the `n`-th.
fn tally(n: u64) -> Tally {
    let is_first = n == 0;
    let resource = |name: &str| name.parse().expect("well formed");
    let seat = Seat {
        number: 0,
        rank: Some(0),
        thread: resource("/Process/0/0"),
        process: resource("/Process/0"),
        machine: resource("/Machine/n0"),
    };
    let object = Some(resource("/SyncObject/Barrier"));
    let kind = Kind { category: Category::Barrier, code: Vec::new(), object, own: None };
    let by = Totals { time: Nanos(MILLISECOND), visits: 1, ..Totals::default() };
    Tally {
        interval: Interval::new(at(n * MILLISECOND), at((n + 1) * MILLISECOND)),
        seats: is_first.then_some(seat.clone()).into_iter().collect(),
        kinds: is_first.then_some(kind).into_iter().collect(),
        present: vec![SeatId(0)],
        grown: vec![Grown { seat: SeatId(0), kind: ClassId(0), by }],
        appeared: if is_first { vec![seat.process] } else { Vec::new() },
        ..Tally::default()
    }
}

const MILLISECOND: u64 = 1_000_000;

fn waits() -> Pair {
    Pair::new(Metric::SyncWait, Focus::whole_program())
}

/// The samples of a pair in a record.
fn samples(mut world: impl whyperf_consultant::World, pair: &Pair) -> Vec<(Interval, i64)> {
    world.start(MeasurementId(0), pair);
    let mut all = Vec::new();
    while let Some(event) = world.next() {
        if let Event::Sample(_, sample) = event {
            assert_eq!((sample.reported, sample.expected), (1, 1));
            all.push((sample.interval, sample.amount));
        }
    }
    all
}

#[test]
fn a_record_folds_and_loses_nothing() {
    let mut record = Record::default();
    for n in 0..3500 {
        record.add(&tally(n));
    }
    assert!(record.rounds() <= Record::MOST_ROUNDS);
    let bytes = record.bytes();
    assert!(bytes.len() < 16 * Record::MOST_ROUNDS, "{} bytes", bytes.len());
    let read = Record::parse(&bytes).expect("it was just written");
    assert_eq!(read, record);
    let replay = Replay::new(read, []);
    let samples = samples(replay, &waits());
    let whole: i64 = samples.iter().map(|(_, amount)| amount).sum();
    assert_eq!(whole, 3_500_000_000);
    let is_gapless = samples.windows(2).all(|pair| pair[0].0.end == pair[1].0.start);
    assert!(is_gapless && samples.len() == record.rounds());
}

/// Phases, places, prices and lines of a long run, beside amounts.
fn told() -> Record {
    let name = |text: &str| text.parse::<whyperf_model::Resource>().expect("well formed");
    let mut record = Record::default();
    for n in 0..1500 {
        let mut tally = tally(n);
        let (process, machine) = (name("/Process/0"), name("/Machine/n0"));
        tally.placed.extend((n == 0).then_some((process, machine)));
        tally.prices.push((name("/Code/a.c/f"), if n < 700 { 1000.0 } else { 5000.0 }));
        tally.hot.extend((n == 5).then_some((waits(), 0.25)));
        record.add(&tally);
        if n % 500 == 100 {
            record.begin_phase(tally.interval.end, &format!("phase {n}"));
        }
    }
    let kind = Kind {
        category: Category::Barrier,
        code: vec![name("/Code/a.c/f")],
        object: None,
        own: None,
    };
    record.set_lines(&[Line {
        who: [name("/Process/0/0"), name("/Machine/n0")],
        kind: kind.into(),
        code: name("/Code/a.c/f"),
        position: "a.c:7".into(),
        time: 9,
    }]);
    record
}

#[test]
fn what_was_told_beside_amounts_comes_back_folded() {
    let record = told();
    let read = Record::parse(&record.bytes()).expect("it was just written");
    assert_eq!(read, record);
    let mut world = Replay::new(read, []);
    assert_eq!(
        Line::longest(world.lines(), Metric::SyncWait, &Focus::whole_program()).as_deref(),
        Some("a.c:7")
    );
    let events: Vec<Event> = std::iter::from_fn(|| world.next()).collect();
    let phases = events.iter().filter_map(|event| match event {
        Event::Phase(now, name) => Some((now.0.0, name.as_str())),
        _ => None,
    });
    // After a fold a phase begins at the end of the longer round in which it began.
    // The first thousand rounds were folded once, those after them never.
    let at = |n: u64| n * MILLISECOND;
    let wanted = [(at(102), "phase 100"), (at(602), "phase 600"), (at(1101), "phase 1100")];
    assert_eq!(phases.collect::<Vec<_>>(), wanted);
    let prices = events.iter().filter_map(|event| match event {
        Event::Price(_, _, rate) => Some(*rate),
        _ => None,
    });
    assert_eq!(prices.collect::<Vec<_>>(), [1000.0, 5000.0], "what stays is told once");
    let placed = events.iter().filter(|event| matches!(event, Event::Placed(..)));
    assert_eq!(placed.count(), 1);
}

#[test]
fn records_of_the_first_version_are_read_without_what_they_did_not_hold() {
    let mut bytes = told().bytes();
    bytes[0] = 1;
    let mut first = Record::default();
    (0..1500).for_each(|n| first.add(&tally(n)));
    assert_eq!(Record::parse(&bytes), Some(first));
    bytes[0] = 3;
    assert_eq!(Record::parse(&bytes), None);
}

/// A run with a record, written in two parts as a journal does.
fn kept(place: &Place) -> whyperf_experiments::RunId {
    let mut recorder = Recorder::begin(&place.store(), &new_run(1)).expect("a new file");
    let tallies = |range: std::ops::Range<u64>| range.map(tally).collect();
    let first = Progress { tallies: tallies(0..10), ..progress() };
    recorder.record(&first).expect("writable");
    let object = ObjectRow { name: "/bin/x".into(), build_id: None, compiler: Some("GCC".into()) };
    let facts = vec![(Topic::Environment, "MPI".to_owned(), "Open MPI 5".to_owned())];
    let last = Progress { tallies: tallies(10..30), objects: vec![object], facts, ..progress() };
    let ending = Ending { elapsed: std::time::Duration::from_millis(30), exit_status: 0 };
    // The log of the first is not written twice.
    recorder.finish(&Progress { steps: Vec::new(), ..last }, ending).expect("writable")
}

#[test]
fn a_diagnosis_is_a_run_over_what_its_source_measured() {
    let place = Place::new("diagnosis");
    let source = kept(&place);
    let mut store = Store::open(&place.store(), Access::Change).expect("it is there");
    let replay = store.replay(&source).expect("there is a record");
    assert_eq!(samples(replay, &waits()).len(), 30);
    let diagnosis = Diagnosis {
        source: source.clone(),
        facts: vec![(Topic::Setting, "verdict".into(), "classic".into())],
        directives: vec!["prune * /Machine".into()],
        found: Progress { profile: Vec::new(), ..progress() },
    };
    let id = store.keep(&diagnosis).expect("writable");
    assert_eq!(
        (store.keep(&diagnosis).expect("writable"), diagnosis.id()),
        (id.clone(), id.clone())
    );
    let runs = store.runs(&History::default()).expect("readable");
    let of: Vec<_> = runs.iter().map(|run| (run.id.clone(), run.source.clone())).collect();
    assert_eq!(of, [(id.clone(), Some(source.clone())), (source.clone(), None)]);
    assert_eq!(store.source(&id).expect("readable"), source);
    assert_eq!(
        store.resources(&id).expect("readable"),
        store.resources(&source).expect("readable")
    );
    assert_eq!(store.profile(&id).expect("readable"), store.profile(&source).expect("readable"));
    assert_eq!(store.objects(&id).expect("readable").len(), 1);
    assert_eq!(store.extent(&id).expect("readable"), store.extent(&source).expect("readable"));
    assert_ne!(store.extent(&id).expect("readable"), Extent::default());
    let facts = store.facts(&id).expect("readable");
    let names: Vec<&str> = facts.iter().map(|fact| fact.name.as_str()).collect();
    assert_eq!(names, ["MPI", "host", "verdict"], "its own settings, its source's surroundings");
    assert!(!store.verdicts(&id).expect("readable").is_empty());
    assert!(store.replay(&id).is_ok(), "a diagnosis can be diagnosed: it is its source that is");
    let other = Diagnosis { facts: Vec::new(), ..diagnosis };
    assert_ne!(other.id(), id);
    let removed = store.remove(&[source.clone(), source.clone()]).expect("writable");
    assert_eq!(removed, [source, id], "each is told once");
    assert_eq!(store.runs(&History::default()).expect("readable"), []);
    assert!(matches!(store.keep(&other), Err(StoreError::NoSuchRun { .. })));
}

#[test]
fn a_run_without_a_record_is_said_to_have_none() {
    let place = Place::new("unrecorded");
    let recorder = Recorder::begin(&place.store(), &new_run(1)).expect("a new file");
    let run = recorder.id().clone();
    drop(recorder);
    let store = Store::open(&place.store(), Access::Read).expect("it is there");
    let error = store.replay(&run).expect_err("nothing was recorded");
    assert!(matches!(error, StoreError::NoRecord { .. }), "{error}");
    assert!(error.to_string().contains("no record"), "{error}");
    assert!(store.find(&Selector::Latest(0)).is_ok());
}
