//! Reads how long control groups were throttled: the system stops a group until its next period when its quota of processor
//! time is used up.
//!
//! ```text
//!   runs   █         █         █         █                 the system counts that a group was stopped, and that a thread had no processor,
//!   is stopped ▒▒▒▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒▒ ▒▒▒▒▒▒▒▒▒               when that is over: a tenth of a second at once
//!   read   |──────────────|───────────────|────            so one reading has one such part, and the next one three
//! ```
//! A part of more than all cannot be told, so readings that are compared one by one tell too little. They are compared as sums that fade.

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

/// How a group was throttled lately, and for how long threads had no processor meanwhile: sums that fade.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Throttling {
    /// Periods in which a quota held, and those in which it was used up.
    periods: f64,
    throttled: f64,
    /// Seconds that it was stopped on each processor, together; none where the system does not say it.
    stopped: f64,
    lack: Lack,
}

/// What measured threads had of processors between two readings, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Lack {
    /// Of all threads together, for how long they ran or could run, and of that for how long they had no processor.
    pub(crate) wanted: f64,
    pub(crate) delayed: f64,
    /// From one reading to the other.
    pub(crate) length: f64,
}

/// Periods in which a quota held, and those in which it was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Periods {
    all: u64,
    throttled: u64,
    /// Nanoseconds that the group was stopped on each processor, together.
    stopped: u64,
}

impl ControlGroups {
    /// Reads what was counted of all groups that were asked for, at this moment of the monotonic clock, and what threads lacked since the reading
    /// before.
    pub(crate) fn read(&mut self, now: u64, lack: Lack) {
        self.now = now;
        for (path, group) in &mut self.groups {
            let text = fs::read_to_string(path).unwrap_or_default();
            group.take(Periods::parse(&text), lack);
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
                group.take(Periods::parse(&text), Lack::default());
                self.groups.insert(path.clone(), group);
                Throttling::default()
            }
        });
        throttled.max_by(|one, other| one.share().total_cmp(&other.share())).unwrap_or_default()
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
    /// The part of the periods in which the quota was used up.
    fn share(self) -> f64 {
        if self.periods > 0.0 { self.throttled / self.periods } else { 0.0 }
    }

    /// The part of the run delay of threads that was throttling, where they may run on so many processors: a group that is stopped on one holds all that
    /// wait for it. Never more than the part of the periods: in the others the quota held nobody.
    pub(crate) fn part_of_delay(self, processors: f64) -> f64 {
        let Self { stopped, lack, .. } = self;
        if stopped <= 0.0 || lack.delayed <= 0.0 {
            return self.share();
        }
        let on_each = lack.wanted / lack.length.max(1e-9) / processors.max(1.0);
        (stopped * on_each.max(1.0) / lack.delayed).min(self.share())
    }

    /// What was counted between two readings comes to what was before.
    #[expect(clippy::cast_precision_loss, reason = "a few periods")]
    fn add(&mut self, since: Periods, lack: Lack) {
        let left = (-lack.length / MEMORY).exp();
        let parts = [
            (&mut self.periods, since.all as f64),
            (&mut self.throttled, since.throttled.min(since.all) as f64),
            (&mut self.stopped, since.stopped as f64 / 1e9),
            (&mut self.lack.wanted, lack.wanted),
            (&mut self.lack.delayed, lack.delayed),
            (&mut self.lack.length, lack.length),
        ];
        for (sum, more) in parts {
            *sum = *sum * left + more;
        }
    }
}

impl GroupUsage {
    fn take(&mut self, now: Periods, lack: Lack) {
        if let Some(before) = self.last.replace(now) {
            self.throttling.add(now.since(before), lack);
        }
    }
}

