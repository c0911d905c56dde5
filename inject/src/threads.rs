//! The threads of a process, as the system lists them.

use std::fs;
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};

use crate::schedstat::Schedstat;
use crate::stat::Stat;

/// All threads, the first one first.
pub fn of(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let mut found: Vec<u32> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    found.sort_by_key(|tid| (*tid != pid, *tid));
    found
}

/// A file of the process, as `maps`, in the system's folder of it. Where its first thread ended and others did not it is that of one
/// of those: the first one's tells nothing any more.
pub fn process_file(pid: u32, name: &str) -> PathBuf {
    let is_over = Stat::of(pid).is_some_and(|first| !first.is_alive());
    let is_alive = |tid: &u32| Stat::of_thread(pid, *tid).is_some_and(|thread| thread.is_alive());
    let other = if is_over { of(pid).into_iter().find(is_alive) } else { None };
    match other {
        Some(tid) => PathBuf::from(format!("/proc/{pid}/task/{tid}/{name}")),
        None => PathBuf::from(format!("/proc/{pid}/{name}")),
    }
}

/// Those that the program itself most likely made: its first one, and all that used a processor. A
/// library's helpers sleep all their life; what the others do is seen as soon as they call something.
pub(crate) fn computing(pid: u32, most: usize) -> Vec<u32> {
    let uptime = uptime().unwrap_or(f64::MAX);
    let mut all = of(pid);
    all.retain(|tid| *tid == pid || share(pid, *tid, uptime).is_some_and(|share| share >= BUSY));
    all.truncate(most);
    all
}

/// The rank that a launcher announced and the size of its job; -1 and 0 where it did not.
pub(crate) fn rank(pid: u32) -> (i32, u32) {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let value = |name: &str| {
        let entries = environment.split(|byte| *byte == 0);
        let value = entries
            .into_iter()
            .find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        std::str::from_utf8(value).ok()
    };
    let ranks = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"];
    let sizes = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"];
    let rank = ranks.iter().find_map(|name| value(name)?.parse().ok());
    let size = sizes.iter().find_map(|name| value(name)?.parse().ok());
    (rank.unwrap_or(-1), size.unwrap_or(0))
}

/// Sends signals again that came while a thread was hijacked.
pub(crate) fn deliver(pid: u32, signals: &[i32]) {
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    for signal in signals {
        if let (Some(process), Some(signal)) = (process, Signal::from_named_raw(*signal)) {
            let _ = kill_process(process, signal);
        }
    }
}

/// The share of its life that a thread ran.
fn share(pid: u32, tid: u32, uptime: f64) -> Option<f64> {
    let ran = Schedstat::of(pid, tid)?.ran as f64;
    let began = Stat::of_thread(pid, tid)?.start as f64;
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let lived = (uptime - began / ticks).max(0.01);
    Some(ran / 1e9 / lived)
}

fn uptime() -> Option<f64> {
    fs::read_to_string("/proc/uptime").ok()?.split_ascii_whitespace().next()?.parse().ok()
}

/// More than helpers of an MPI use, which look after connections now and then.
const BUSY: f64 = 0.05;
