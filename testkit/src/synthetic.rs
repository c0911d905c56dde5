//! A synthetic measured process: a region written through the layout's own writer, under a clock that the caller holds. For
//! tests and benches of whatever reads regions.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use whyperf_inject::{Mapping, Protection};
use whyperf_layout::{
    CodeState, Command, CommandPage, Head, Header, Kind, Message, Moved, Node, ObjectKind,
    ObjectRecord, Outcome, Peer, PeerPage, PeerWriter, RegionRecord, RegionState, ReplyPage,
    Sequence, SlotState, VERSION, geometry, slot, strings,
};

/// A region file with a writer. Ticks are nanoseconds.
#[derive(Debug)]
pub struct SyntheticProcess {
    path: PathBuf,
    file: File,
    memory: Mapping,
}

impl SyntheticProcess {
    /// Makes `<pid>-<number>.region` in a run directory, with room for so many threads.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(
        directory: &Path,
        pid: u32,
        number: u32,
        slots: usize,
        start: u64,
    ) -> io::Result<Self> {
        let path = directory.join(format!("{pid}-{number}.region"));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        let size = geometry::file_size(slots);
        file.set_len(size as u64)?;
        let memory = Mapping::of(&file, 0, size, Protection::Write)?;
        let process = Self { path, file, memory };
        let header = process.header();
        header.version.store(VERSION, Ordering::Relaxed);
        header.slot_capacity.store(u32::try_from(slots).unwrap_or(0), Ordering::Relaxed);
        header.pid.store(pid, Ordering::Relaxed);
        header.rank.store(-1, Ordering::Relaxed);
        header.start_ticks.store(start, Ordering::Relaxed);
        header.start_nanos.store(start, Ordering::Relaxed);
        header.strings_used.store(4, Ordering::Relaxed);
        header.region_count.store(1, Ordering::Relaxed);
        header.object_count.store(1, Ordering::Relaxed);
        header.state.store(RegionState::Running as u32, Ordering::Relaxed);
        header.program.store(process.string("synthetic"), Ordering::Relaxed);
        header.publish();
        Ok(process)
    }

    /// Its header.
    #[must_use]
    pub fn header(&self) -> &Header {
        self.memory.at(0).expect("the file is longer than its header")
    }

    /// The file, for tests that damage it.
    #[must_use]
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it a member of an MPI job, which has begun.
    pub fn set_rank(&self, rank: i32) {
        self.header().mpi_ticks.store(1, Ordering::Relaxed);
        self.header().rank.store(rank, Ordering::Relaxed);
    }

    /// Says that it leaves at this time.
    pub fn leave(&self, now: u64) {
        self.header().leave(now);
    }

    /// Adds a region; answers its number.
    pub fn region(&self, name: &str, kind: Kind, address: u64) -> u32 {
        let number = self.header().region_count.load(Ordering::Relaxed);
        let at = geometry::REGIONS + number as usize * size_of::<RegionRecord>();
        let record: &RegionRecord = self.memory.at(at).expect("the table has room");
        record.name.store(self.string(name), Ordering::Relaxed);
        record.kind.store(kind.number(), Ordering::Relaxed);
        record.switched.store(1, Ordering::Relaxed);
        record.address.store(address, Ordering::Relaxed);
        self.header().publish_regions(number + 1);
        number
    }

    /// Switches a region off, as a process does at so many visits.
    pub fn too_hot(&self, number: u32, visits: u64) {
        let at = geometry::REGIONS + number as usize * size_of::<RegionRecord>();
        let record: &RegionRecord = self.memory.at(at).expect("the table has room");
        record.switched.store(0, Ordering::Relaxed);
        record.hot_visits.store(visits, Ordering::Relaxed);
    }

    /// Adds an object; answers its number.
    pub fn object(&self, kind: ObjectKind, parent: u32, key: u64, name: &str) -> u32 {
        let number = self.header().object_count.load(Ordering::Relaxed);
        let record = self.object_record(number);
        record.kind.store(kind.number(), Ordering::Relaxed);
        record.parent.store(parent, Ordering::Relaxed);
        record.key.store(key, Ordering::Relaxed);
        record.name.store(self.string(name), Ordering::Relaxed);
        self.header().publish_objects(number + 1);
        number
    }

    /// The record of an object, to change it.
    #[must_use]
    pub fn object_record(&self, number: u32) -> &ObjectRecord {
        let at = geometry::OBJECTS + number as usize * size_of::<ObjectRecord>();
        self.memory.at(at).expect("the table has room")
    }

    /// Adds a string; answers its offset.
    pub fn string(&self, text: &str) -> u32 {
        let used = &self.header().strings_used;
        let at = used.load(Ordering::Relaxed).max(4);
        if text.is_empty() {
            return 0;
        }
        let place = geometry::STRINGS + at as usize;
        let length: &AtomicU32 = self.memory.at(place).expect("the strings have room");
        length.store(u32::try_from(text.len()).unwrap_or(0), Ordering::Relaxed);
        let cells: &[std::sync::atomic::AtomicU8] =
            self.memory.slice(place + 4, text.len()).expect("the strings have room");
        for (cell, byte) in cells.iter().zip(text.bytes()) {
            cell.store(byte, Ordering::Relaxed);
        }
        used.store(at + u32::try_from(strings::size(text.len())).unwrap_or(0), Ordering::Relaxed);
        at
    }

    /// Takes the next command, as an agent would.
    #[must_use]
    pub fn received(&self) -> Option<(Sequence, Command)> {
        let (sequence, message) = self.commands().receive(self.replies())?;
        Some((sequence, Command::decode(message)?))
    }

    /// Replies, as an agent would; false when the ring is full.
    pub fn reply(&self, message: Message) -> bool {
        self.replies().send(self.commands(), message)
    }

    /// Says that an agent serves the ring.
    pub fn has_agent(&self) {
        self.header().agent.store(1, Ordering::Relaxed);
    }

    /// Tells in which state the code of a region is.
    pub fn set_code(&self, region: u32, state: CodeState, outcome: Outcome) {
        let at = geometry::REGIONS + region as usize * size_of::<RegionRecord>();
        let record: &RegionRecord = self.memory.at(at).expect("the table has room");
        record.set_code(state, outcome);
    }

    /// How often the daemon gave a sign of life.
    #[must_use]
    pub fn heartbeat(&self) -> u64 {
        self.commands().heartbeat.load(Ordering::Relaxed)
    }

    fn commands(&self) -> &CommandPage {
        self.memory.at(geometry::COMMANDS).expect("the file is longer than its tables")
    }

    fn replies(&self) -> &ReplyPage {
        self.memory.at(geometry::REPLIES).expect("the file is longer than its tables")
    }

    /// Begins a thread in a slot whose thread ended.
    pub fn thread_again(&self, slot: usize, tid: u32, now: u64) -> SyntheticThread<'_> {
        let thread = SyntheticThread { process: self, slot };
        thread.head().state.store(SlotState::Free as u32, Ordering::Relaxed);
        for index in 0..thread.head().nodes.load(Ordering::Relaxed) {
            let node = thread.node(index);
            for counter in [&node.visits, &node.exclusive, &node.bytes, &node.received] {
                counter.store(0, Ordering::Relaxed);
            }
            node.done.store(0, Ordering::Relaxed);
        }
        thread.live(tid, now);
        thread
    }

    /// The thread in a slot, which was begun before.
    #[must_use]
    pub const fn thread_in(&self, slot: usize) -> SyntheticThread<'_> {
        SyntheticThread { process: self, slot }
    }

    /// Begins a thread in the next slot.
    pub fn thread(&self, tid: u32, now: u64) -> SyntheticThread<'_> {
        let number = self.header().slot_count.load(Ordering::Relaxed);
        let thread = SyntheticThread { process: self, slot: number as usize };
        thread.live(tid, now);
        self.header().slot_count.store(number + 1, Ordering::Relaxed);
        thread
    }
}

