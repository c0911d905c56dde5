//! The promises that every data source must keep, checked on what it says about one program that is described here.
//!
//! | promise | checked by |
//! |---|---|
//! | samples follow each other, end together, speak of no time before the start; no more report than there are; what comes and goes makes sense; the end is last | `Checked`, in all of these |
//! | amounts of parts add up to the whole, and those of the whole run to what the program did | `parts_add_up` |
//! | a pair that is started again goes on as one that never stopped | `a_pair_that_is_started_again_goes_on` |
//! | after a stop nothing follows | `after_a_stop_nothing_follows` |
//! | a question for callees is answered | `questions_for_callees_are_answered` |
//! | the amounts of pairs over the run are known at its end, whether the pairs were measured or not | `pairs_are_known_over_the_run`, and `Checked` that it is what samples add up to |
//! | a resource that does not exist takes nothing | `what_is_not_there_takes_nothing` |
//! | each process is on a machine before it is there | `processes_are_placed` |
//! | a resource that comes late is reported once and counts from then on, and one that is gone counts no more | `what_comes_and_goes_is_told` |
//! | phases are reported, each between two moments | `phases_are_told` |
//! | a pair that is too hot is reported while it runs, with the share that is seen, and goes on | `what_is_too_hot_goes_on` |
//! | a pair that cannot be measured is refused with a reason, and has no samples | `what_cannot_be_measured_is_refused` |
//! | a search finds the bottleneck, and twice the same to the byte | `a_search_is_the_same_twice` |
//! | so does one that searches phases separately | `phases_are_searched_the_same_twice` |
//! | and it finds the same in whatever portions it gets the events of a moment | `a_search_is_the_same_in_other_portions` |
//!
//! Whether a pair is too hot or cannot be measured depends on the code of a process and on the agent in it. The regions of
//! `live.rs` have neither, so the live data source is not tested for these two here.

use std::collections::BTreeMap;

use whyperf_consultant::{
    DataSource, DirectivesInForce, Event, Hypotheses, MeasurementId, Observer, RunAmount,
    SearchScope, Searches, Settings, Step, drive,
};
use whyperf_model::{Focus, Hierarchy, Metric, Nanos, Pair, Resource, Sample, Time};
use whyperf_testkit::simulate::Checked;

/// The program that all data sources measure: ranks 0 and 1 on `n0`, for twelve seconds. Of each 50 ms rank 0 receives tag 3 for nine tenths,
/// rank 1 for one tenth; they compute for the rest. In the phase `other`, which is announced after six seconds, rank 0 receives another
/// message instead for three seconds, and then that is gone.
pub(crate) const RANKS: [u64; 2] = [9, 1];
pub(crate) const STEPS: u64 = 240;
pub(crate) const STEP: Nanos = Nanos::from_millis(50);
/// What is received.
pub(crate) const TAG: &str = "/SyncObject/Message/MPI_COMM_WORLD/3";
/// What is received instead, in these steps.
pub(crate) const LATE: &str = "/SyncObject/Message/other/7";
pub(crate) const LATE_STEPS: std::ops::Range<u64> = 120..180;
/// The phase that begins with them.
pub(crate) const PHASE: &str = "other";

/// Pairs that a data source cannot measure as others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odd {
    /// It is passed too often, and seen for this share of the time.
    pub(crate) hot: Option<(Pair, f64)>,
    /// It is not measured at all.
    pub(crate) refused: Option<Pair>,
}

/// Everything a data source said about some pairs until its end.
struct Said {
    events: Vec<Event>,
    complaints: Vec<String>,
}

