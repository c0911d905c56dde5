//! One region file: checked when it is opened, read with bounds checks from then on.

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use whyperf_inject::{Mapping, Protection, Shared};
use whyperf_instrument::Agent;
use whyperf_layout::{
    Command, CommandPage, Head, Header, Kind, MAGIC, NO_BASE, Node, ObjectRecord, PEER_PAGES,
    PatchRecord, PeerPage, RegionRecord, RegionState, ReplyPage, Sequence, VERSION, geometry,
    strings,
};

use crate::address_room;
use crate::error::{BadRegion, Error};
use crate::event_form::EventForm;
use crate::growing_mapping::GrowingMapping;
use crate::slot_mappings::SlotMappings;
use crate::symbols::StatedProgram;

/// The memory of one measured process.
#[derive(Debug)]
pub(crate) struct RegionMemory {
    path: PathBuf,
    file: File,
    /// What is in front of the tables.
    head: Mapping,
    regions: GrowingMapping,
    objects: GrowingMapping,
    strings: GrowingMapping,
    commands: Mapping,
    staging: Mapping,
    slots: usize,
    slot_mappings: SlotMappings,
}

/// One thread's part of a region.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadSlot<'region> {
    pub(crate) head: &'region Head,
    /// Two stamps a word, for comparing.
    pub(crate) stamps: &'region [AtomicU64],
    pub(crate) nodes: &'region [Node],
    pub(crate) peers: &'region [PeerPage],
}

impl RegionMemory {
    /// Opens a region of this user's. `None`: it is still being prepared, come again.
    pub(crate) fn open(path: &Path, user: u32) -> Result<Option<Self>, Error> {
        let failed = |source| Error::MapRegion { path: path.to_owned(), source };
        let bad = |why| Error::BadRegion { path: path.to_owned(), why };
        let flags = libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;
        let file = File::options()
            .read(true)
            .write(true)
            .custom_flags(flags)
            .open(path)
            .map_err(failed)?;
        let facts = file.metadata().map_err(failed)?;
        if !facts.is_file() {
            return Err(bad(BadRegion::NotAFile));
        }
        if facts.uid() != user {
            return Err(bad(BadRegion::Owner { owner: facts.uid() }));
        }
        let least = geometry::SLOTS as u64;
        if facts.size() == 0 {
            return Ok(None);
        }
        if facts.size() < least {
            return Err(bad(BadRegion::Size { found: facts.size(), needed: least }));
        }
        if !address_room::is_there_for(geometry::REGIONS + geometry::SLOT_SIZE) {
            return Err(failed(io::Error::from_raw_os_error(libc::ENOMEM)));
        }
        let head = Mapping::of(&file, 0, geometry::REGIONS, Protection::Read).map_err(failed)?;
        let commands = Mapping::of(&file, geometry::COMMANDS, geometry::PAGE, Protection::Write)
            .map_err(failed)?;
        let records = geometry::STAGING_CAPACITY * size_of::<PatchRecord>();
        let staging =
            Mapping::of(&file, geometry::STAGING, records, Protection::Write).map_err(failed)?;
        let path = path.to_owned();
        let mut region = Self {
            path,
            file,
            head,
            regions: GrowingMapping::of(geometry::REGIONS..geometry::OBJECTS),
            objects: GrowingMapping::of(geometry::OBJECTS..geometry::STRINGS),
            strings: GrowingMapping::of(
                geometry::STRINGS..geometry::STRINGS + geometry::STRINGS_SIZE,
            ),
            commands,
            staging,
            slots: 0,
            slot_mappings: SlotMappings::default(),
        };
        match region.header().published() {
            0 => return Ok(None),
            MAGIC => {}
            _ => return Err(bad(BadRegion::Magic)),
        }
        region.slots = region.checked_slots(facts.size()).map_err(bad)?;
        Ok(Some(region))
    }

    fn checked_slots(&self, size: u64) -> Result<usize, BadRegion> {
        let header = self.header();
        let found = header.version.load(Ordering::Relaxed);
        if found != VERSION {
            return Err(BadRegion::Version { found, expected: VERSION });
        }
        let slots = header.slot_capacity.load(Ordering::Relaxed) as usize;
        if slots == 0 || slots > geometry::SLOT_CAPACITY {
            return Err(BadRegion::Header);
        }
        let needed = geometry::file_size(slots) as u64;
        if size < needed {
            return Err(BadRegion::Size { found: size, needed });
        }
        Ok(slots)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn header(&self) -> &Header {
        self.head.at(0).expect("the head is mapped whole")
    }

    pub(crate) fn commands(&self) -> &CommandPage {
        self.commands.at(0).expect("the command page is mapped whole")
    }

    /// Hands a command over; `None` when the ring is full.
    pub(crate) fn send(&self, command: Command) -> Option<Sequence> {
        self.commands().send(self.replies(), command.encode())
    }

    pub(crate) fn replies(&self) -> &ReplyPage {
        self.head.at(geometry::REPLIES).expect("the head is mapped whole")
    }

    /// What the process's agent is told and what it says.
    pub(crate) fn agent(&self) -> Agent<'_> {
        Agent {
            commands: self.commands(),
            replies: self.replies(),
            staging: self.staging(),
            results: self.results(),
            regions: self.regions(),
        }
    }

