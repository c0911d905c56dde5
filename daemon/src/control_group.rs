//! Reads how long control groups were throttled: the system stops a group until its next period when its quota of processor
//! time is used up.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The control groups of processes, with those around them.
#[derive(Debug, Default)]
pub(crate) struct ControlGroups {
    /// By process what was told of it last: many threads ask between two readings.
    of_process: BTreeMap<u32, ToldThrottling>,
    groups: BTreeMap<PathBuf, GroupUsage>,
    now: u64,
}

/// What was told of a process, after the reading of this moment.
#[derive(Debug, Default)]
struct ToldThrottling {
    at: Option<u64>,
    throttling: Throttling,
    /// When it was asked in which groups the process is, and the answer.
    asked_at: u64,
    groups: String,
    files: Vec<PathBuf>,
}

/// What the system counted of a group.
#[derive(Clone, Copy, Debug, Default)]
struct GroupUsage {
    last: Option<Periods>,
    throttling: Throttling,
}

/// How a group was throttled between the last two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Throttling {
    /// The part of the periods in which the quota was used up.
    periods: f64,
    /// On how many processors it was stopped at a time, on average; `None` where the system does not say it.
    stopped: Option<f64>,
}

/// Periods in which a quota held, and those in which it was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Periods {
    all: u64,
    throttled: u64,
    /// Nanoseconds that the group was stopped on each processor, together.
    stopped: u64,
    /// The moment of the monotonic clock at which that was read.
    at: u64,
}

impl ControlGroups {
    /// Reads what was counted of all groups that were asked for, at this moment of the monotonic clock.
    pub(crate) fn read(&mut self, now: u64) {
        self.now = now;
        for (path, group) in &mut self.groups {
            let text = fs::read_to_string(path).unwrap_or_default();
            group.take(Periods::parse(&text, now));
        }
    }

    /// How a process was throttled lately, by whichever group around it was most.
    pub(crate) fn throttled(&mut self, pid: u32) -> Throttling {
        self.throttled_in(pid, || {
            fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default()
        })
    }

    /// The same of one that is in these groups now.
    fn throttled_in(&mut self, pid: u32, groups: impl FnOnce() -> String) -> Throttling {
        let mut told = self.of_process.remove(&pid).unwrap_or_default();
        if told.at != Some(self.now) {
            told.follow(self.now, groups);
            told.throttling = self.throttling_of(&told.files);
            told.at = Some(self.now);
        }
        let throttling = told.throttling;
        self.of_process.insert(pid, told);
        throttling
    }

    fn throttling_of(&mut self, paths: &[PathBuf]) -> Throttling {
        let throttled = paths.iter().map(|path| match self.groups.get(path) {
            Some(group) => group.throttling,
            None => {
                let mut group = GroupUsage::default();
                let text = fs::read_to_string(path).unwrap_or_default();
                group.take(Periods::parse(&text, self.now));
                self.groups.insert(path.clone(), group);
                Throttling::default()
            }
        });
        throttled.max_by(|one, other| one.periods.total_cmp(&other.periods)).unwrap_or_default()
    }
}

impl ToldThrottling {
    /// A process may be moved to another group while it runs, as a shell does with itself before it becomes the program.
    fn follow(&mut self, now: u64, groups: impl FnOnce() -> String) {
        if self.at.is_some() && now.saturating_sub(self.asked_at) < A_WHILE {
            return;
        }
        self.asked_at = now;
        let groups = groups();
        if groups != self.groups {
            self.files = files(&groups);
            self.groups = groups;
        }
    }
}

impl Throttling {
    /// The part of the run delay of threads that was throttling, where on so many processors threads ran or could run, and this part of that time was
    /// run delay. Never more than the part of the periods: in the others the quota held nobody.
    pub(crate) fn part_of_delay(self, processors: f64, delay: f64) -> f64 {
        let of_time = self.stopped.map(|stopped| stopped / processors.max(1.0));
        match of_time.filter(|_| delay > 0.0) {
            Some(of_time) => (of_time / delay).min(self.periods),
            None => self.periods,
        }
    }
}

impl GroupUsage {
    #[expect(clippy::cast_precision_loss, reason = "a few periods")]
    fn take(&mut self, now: Periods) {
        let Some(before) = self.last.replace(now) else { return };
        let all = now.all.saturating_sub(before.all);
        let throttled = now.throttled.saturating_sub(before.throttled).min(all);
        let periods = if all > 0 { throttled as f64 / all as f64 } else { 0.0 };
        let length = now.at.saturating_sub(before.at);
        let stopped = now.stopped.saturating_sub(before.stopped);
        let stopped = (stopped > 0 && length > 0).then(|| stopped as f64 / length as f64);
        self.throttling = Throttling { periods, stopped };
    }
}