impl Said {
    fn samples(&self, id: u32) -> Vec<Sample> {
        let of = |event: &Event| match event {
            Event::Sample(of, sample) if of.0 == id => Some(*sample),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    fn total(&self, id: u32) -> i64 {
        self.samples(id).iter().map(|sample| sample.amount).sum()
    }
}

/// Starts pairs, numbered from 0, then lets `act` do something after each event.
fn listen<W: DataSource>(
    source: W,
    pairs: &[Pair],
    mut act: impl FnMut(&mut Checked<W>, &Event),
) -> Said {
    let mut source = Checked::new(source);
    for (id, pair) in (0..).zip(pairs) {
        source.start(MeasurementId(id), pair);
    }
    let mut events = Vec::new();
    while let Some(event) = source.next() {
        act(&mut source, &event);
        events.push(event);
    }
    Said { events, complaints: source.complaints().to_vec() }
}

pub(crate) fn pair(metric: Metric, part: &str) -> Pair {
    let resource: Resource = part.parse().expect("the test's own resource is well formed");
    let hierarchy = resource.hierarchy();
    Pair::new(metric, Focus::whole_program().with(hierarchy, resource))
}

/// Holds a data source to all promises; `make` gives it anew, from its beginning.
pub(crate) fn check<W: DataSource>(make: &mut dyn FnMut() -> W, odd: &Odd) {
    parts_add_up(make());
    a_pair_that_is_started_again_goes_on(make());
    after_a_stop_nothing_follows(make());
    questions_for_callees_are_answered(make());
    pairs_are_known_over_the_run(make(), odd);
    what_is_not_there_takes_nothing(make());
    processes_are_placed(make());
    what_comes_and_goes_is_told(make());
    phases_are_told(make());
    if let Some(hot) = &odd.hot {
        what_is_too_hot_goes_on(make(), hot);
    }
    if let Some(refused) = &odd.refused {
        what_cannot_be_measured_is_refused(make(), refused);
    }
    a_search_is_the_same_in_other_portions(make());
    phases_are_searched_the_same_twice(make);
    a_search_is_the_same_twice(make);
}

fn parts_add_up<W: DataSource>(source: W) {
    let whole = "/Process";
    let pairs = [
        pair(Metric::SyncWait, whole),
        pair(Metric::SyncWait, "/Process/0"),
        pair(Metric::SyncWait, "/Process/1"),
        pair(Metric::Wall, whole),
        pair(Metric::SyncWait, TAG),
        pair(Metric::Compute, whole),
        pair(Metric::SyncOps, whole),
        pair(Metric::SyncWait, LATE),
    ];
    let said = listen(source, &pairs, |_, _| {});
    assert_eq!(said.complaints, [""; 0]);
    let [all, zero, one, wall, tag, compute, late] =
        [0, 1, 2, 3, 4, 5, 7].map(|id| said.samples(id));
    let end = |sample: &Sample| sample.interval.end;
    let by_end = |list: &[Sample]| -> BTreeMap<Time, i64> {
        list.iter().map(|sample| (end(sample), sample.amount)).collect()
    };
    let (zero, one) = (by_end(&zero), by_end(&one));
    let (wall, tag, compute) = (by_end(&wall), by_end(&tag), by_end(&compute));
    let late = by_end(&late);
    assert!(all.len() as u64 >= STEPS - 1, "{} samples", all.len());
    for sample in &all {
        let at = |list: &BTreeMap<Time, i64>| list.get(&end(sample)).copied().unwrap_or(0);
        assert_eq!(sample.amount, at(&zero) + at(&one), "{sample:?}");
        assert_eq!(sample.amount, at(&tag) + at(&late), "{sample:?}");
        assert_eq!(at(&wall), sample.amount + at(&compute), "{sample:?}");
        let width = i64::try_from(sample.interval.length().0).expect("a short interval");
        assert!(at(&wall) <= width * i64::from(sample.expected), "{sample:?}");
    }
    let spent = i64::try_from(STEPS * STEP.0).expect("a short run");
    let waited = RANKS.map(|tenths| spent / 10 * i64::try_from(tenths).expect("below ten"));
    assert_eq!([said.total(1), said.total(2)], waited);
    assert_eq!(said.total(3), 2 * spent);
    assert!(said.total(6) > 0, "calls are counted");
}

fn a_pair_that_is_started_again_goes_on<W: DataSource>(source: W) {
    let asked = pair(Metric::SyncWait, "/Process/0");
    let (stop, again) = (Time::from_secs(3), Time::from_secs(5));
    let (mut stopped, mut started) = (false, false);
    let said = listen(source, &[asked.clone(), asked.clone()], |source, event| {
        // Samples of a moment come in the order of their numbers: the other has had its own.
        if !stopped && event.time() >= stop {
            stopped = true;
            source.stop(MeasurementId(1));
        }
        if !started && event.time() >= again {
            started = true;
            source.start(MeasurementId(2), &asked);
        }
    });
    assert_eq!(said.complaints, [""; 0]);
    let through = said.samples(0);
    let later = said.samples(2);
    let first = later.first().expect("it was started again").interval.start;
    assert!(first >= again);
    let rest: Vec<Sample> =
        through.into_iter().filter(|sample| sample.interval.start >= first).collect();
    assert_eq!(later, rest);
}

fn after_a_stop_nothing_follows<W: DataSource>(source: W) {
    let pairs = [pair(Metric::Wall, "/Process"), pair(Metric::SyncWait, TAG)];
    let mut stopped_at = None;
    let said = listen(source, &pairs, |source, event| {
        if stopped_at.is_none() && matches!(event, Event::Sample(id, _) if id.0 == 0) {
            stopped_at = Some(event.time());
            source.stop(MeasurementId(1));
        }
    });
    assert_eq!(said.complaints, [""; 0]);
    let at = stopped_at.expect("the other goes on");
    assert!(said.samples(1).iter().all(|sample| sample.interval.end < at));
    assert!(said.samples(0).len() > 100);
}

fn questions_for_callees_are_answered<W: DataSource>(source: W) {
    let root = Resource::root(Hierarchy::Code);
    let mut asked = false;
    let said = listen(source, &[pair(Metric::Wall, "/Process")], |source, _| {
        if !std::mem::replace(&mut asked, true) {
            source.callees(&Resource::root(Hierarchy::Code));
        }
    });
    assert_eq!(said.complaints, [""; 0]);
    let answers =
        said.events.iter().filter(|event| matches!(event, Event::Callees(_, of, _) if *of == root));
    assert_eq!(answers.count(), 1);
}

fn pairs_are_known_over_the_run<W: DataSource>(source: W, odd: &Odd) {
    let mut source = Checked::new(source);
    let whole = [Metric::Wall, Metric::SyncWait, Metric::Compute, Metric::Cpu, Metric::Available];
    let mut measured = whole.map(|metric| pair(metric, "/Process")).to_vec();
    measured.extend([pair(Metric::SyncOps, "/Process"), pair(Metric::SyncWait, TAG)]);
    for (id, pair) in (0..).zip(&measured) {
        source.start(MeasurementId(id), pair);
    }
    while source.next().is_some() {}
    for pair in &measured {
        assert!(source.over_run(pair).is_some(), "{} {}", pair.metric, pair.focus);
    }
    let tenth = i64::try_from(STEPS * STEP.0 / 10).expect("a short run");
    let late = i64::try_from((LATE_STEPS.end - LATE_STEPS.start) * STEP.0 / 10 * RANKS[0]);
    for (pair, expected) in [
        (pair(Metric::SyncWait, "/Process/0"), 9 * tenth),
        (pair(Metric::SyncWait, "/Process/1"), tenth),
        (pair(Metric::Wall, "/Machine/n0"), 20 * tenth),
        (pair(Metric::SyncWait, LATE), late.expect("a short run")),
        (pair(Metric::SyncWait, "/SyncObject/Message/MPI_COMM_WORLD/4"), 0),
    ] {
        let told = source.over_run(&pair).map(|told| told.amount);
        assert_eq!(told, Some(expected), "{} {}", pair.metric, pair.focus);
    }
    if let Some((hot, _)) = &odd.hot {
        assert_eq!(source.over_run(hot), None, "it is known in windows only");
    }
    assert_eq!(source.complaints(), [""; 0]);
}

fn what_is_not_there_takes_nothing<W: DataSource>(source: W) {
    let pairs = [
        pair(Metric::SyncWait, "/SyncObject/Message/MPI_COMM_WORLD/4"),
        pair(Metric::SyncWait, "/Code/none.c/none"),
        pair(Metric::IoWait, "/File"),
    ];
    let said = listen(source, &pairs, |_, _| {});
    assert_eq!(said.complaints, [""; 0]);
    assert_eq!([said.total(0), said.total(1), said.total(2)], [0; 3]);
}

fn processes_are_placed<W: DataSource>(source: W) {
    let said = listen(source, &[pair(Metric::Wall, "/Process")], |_, _| {});
    assert_eq!(said.complaints, [""; 0]);
    for rank in 0..RANKS.len() {
        let process: Resource = format!("/Process/{rank}").parse().expect("well formed");
        let place = |event: &Event| match event {
            Event::Placed(_, of, machine) if *of == process => Some(machine.to_string()),
            _ => None,
        };
        let is_it = |event: &Event| matches!(event, Event::Resource(_, new) if *new == process);
        let came = said.events.iter().position(is_it).expect("it is told");
        let before: Vec<String> = said.events[..came].iter().filter_map(place).collect();
        assert_eq!(before, ["/Machine/n0"], "{process}");
        assert_eq!(said.events[came..].iter().filter_map(place).count(), 0, "it stays");
    }
}

fn what_comes_and_goes_is_told<W: DataSource>(source: W) {
    let said = listen(source, &[pair(Metric::SyncWait, LATE)], |_, _| {});
    assert_eq!(said.complaints, [""; 0]);
    let late: Resource = LATE.parse().expect("well formed");
    let at = |is_it: &dyn Fn(&Event) -> bool| -> Vec<Time> {
        said.events.iter().filter(|event| is_it(event)).map(Event::time).collect()
    };
    let [from, to] = [LATE_STEPS.start, LATE_STEPS.end].map(|step| Time(Nanos(step * STEP.0)));
    let came = at(&|event| matches!(event, Event::Resource(_, new) if *new == late));
    assert_eq!(came, [from + STEP]);
    let went = at(&|event| matches!(event, Event::Retired(_, gone) if gone.contains(&late)));
    assert_eq!(went.first(), Some(&(to + STEP)), "{went:?}");
    let outside = |sample: &Sample| sample.interval.end <= from || sample.interval.start >= to;
    let samples = said.samples(0);
    assert!(samples.iter().filter(|sample| outside(sample)).all(|sample| sample.amount == 0));
    let (end, last) = (Nanos(STEPS * STEP.0), samples.last().expect("there are some"));
    assert_eq!(last.interval.end.0, end, "who asks on is answered on");
    let received = (LATE_STEPS.end - LATE_STEPS.start) * STEP.0 / 10 * RANKS[0];
    assert_eq!(u64::try_from(said.total(0)), Ok(received));
}

fn phases_are_told<W: DataSource>(source: W) {
    let said = listen(source, &[pair(Metric::Wall, "/Process")], |_, _| {});
    assert_eq!(said.complaints, [""; 0]);
    let phases: Vec<_> = said
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Phase(now, name) => Some((*now, name.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(phases, [(Time(Nanos(LATE_STEPS.start * STEP.0)), PHASE)]);
}

fn what_is_too_hot_goes_on<W: DataSource>(source: W, (asked, share): &(Pair, f64)) {
    let again = Time::from_secs(3);
    let mut started = false;
    let said = listen(source, std::slice::from_ref(asked), |source, event| {
        if event.time() >= again && !std::mem::replace(&mut started, true) {
            source.start(MeasurementId(1), asked);
        }
    });
    assert_eq!(said.complaints, [""; 0]);
    for id in [0, 1] {
        let told = said.events.iter().filter_map(|event| match event {
            Event::TooHot(_, of, covered) if of.0 == id => Some(*covered),
            _ => None,
        });
        assert_eq!(told.collect::<Vec<_>>(), [*share], "whoever asks is told once");
        assert!(said.samples(id).len() > 100);
    }
}

fn what_cannot_be_measured_is_refused<W: DataSource>(source: W, asked: &Pair) {
    let said = listen(source, &[asked.clone(), pair(Metric::Wall, "/Process")], |_, _| {});
    assert_eq!(said.complaints, [""; 0]);
    let reasons = said.events.iter().filter_map(|event| match event {
        Event::Refusal(_, of, reason) if of.0 == 0 => Some(reason.as_str()),
        _ => None,
    });
    let reasons: Vec<_> = reasons.collect();
    assert!(matches!(reasons[..], [reason] if !reason.is_empty()), "{reasons:?}");
    assert_eq!((said.samples(0).len(), said.samples(1).len() as u64 >= STEPS - 1), (0, true));
}

/// The steps of both searches, what was found in the phase, and whether it ended with the run, as text.
pub(crate) fn searched_by_phases(source: impl DataSource) -> (String, Vec<String>) {
    let mut searches = new_searches();
    let mut source = Checked::new(source);
    let mut steps = String::new();
    let mut note = |scope: SearchScope, step: &Step| steps += &format!("{scope:?} {step}\n");
    drive(&mut searches, &mut source, &mut note);
    assert_eq!(source.complaints(), [""; 0]);
    let [phase] = searches.past() else { panic!("one phase was announced") };
    steps += &format!("{} {:?}\n", phase.name, phase.interval);
    let found = phase.report.bottlenecks.iter();
    (steps, found.map(|one| format!("{} {}", one.hypothesis, one.focus)).collect())
}

fn phases_are_searched_the_same_twice<W: DataSource>(make: &mut dyn FnMut() -> W) {
    let (steps, found) = searched_by_phases(make());
    assert_eq!(steps, searched_by_phases(make()).0, "the logs differ");
    assert!(steps.contains("Current ") && steps.contains("Global "), "both are searched");
    let other = found.iter().any(|one| one.contains(LATE) && one.contains("Sync"));
    assert!(other, "what the phase waits for: {found:#?}");
}

/// The steps and the report of a search, as text.
pub(crate) fn searched(source: impl DataSource) -> (String, Vec<String>) {
    let mut searches = new_searches();
    let mut source = Checked::new(WithoutPhases(source));
    let mut steps = String::new();
    drive(&mut searches, &mut source, &mut |_: SearchScope, step: &Step| {
        steps += &format!("{step}\n")
    });
    assert_eq!(source.complaints(), [""; 0]);
    assert!(source.samples() > 1000, "{} samples", source.samples());
    let found = searches.global().report().bottlenecks;
    let found =
        found.iter().map(|one| format!("{} {} {:.3}", one.hypothesis, one.focus, one.value));
    (steps, found.collect())
}

/// A data source that tells of no phase, so that one search sees all of it.
struct WithoutPhases<W>(W);

impl<W: DataSource> DataSource for WithoutPhases<W> {
    fn start(&mut self, id: MeasurementId, pair: &Pair) {
        self.0.start(id, pair);
    }

    fn stop(&mut self, id: MeasurementId) {
        self.0.stop(id);
    }

    fn callees(&mut self, of: &Resource) {
        self.0.callees(of);
    }

    fn over_run(&mut self, pair: &Pair) -> Option<RunAmount> {
        self.0.over_run(pair)
    }

    fn poll(&mut self) -> Option<Event> {
        std::iter::from_fn(|| self.0.poll()).find(|event| !matches!(event, Event::Phase(..)))
    }

    fn advance(&mut self) -> bool {
        self.0.advance()
    }
}

/// A search as it is set here: what measuring costs depends on the machine, and is no part of what is compared.
fn new_searches() -> Searches {
    let settings = Settings { cost_limit: 1.0, ..Settings::default() };
    Searches::new(Hypotheses::default(), settings, DirectivesInForce::default())
}

/// What was told, moment by moment, and the log of the steps.
struct Told<'log> {
    moments: Vec<Vec<Event>>,
    log: &'log mut String,
}

impl<W: DataSource> Observer<W> for Told<'_> {
    fn before(&mut self, event: &Event, _: &mut Searches, _: &mut W) {
        let last = self.moments.last_mut().filter(|moment| moment[0].time() == event.time());
        match last {
            Some(moment) => moment.push(event.clone()),
            None => self.moments.push(vec![event.clone()]),
        }
    }

    fn step(&mut self, _: SearchScope, step: &Step) {
        *self.log += &format!("{step}\n");
    }
}

fn steps_of(searches: &mut Searches) -> String {
    std::iter::from_fn(|| searches.poll_step()).map(|(_, step)| format!("{step}\n")).collect()
}

/// A data source says what it has to say in portions that mean nothing: how many events come before the search is asked for its requests.
fn a_search_is_the_same_in_other_portions<W: DataSource>(source: W) {
    let mut log = String::new();
    let mut told = Told { moments: Vec::new(), log: &mut log };
    drive(&mut new_searches(), &mut WithoutPhases(source), &mut told);
    let moments = told.moments;
    for portion in [2, 7, usize::MAX] {
        let mut searches = new_searches();
        while searches.poll_request().is_some() {}
        for moment in &moments {
            for events in moment.chunks(portion) {
                events.iter().for_each(|event| searches.handle(event.clone()));
                while searches.poll_request().is_some() {}
            }
        }
        assert_eq!(steps_of(&mut searches), log, "in portions of {portion}");
    }
}

fn a_search_is_the_same_twice<W: DataSource>(make: &mut dyn FnMut() -> W) {
    let (steps, found) = searched(make());
    assert_eq!(steps, searched(make()).0, "the logs differ");
    let waits = found.iter().any(|one| {
        one.starts_with("ExcessiveSyncWaitingTime")
            && one.contains("/Process/0")
            && one.contains(TAG)
    });
    assert!(waits, "{found:#?}");
    let works = found.iter().any(|one| one.starts_with("CPUbound") && one.contains("/Process/1"));
    assert!(works, "{found:#?}");
}