    /// Where functions to be patched are described.
    fn staging(&self) -> &[PatchRecord] {
        self.staging.slice(0, geometry::STAGING_CAPACITY).unwrap_or(&[])
    }

    /// What became of each of them: its region in the upper half, an outcome in the lower.
    fn results(&self) -> &[AtomicU64] {
        self.head.slice(geometry::RESULTS, geometry::STAGING_CAPACITY).unwrap_or(&[])
    }

    /// The regions in use.
    pub(crate) fn regions(&self) -> &[RegionRecord] {
        let used = self.header().published_regions() as usize;
        self.records(&self.regions, used.min(geometry::REGION_CAPACITY))
    }

    /// How many phases the process announced.
    pub(crate) fn phase_count(&self) -> u32 {
        // One word of two, the other written before: on some machines a phase may for once be called as the one before it.
        self.header().phase_count.load(Ordering::Relaxed)
    }

    /// The name of the newest of them.
    pub(crate) fn newest_phase(&self) -> String {
        self.text(self.header().phase_name.load(Ordering::Relaxed))
    }

    /// Tells of each region in use now what an event of it is of.
    pub(crate) fn event_forms(&self) -> impl Fn(u32) -> EventForm {
        let regions = self.regions();
        let kind = |record: &RegionRecord| record.kind.load(Ordering::Relaxed);
        move |number| {
            let kind = regions.get(number as usize).map(kind);
            EventForm::of(kind.and_then(Kind::from_number).unwrap_or(Kind::Other))
        }
    }

    /// The objects in use.
    pub(crate) fn objects(&self) -> &[ObjectRecord] {
        let used = self.header().published_objects() as usize;
        self.records(&self.objects, used.min(geometry::OBJECT_CAPACITY))
    }

    /// The first records of a table; fewer where there is no address space for more.
    fn records<'region, T: Shared>(
        &'region self,
        table: &'region GrowingMapping,
        used: usize,
    ) -> &'region [T] {
        let Some(memory) = table.holding(&self.file, used * size_of::<T>()) else { return &[] };
        let mapped = memory.bytes().len() / size_of::<T>();
        memory.slice(0, used.min(mapped)).unwrap_or(&[])
    }

    /// Slots ever claimed.
    pub(crate) fn slot_count(&self) -> usize {
        let claimed = self.header().slot_count.load(Ordering::Relaxed) as usize;
        claimed.min(self.slots)
    }

    /// A thread's slot; `None` beyond the last.
    pub(crate) fn slot(&self, number: usize) -> Option<ThreadSlot<'_>> {
        if number >= self.slots {
            return None;
        }
        let (memory, at) = self.slot_mappings.of(&self.file, number, self.slots)?;
        Some(ThreadSlot {
            head: memory.at(at)?,
            stamps: memory.slice(at + geometry::STAMPS_IN_SLOT, geometry::NODE_CAPACITY / 2)?,
            nodes: memory.slice(at + geometry::NODES_IN_SLOT, geometry::NODE_CAPACITY)?,
            peers: memory.slice(at + geometry::PEERS_IN_SLOT, PEER_PAGES)?,
        })
    }

    /// What the process said of its program.
    pub(crate) fn program(&self) -> Option<StatedProgram> {
        let base = self.header().program_base.load(Ordering::Relaxed);
        let path = self.program_path();
        (base != NO_BASE && !path.as_os_str().is_empty()).then_some(StatedProgram { path, base })
    }

    /// The file of its program, as it says.
    pub(crate) fn program_path(&self) -> PathBuf {
        self.text(self.header().program.load(Ordering::Relaxed)).into()
    }

    /// A string of the process; empty when there cannot be one at this offset.
    pub(crate) fn text(&self, offset: u32) -> String {
        let end = (offset as usize).min(geometry::STRINGS_SIZE) + strings::size(strings::LONGEST);
        let all: &[AtomicU8] = self.records(&self.strings, end.min(geometry::STRINGS_SIZE));
        let bytes: Vec<u8> = strings::at(all, offset).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether the file still has all its bytes, none was found missing, and the process believes what lies there.
    pub(crate) fn is_whole(&self) -> bool {
        let needed = geometry::file_size(self.slots) as u64;
        let long_enough = self.file.metadata().is_ok_and(|facts| facts.size() >= needed);
        let undamaged = !self.head.is_damaged()
            && [&self.regions, &self.objects, &self.strings].iter().all(|one| !one.is_damaged())
            && !self.slot_mappings.are_damaged()
            && !self.commands.is_damaged()
            && !self.staging.is_damaged();
        let is_believed = self.state() != RegionState::GivenUp;
        long_enough
            && undamaged
            && is_believed
            && self.header().magic.load(Ordering::Relaxed) == MAGIC
    }

    /// Where the process says it stands; nonsense counts as running.
    pub(crate) fn state(&self) -> RegionState {
        self.header().state()
    }
}
