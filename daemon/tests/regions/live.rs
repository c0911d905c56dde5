//! A search over the daemon, as the command runs it, but under a virtual clock.

use whyperf_consultant::{
    DataSource as _, DirectivesInForce, Event, Hypotheses, MeasurementId, SearchScope, Searches,
    Settings, Step, drive,
};
use whyperf_daemon::{Daemon, Live, Moment, Pace, SamplingPass};
use whyperf_layout::{Kind, Moved, ObjectKind};
use whyperf_model::{Metric, Pair};
use whyperf_testkit::synthetic::{SyntheticProcess, SyntheticThread};

use crate::stage::{SECOND, Stage, focus};

/// A program that waits for tag 3 nine tenths of its time, one pass after the other.
struct Waiting<'program> {
    thread: SyntheticThread<'program>,
    call: u32,
    now: Moment,
    passes: u32,
    seen: u32,
}

const INTERVAL: u64 = SECOND / 20;

impl Pace for Waiting<'_> {
    fn wait(&mut self, _: &mut Daemon) -> Option<Moment> {
        self.passes = self.passes.checked_sub(1)?;
        self.thread.begin(self.call, self.now.nanos + INTERVAL / 10);
        self.now = self.now.later(INTERVAL);
        self.thread.end(self.now.nanos, Moved::default());
        Some(self.now)
    }

    fn see(&mut self, _: &mut Daemon, _: &mut SamplingPass) {
        self.seen += 1;
    }

    fn end(&mut self) -> Moment {
        self.now
    }
}

fn waiting<'program>(stage: &Stage, process: &'program SyntheticProcess) -> Waiting<'program> {
    process.set_rank(0);
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let world = process.object(ObjectKind::Communicator, 0, 1, "MPI_COMM_WORLD");
    let tag = process.object(ObjectKind::Tag, world, 3, "");
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, receive, 0, tag);
    let now = Moment { nanos: stage.at(0), ticks: stage.at(0) };
    Waiting { thread, call, now, passes: 300, seen: 0 }
}

#[test]
fn a_search_finds_the_tag_that_is_waited_for() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let pace = waiting(&stage, &process);
    let (hypotheses, settings) = (Hypotheses::default(), Settings::default());
    let mut searches = Searches::new(hypotheses, settings, DirectivesInForce::default());
    let mut live = Live::new(&mut stage.daemon, pace);
    drive(&mut searches, &mut live, &mut |_: SearchScope, _: &Step| {});
    assert_eq!(live.pace().seen, 301, "every pass and the last one");
    let report = searches.global().report();
    let tag = "</Code,/Machine,/Process,/SyncObject/Message/MPI_COMM_WORLD/3>";
    let found: Vec<String> =
        report.bottlenecks.iter().map(|bottleneck| bottleneck.focus.to_string()).collect();
    assert!(found.contains(&tag.to_owned()), "{found:#?}");
}

#[test]
fn samples_follow_each_other_until_the_stop_and_the_end_is_last() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let mut pace = waiting(&stage, &process);
    pace.passes = 10;
    let mut live = Live::new(&mut stage.daemon, pace);
    let (kept, stopped) = (MeasurementId(4), MeasurementId(9));
    for id in [kept, stopped] {
        live.start(id, &Pair::new(Metric::SyncWait, focus("</Code>")));
    }
    let mut ends = Vec::new();
    let mut of_stopped = 0;
    let mut last = None;
    while let Some(event) = live.next() {
        if let Event::Sample(id, sample) = &event {
            if *id == kept {
                assert!(ends.last().is_none_or(|end| *end == sample.interval.start));
                assert_eq!(sample.amount, i64::try_from(INTERVAL * 9 / 10).expect("small"));
                ends.push(sample.interval.end);
                if ends.len() == 3 {
                    live.stop(stopped);
                }
            } else {
                of_stopped += 1;
            }
        }
        last = Some(event);
    }
    assert_eq!((ends.len(), of_stopped), (10, 2), "the third pass's was not told any more");
    assert!(matches!(last, Some(Event::End(_))));
}
