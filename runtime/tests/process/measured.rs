//! Runs a scenario in a process of its own and reads the region it leaves.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::atomic::{AtomicU8, AtomicU64};
use std::{env, thread};
use whyperf_layout::{
    CommandPage, Head, Header, MAGIC, Node, ObjectRecord, PatchRecord, RegionRecord, ReplyPage,
    geometry, strings,
};
use whyperf_runtime::load;

const SCENARIO: &str = "WHYPERF_TEST_SCENARIO";

/// In the test: runs the same test again in a child, which is measured from `body` on; answers the
/// regions that were left, the parent's own first. In the child: runs `body` and ends.
pub(crate) fn run(environment: &[(&str, &str)], body: fn()) -> Vec<Region> {
    if env::var_os(SCENARIO).is_some() {
        // SAFETY: the child has called nothing of the library so far.
        unsafe { load::attach() };
        body();
        std::process::exit(0);
    }
    let name = thread::current().name().expect("tests have names").to_owned();
    let folder = Folder::new(&name);
    let mut child = Command::new(env::current_exe().expect("a running program has a path"));
    child.args([&name, "--exact", "--nocapture", "--test-threads=2"]).env(SCENARIO, "1");
    child.env("WHYPERF_DIR", &folder.0).env_remove("WHYPERF_CALLPATH_DEPTH");
    child.env_remove("WHYPERF_COST_LIMIT").envs(environment.iter().copied());
    let output = child.output().expect("this program can be started again");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{} (signal {:?})\n{said}",
        output.status,
        output.status.signal()
    );
    regions_in(&folder.0)
}

/// In a scenario: the region of this very process, with the daemon's rights to it.
pub(crate) fn own() -> Region {
    let folder = PathBuf::from(env::var_os("WHYPERF_DIR").expect("set by the test"));
    let mut all = regions_in(&folder);
    all.retain(|region| region.header().pid.load(Relaxed) == std::process::id());
    all.pop().expect("this process has a region")
}

/// The only region that was left.
pub(crate) fn only(mut regions: Vec<Region>) -> Region {
    assert_eq!(regions.len(), 1, "regions left");
    regions.remove(0)
}

fn regions_in(folder: &Path) -> Vec<Region> {
    let entries = fs::read_dir(folder).expect("the folder is ours");
    let paths = entries.map(|entry| entry.expect("the folder is ours").path());
    let is_region = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "region");
    let mut paths: Vec<PathBuf> = paths.filter(is_region).collect();
    paths.sort_by_key(|path| fs::metadata(path).and_then(|m| m.modified()).ok());
    let mut regions: Vec<Region> = paths.iter().map(|path| Region::open(path)).collect();
    regions.sort_by_key(|region| region.header().start_ticks.load(Relaxed));
    regions
}

/// A run directory, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = name.replace(':', "-");
        let path = env::temp_dir().join(format!("whyperf-{name}-{}", std::process::id()));
        fs::DirBuilder::new().mode(0o700).create(&path).expect("the folder's name is new");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A mapped region.
pub(crate) struct Region {
    base: *const u8,
}

impl Region {
    fn open(path: &Path) -> Self {
        let file = File::options().read(true).write(true).open(path).expect("a region opens");
        let size = file.metadata().expect("a file has metadata").len() as usize;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        // SAFETY: a new mapping of a file that stays as large as it is.
        let base =
            unsafe { libc::mmap(std::ptr::null_mut(), size, access, flags, file.as_raw_fd(), 0) };
        assert_ne!(base, libc::MAP_FAILED, "mapping {}", path.display());
        let region = Self { base: base.cast() };
        assert_eq!(region.header().magic.load(Acquire), MAGIC, "{}", path.display());
        region
    }

    fn at<T>(&self, offset: usize) -> &T {
        // SAFETY: every part lies inside the file, aligned, and consists of atomics.
        unsafe { &*self.base.add(offset).cast() }
    }

    pub(crate) fn header(&self) -> &Header {
        self.at(0)
    }

    pub(crate) fn commands(&self) -> &CommandPage {
        self.at(geometry::COMMANDS)
    }

    pub(crate) fn replies(&self) -> &ReplyPage {
        self.at(geometry::REPLIES)
    }