impl Periods {
    /// What the text of a file `cpu.stat` says.
    fn parse(text: &str) -> Self {
        let of = |name: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            let value = lines.find(|(first, _)| *first == name).map(|(_, value)| value);
            value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
        };
        // The first version of control groups has it in nanoseconds, the second one in microseconds.
        let micros: u64 = of("throttled_usec");
        let stopped = of("throttled_time").max(micros.saturating_mul(1000));
        Self { all: of("nr_periods"), throttled: of("nr_throttled"), stopped }
    }

    const fn since(self, before: Self) -> Self {
        Self {
            all: self.all.saturating_sub(before.all),
            throttled: self.throttled.saturating_sub(before.throttled),
            stopped: self.stopped.saturating_sub(before.stopped),
        }
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
/// Seconds after which what was counted counts for a third: twenty periods, of which none more or less matters much.
const MEMORY: f64 = 2.0;

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "usage_usec 123\nnr_periods 40\nnr_throttled 30\nthrottled_usec 5\n";

    /// A reading after so many periods more, all but so many of them throttled, and for so many milliseconds in all.
    fn read(group: &mut GroupUsage, [all, free, stopped]: [u64; 3], lack: [f64; 3]) -> Throttling {
        let before = group.last.unwrap_or_default();
        let now = Periods {
            all: before.all + all,
            throttled: before.throttled + all - free,
            stopped: before.stopped + stopped * 1_000_000,
        };
        let [wanted, delayed, length] = lack;
        group.take(now, Lack { wanted, delayed, length });
        group.throttling
    }

    fn is_about(told: f64, expected: f64) -> bool {
        (told - expected).abs() < 1e-9
    }

    #[test]
    fn the_part_that_was_throttled_is_of_the_periods_between_two_readings() {
        let periods = Periods { all: 40, throttled: 30, stopped: 5000 };
        assert_eq!(Periods::parse(STAT), periods);
        assert_eq!(Periods::parse("nr_periods x\n"), Periods::default());
        let old = "nr_periods 2\nnr_throttled 1\nthrottled_time 61\n";
        assert_eq!(Periods::parse(old).stopped, 61);
        let mut group = GroupUsage::default();
        assert!(is_about(read(&mut group, [10, 0, 0], [0.0; 3]).share(), 0.0), "of before");
        assert!(is_about(read(&mut group, [10, 5, 0], [0.0; 3]).share(), 0.5));
        assert!(is_about(read(&mut group, [0, 0, 0], [0.0, 0.0, 0.2]).share(), 0.5));
    }

    #[test]
    fn of_a_run_delay_no_more_is_throttling_than_the_group_was_stopped() {
        let part = |processors: f64, stopped: u64, lack: [f64; 3]| {
            let mut group = GroupUsage::default();
            read(&mut group, [0; 3], [0.0; 3]);
            read(&mut group, [10, 0, stopped], lack).part_of_delay(processors)
        };
        assert!(is_about(part(1.0, 500, [1.0, 0.8, 1.0]), 0.625), "others had it for the rest");
        assert!(is_about(part(1.0, 500, [1.0, 0.4, 1.0]), 1.0));
        assert!(is_about(part(1.0, 500, [2.0, 1.6, 1.0]), 0.625), "it holds both that wait");
        assert!(is_about(part(2.0, 500, [0.6, 0.5, 1.0]), 1.0), "who is not always there");
        let mut untold = GroupUsage::default();
        read(&mut untold, [0; 3], [0.0; 3]);
        let untold = read(&mut untold, [10, 1, 0], [1.0, 0.8, 1.0]);
        assert!(is_about(untold.part_of_delay(1.0), 0.9));
    }

    #[test]
    fn what_the_system_counts_at_once_is_not_lost_where_it_comes_late() {
        let (mut group, mut told, mut delayed) = (GroupUsage::default(), 0.0, 0.0);
        read(&mut group, [0; 3], [0.0; 3]);
        // Ninety of a hundred milliseconds, in readings that have one such part or three; of threads, in others.
        for at in 0..100 {
            let [stopped, lacked] = [[90, 180], [270, 180], [90, 270], [270, 90]][at % 4];
            let lacked = lacked as f64 / 1000.0;
            read(&mut group, [2, 0, stopped], [lacked + 0.02, lacked, 0.2]);
            told += 0.18 * group.throttling.part_of_delay(2.0);
            delayed += 0.18;
        }
        assert!(told > 0.95 * delayed, "{told:.2} of {delayed:.2}");
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
            groups.read(milli * 1_000_000, Lack::default());
            groups.throttled_in(7, || {
                asked.push(group);
                group.to_owned()
            });
        }
        assert_eq!(asked, ["0::/a", "0::/c"]);
    }
}