/// A thread of a synthetic process.
#[derive(Clone, Copy, Debug)]
pub struct SyntheticThread<'process> {
    process: &'process SyntheticProcess,
    slot: usize,
}

impl SyntheticThread<'_> {
    /// The first page of its slot.
    #[must_use]
    pub fn head(&self) -> &Head {
        let at = geometry::slot_offset(self.slot);
        self.process.memory.at(at).expect("the file has this slot")
    }

    /// One of its nodes.
    #[must_use]
    pub fn node(&self, index: u32) -> &Node {
        let at = geometry::slot_offset(self.slot) + geometry::node_offset(index as usize) as usize;
        self.process.memory.at(at).expect("the slot has room for 65536 nodes")
    }

    /// The stamp of one of its nodes.
    #[must_use]
    pub fn stamp(&self, index: u32) -> &AtomicU32 {
        let at = geometry::slot_offset(self.slot) + geometry::STAMPS_IN_SLOT + 4 * index as usize;
        self.process.memory.at(at).expect("the slot has room for 65536 stamps")
    }

    /// Adds a node below another (1 is the root); answers its index.
    pub fn add(&self, parent: u32, region: u32, site: u64, object: u32) -> u32 {
        let index = self.head().nodes.load(Ordering::Relaxed);
        let node = self.node(index);
        node.parent.store(geometry::node_offset(parent as usize), Ordering::Relaxed);
        node.region.store(region, Ordering::Relaxed);
        node.site.store(site, Ordering::Relaxed);
        node.object.store(object, Ordering::Relaxed);
        self.head().publish_nodes(index + 1);
        index
    }

    /// Begins a visit of a node below the current one.
    pub fn begin(&self, index: u32, now: u64) {
        let current = self.current();
        let next = geometry::node_offset(index as usize);
        slot::begin(self.head(), self.node(current), self.stamp(current), next, now);
    }

    /// Ends the visit of the current node.
    pub fn end(&self, now: u64, moved: Moved) {
        let current = self.current();
        let node = self.node(current);
        let next = node.parent.load(Ordering::Relaxed);
        slot::end(self.head(), node, self.stamp(current), next, now, moved);
    }

    /// What it sends to a rank and receives from it, counted there.
    pub fn peer(&self, peer: Peer) -> PeerWriter<'_> {
        self.head().peer_pages.fetch_or(peer.page_bit(), Ordering::Relaxed);
        let at = geometry::slot_offset(self.slot) + geometry::PEERS_IN_SLOT;
        let at = at + peer.page() * size_of::<PeerPage>();
        let page: &PeerPage =
            self.process.memory.at(at).expect("the slot has a page for each peer");
        page.writer(peer)
    }

    /// Ends the thread in order.
    pub fn finish(&self, now: u64) {
        let current = self.current();
        let same = geometry::node_offset(current as usize);
        slot::begin(self.head(), self.node(current), self.stamp(current), same, now);
        self.head().end.store(now, Ordering::Relaxed);
        self.head().set_dead();
    }

    fn live(&self, tid: u32, now: u64) {
        let head = self.head();
        head.start.store(now, Ordering::Relaxed);
        head.last.store(now, Ordering::Relaxed);
        head.nodes.store(3, Ordering::Relaxed);
        head.word.store(slot::pack(geometry::node_offset(1), now), Ordering::Relaxed);
        head.go_live(tid);
    }

    fn current(&self) -> u32 {
        let offset = slot::node_of(self.head().word.load(Ordering::Relaxed));
        let index = geometry::node_index(offset).expect("the writer names nodes only");
        u32::try_from(index).expect("no more nodes than a slot holds")
    }
}