impl Periods {
    /// What the text of a file `cpu.stat` says.
    fn parse(text: &str, at: u64) -> Self {
        let of = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            let value = lines.find(|(first, _)| *first == name).map(|(_, value)| value);
            value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        // The first version of control groups has it in nanoseconds, the second one in microseconds.
        let micros: u64 = of("throttled_usec");
        let stopped = of("throttled_time").max(micros.saturating_mul(1000));
        Self { all: of("nr_periods"), throttled: of("nr_throttled"), stopped, at }
    }
}

/// The files that tell of the groups of a process and of all around them, as far as they are to be seen.
fn files(groups: &str) -> Vec<PathBuf> {
    let groups = groups.lines().filter_map(group);
    let each = groups.flat_map(|(root, path)| {
        let path = path.trim_start_matches('/').to_owned();
        let all: Vec<PathBuf> =
            Path::new(&path).ancestors().map(|group| root.join(group).join("cpu.stat")).collect();
        all
    });
    each.filter(|path| path.exists()).collect()
}

/// Where the hierarchy of a line `number:controllers:path` is mounted, and the path in it; `None` where it does not limit processor time.
fn group(line: &str) -> Option<(PathBuf, &str)> {
    let mut words = line.splitn(3, ':').skip(1);
    let (controllers, path) = (words.next()?, words.next()?);
    let root = Path::new("/sys/fs/cgroup");
    match controllers {
        "" => Some((
            if root.join("unified").exists() { root.join("unified") } else { root.into() },
            path,
        )),
        _ if controllers.split(',').any(|one| one == "cpu") => {
            let joint = root.join(controllers);
            Some((if joint.exists() { joint } else { root.join("cpu") }, path))
        }
        _ => None,
    }
}

/// Nanoseconds from one question in which groups a process is to the next.
const A_WHILE: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "usage_usec 123\nnr_periods 40\nnr_throttled 30\nthrottled_usec 5\n";

    #[test]
    fn the_part_that_was_throttled_is_of_the_periods_between_two_readings() {
        let periods = Periods { all: 40, throttled: 30, stopped: 5000, at: 7 };
        assert_eq!(Periods::parse(STAT, 7), periods);
        assert_eq!(Periods::parse("nr_periods x\n", 0), Periods::default());
        let old = "nr_periods 2\nnr_throttled 1\nthrottled_time 61\n";
        assert_eq!(Periods::parse(old, 0).stopped, 61);
        let mut group = GroupUsage::default();
        for (all, throttled, expected) in [(10, 10, 0.0), (20, 15, 0.5), (20, 15, 0.0)] {
            group.take(Periods { all, throttled, ..Periods::default() });
            assert!((group.throttling.periods - expected).abs() < 1e-9, "{group:?}");
        }
    }

    #[test]
    fn of_a_run_delay_no_more_is_throttling_than_the_group_was_stopped() {
        let mut group = GroupUsage::default();
        let second = 1_000_000_000;
        group.take(Periods::default());
        group.take(Periods { all: 10, throttled: 10, stopped: second / 2, at: second });
        let part = |processors, delay| group.throttling.part_of_delay(processors, delay);
        assert!((part(1.0, 0.8) - 0.625).abs() < 1e-9, "others had the processors for the rest");
        assert!((part(1.0, 0.4) - 1.0).abs() < 1e-9);
        assert!((part(2.0, 0.5) - 0.5).abs() < 1e-9, "on one of two processors at a time");
        let untold = Throttling { periods: 0.9, stopped: None };
        assert!((untold.part_of_delay(1.0, 0.8) - 0.9).abs() < 1e-9);
    }

    #[test]
    fn a_line_names_its_hierarchy() {
        assert!(group("3:memory:/a").is_none() && group("nonsense").is_none());
        assert_eq!(group("0::/a/b").map(|(_, path)| path), Some("/a/b"));
        let (root, path) = group("4:cpu,cpuacct:/a").expect("it limits processor time");
        assert!(root.starts_with("/sys/fs/cgroup") && path == "/a");
    }

    #[test]
    fn a_process_without_a_quota_is_not_throttled() {
        let mut groups = ControlGroups::default();
        assert_eq!(groups.throttled(u32::MAX), Throttling::default());
    }

    #[test]
    fn a_process_is_followed_to_another_group() {
        let mut groups = ControlGroups::default();
        let mut asked = Vec::new();
        for (milli, group) in [(0, "0::/a"), (200, "0::/b"), (1000, "0::/c"), (1000, "0::/d")] {
            groups.read(milli * 1_000_000);
            groups.throttled_in(7, || {
                asked.push(group);
                group.to_owned()
            });
        }
        assert_eq!(asked, ["0::/a", "0::/c"]);
    }
}
