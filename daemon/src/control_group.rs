//! Reads how long control groups were throttled: the system stops a group until its next period when its quota of processor
//! time is used up.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The control groups of processes, with those around them.
#[derive(Debug, Default)]
pub(crate) struct ControlGroups {
    /// By process its own group, once that was asked for.
    of_process: BTreeMap<u32, Vec<PathBuf>>,
    groups: BTreeMap<PathBuf, GroupUsage>,
}

/// What the system counted of a group.
#[derive(Clone, Copy, Debug, Default)]
struct GroupUsage {
    last: Option<Periods>,
    /// Of the periods between the last two readings, the part that was throttled.
    throttled: f64,
}

/// Periods in which a quota held, and those in which it was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Periods {
    all: u64,
    throttled: u64,
}

impl ControlGroups {
    /// Reads what was counted of all groups that were asked for.
    pub(crate) fn read(&mut self) {
        for (path, group) in &mut self.groups {
            let text = fs::read_to_string(path).unwrap_or_default();
            group.take(Periods::parse(&text));
        }
    }

    /// The part of the time in which a process was throttled lately, by whichever group around it was most.
    pub(crate) fn throttled(&mut self, pid: u32) -> f64 {
        let paths = self.of_process.entry(pid).or_insert_with(|| files(pid));
        let throttled = paths.iter().map(|path| match self.groups.get(path) {
            Some(group) => group.throttled,
            None => {
                let mut group = GroupUsage::default();
                group.take(Periods::parse(&fs::read_to_string(path).unwrap_or_default()));
                self.groups.insert(path.clone(), group);
                0.0
            }
        });
        throttled.fold(0.0, f64::max)
    }
}

impl GroupUsage {
    #[expect(clippy::cast_precision_loss, reason = "a few periods")]
    fn take(&mut self, now: Periods) {
        let Some(before) = self.last.replace(now) else { return };
        let all = now.all.saturating_sub(before.all);
        let throttled = now.throttled.saturating_sub(before.throttled).min(all);
        self.throttled = if all > 0 { throttled as f64 / all as f64 } else { 0.0 };
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
        Self { all: of("nr_periods"), throttled: of("nr_throttled") }
    }
}

/// The files that tell of the group of a process and of all around it, as far as they are to be seen.
fn files(pid: u32) -> Vec<PathBuf> {
    let text = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let groups = text.lines().filter_map(group);
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

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "usage_usec 123\nnr_periods 40\nnr_throttled 30\nthrottled_usec 5\n";

    #[test]
    fn the_part_that_was_throttled_is_of_the_periods_between_two_readings() {
        assert_eq!(Periods::parse(STAT), Periods { all: 40, throttled: 30 });
        assert_eq!(Periods::parse("nr_periods x\n"), Periods::default());
        let mut group = GroupUsage::default();
        for (all, throttled, expected) in [(10, 10, 0.0), (20, 15, 0.5), (20, 15, 0.0)] {
            group.take(Periods { all, throttled });
            assert!((group.throttled - expected).abs() < 1e-9, "{group:?}");
        }
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
        assert!(groups.throttled(u32::MAX).abs() < 1e-9);
    }
}
