//! When and where the page of a study was written.

use std::fs;
use std::time::{Duration, SystemTime};

/// `Written on 2026-11-28 in 98 s, on MODEL, 2 processors, load average 0.97 at the end`.
pub(crate) fn written_on(took: Duration) -> String {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let date = now.split('T').next().unwrap_or_default();
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let information = read("/proc/cpuinfo");
    let model = information.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.unwrap_or_default().trim_start_matches([' ', '\t', ':']);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split_whitespace().next().unwrap_or("not known");
    let took = took.as_secs();
    format!(
        "Written on {date} in {took} s, on {model}, {cores} processors, load average {load} at the end"
    )
}
