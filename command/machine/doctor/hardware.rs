//! The doctor on the machine: its clock and its cores.

use std::fs;
use std::thread;

use super::Finding;
use crate::output::report::Placement;

/// Whether reading the time costs twenty cycles or a call.
pub(super) fn clock() -> Finding {
    let subject = "clock";
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = processor.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    let has = |flag| flags.split_whitespace().any(|other| other == flag);
    let source = fs::read_to_string(CLOCK_SOURCE).unwrap_or_default();
    let source = source.trim();
    let source = if source.is_empty() { "unknown" } else { source };
    if has("constant_tsc") && has("nonstop_tsc") {
        return Finding::good(
            subject,
            format!("the time stamp counter is invariant (kernel uses {source})"),
        );
    }
    Finding::limited(
        subject,
        format!("the time stamp counter is not invariant (kernel uses {source})"),
        "events are timed with clock_gettime, which costs some 20 ns more each; the numbers are as right",
    )
}

/// Whether anything is left for whyperf beside the program.
pub(super) fn cores() -> Finding {
    let subject = "cores";
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let found = format!("{cores} usable by this process{}", quota(cores));
    if cores == 1 {
        let advice = "whyperf and the program share it: leave some room, or allow more cores (taskset, cgroup)";
        return Finding::limited(subject, found, advice);
    }
    Finding::good(subject, found)
}

/// What is said where a control group allows less time than the processors have that may be used.
fn quota(cores: usize) -> String {
    match whyperf_daemon::allowed_processors() {
        allowed if allowed > cores => {
            format!(": a control group allows the time of {cores} of {allowed} processors")
        }
        _ => String::new(),
    }
}

/// The ranks that run now: how many share how many processors, and to which they are bound.
pub(super) fn ranks() -> Option<Finding> {
    let bindings = whyperf_daemon::running_ranks();
    let placement = Placement::of(bindings, whyperf_daemon::allowed_processors())?;
    let found = format!("now {}", placement.told());
    Some(if placement.ranks > placement.processors {
        let advice = "ranks that share a processor wait for it: start no more of them than there are processors, and bind each to its own";
        Finding::limited("ranks", found, advice)
    } else {
        Finding::good("ranks", found)
    })
}

const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
