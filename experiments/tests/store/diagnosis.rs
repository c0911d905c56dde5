//! Diagnoses from the store: the record of a run can be searched again, and the result is stored as a run, too.

use whyperf_consultant::{DataSource as _, Event, MeasurementId};
use whyperf_experiments::{
    Access, Diagnosis, Ending, Extent, History, ObjectRow, Progress, Record, RecordError, Recorder,
    Replay, Selector, Store, StoreError, Topic,
};
use whyperf_model::matching::{
    CausedBy, ClassId, Grown, IntervalRecord, Kind, Line, Location, LocationId, LockWait, Totals,
    Worked,
};
use whyperf_model::{
    Category, Efficiency, Focus, Interval, Metric, Nanos, Pair, Resource, TimeUse,
};

use crate::sample::{Place, at, new_run, pair, progress};

/// One thread that waits for all of a millisecond, the `n`-th.
fn interval_record(n: u64) -> IntervalRecord {
    let is_first = n == 0;
    let resource = |name: &str| name.parse().expect("well formed");
    let location = Location {
        number: 0,
        rank: Some(0),
        thread: resource("/Process/0/0"),
        process: resource("/Process/0"),
        machine: resource("/Machine/n0"),
    };
    let object = Some(resource("/SyncObject/Barrier"));
    let kind = Kind { category: Category::Barrier, code: Vec::new(), object, own: None };
    let by = Totals { time: Nanos(MILLISECOND), visits: 1, ..Totals::default() };
    IntervalRecord {
        interval: Interval::new(at(n * MILLISECOND), at((n + 1) * MILLISECOND)),
        locations: is_first.then_some(location.clone()).into_iter().collect(),
        kinds: is_first.then_some(kind).into_iter().collect(),
        present: vec![LocationId(0)],
        grown: vec![Grown { location: LocationId(0), kind: ClassId(0), by }],
        appeared: if is_first { vec![location.process] } else { Vec::new() },
        ..IntervalRecord::default()
    }
}

const MILLISECOND: u64 = 1_000_000;

fn waits() -> Pair {
    Pair::new(Metric::SyncWait, Focus::whole_program())
}

/// The samples of a pair in a record.
fn samples(mut source: impl whyperf_consultant::DataSource, pair: &Pair) -> Vec<(Interval, i64)> {
    source.start(MeasurementId(0), pair);
    let mut all = Vec::new();
    while let Some(event) = source.next() {
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
        record.add(&interval_record(n));
    }
    assert!(record.passes() <= Record::MOST_PASSES);
    let bytes = record.bytes();
    assert!(bytes.len() < 16 * Record::MOST_PASSES, "{} bytes", bytes.len());
    let read = Record::parse(&bytes).expect("it was just written");
    assert_eq!(read, record);
    let replay = Replay::new(read, []);
    let samples = samples(replay, &waits());
    let whole: i64 = samples.iter().map(|(_, amount)| amount).sum();
    assert_eq!(whole, 3_500_000_000);
    let is_gapless = samples.windows(2).all(|pair| pair[0].0.end == pair[1].0.start);
    assert!(is_gapless && samples.len() == record.passes());
}

