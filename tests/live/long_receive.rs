//! A receive that blocks for ten seconds shows in every sampling interval of those ten seconds.

use crate::launcher::Mpi;
use crate::shipped::Load;
use crate::{programs, release, shipped};
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use whyperf_daemon::{Daemon, DaemonSettings, Moment, RunDirectory, View};
use whyperf_model::{Focus, Metric};

/// Seconds for which the sender sleeps: a rank without a processor begins to receive, and hears of what has come, a little later.
const BLOCKED: f64 = 10.0;

/// Length and amount of each interval, in nanoseconds.
type Intervals = Vec<(f64, f64)>;

fn started(mpi: Mpi, directory: &RunDirectory) -> Child {
    let mut words = mpi.launch(2);
    words.push(programs::built_for(mpi).join("guests/long_receive").display().to_string());
    words.push(BLOCKED.to_string());
    Command::new(&words[0])
        .args(&words[1..])
        .env("LD_PRELOAD", release::library())
        .env("WHYPERF_DIR", directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the launcher is installed")
}

/// Samples until the program ends: the waiting for messages of the rank that receives.
fn sampled(daemon: &mut Daemon, program: &mut Child) -> Intervals {
    let focus: Focus = "</Code,/Machine,/Process/1,/SyncObject/Message>".parse().expect("a focus");
    let pair = daemon.start(Metric::SyncWait, &focus);
    let mut intervals = Intervals::new();
    loop {
        let ended = program.try_wait().expect("it is our child").is_some();
        let now = Moment::now();
        let pass = if ended { daemon.finish(now) } else { daemon.sample(now) };
        let length = pass.interval.length().as_secs_f64() * 1e9;
        let own = pass.samples.iter().filter(|(id, _)| *id == pair);
        intervals.push((length, own.map(|(_, sample)| sample.amount as f64).sum()));
        if ended {
            return intervals;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How long the receive took, by the program's own clock.
fn received_in(program: &mut Child) -> f64 {
    let mut text = String::new();
    let output = program.stdout.as_mut().expect("it is a pipe");
    output.read_to_string(&mut text).expect("it is text");
    let known = text.trim().strip_prefix("long_receive: received 42 in ");
    let known = known.and_then(|rest| rest.strip_suffix(" s")).expect("it says so");
    known.parse().expect("seconds")
}

fn shows_all_along(mpi: Mpi) {
    let _turn = shipped::turn(Load::Computes);
    let directory = RunDirectory::create().expect("a run directory");
    let mut daemon =
        Daemon::open(directory.path(), DaemonSettings::new(Moment::now())).expect("it can be read");
    let mut program = started(mpi, &directory);
    let intervals = sampled(&mut daemon, &mut program);

    let waiting: Vec<usize> = (0..intervals.len()).filter(|i| intervals[*i].1 > 0.0).collect();
    let (first, last) = (waiting[0], waiting[waiting.len() - 1]);
    assert!(last - first > 20, "sampled only {} times", last - first);
    for (length, amount) in &intervals[first + 1..last] {
        assert!((amount / length - 1.0).abs() < 0.01, "{amount} of {length} ns");
    }
    let sum: f64 = intervals.iter().map(|(_, amount)| amount).sum::<f64>() / 1e9;
    let known = received_in(&mut program);
    assert!((sum / known - 1.0).abs() < 0.01, "{sum} s in all, {known} s are true");

    let profile = daemon.profile(View::TwoLevel);
    let row = profile.iter().find(|row| row.path.ends_with(&["MPI_Recv".to_owned()]));
    let row = row.expect("the receive is in the profile");
    assert_eq!((row.process, row.calls), (1, 1));
    assert_eq!(row.path[0], "receive");
}

#[test]
fn under_open_mpi() {
    shows_all_along(Mpi::OpenMpi);
}

#[test]
fn under_mpich() {
    shows_all_along(Mpi::Mpich);
}
