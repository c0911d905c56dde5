//! Finds forked copies of measured processes, and how much of their code differs from that of their files.
//!
//! ```text
//!   measured process ──fork──► its code and its region's mapping come along, changed functions among it
//!                                 └─ until its first event it has no region of its own, and cannot be asked
//! ```
//! Changed functions go on working there, and are switched off.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::job::descendants;
use crate::maps::{MappedFile, ProcessMaps};
use crate::region_file::RegionFile;
use crate::regular_file::open_regular;
use crate::threads::process_file;

/// A forked process in whose code something is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedCopy {
    /// Which.
    pub pid: u32,
    /// Stretches of bytes that its files have otherwise.
    pub places: usize,
}

/// The copies of measured processes that have changed code, as far as their memory may be looked at.
#[must_use]
pub fn changed_copies(measured: &BTreeSet<u32>) -> Vec<ChangedCopy> {
    let forked = descendants(measured).into_iter().filter(|pid| !measured.contains(pid));
    let copies = forked.filter_map(|pid| {
        let maps = ProcessMaps::of(pid);
        let is_copy = maps.paths().any(|path| is_region_of(path, measured));
        let places = if is_copy { changed_places(pid, &maps) } else { 0 };
        (places > 0).then_some(ChangedCopy { pid, places })
    });
    copies.collect()
}

/// Whether a file is the region of one of these processes.
fn is_region_of(path: &Path, processes: &BTreeSet<u32>) -> bool {
    RegionFile::at(path).is_some_and(|region| processes.contains(&region.pid))
}

fn changed_places(pid: u32, maps: &ProcessMaps) -> usize {
    let Ok(memory) = File::open(process_file(pid, "mem")) else { return 0 };
    let of_files = maps.with_code().filter(|mapped| mapped.path.is_absolute() && !mapped.deleted);
    of_files.map(|mapped| changed_places_of(mapped, &memory)).sum()
}

fn changed_places_of(mapped: &MappedFile, memory: &File) -> usize {
    let Ok(file) = open_regular(&mapped.path) else { return 0 };
    let each = mapped.code.iter().map(|(range, offset)| {
        let length = usize::try_from(range.end - range.start).unwrap_or(0);
        let (mut kept, mut there) = (vec![0; length], vec![0; length]);
        let read = file.read_at(&mut kept, *offset).unwrap_or(0);
        if memory.read_exact_at(&mut there, range.start).is_err() {
            return 0;
        }
        let is_changed: Vec<bool> =
            kept.iter().zip(&there).take(read).map(|(one, other)| one != other).collect();
        is_changed.chunk_by(|one, other| one == other).filter(|run| run[0]).count()
    });
    each.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_that_of_the_process_in_its_name() {
        let measured = BTreeSet::from([12, 13]);
        let is_one = |name: &str| is_region_of(Path::new(name), &measured);
        assert!(is_one("/dev/shm/x/12-0.region") && is_one("/dev/shm/x/13-2.region"));
        assert!(!is_one("/dev/shm/x/1-0.region") && !is_one("/dev/shm/x/12-0") && !is_one("/"));
    }

    #[test]
    fn code_that_nobody_changed_is_as_in_its_file() {
        assert_eq!(changed_places(std::process::id(), &ProcessMaps::of(std::process::id())), 0);
    }
}
