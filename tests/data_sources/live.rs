//! The daemon keeps the promises, over regions that are written here under a virtual clock.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use whyperf_daemon::{Daemon, DaemonSettings, Live, Moment, Pace, SamplingPass};
use whyperf_experiments::Record;
use whyperf_layout::{Kind, Moved, ObjectKind};
use whyperf_model::{Effort, Metric, Pair};
use whyperf_testkit::synthetic::SyntheticProcess;

use crate::conformance::{LATE_STEPS, Odd, PHASE, RANKS, STEP, STEPS, check, pair};

/// Where the virtual clock begins.
const ZERO: u64 = 5_000_000_000;
/// No thread of any process: what the system says of threads is not part of the play.
const NOBODY: u32 = u32::MAX - 1;

/// Two processes that take turns of waiting and computing, and a record of what is seen of them.
pub(crate) struct Play {
    directory: PathBuf,
    processes: Vec<SyntheticProcess>,
    others: Vec<Child>,
    steps: u64,
    /// The other message of rank 0: its node, and its object.
    other: Option<(u32, u32)>,
    seen: Rc<RefCell<Seen>>,
}

/// What is seen of a play by those who watch it.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) record: Record,
    /// What each rank had done when the phase began, and at the end.
    pub(crate) efforts: [Vec<Effort>; 2],
}

impl Play {
    fn new(directory: PathBuf) -> Self {
        let (processes, others) = (Vec::new(), Vec::new());
        Self { directory, processes, others, steps: 0, other: None, seen: Rc::default() }
    }

    fn begin(&mut self) {
        for rank in 0..RANKS.len() {
            let other =
                Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat is everywhere");
            let process = SyntheticProcess::create(&self.directory, other.id(), 1, 1, ZERO)
                .expect("the folder is writable");
            process.set_rank(i32::try_from(rank).expect("few"));
            let receive = process.region("MPI_Recv", Kind::Receive, 0);
            let world = process.object(ObjectKind::Communicator, 0, 1, "MPI_COMM_WORLD");
            let tag = process.object(ObjectKind::Tag, world, 3, "");
            process.thread(NOBODY, ZERO).add(1, receive, 0, tag);
            self.processes.push(process);
            self.others.push(other);
        }
    }
}

impl Play {
    /// What happens before a step.
    fn prepare(&mut self) {
        let first = &self.processes[0];
        if self.steps + 1 == LATE_STEPS.start {
            first.header().phase_name.store(first.string(PHASE), Ordering::Relaxed);
            first.header().phase_count.store(1, Ordering::Relaxed);
        } else if self.steps == LATE_STEPS.start {
            let other = first.object(ObjectKind::Communicator, 0, 2, "other");
            let tag = first.object(ObjectKind::Tag, other, 7, "");
            let node = first.thread_in(0).add(1, RECEIVE, 0, tag);
            self.other = Some((node, tag));
        } else if self.steps == LATE_STEPS.end
            && let Some((_, tag)) = self.other.take()
        {
            first.object_record(tag).retired.store(1, Ordering::Relaxed);
        }
    }
}

/// What only functions of real programs are: the record is told of it as the daemon would tell.
pub(crate) fn hot() -> (Pair, f64) {
    (pair(Metric::Cpu, "/Code/a.c/hot"), 0.25)
}
const HOT_STEP: u64 = 10;

/// The region of receiving, the only one there is.
const RECEIVE: u32 = 1;
/// The first node that a program adds: the threads have their own before.
const CALL: u32 = 3;

impl Pace for Play {
    fn wait(&mut self, _: &mut Daemon) -> Option<Moment> {
        if self.steps == STEPS {
            return None;
        }
        self.prepare();
        let start = ZERO + self.steps * STEP.0;
        self.steps += 1;
        let end = start + STEP.0;
        for (rank, (process, tenths)) in self.processes.iter().zip(RANKS).enumerate() {
            let thread = process.thread_in(0);
            let call = self.other.filter(|_| rank == 0).map_or(CALL, |(node, _)| node);
            thread.begin(call, end - tenths * STEP.0 / 10);
            thread.end(end, Moved::default());
        }
        Some(Moment { nanos: end, ticks: end })
    }

    fn see(&mut self, daemon: &mut Daemon, pass: &mut SamplingPass) {
        if let Some(interval_record) = &pass.interval_record {
            let mut interval_record = interval_record.clone();
            interval_record.hot.extend((self.steps == HOT_STEP).then(hot));
            let Seen { record, efforts: [begun, end] } = &mut *self.seen.borrow_mut();
            record.add(&interval_record);
            *end = daemon.efforts();
            if let Some(name) = &pass.phase {
                record.begin_phase(pass.interval.end, name);
                begun.clone_from(end);
            }
        }
    }

    fn end(&mut self) -> Moment {
        let end = ZERO + STEPS * STEP.0;
        Moment { nanos: end, ticks: end }
    }
}

impl Drop for Play {
    fn drop(&mut self) {
        for child in &mut self.others {
            child.kill().expect("the child is ours");
            child.wait().expect("the child is ours");
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A live data source, and what is seen of it.
pub(crate) fn source() -> (Live<Daemon, Play>, Rc<RefCell<Seen>>) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let directory =
        std::env::temp_dir().join(format!("whyperf-worlds-{}-{number}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    fs::DirBuilder::new().mode(0o700).create(&directory).expect("the base is writable");
    let zero = Moment { nanos: ZERO, ticks: ZERO };
    let settings =
        DaemonSettings { host: "n0".to_owned(), records: true, ..DaemonSettings::new(zero) };
    let daemon = Daemon::open(&directory, settings).expect("the folder was just made");
    let mut play = Play::new(directory);
    play.begin();
    let seen = play.seen.clone();
    (Live::new(daemon, play), seen)
}

#[test]
fn the_live_source_keeps_the_promises() {
    check(&mut || source().0, &Odd::default());
}
