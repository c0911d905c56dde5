//! The doctor on the machine: its clock and its cores.

use std::fs;
use std::thread;

use super::Finding;

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
    match thread::available_parallelism().map_or(1, usize::from) {
        1 => Finding::limited(
            subject,
            "1 usable by this process",
            "whyperf and the program share it: leave some room, or allow more cores (taskset, cgroup)",
        ),
        cores => Finding::good(subject, format!("{cores} usable by this process")),
    }
}

const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
