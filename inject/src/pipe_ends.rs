//! Finds who has the other end of a pipe, by the system's lists of open descriptors.
//!
//! ```text
//!   gzip ══ writes ══► pipe:[17] ══ reads ══► tar
//!   /proc/PID/fd/N ──► pipe:[17]        /proc/PID/fdinfo/N ──► flags: what it may do there
//! ```
//! A process whose descriptors may not be listed, because it is another user's, is not found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::job::program_name;

/// Which processes have ends of some pipes, at a moment.
#[derive(Debug, Default)]
pub struct PipeEnds(BTreeMap<u64, Vec<PipeEnd>>);

/// A descriptor of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PipeEnd {
    pid: u32,
    side: PipeSide,
}

/// What a process may do at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PipeSide {
    Reads,
    Writes,
    /// A named pipe may be opened for both.
    ReadsAndWrites,
}

impl PipeEnds {
    /// Of the pipes with these numbers: looks at all processes once.
    #[must_use]
    pub fn find(pipes: &BTreeSet<u64>) -> Self {
        let mut found = Self::default();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        for pid in entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()) {
            found.add_process(pid, pipes);
        }
        found
    }

    /// The program at the other end of a pipe of which this process has one; `None` where nobody is found.
    #[must_use]
    pub fn peer(&self, pipe: u64, pid: u32) -> Option<String> {
        let pids = self.pids_of_peers(pipe, pid);
        let mut programs: Vec<_> = pids.into_iter().map(program_name).collect();
        programs.retain(|program| !program.is_empty());
        programs.sort();
        programs.dedup();
        match programs.len() {
            0 | 1 => programs.pop(),
            _ => Some(SEVERAL.to_owned()),
        }
    }

    /// Who may write what it reads, or read what it writes. Where nobody else does it is the process itself.
    fn pids_of_peers(&self, pipe: u64, pid: u32) -> BTreeSet<u32> {
        let ends = self.0.get(&pipe).map_or(&[][..], Vec::as_slice);
        let (own, others): (Vec<PipeEnd>, Vec<PipeEnd>) =
            ends.iter().copied().partition(|end| end.pid == pid);
        let is_opposite = |other: PipeSide| {
            let reads = own.iter().any(|own| own.side.reads() && other.writes());
            reads || own.iter().any(|own| own.side.writes() && other.reads())
        };
        let found = others.iter().filter(|other| is_opposite(other.side));
        let mut found: BTreeSet<u32> = found.map(|other| other.pid).collect();
        if found.is_empty() && own.iter().any(|own| is_opposite(own.side)) {
            found.insert(pid);
        }
        found
    }

    fn add_process(&mut self, pid: u32, pipes: &BTreeSet<u64>) {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        for entry in entries {
            let target = fs::read_link(entry.path()).unwrap_or_default();
            let pipe = target.to_str().and_then(pipe_number).filter(|pipe| pipes.contains(pipe));
            let side = || PipeSide::of(pid, entry.file_name().to_str()?);
            if let Some((pipe, side)) = pipe.and_then(|pipe| Some((pipe, side()?))) {
                self.0.entry(pipe).or_default().push(PipeEnd { pid, side });
            }
        }
    }
}

/// In place of the names of several programs.
const SEVERAL: &str = "several programs";

/// The number of a pipe that is called so, as in `pipe:[17]`.
#[must_use]
pub fn pipe_number(name: &str) -> Option<u64> {
    name.strip_prefix("pipe:[")?.strip_suffix(']')?.parse().ok()
}

impl PipeSide {
    fn of(pid: u32, descriptor: &str) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/fdinfo/{descriptor}")).ok()?)
    }

    /// What the text of such a file says.
    fn parse(text: &str) -> Option<Self> {
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
        let flags = i32::from_str_radix(flags.trim(), 8).ok()?;
        Some(match flags & libc::O_ACCMODE {
            libc::O_RDONLY => Self::Reads,
            libc::O_WRONLY => Self::Writes,
            _ => Self::ReadsAndWrites,
        })
    }

    const fn reads(self) -> bool {
        matches!(self, Self::Reads | Self::ReadsAndWrites)
    }

    const fn writes(self) -> bool {
        matches!(self, Self::Writes | Self::ReadsAndWrites)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd as _;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn flags_say_what_may_be_done() {
        for (flags, side) in [
            ("0100000", PipeSide::Reads),
            ("0100001", PipeSide::Writes),
            ("0104002", PipeSide::ReadsAndWrites),
        ] {
            assert_eq!(PipeSide::parse(&format!("pos:\t0\nflags:\t{flags}\n")), Some(side));
        }
        assert_eq!(PipeSide::parse("pos:\t0\n"), None);
    }

    #[test]
    fn who_reads_waits_for_those_who_may_write() {
        let end = |pid, side| PipeEnd { pid, side };
        let ends = |ends: &[PipeEnd]| PipeEnds(BTreeMap::from([(17, ends.to_vec())]));
        let (reads, writes) = (PipeSide::Reads, PipeSide::Writes);
        let pipeline = ends(&[end(1, writes), end(2, reads), end(3, reads)]);
        assert_eq!(pipeline.pids_of_peers(17, 2), BTreeSet::from([1]));
        assert_eq!(pipeline.pids_of_peers(17, 1), BTreeSet::from([2, 3]));
        assert_eq!(pipeline.pids_of_peers(17, 4), BTreeSet::new(), "it has no end any more");
        let own = ends(&[end(1, writes), end(1, reads)]);
        assert_eq!(own.pids_of_peers(17, 1), BTreeSet::from([1]), "its threads");
        assert_eq!(ends(&[end(1, reads)]).pids_of_peers(17, 1), BTreeSet::new(), "all left");
    }

    #[test]
    fn the_program_at_the_other_end_is_found() {
        let child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = child.expect("every system has `cat`");
        let input = child.stdin.take().expect("it is a pipe");
        let link = format!("/proc/self/fd/{}", input.as_raw_fd());
        let name = fs::read_link(link).expect("it is open");
        let pipe = name.to_str().and_then(pipe_number).expect("it is a pipe");
        let pid = std::process::id();
        let peer = || PipeEnds::find(&BTreeSet::from([pipe])).peer(pipe, pid);
        // Until it has become `cat` it is a copy of this process.
        while peer().as_deref() != Some("cat") {
            std::thread::yield_now();
        }
        assert_eq!(PipeEnds::find(&BTreeSet::new()).peer(pipe, pid), None, "not asked for");
        drop(input);
        assert!(child.wait().expect("it is ours").success());
    }
}
