//! How much memory an import takes: the same for four times as many threads. It counts bytes, and no machine is too slow or too busy for it.

mod allocator;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use whyperf_experiments::{ForeignSource, ImportRecorder, NewRun, TauFolder, import_threads};

#[global_allocator]
static ALLOCATOR: allocator::CountingAllocator = allocator::CountingAllocator;

const TIMERS: u32 = 1000;
/// Ranks that fill three parts of a run and more: one that is filled, one that waits, and one that is written.
const RANKS: u32 = 110;
/// No more than so many parts, of some 4 MB each, are there at once in the one import and not in the other.
const PARTS: usize = 3 * 4_000_000;
/// What is known of each thread until the end: its names in the hierarchies, and where its file is.
const OF_THREAD: usize = 3000;

/// A folder that does not outlive the test.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of so many ranks.
fn write_files(folder: &Path, ranks: u32) {
    for rank in 0..ranks {
        let mut text = format!("{TIMERS} templated_functions_MULTI_TIME\n# Name\n");
        for timer in 0..TIMERS {
            let line = format!("\"main => f{timer}\" 1 0 {timer} {rank} 0 GROUP=\"TAU_CALLPATH\"");
            writeln!(text, "{line}").expect("writing to a string does not fail");
        }
        text.push_str("0 aggregates\n");
        fs::write(folder.join(format!("profile.{rank}.0.0")), text).expect("there is room");
    }
}

/// The most bytes that an import of so many ranks takes beyond what was there.
fn most_bytes(ranks: u32) -> usize {
    let name = format!("whyperf-import-memory-{ranks}-{}", std::process::id());
    let folder = Removed(std::env::temp_dir().join(name));
    fs::create_dir_all(&folder.0).expect("the temporary folder can be written");
    write_files(&folder.0, ranks);
    let run = NewRun {
        application: "imported".into(),
        experiment: "imported".into(),
        trial: "one".into(),
        started: SystemTime::UNIX_EPOCH,
        command: Vec::new(),
        facts: Vec::new(),
        directives: Vec::new(),
    };
    let before = allocator::begin();
    let source = ForeignSource::Tau(TauFolder::open(&folder.0).expect("just written"));
    let recorder = ImportRecorder::begin(&folder.0.join("whyperf.db"), &run).expect("writable");
    let imported = import_threads(source, recorder, |_, _| {}).expect("well formed");
    assert_eq!(imported.callpaths, u64::from(ranks) * u64::from(TIMERS));
    allocator::most() - before
}

/// The database counts its own memory, of which it has a fixed amount of pages: it is given no more than this, and fails beyond.
const DATABASE: u32 = 24_000_000;

#[test]
fn four_times_the_threads_take_the_same_memory() {
    let limit = rusqlite::Connection::open_in_memory().expect("it needs no file");
    // It counts for all connections of the process.
    limit.pragma_update_and_check(None, "hard_heap_limit", DATABASE, |_| Ok(())).expect("a limit");
    let [once, four_times] = [RANKS, 4 * RANKS].map(most_bytes);
    let more = four_times.saturating_sub(once);
    let allowed = PARTS + 3 * RANKS as usize * OF_THREAD;
    assert!(more < allowed, "{once} bytes at once, {four_times} of four times as many threads");
}