/// Phases, places, prices and lines of a long run, beside amounts.
fn told() -> Record {
    let name = |text: &str| text.parse::<Resource>().expect("well formed");
    let mut record = Record::default();
    for n in 0..1500 {
        let mut interval_record = interval_record(n);
        let (process, machine) = (name("/Process/0"), name("/Machine/n0"));
        interval_record.placed.extend((n == 0).then_some((process, machine)));
        interval_record.prices.push((name("/Code/a.c/f"), if n < 700 { 1000.0 } else { 5000.0 }));
        interval_record.hot.extend((n == 5).then_some((waits(), 0.25)));
        record.add(&interval_record);
        if n % 500 == 100 {
            record.begin_phase(interval_record.interval.end, &format!("phase {n}"));
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
    let mut source = Replay::new(read, []);
    assert_eq!(
        Line::longest(source.lines(), Metric::SyncWait, &Focus::whole_program()).as_deref(),
        Some("a.c:7")
    );
    let events: Vec<Event> = std::iter::from_fn(|| source.next()).collect();
    let phases = events.iter().filter_map(|event| match event {
        Event::Phase(now, name) => Some((now.0.0, name.as_str())),
        _ => None,
    });
    // After a fold a phase begins at the end of the longer pass in which it began.
    // The first thousand passes were folded once, those after them never.
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

/// A record as an older version wrote it, which ended where the next began to say more.
fn of_version(version: u8, record: &Record) -> Result<Record, RecordError> {
    let mut bytes = record.bytes();
    bytes[0] = version;
    // What came with the third version is three bytes where nobody worked, as many with the fourth where nobody caused a wait, and with the
    // fifth one where the system told of all threads.
    let later = [0, 7, 7, 4, 1].get(usize::from(version)).copied().unwrap_or_default();
    bytes.truncate(bytes.len() - later);
    Record::parse(&bytes)
}

#[test]
fn older_records_are_read_without_what_they_did_not_hold() {
    let mut first = Record::default();
    (0..1500).for_each(|n| first.add(&interval_record(n)));
    let read = of_version(1, &told());
    assert!(read.is_ok() && read == of_version(1, &first));
    let second = of_version(2, &told()).expect("the second version had phases and places");
    assert_eq!(Replay::new(second.clone(), []).phases().count(), 3);
    assert_eq!(Replay::new(second, []).efforts(), None, "nobody knows who was at work");
    assert_eq!(Replay::new(told(), []).efforts().map(|all| all.len()), Some(1));
    assert!(of_version(4, &told()).is_ok());
    assert_eq!(of_version(6, &told()), Err(RecordError::Newer { found: 6 }));
    assert_eq!(of_version(0, &told()), Err(RecordError::Damaged));
}

#[test]
fn the_first_records_of_the_third_version_end_before_the_end_of_mpi() {
    let record = at_work();
    let mut bytes = record.bytes();
    bytes[0] = 3;
    bytes.truncate(bytes.len() - 4);
    assert_eq!(bytes.pop(), Some(0), "nobody ended MPI in the midst of a pass");
    assert_eq!(Record::parse(&bytes), Ok(record));
}

/// Of one of two threads the system does not say how much it ran: what that computed is not known.
#[test]
fn the_division_of_time_is_told_of_a_run_that_is_over() {
    let mut record = Record::default();
    for n in 0..10 {
        let mut of_pass = two_ranks(n);
        of_pass.untold = vec![LocationId(1)];
        record.add(&of_pass);
    }
    let record = Record::parse(&record.bytes()).expect("it was just written");
    let divisions = Replay::new(record, []).time_divisions();
    let [told, untold] = ["0", "1"].map(|process| divisions[process]);
    assert_eq!([told, untold].map(|one| one.share(TimeUse::Computing)), [1.0, 0.0]);
    assert_eq!([told, untold].map(|one| one.share(TimeUse::Unknown)), [0.0, 0.5]);
}

/// A thread waits for a mutex that others hold; passes fold, and nothing of it is lost.
#[test]
fn who_held_a_lock_is_told_of_a_run_that_is_over() {
    let [holder, other, code] = ["/Process/0/2", "/Process/0/3", "/Code/a.c/fill"]
        .map(|name| name.parse::<Resource>().expect("well formed"));
    let mut record = Record::default();
    for n in 0..1500 {
        let wait = |holder: &Resource, spent, time| LockWait {
            location: LocationId(0),
            kind: ClassId(0),
            holder: holder.clone(),
            code: (spent == TimeUse::Computing).then(|| code.clone()),
            spent,
            time: Nanos(time),
        };
        let mut of_pass = interval_record(n);
        of_pass.kinds.iter_mut().for_each(|kind| kind.category = Category::Mutex);
        of_pass.lock_waits = vec![
            wait(&holder, TimeUse::Computing, MILLISECOND / 2),
            wait(&other, TimeUse::Io, MILLISECOND / 4),
        ];
        record.add(&of_pass);
    }
    let record = Record::parse(&record.bytes()).expect("it was just written");
    let mut replay = Replay::new(record, []);
    while replay.next().is_some() {}
    let told = replay.wait_causes(&[waits()]).remove(0);
    let told = told.into_iter().map(|cause| {
        assert_eq!(cause.by, CausedBy::LockHolder);
        (cause.spent, cause.focus.to_string(), cause.share)
    });
    let expected = [
        (TimeUse::Computing, "</Code/a.c/fill,/Machine,/Process/0/2,/SyncObject>", 0.5),
        (TimeUse::Io, "</Code,/Machine,/Process/0/3,/SyncObject>", 0.25),
    ];
    let expected = expected.map(|(spent, focus, share)| (spent, focus.to_owned(), share));
    assert_eq!(told.collect::<Vec<_>>(), expected);
}

#[test]
fn a_category_that_nobody_knows_is_named_and_taken_for_no_other() {
    let mut record = Record::default();
    record.add(&interval_record(0));
    let bytes = record.bytes();
    let last = u8::try_from(Category::Barrier.number()).expect("few categories");
    // Where the kind stands follows from the second record, which differs there alone.
    let mut other = Record::default();
    let mut interval_record = interval_record(0);
    interval_record.kinds[0].category = Category::Collective;
    other.add(&interval_record);
    let is_other = |(one, two): (&u8, &u8)| one != two;
    let at = bytes.iter().zip(&other.bytes()).position(is_other).expect("one byte differs");
    assert_eq!(bytes[at], last);
    let mut unknown = bytes;
    unknown[at] = 99;
    assert_eq!(Record::parse(&unknown), Err(RecordError::Category(99)));
}

/// Two ranks: one computes for all of each millisecond, one for the half; the first and the last hundred are not MPI's.
fn at_work() -> Record {
    let mut record = Record::default();
    for n in 0..2100 {
        let interval_record = two_ranks(n);
        record.add(&interval_record);
        if n == 1099 {
            record.begin_phase(interval_record.interval.end, "later");
        }
    }
    record
}

fn two_ranks(n: u64) -> IntervalRecord {
    let one = interval_record(n);
    let name = |text: &str| text.parse::<Resource>().expect("well formed");
    let second = |location: &Location| Location {
        number: 1,
        rank: Some(1),
        thread: name("/Process/1/0"),
        process: name("/Process/1"),
        ..location.clone()
    };
    let computing = Kind { category: Category::User, code: Vec::new(), object: None, own: None };
    let grew = |location: u32, kind: usize, time: u64| Grown {
        location: LocationId(location),
        kind: ClassId(u32::try_from(kind).expect("few")),
        by: Totals { time: Nanos(time), ..Totals::default() },
    };
    let locations: Vec<Location> =
        one.locations.iter().flat_map(|location| [location.clone(), second(location)]).collect();
    IntervalRecord {
        kinds: one.kinds.iter().cloned().chain((n == 0).then_some(computing)).collect(),
        present: vec![LocationId(0), LocationId(1)],
        at_work: if (100..2000).contains(&n) {
            [0, 1]
                .map(|location| Worked { location: LocationId(location), ending: Nanos(0) })
                .to_vec()
        } else {
            Vec::new()
        },
        // The waiting of the second is of the kind that all interval records here have.
        grown: vec![
            grew(0, 1, MILLISECOND),
            grew(1, 1, MILLISECOND / 2),
            grew(1, 0, MILLISECOND / 2),
        ],
        appeared: locations.iter().map(|location| location.process.clone()).collect(),
        locations,
        ..one
    }
}

#[test]
fn what_ranks_did_is_known_at_each_moment_as_far_as_passes_tell() {
    let record = Record::parse(&at_work().bytes()).expect("it was just written");
    let mut source = Replay::new(record, []);
    let mut begun = Vec::new();
    while let Some(event) = source.next() {
        if matches!(event, Event::Phase(..)) {
            begun = source.efforts().expect("it is a record of today");
        }
    }
    let all = source.efforts().expect("it is a record of today");
    let whole = Efficiency::of(&all).expect("two ranks");
    assert_eq!((whole.load_balance, whole.communication, whole.parallel), (0.75, 1.0, 0.75));
    // Passes were folded to eight milliseconds: those that were MPI's in part are left out.
    let close =
        |found: Nanos, wanted: u64| found.0.abs_diff(wanted * MILLISECOND) <= 16 * MILLISECOND;
    assert!(close(all[0].elapsed, 1900) && close(all[1].computing, 950), "{all:?}");
    assert!(close(begun[0].elapsed, 1000), "{begun:?}");
}

#[test]
fn phases_begin_where_somebody_wants_them_beside_those_of_the_run() {
    let wanted = [50, 601, 1100, 2100].map(|n| at(n * MILLISECOND));
    let mut next = 0;
    let mut source = Replay::new(at_work(), []).with_phases(|now| {
        let due = wanted[next..].iter().take_while(|time| **time <= now).count();
        next += due;
        (due > 0).then(|| format!("#{next}"))
    });
    let events = std::iter::from_fn(|| source.next());
    let phases = events.filter_map(|event| match event {
        Event::Phase(now, name) => Some((now.0.0 / MILLISECOND, name)),
        _ => None,
    });
    let phases: Vec<_> = phases.collect();
    let names: Vec<&str> = phases.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(
        names,
        ["#1", "#2", "later"],
        "one of the run's own is the one; the last is the end"
    );
    // The record of so many passes holds each for eight milliseconds.
    let about = |(at, _): &(u64, String), wanted: u64| (wanted..wanted + 8).contains(at);
    assert!(
        about(&phases[0], 50) && about(&phases[1], 601) && about(&phases[2], 1100),
        "{phases:?}"
    );
}

/// A run with a record, written in two parts as a journal does.
fn kept(place: &Place) -> whyperf_experiments::RunId {
    let mut recorder = Recorder::begin(&place.store(), &new_run(1)).expect("a new file");
    let interval_records = |range: std::ops::Range<u64>| range.map(interval_record).collect();
    let first = Progress { interval_records: interval_records(0..10), ..progress() };
    recorder.record(&first).expect("writable");
    let object = ObjectRow { name: "/bin/x".into(), build_id: None, compiler: Some("GCC".into()) };
    let facts = vec![(Topic::Environment, "MPI".to_owned(), "Open MPI 5".to_owned())];
    let last = Progress {
        interval_records: interval_records(10..30),
        objects: vec![object],
        facts,
        ..progress()
    };
    let ending = Ending { elapsed: std::time::Duration::from_millis(30), exit_status: Some(0) };
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
    let id = store.add_diagnosis(&diagnosis).expect("writable");
    assert_eq!(
        (store.add_diagnosis(&diagnosis).expect("writable"), diagnosis.id()),
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
    assert!(matches!(store.add_diagnosis(&other), Err(StoreError::NoSuchRun { .. })));
}

#[test]
fn a_damaged_record_is_said_to_be_and_the_rest_of_the_run_is_there() {
    let place = Place::new("damaged-record");
    let run = kept(&place);
    let file = rusqlite::Connection::open(place.store()).expect("it is there");
    let damage = "UPDATE record SET bytes = substr(bytes, 1, length(bytes) - 3)";
    assert_eq!(file.execute(damage, []).expect("writable"), 1);
    let store = Store::open(&place.store(), Access::Read).expect("it is a store as before");
    let error = store.replay(&run).expect_err("it ends too early");
    assert!(matches!(error, StoreError::BadRecord { .. }), "{error}");
    assert!(error.to_string().contains("makes no sense"), "{error}");
    assert!(store.summary(&run).is_ok());
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

#[test]
fn a_pair_is_known_over_the_whole_run_though_the_search_never_asked_for_it() {
    let place = Place::new("run-series");
    let run = kept(&place);
    let store = Store::open(&place.store(), Access::Read).expect("it was just written");
    let unasked = Pair::new(Metric::Wall, Focus::whole_program());
    assert_eq!(store.histogram(&run, &unasked).expect("readable"), None);
    let known = store.series(&run, &[unasked.clone(), pair()]).expect("readable");
    let recorded = samples(store.replay(&run).expect("there is a record"), &unasked);
    let sum: i64 = recorded.iter().map(|(_, amount)| *amount).sum();
    let wholes = known.iter().map(|one| one.as_ref().expect("the record knows it").whole());
    let amounts: Vec<i128> = wholes.map(|whole| whole.amount).collect();
    let measured = samples(store.replay(&run).expect("there is a record"), &pair());
    let waited: i64 = measured.iter().map(|(_, amount)| *amount).sum();
    assert!(sum > 0 && waited > 0);
    assert_eq!(amounts, [sum, waited].map(i128::from), "the record covers more than a histogram");
}
