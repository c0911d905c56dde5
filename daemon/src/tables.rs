//! The tables of a process: its regions and objects, copied once and kept up to date.

use std::ops::Range;
use std::sync::atomic::Ordering;

use whyperf_layout::{Kind, ObjectKind, ObjectRecord, OnTime};
use whyperf_model::Category;

use crate::memory_room::NameRoom;
use crate::region::RegionMemory;

/// A region of the program or of the library.
#[derive(Clone, Debug)]
pub(crate) struct RegionEntry {
    pub(crate) name: String,
    /// Of a region of the program's own: its group, if it has one.
    pub(crate) group: Option<String>,
    pub(crate) category: Category,
    pub(crate) address: u64,
    /// It is switched off now.
    pub(crate) off: bool,
    /// Visits at which the process switched it off by itself, 0 when it never did.
    pub(crate) hot_visits: u64,
    on_time: OnTime,
}

impl RegionEntry {
    /// Of the ticks of a process's life, the share in which it was counted.
    pub(crate) fn coverage(&self, life: &Range<u64>) -> f64 {
        let all = life.end.saturating_sub(life.start);
        if self.category != Category::Function || all == 0 {
            return 1.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        (self.on_time.until(life.end) as f64 / all as f64).min(1.0)
    }
}

/// Something that is waited for or worked on.
#[derive(Clone, Debug)]
pub(crate) struct ObjectEntry {
    pub(crate) kind: ObjectKind,
    /// A number below the object's own, so that chains end.
    pub(crate) parent: u32,
    pub(crate) name: String,
    pub(crate) key: u64,
    pub(crate) site: u64,
    pub(crate) retired: bool,
    name_at: u32,
}

/// What the program said of itself under one key.
#[derive(Clone, Debug)]
pub(crate) struct MetadataRow {
    pub(crate) key: String,
    pub(crate) value: String,
    value_at: u32,
}

/// A process's regions and objects so far.
#[derive(Debug, Default)]
pub(crate) struct ProcessTables {
    pub(crate) regions: Vec<RegionEntry>,
    pub(crate) objects: Vec<ObjectEntry>,
    /// What the program said of itself, key by key.
    pub(crate) metadata: Vec<MetadataRow>,
    /// Where the next look for renamed and retired objects begins.
    next: usize,
    /// For all names; one that finds none is empty.
    pub(crate) room: NameRoom,
}

/// Objects whose name and state are looked at again in one pass.
const LOOKED_AT: usize = 1024;

impl ProcessTables {
    /// Takes in what is new; answers the objects that were renamed or retired since.
    pub(crate) fn refresh(&mut self, region: &RegionMemory) -> Vec<u32> {
        self.take_regions(region);
        self.take_metadata(region);
        let known = self.objects.len();
        for (number, record) in region.objects().iter().enumerate().skip(known) {
            let mut object = entry(record, number);
            object.name = named(&mut self.room, region, object.name_at);
            self.objects.push(object);
        }
        self.look_again(region, known)
    }

    /// Takes in new regions, and which of all are switched off.
    pub(crate) fn take_regions(&mut self, region: &RegionMemory) {
        for record in region.regions().get(self.regions.len()..).unwrap_or(&[]) {
            let name = named(&mut self.room, region, record.name.load(Ordering::Relaxed));
            let (name, group) = match name.split_once('\0') {
                Some((name, group)) => (name.to_owned(), Some(group.to_owned())),
                None => (name, None),
            };
            self.regions.push(RegionEntry {
                name,
                group,
                category: category(record.kind.load(Ordering::Relaxed)),
                address: record.address.load(Ordering::Relaxed),
                off: false,
                hot_visits: 0,
                on_time: OnTime::default(),
            });
        }
        for (entry, record) in self.regions.iter_mut().zip(region.regions()) {
            entry.off = record.switched.load(Ordering::Relaxed) == 0;
            entry.hot_visits = record.hot_visits.load(Ordering::Relaxed);
            entry.on_time = record.on_time();
        }
    }

    /// Takes in what is new of what the program says of itself.
    fn take_metadata(&mut self, region: &RegionMemory) {
        for (at, entry) in region.metadata().iter().enumerate() {
            let value_at = entry.value_at();
            match self.metadata.get_mut(at) {
                Some(known) if known.value_at == value_at => {}
                Some(known) => {
                    self.room.give_back(known.value.len());
                    known.value = named(&mut self.room, region, value_at);
                    known.value_at = value_at;
                }
                None => {
                    let key = named(&mut self.room, region, entry.key.load(Ordering::Relaxed));
                    let value = named(&mut self.room, region, value_at);
                    self.metadata.push(MetadataRow { key, value, value_at });
                }
            }
        }
    }

