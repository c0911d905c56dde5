//! Tells whether the daemon still lives: it raises a count with each sampling pass, and owns the run directory.
//!
//! ```text
//!   count grows ──► alive
//!   count stands still ──► the owner of the directory? ──► it ended: gone
//!                                                     └──► it lives: slow or stopped, and gone when that lasts
//! ```
//! A daemon that was killed cannot say so. Without the heartbeat the code would stay patched for good.

use crate::environ::settings;
use crate::kernel;
use crate::view::Tables;
use crate::zero_ended_path::ZeroEndedPath;
use core::sync::atomic::Ordering;

/// Nanoseconds between two looks.
const EVERY: u64 = 500_000_000;
/// Looks at which the count stood still, before the owner is looked at.
const SUSPECT: u32 = 3;
/// Looks after which an owner that runs, but beats no more, is none.
const LOST: u32 = 120;

/// What is known of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DaemonState {
    /// It reads, or nothing says that it does not.
    There,
    /// It is gone, and no other daemon comes in its place.
    Gone,
}

/// Whether the daemon is known to have ended, at this moment.
pub(crate) fn has_daemon_ended() -> bool {
    OwnerProcess::of_run_directory() == OwnerProcess::Ended
}

/// The daemon's count, as it was last seen.
#[derive(Debug, Default)]
pub(crate) struct Heartbeat {
    count: u64,
    unchanged: u32,
    due: u64,
}

impl Heartbeat {
    /// When the next look is due.
    pub(crate) const fn due(&self) -> u64 {
        self.due
    }

    /// Looks if it is time to. The looks are counted, not the time: a process that was stopped together
    /// with its daemon has looked at nothing meanwhile.
    pub(crate) fn look(&mut self, tables: Tables, now: u64) -> DaemonState {
        if now < self.due {
            return DaemonState::There;
        }
        self.due = now + EVERY;
        let commands = tables.commands();
        let count = commands.heartbeat.load(Ordering::Relaxed);
        let within = u64::from(commands.heartbeat_within.load(Ordering::Relaxed)) * 1_000_000;
        if self.stands_still(count, within) && self.is_gone(OwnerProcess::of_run_directory()) {
            DaemonState::Gone
        } else {
            DaemonState::There
        }
    }

    /// Whether the count has stood still for longer than it may.
    fn stands_still(&mut self, count: u64, within: u64) -> bool {
        self.unchanged = if count == self.count { self.unchanged.saturating_add(1) } else { 0 };
        self.count = count;
        u64::from(self.unchanged) >= u64::from(SUSPECT) + within / EVERY
    }

    fn is_gone(&self, owner: OwnerProcess) -> bool {
        match owner {
            OwnerProcess::Ended => true,
            OwnerProcess::Runs => self.unchanged >= LOST,
            OwnerProcess::Stopped | OwnerProcess::Unknown => false,
        }
    }
}

/// The process that owns the run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnerProcess {
    Runs,
    /// A signal or a debugger stopped it; it may be continued.
    Stopped,
    Ended,
    /// The directory is there, and does not say whose it is.
    Unknown,
}

impl OwnerProcess {
    /// By the lock that it holds until it ends, however that happens: it is right in other PID namespaces, too, and the same question that a
    /// process asks which begins. Only whether one that lives was stopped is told by its number.
    fn of_run_directory() -> Self {
        let settings = settings();
        if !kernel::exists(settings.directory()) || kernel::is_unlocked(settings.owner()) {
            return Self::Ended;
        }
        let mut text = [0; 64];
        let length = kernel::read_file(settings.owner(), &mut text);
        let Some((process, start)) = owner(text.get(..length).unwrap_or(&[])) else {
            return Self::Unknown;
        };
        let mut path = ZeroEndedPath::<64>::EMPTY;
        let mut stat = [0; 512];
        let is_named = path.take(&[b"/proc/", process, b"/stat"]);
        let length = if is_named { kernel::read_file(path.as_c_str(), &mut stat) } else { 0 };
        if is_stopped(stat.get(..length).unwrap_or(&[]), start) {
            Self::Stopped
        } else {
            Self::Runs
        }
    }
}

/// Whether the kernel's line about a process is about the one that began at `start`, and says that it is stopped.
fn is_stopped(stat: &[u8], start: &[u8]) -> bool {
    const STATE: usize = 1;
    const START: usize = 20;
    // The name, in parentheses, may hold anything.
    let fields = stat.rsplit(|byte| *byte == b')').next().unwrap_or(&[]);
    let field = |index| fields.split(|byte| byte.is_ascii_whitespace()).nth(index);
    field(START) == Some(start) && matches!(field(STATE), Some(b"T" | b"t"))
}

/// The two numbers in the file that names the owner.
fn owner(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    let (process, start) = (words.next()?, words.next()?);
    let is_number = |word: &[u8]| word.iter().all(u8::is_ascii_digit);
    (is_number(process) && is_number(start)).then_some((process, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(state: &str, start: u32) -> Vec<u8> {
        let between = "0 ".repeat(18);
        format!("12 (a) b) {state} {between}{start} 9 9\n").into_bytes()
    }

    #[test]
    fn an_owner_is_known_by_number_and_start() {
        assert_eq!(owner(b"12 345\n"), Some((&b"12"[..], &b"345"[..])));
        assert_eq!(owner(b"12\n"), None);
        assert_eq!(owner(b"../x 1\n"), None);
        assert!(is_stopped(&stat("T", 345), b"345") && is_stopped(&stat("t", 345), b"345"));
        assert!(!is_stopped(&stat("S", 345), b"345"));
        assert!(!is_stopped(&stat("T", 346), b"345"), "the number came again");
        assert!(!is_stopped(b"", b"345"));
    }

    #[test]
    fn this_process_runs() {
        let length = |text: &[u8; 1024]| text.iter().position(|byte| *byte == 0).unwrap_or(0);
        let mut text = [0; 1024];
        kernel::read_file(c"/proc/self/stat", &mut text);
        let text = &text[..length(&text)];
        let fields = text.rsplit(|byte| *byte == b')').next().unwrap();
        let start = fields.split(|byte| *byte == b' ').nth(20).unwrap();
        assert!(!is_stopped(text, start));
    }

    #[test]
    fn a_count_that_grows_is_never_quiet_and_one_that_stands_still_is_for_as_long_as_it_may() {
        let mut heartbeat = Heartbeat::default();
        assert!((1..100).all(|count| !heartbeat.stands_still(count, 0)));
        let looks = |heartbeat: &mut Heartbeat, within| {
            (0..100).take_while(|_| !heartbeat.stands_still(99, within)).count()
        };
        assert_eq!(looks(&mut heartbeat, 0), 2);
        assert!(!heartbeat.stands_still(100, 0));
        heartbeat.count = 99;
        assert_eq!(looks(&mut heartbeat, 2_000_000_000), 6);
    }

    #[test]
    fn an_owner_that_runs_has_a_minute_and_one_that_is_stopped_any_time() {
        let heartbeat = |unchanged| Heartbeat { unchanged, ..Heartbeat::default() };
        assert!(heartbeat(SUSPECT).is_gone(OwnerProcess::Ended));
        assert!(
            !heartbeat(LOST - 1).is_gone(OwnerProcess::Runs)
                && heartbeat(LOST).is_gone(OwnerProcess::Runs)
        );
        assert!(!heartbeat(u32::MAX).is_gone(OwnerProcess::Stopped));
        assert!(!heartbeat(u32::MAX).is_gone(OwnerProcess::Unknown));
    }
}
