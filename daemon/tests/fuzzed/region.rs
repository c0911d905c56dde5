//! Reads the region of a process that writes any words anywhere in it, between two samples of a daemon and after.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use whyperf_daemon::{Daemon, DaemonSettings, Moment, View};
use whyperf_layout::{Kind, Moved, ObjectKind, geometry};
use whyperf_model::{Focus, Metric};
use whyperf_testkit::synthetic::SyntheticProcess;

const SECOND: u64 = 1_000_000_000;
const ZERO: u64 = 5 * SECOND;
/// The parts of the file, by the first byte of a write.
const PARTS: [usize; 11] = [
    0,
    geometry::COMMANDS,
    geometry::REPLIES,
    geometry::REGIONS,
    geometry::OBJECTS,
    geometry::STRINGS,
    geometry::STAGING,
    geometry::RESULTS,
    geometry::SLOTS,
    geometry::SLOTS + geometry::STAMPS_IN_SLOT,
    geometry::SLOTS + geometry::NODES_IN_SLOT,
];
/// A part, an offset in it, and a word to write there.
const WRITE: usize = 11;
/// A part beyond the last cuts the file there.
const CUT: u8 = 255;

/// Each eleven bytes are one write; half of them are made before the first sample, half after.
pub(crate) fn feed(bytes: &[u8]) {
    let place = Place::new();
    let zero = Moment { nanos: ZERO, ticks: ZERO };
    let settings =
        DaemonSettings { host: "node1".to_owned(), records: true, ..DaemonSettings::new(zero) };
    let mut daemon = Daemon::open(&place.0, settings).expect("the folder was just made");
    let process = process(&place.0);
    let pairs = [Metric::Wall, Metric::SyncWait, Metric::Calls];
    for metric in pairs {
        daemon.start(metric, &Focus::whole_program());
    }
    let writes: Vec<&[u8]> = bytes.chunks_exact(WRITE).collect();
    let (before, after) = writes.split_at(writes.len() / 2);
    before.iter().for_each(|bytes| write(&process, bytes));
    sample(&mut daemon, 1);
    let thread = process.thread_in(0);
    if before.is_empty() {
        thread.begin(3, ZERO + SECOND);
        thread.end(ZERO + SECOND + 5, Moved::default());
    }
    after.iter().for_each(|bytes| write(&process, bytes));
    (2..6).for_each(|second| sample(&mut daemon, second));
    daemon.settle_places();
    for view in [View::Full, View::TwoLevel] {
        assert!(daemon.profile(view).len() <= 4 * geometry::NODE_CAPACITY);
    }
    // Nobody serves this process's ring, whatever its header says: its leave is not waited for.
    daemon.leave(Duration::ZERO);
    daemon.finish(Moment { nanos: ZERO + 6 * SECOND, ticks: ZERO + 6 * SECOND });
}

fn sample(daemon: &mut Daemon, second: u64) {
    let now = ZERO + second * SECOND;
    let pass = daemon.sample(Moment { nanos: now, ticks: now });
    assert!(pass.complaints.iter().all(|complaint| !complaint.to_string().is_empty()));
}

fn process(directory: &Path) -> SyntheticProcess {
    let process = SyntheticProcess::create(directory, std::process::id(), 1, 4, ZERO)
        .expect("the folder can be written");
    let receive = process.region("MPI_Recv", Kind::Receive, 0x1000);
    let own = process.region("solve", Kind::User, 0);
    let tag = process.object(ObjectKind::Tag, 0, 3, "x");
    let thread = process.thread(std::process::id(), ZERO);
    let outer = thread.add(1, own, 0, 0);
    thread.add(outer, receive, 0x1234, tag);
    process
}

fn write(process: &SyntheticProcess, bytes: &[u8]) {
    let (at, word) = bytes.split_at(WRITE - 8);
    let offset = usize::from(u16::from_le_bytes([at[1], at[2]]));
    if at[0] == CUT {
        process.file().set_len(offset as u64 * 64).expect("the file is ours");
        return;
    }
    let part = PARTS[usize::from(at[0]) % PARTS.len()];
    let end = process.file().metadata().expect("the file is open").len();
    let at = (part + offset) as u64;
    if at + 8 <= end {
        process.file().write_all_at(word, at).expect("the file is ours");
    }
}

/// A folder of its own, removed with it.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("whyperf-fuzzed-{}-{number}", std::process::id());
        let base = Path::new("/dev/shm");
        let base = if base.is_dir() { base.to_owned() } else { std::env::temp_dir() };
        let folder = base.join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::DirBuilder::new().mode(0o700).create(&folder).expect("the base can be written");
        Self(folder)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
