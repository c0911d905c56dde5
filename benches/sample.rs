//! Measures the cost of a sample: 64 threads of 2,000 nodes of which 1 % changed, alone, under pairs, and for a record with messages.
//!
//! The threads either are those of a process that rests; or such threads of a process in which another one ran; or all are one that runs: then the system
//! tells of each that it ran and could run, and as many as may be are looked at in each pass.

use std::fs;
use std::hint::black_box;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use whyperf_daemon::{Daemon, DaemonSettings, Moment};
use whyperf_layout::{Kind, Messages, Moved, ObjectKind, Peer};
use whyperf_model::{Focus, Metric};
use whyperf_testkit::synthetic::{SyntheticProcess, SyntheticThread};

const THREADS: usize = 64;
const NODES: usize = 2000;
const CHANGED: usize = NODES / 100;
/// Ranks with which a thread ever exchanges messages.
const PEERS: usize = 64;
/// An argument: to be the process whose threads rest.
const REST: &str = "--rest";
const SECOND: u64 = 1_000_000_000;
/// Interval between two samples.
const INTERVAL: u64 = SECOND / 20;

fn main() {
    if std::env::args().any(|argument| argument == REST) {
        return rest();
    }
    let rounds = if std::env::args().any(|argument| argument == "--test") { 3 } else { 400 };
    println!("{THREADS} threads x {NODES} nodes, {CHANGED} of each changed per sample");
    tell_resting(rounds);
    let own = std::process::id();
    let stage = Stage::new(own, &[own; THREADS]);
    tell_running(&stage, rounds);
}

fn tell_resting(rounds: usize) {
    let mut resting = RestingProcess::start();
    let stage = Stage::new(resting.process.id(), &resting.ids);
    let (mut daemon, threads) = (stage.daemon(false), stage.threads());
    let mut clock = Clock { now: stage.zero, round: 0, peers: 0..0 };
    clock.run(&mut daemon, &threads, 3);
    tell("at rest", clock.run(&mut daemon, &threads, rounds));
    let one = |_| {
        resting.stir();
        clock.run(&mut daemon, &threads, 1)[0]
    };
    let mut times: Vec<Duration> = (0..rounds).map(one).collect();
    times.sort();
    tell("one ran", times);
}

fn tell_running(stage: &Stage, rounds: usize) {
    let (mut daemon, threads) = (stage.daemon(false), stage.threads());
    let mut clock = Clock { now: stage.zero, round: 0, peers: 0..0 };
    clock.run(&mut daemon, &threads, 3);
    tell("no pair", clock.run(&mut daemon, &threads, rounds));
    start(&mut daemon, 10);
    clock.run(&mut daemon, &threads, 100.min(rounds));
    tell("10 pairs", clock.run(&mut daemon, &threads, rounds));
    start(&mut daemon, 9990);
    // Every node changed once: all classes are matched with all pairs.
    clock.run(&mut daemon, &threads, 100.min(rounds));
    tell("10,000 pairs", clock.run(&mut daemon, &threads, rounds));
    drop(daemon);
    let mut daemon = stage.daemon(true);
    stage.process.set_rank(0);
    println!("recorded, by what each thread exchanged since the pass before");
    tell_messages(&mut clock, &mut daemon, &threads, rounds);
}

/// This program once more, as a process whose threads rest until it is dropped.
struct RestingProcess {
    process: Child,
    ids: Vec<u32>,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl RestingProcess {
    fn start() -> Self {
        let program = std::env::current_exe().expect("it has a path");
        let mut command = Command::new(program);
        command.arg(REST).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("it was started before");
        let input = process.stdin.take();
        let mut output = BufReader::new(process.stdout.take().expect("it is piped"));
        let ids = output.by_ref().lines().take(THREADS);
        let id = |line: std::io::Result<String>| line.ok()?.parse().ok();
        let ids = ids.map(|line| id(line).expect("it says the numbers of its threads")).collect();
        Self { process, ids, input, output }
    }

    /// Its first thread, which is not measured, runs for a moment.
    fn stir(&mut self) {
        let input = self.input.as_mut().expect("it is there until the end");
        input.write_all(&[0]).expect("it listens");
        self.output.read_exact(&mut [0]).expect("it answers");
    }
}

impl Drop for RestingProcess {
    fn drop(&mut self) {
        drop(self.input.take());
        self.process.wait().expect("it is ours");
    }
}

/// Has threads that wait, says their numbers, and answers each byte with one until the end of its input.
fn rest() {
    for _ in 0..THREADS {
        let (tell, told) = channel();
        std::thread::spawn(move || {
            tell.send(rustix::thread::gettid().as_raw_nonzero()).expect("somebody listens");
            loop {
                std::thread::park();
            }
        });
        println!("{}", told.recv().expect("it says its number"));
    }
    let mut byte = [0];
    while std::io::stdin().read_exact(&mut byte).is_ok() {
        std::io::stdout().write_all(&byte).expect("somebody listens");
        std::io::stdout().flush().expect("somebody listens");
    }
}

/// A run directory with a process in it.
struct Stage {
    directory: PathBuf,
    process: SyntheticProcess,
    zero: Moment,
}

impl Stage {
    fn new(pid: u32, ids: &[u32]) -> Self {
        let directory = directory();
        let zero = Moment { nanos: SECOND, ticks: SECOND };
        let process = SyntheticProcess::create(&directory, pid, 1, THREADS, zero.nanos)
            .expect("shared memory has room");
        let regions: Vec<u32> =
            (0..20).map(|at| process.region(&format!("MPI_{at}"), Kind::Receive, 0)).collect();
        let world = process.object(ObjectKind::Communicator, 0, 1, "MPI_COMM_WORLD");
        let tags: Vec<u32> =
            (0..100).map(|tag| process.object(ObjectKind::Tag, world, tag, "")).collect();
        for id in ids {
            let thread = process.thread(*id, zero.nanos);
            for node in 0..NODES {
                thread.add(1, regions[node % regions.len()], 0, tags[node / regions.len()]);
            }
        }
        Self { directory, process, zero }
    }