    fn look_again(&mut self, region: &RegionMemory, known: usize) -> Vec<u32> {
        let mut changed = Vec::new();
        let records = region.objects();
        let known = known.min(records.len());
        for step in 0..known.min(LOOKED_AT) {
            let number = (self.next + step) % known;
            let object = &mut self.objects[number];
            let retired = records[number].retired.load(Ordering::Relaxed) != 0;
            let name_at = records[number].name_at();
            if (retired, name_at) != (object.retired, object.name_at) {
                object.retired = retired;
                object.name_at = name_at;
                self.room.give_back(object.name.len());
                object.name = named(&mut self.room, region, name_at);
                changed.push(u32::try_from(number).unwrap_or(0));
            }
        }
        self.next = if known == 0 { 0 } else { (self.next + LOOKED_AT.min(known)) % known };
        changed
    }

    pub(crate) fn region(&self, number: u32) -> Option<&RegionEntry> {
        self.regions.get(number as usize)
    }

    pub(crate) fn object(&self, number: u32) -> Option<&ObjectEntry> {
        if number == 0 { None } else { self.objects.get(number as usize) }
    }
}

/// A name for which there is room.
fn named(room: &mut NameRoom, region: &RegionMemory, at: u32) -> String {
    let name = region.text(at);
    if room.take(name.len()) { name } else { String::new() }
}

/// An object, without its name.
fn entry(record: &ObjectRecord, number: usize) -> ObjectEntry {
    let name_at = record.name_at();
    let parent = record.parent.load(Ordering::Relaxed);
    ObjectEntry {
        kind: ObjectKind::from_number(record.kind.load(Ordering::Relaxed))
            .unwrap_or(ObjectKind::None),
        parent: if (parent as usize) < number { parent } else { 0 },
        name: String::new(),
        key: record.key.load(Ordering::Relaxed),
        site: record.site.load(Ordering::Relaxed),
        retired: record.retired.load(Ordering::Relaxed) != 0,
        name_at,
    }
}

fn category(kind: u32) -> Category {
    match Kind::from_number(kind) {
        Some(Kind::Root) => Category::Root,
        None | Some(Kind::Other) => Category::Other,
        Some(Kind::User) => Category::User,
        Some(Kind::Function) => Category::Function,
        Some(Kind::Setup) => Category::Setup,
        Some(Kind::Send) => Category::Send,
        Some(Kind::Receive) => Category::Receive,
        Some(Kind::Exchange) => Category::Exchange,
        Some(Kind::Post) => Category::Post,
        Some(Kind::Wait) => Category::Wait,
        Some(Kind::Collective) => Category::Collective,
        Some(Kind::Barrier) => Category::Barrier,
        Some(Kind::OneSided) => Category::OneSided,
        Some(Kind::MpiFile) => Category::MpiFile,
        Some(Kind::MpiFileOther) => Category::Metadata,
        Some(Kind::MpiOther) => Category::MpiOther,
        Some(Kind::Open) => Category::Open,
        Some(Kind::Read) => Category::Read,
        Some(Kind::Write) => Category::Write,
        Some(Kind::Seek) => Category::Seek,
        Some(Kind::Flush) => Category::Flush,
        Some(Kind::Close) => Category::Close,
        Some(Kind::Metadata) => Category::Metadata,
        Some(Kind::Mutex) => Category::Mutex,
        Some(Kind::RwLock) => Category::RwLock,
        Some(Kind::Condition) => Category::Condition,
        Some(Kind::ThreadBarrier) => Category::ThreadBarrier,
        Some(Kind::Semaphore) => Category::Semaphore,
        Some(Kind::Join | Kind::Child) => Category::Join,
        Some(Kind::Spin) => Category::Spin,
        Some(Kind::Sleep) => Category::Sleep,
        Some(Kind::Poll) => Category::Poll,
        Some(Kind::Socket) => Category::Socket,
        Some(Kind::Signal) => Category::Signal,
        // Of a node its part says which of both it is.
        Some(Kind::UserEvent) => Category::UserCounter,
    }
}