    /// A record of what is to be patched.
    pub(crate) fn patch(&self, at: usize) -> &PatchRecord {
        self.at(geometry::STAGING + at * size_of::<PatchRecord>())
    }

    /// What became of it.
    pub(crate) fn result(&self, at: usize) -> &AtomicU64 {
        self.at(geometry::RESULTS + at * size_of::<AtomicU64>())
    }

    pub(crate) fn region(&self, id: usize) -> &RegionRecord {
        self.at(geometry::REGIONS + id * size_of::<RegionRecord>())
    }

    pub(crate) fn object(&self, id: usize) -> &ObjectRecord {
        self.at(geometry::OBJECTS + id * size_of::<ObjectRecord>())
    }

    /// Number of the region with this name.
    pub(crate) fn region_named(&self, name: &str) -> u32 {
        let count = self.header().region_count.load(Acquire) as usize;
        let found = (1..count).find(|id| self.text(self.region(*id).name.load(Relaxed)) == name);
        found.unwrap_or_else(|| panic!("no region {name}")) as u32
    }

    pub(crate) fn text(&self, offset: u32) -> String {
        let all: &[AtomicU8; geometry::STRINGS_SIZE] = self.at(geometry::STRINGS);
        let bytes: Vec<u8> = strings::at(all, offset).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    pub(crate) fn slots(&self) -> Vec<Slot<'_>> {
        let count = self.header().slot_count.load(Acquire) as usize;
        (0..count).map(|slot| Slot { region: self, at: geometry::slot_offset(slot) }).collect()
    }

    /// The only thread's slot.
    pub(crate) fn slot(&self) -> Slot<'_> {
        let mut slots = self.slots();
        assert_eq!(slots.len(), 1, "slots claimed");
        slots.remove(0)
    }
}

/// One thread's slot.
pub(crate) struct Slot<'a> {
    region: &'a Region,
    at: usize,
}

impl Slot<'_> {
    pub(crate) fn head(&self) -> &Head {
        self.region.at(self.at)
    }

    pub(crate) fn node(&self, index: usize) -> &Node {
        self.region.at(self.at + geometry::node_offset(index) as usize)
    }

    fn indices(&self) -> std::ops::Range<usize> {
        1..self.head().nodes.load(Acquire) as usize
    }

    /// Names of the regions from the root to a node.
    pub(crate) fn path(&self, index: usize) -> Vec<String> {
        let mut path = Vec::new();
        let mut at = index;
        while at > 2 {
            let record = self.region.region(self.node(at).region.load(Relaxed) as usize);
            path.insert(0, self.region.text(record.name.load(Relaxed)));
            at = geometry::node_index(self.node(at).parent.load(Relaxed)).expect("a node");
        }
        path
    }

    /// All nodes with this path, whatever their site and object.
    pub(crate) fn nodes_at(&self, path: &[&str]) -> Vec<&Node> {
        let here = self.indices().filter(|index| *index > 2 && self.path(*index) == path);
        here.map(|index| self.node(index)).collect()
    }

    /// Completed visits of that path.
    pub(crate) fn visits(&self, path: &[&str]) -> u64 {
        self.nodes_at(path).iter().map(|node| node.visits.load(Relaxed)).sum()
    }

    /// Completed visits of a region, wherever.
    pub(crate) fn visits_of(&self, region: usize) -> u64 {
        let nodes = self.indices().filter(|index| *index > 2).map(|index| self.node(index));
        let its = nodes.filter(|node| node.region.load(Relaxed) as usize == region);
        its.map(|node| node.visits.load(Relaxed)).sum()
    }

    /// Ticks in all nodes.
    pub(crate) fn time(&self) -> u64 {
        let all = self.indices().map(|index| self.node(index).exclusive.load(Relaxed));
        all.fold(0, u64::wrapping_add)
    }

    /// Every tick from the thread's start to its last event is in exactly one node, and it is at
    /// the root.
    pub(crate) fn check_whole(&self) {
        let head = self.head();
        assert_eq!(self.time(), head.last.load(Relaxed) - head.start.load(Relaxed), "ticks");
        assert_eq!(head.word.load(Relaxed) >> 32, u64::from(geometry::node_offset(1)), "at root");
    }

    pub(crate) fn anomalies(&self) -> u64 {
        self.head().anomalies.load(Relaxed)
    }
}