    fn threads(&self) -> Vec<SyntheticThread<'_>> {
        (0..THREADS).map(|slot| self.process.thread_in(slot)).collect()
    }

    fn daemon(&self, records: bool) -> Daemon {
        // Few bins, so that ten thousand histograms measure adding, not memory.
        let settings = DaemonSettings { bins: 100, records, ..DaemonSettings::new(self.zero) };
        Daemon::open(&self.directory, settings).expect("the directory was just made")
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.directory).expect("the directory is ours");
    }
}

/// The cases take turns, so that a machine that is busy for a while is busy in all of them. Their number shares no divisor with
/// that of the passes between two thorough ones, so each case has its part of those.
fn tell_messages(
    clock: &mut Clock,
    daemon: &mut Daemon,
    threads: &[SyntheticThread<'_>],
    rounds: usize,
) {
    let cases = [("no rank", 0..0), ("8 of 64", 20..28), ("64 of 64", 0..PEERS)];
    clock.run(daemon, threads, 3);
    tell("none known", clock.run(daemon, threads, rounds));
    clock.peers = 0..PEERS;
    clock.run(daemon, threads, 3);
    let mut times = cases.clone().map(|_| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for ((_, peers), times) in cases.iter().zip(&mut times) {
            clock.peers = peers.clone();
            times.extend(clock.run(daemon, threads, 1));
        }
    }
    for ((what, _), mut times) in cases.into_iter().zip(times) {
        times.sort();
        tell(what, times);
    }
}

struct Clock {
    now: Moment,
    round: usize,
    /// Ranks with which each thread exchanges messages in each round.
    peers: Range<usize>,
}

impl Clock {
    /// Samples so many times; answers what each took, sorted.
    fn run(
        &mut self,
        daemon: &mut Daemon,
        threads: &[SyntheticThread<'_>],
        rounds: usize,
    ) -> Vec<Duration> {
        let mut times = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            self.change(threads);
            self.now = self.now.later(INTERVAL);
            self.round += 1;
            let before = Instant::now();
            black_box(daemon.sample(self.now));
            times.push(before.elapsed());
        }
        times.sort();
        times
    }

    fn change(&self, threads: &[SyntheticThread<'_>]) {
        for thread in threads {
            for step in 0..CHANGED {
                let node = 3 + (self.round * CHANGED + step) % NODES;
                let at = self.now.nanos + 1000 * step as u64;
                thread.begin(u32::try_from(node).expect("few nodes"), at + 1);
                thread.end(at + 500, Moved { out: 8, r#in: 8 });
            }
            for rank in self.peers.clone() {
                let peer = Peer::of_rank(i32::try_from(rank).expect("few ranks"));
                let one = Messages { number: 1, bytes: 8, ticks: 100 };
                thread.peer(peer).add_sent(one);
                thread.peer(peer).add_received(one);
            }
        }
    }
}

/// Pairs as a search starts them: a few metrics, at tags of a communicator and all threads.
fn start(daemon: &mut Daemon, count: usize) {
    let metrics = [Metric::SyncWait, Metric::Compute, Metric::SyncOps, Metric::MsgBytesRecv];
    for at in 0..count {
        let tag = (at / 4) % 100;
        let text = match at / 400 {
            0 => format!("</SyncObject/Message/MPI_COMM_WORLD/{tag}>"),
            thread => format!(
                "</Process/{}/{},/SyncObject/Message/MPI_COMM_WORLD/{tag}>",
                std::process::id(),
                thread
            ),
        };
        let focus = Focus::parse(&text).expect("the focus is well formed");
        daemon.start(metrics[at % 4], &focus);
    }
}

fn tell(what: &str, times: Vec<Duration>) {
    let at = |part: usize| times[(times.len() - 1) * part / 100].as_nanos() as f64 / 1000.0;
    println!(
        "{what:>12}: 10 % {:8.1} us, median {:8.1} us, 90 % {:8.1} us, worst {:8.1} us",
        at(10),
        at(50),
        at(90),
        at(100)
    );
}

fn directory() -> PathBuf {
    let path = PathBuf::from(format!("/dev/shm/whyperf-bench-{}", std::process::id()));
    fs::DirBuilder::new().mode(0o700).create(&path).expect("/dev/shm is writable");
    path
}
