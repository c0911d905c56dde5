//! One round: a job is started, one of its parts is killed after a while, and its end is awaited.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use rustix::process::{Pid, Signal, kill_process};

use crate::killed::aftermath;
use crate::killed::job::Job;
use crate::killed::part::{JobPart, working_in};

/// What did not hold after a round.
#[derive(Debug, Default)]
pub(crate) struct RoundOutcome {
    pub(crate) was_hit: bool,
    pub(crate) failures: Vec<String>,
}

/// Starts the job, kills the part, and looks at what is left.
pub(crate) fn round(job: &Job, part: JobPart, after: Duration) -> Result<RoundOutcome> {
    let mut outcome = RoundOutcome::default();
    let mut started = job.start(part)?;
    thread::sleep(after);
    if let Some(pid) = part.process(&job.folder) {
        outcome.was_hit = kill(pid);
    }
    for child in &mut started {
        child.wait().context("waiting for the job")?;
    }
    let end = Instant::now() + PATIENCE;
    while !working_in(&job.folder).is_empty() && Instant::now() < end {
        thread::sleep(Duration::from_millis(5));
    }
    let left = working_in(&job.folder);
    if !left.is_empty() {
        outcome.failures.push(format!("processes stay: {left:?}"));
        for pid in left {
            kill(pid);
        }
    }
    let is_ended = outcome.was_hit && part.ends_program();
    if !is_ended && job.printed()? != job.right {
        outcome.failures.push(format!("the program printed {:?}", job.printed()?));
    }
    outcome.failures.extend(aftermath::failures(job)?);
    Ok(outcome)
}

/// Whether it was there.
fn kill(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}

/// Longer than anything waits for others.
const PATIENCE: Duration = Duration::from_secs(30);
