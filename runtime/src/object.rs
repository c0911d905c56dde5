//! Objects: what regions wait for or work on, found by (kind, parent, key).
//!
//! Lookup takes no lock: the numbers are in a [`Directory`] in private memory. Inserting holds the
//! cold lock.

use crate::directory::{Directory, DirectoryEntry};
use crate::lock::Held;
use crate::once_pointer::OncePointer;
use crate::view::Tables;
use crate::{creation, kernel, map, measurement, strings};
use core::sync::atomic::Ordering;
use whyperf_layout::{ObjectKind, ObjectRecord};

/// Number of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct ObjectId(u32);

impl ObjectId {
    /// No object.
    pub const NONE: Self = Self(0);

    /// Its number in the region, for keeping in an atomic.
    #[inline(always)]
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// What [`number`](Self::number) answered.
    #[inline(always)]
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    fn record(self, tables: Tables) -> &'static ObjectRecord {
        tables.object(self.0 as u16)
    }
}

/// Survives a fork with its content, which stays right because the tables are copied.
static DIRECTORY: OncePointer<Directory> = OncePointer::null();

/// Finds or makes the object. Never fails: when there is no room it is the parent (or none), and
/// that is counted.
pub fn intern(kind: ObjectKind, parent: ObjectId, key: u64, name: &[u8], site: u64) -> ObjectId {
    if let Some(found) = find(kind, parent, key) {
        return found;
    }
    let Some(tables) = creation::make() else { return ObjectId::NONE };
    let held = Held::take();
    if let Some(found) = find(kind, parent, key) {
        return found;
    }
    let wanted = WantedSymbols { kind, parent, key };
    let made = append(tables, &wanted, name, site, &held);
    if made.is_none() {
        tables.header().losses.objects.fetch_add(1, Ordering::Relaxed);
    }
    made.unwrap_or(parent)
}

/// Finds the object if it was made and not retired.
#[must_use]
pub fn find(kind: ObjectKind, parent: ObjectId, key: u64) -> Option<ObjectId> {
    let tables = measurement::tables()?;
    let wanted = WantedSymbols { kind, parent, key };
    let mut named = wanted.chain(DIRECTORY.get()?).map_while(named);
    named.find(|id| wanted.is(id.record(tables)))
}

/// Gives the object another name.
pub fn rename(id: ObjectId, name: &[u8]) {
    let Some(tables) = measurement::tables() else { return };
    if id == ObjectId::NONE {
        return;
    }
    let held = Held::take();
    let name = strings::append(tables, name, &held);
    id.record(tables).rename(name);
}

/// The object exists no more: the same kind, parent and key will be another one.
pub fn retire(id: ObjectId) {
    if let Some(tables) = measurement::tables()
        && id != ObjectId::NONE
    {
        id.record(tables).retired.store(1, Ordering::Relaxed);
    }
}

fn append(
    tables: Tables,
    wanted: &WantedSymbols,
    name: &[u8],
    site: u64,
    held: &Held,
) -> Option<ObjectId> {
    let directory = DIRECTORY.get().or_else(make_directory)?;
    let header = tables.header();
    let count = header.object_count.load(Ordering::Relaxed);
    let id = u16::try_from(count).ok()?;
    if !map::reach_object(tables, id, held) {
        return None;
    }
    let entry = wanted.chain(directory).find(|entry| {
        named(*entry).is_none_or(|id| id.record(tables).retired.load(Ordering::Relaxed) != 0)
    })?;
    let record = tables.object(id);
    record.kind.store(wanted.kind.number(), Ordering::Relaxed);
    record.parent.store(wanted.parent.number(), Ordering::Relaxed);
    record.key.store(wanted.key, Ordering::Relaxed);
    record.site.store(site, Ordering::Relaxed);
    record.name.store(strings::append(tables, name, held), Ordering::Relaxed);
    header.publish_objects(count + 1);
    entry.name(count);
    Some(ObjectId(count))
}

#[cold]
fn make_directory() -> Option<&'static Directory> {
    let memory = kernel::private_memory(size_of::<Directory>())?;
    // SAFETY: so many zeros on a page border that are ours for ever; a table of atomics.
    let directory = unsafe { &*memory.cast::<Directory>() };
    DIRECTORY.set(directory);
    Some(directory)
}

fn named(entry: DirectoryEntry) -> Option<ObjectId> {
    entry.number().map(ObjectId)
}

/// What is looked for.
struct WantedSymbols {
    kind: ObjectKind,
    parent: ObjectId,
    key: u64,
}

impl WantedSymbols {
    fn is(&self, record: &ObjectRecord) -> bool {
        record.key.load(Ordering::Relaxed) == self.key
            && record.kind.load(Ordering::Relaxed) == self.kind.number()
            && record.parent.load(Ordering::Relaxed) == self.parent.number()
            && record.retired.load(Ordering::Relaxed) == 0
    }

    /// The entries where it may be, in order.
    fn chain(&self, directory: &'static Directory) -> impl Iterator<Item = DirectoryEntry> + use<> {
        let kind = u64::from(self.kind.number());
        let mixed = self.key ^ (u64::from(self.parent.0) << 40) ^ (kind << 58);
        directory.chain(mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}
