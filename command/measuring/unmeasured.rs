//! Finds the processes of a run that are not measured, and why: their work is missing in every number.
//!
//! ```text
//!   the command ──► its children ──► theirs ─ ...      each without a file in the run directory that computed: named
//! ```
//! They are looked for now and then. One that ends between two looks is not seen, but for those that left word that they could make
//! no file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use whyperf_daemon::UnmadeProcess;
use whyperf_inject::{Stat, UnmeasuredReason, program_name, threads};

use crate::output::report::{Unmeasured, rounded};

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct UnmeasuredProcesses {
    /// The process of the command, while it is watched.
    command: Option<u32>,
    next: Option<Instant>,
    /// How long it is to the look after the next one.
    pause: Duration,
    /// Those that were measured when they were looked at.
    measured: BTreeSet<u32>,
    /// By number and start.
    found: BTreeMap<(u32, u64), UnmeasuredProcess>,
}

#[derive(Debug)]
struct UnmeasuredProcess {
    name: String,
    ran: Duration,
    /// For how long it had run before: it was measured then, as another program.
    before: Duration,
    reason: UnmeasuredReason,
}

impl UnmeasuredProcesses {
    /// Those of a command, from now on.
    pub(crate) const fn watch(&mut self, command: u32) {
        self.command = Some(command);
    }

    /// Looks for them, if it is time to.
    pub(crate) fn look_if_due(
        &mut self,
        is_measured: impl Fn(u32) -> bool,
        unmade: &[UnmadeProcess],
    ) {
        let now = Instant::now();
        let Some(command) = self.command else { return };
        if self.next.is_some_and(|next| now < next) {
            return;
        }
        for pid in with_descendants(command) {
            if is_measured(pid) {
                self.measured.insert(pid);
            } else {
                self.note(pid, unmade);
            }
        }
        self.pause = (2 * self.pause).clamp(SHORTEST, LONGEST);
        self.next = Some(now + self.pause.max(now.elapsed() * SHARE));
    }

    /// As the report tells them, in the order of the time that they ran, with those that left word that they could not be measured.
    pub(crate) fn told(&self, unmade: &[UnmadeProcess]) -> Vec<Unmeasured> {
        let found = self.found.values().map(|one| (&*one.name, one.reason.clone(), one.ran));
        let seen: BTreeSet<u32> = self.found.keys().map(|(pid, _)| *pid).collect();
        let others = unmade.iter().filter(|one| !seen.contains(&one.mark.pid));
        let others = others.map(|one| (&*one.program, lack_of(one), Duration::ZERO));
        let mut groups: BTreeMap<(&str, UnmeasuredReason), (usize, Duration)> = BTreeMap::new();
        for (name, reason, ran) in found.chain(others) {
            let group = groups.entry((name, reason)).or_default();
            *group = (group.0 + 1, group.1 + ran);
        }
        groups.retain(|(_, reason), (_, ran)| !reason.is_meant() || *ran >= LEAST_IF_MEANT);
        let told = groups.into_iter().map(|((name, reason), (processes, ran))| Unmeasured {
            program: name.to_owned(),
            processes,
            cpu_s: rounded(ran.as_secs_f64()),
            reason: reason.to_string(),
        });
        let mut told: Vec<Unmeasured> = told.collect();
        told.sort_by(|one, other| other.cpu_s.total_cmp(&one.cpu_s));
        told
    }

    fn note(&mut self, pid: u32, unmade: &[UnmadeProcess]) {
        let Some(stat) = Stat::of(pid).filter(Stat::is_alive) else { return };
        let ran = stat.ran();
        if let Some(known) = self.found.get_mut(&(pid, stat.start)) {
            known.ran = ran.saturating_sub(known.before);
        } else if ran >= LEAST
            && let Some(reason) = reason(pid, unmade)
        {
            let before = if self.measured.contains(&pid) { ran } else { Duration::ZERO };
            let (name, ran) = (name(pid), ran.saturating_sub(before));
            let one = UnmeasuredProcess { name, ran, before, reason };
            self.found.insert((pid, stat.start), one);
        }
    }
}

fn reason(pid: u32, unmade: &[UnmadeProcess]) -> Option<UnmeasuredReason> {
    let own = unmade.iter().rfind(|one| one.mark.pid == pid).map(lack_of);
    own.or_else(|| UnmeasuredReason::of(pid))
}

const fn lack_of(one: &UnmadeProcess) -> UnmeasuredReason {
    UnmeasuredReason::NoRegion(one.mark.failure)
}

/// A process and all that it started, as far as these have not lost their parents.
fn with_descendants(pid: u32) -> Vec<u32> {
    let mut all = vec![pid];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied() {
        at += 1;
        for tid in threads::of(parent) {
            let children = fs::read_to_string(format!("/proc/{parent}/task/{tid}/children"));
            let children = children.unwrap_or_default();
            let numbers =
                children.split_ascii_whitespace().filter_map(|word| word.parse::<u32>().ok());
            all.extend(numbers);
        }
    }
    all
}

fn name(pid: u32) -> String {
    let program = Some(program_name(pid)).filter(|name| !name.is_empty());
    // Of another user's process the system tells no more.
    let command = || fs::read_to_string(format!("/proc/{pid}/comm")).ok();
    program.or_else(command).map_or_else(|| pid.to_string(), |name| name.trim_end().to_owned())
}

/// From look to look, more often in the beginning; a look may take one part in so many of the time.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);
const SHARE: u32 = 500;
/// One that ran for less is of no weight; of what is left alone on purpose, as a launcher is, so much.
const LEAST: Duration = Duration::from_millis(100);
const LEAST_IF_MEANT: Duration = Duration::from_secs(1);
