//! Objects: what regions wait for or work on, found by (kind, parent, key).
//!
//! Lookup takes no lock: an open-addressing table of numbers in private memory, whose entries are
//! only ever stored whole. Inserting holds the cold lock. The entry of a retired object stays, so
//! that chains stay whole, and is taken over by the next object of its chain.

use crate::lock::Held;
use crate::process;
use crate::view::Tables;
use crate::{kernel, map, strings};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use whyperf_layout::geometry::OBJECT_CAPACITY;
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

/// Entries of the table, twice the objects so that chains stay short.
const ENTRIES: usize = 2 * OBJECT_CAPACITY;

/// Set once; survives a fork with its content, which stays right because the tables are copied.
static INDEX: AtomicPtr<AtomicU32> = AtomicPtr::new(core::ptr::null_mut());

/// Finds or makes the object. Never fails: when there is no room it is the parent (or none), and
/// that is counted.
pub fn intern(kind: ObjectKind, parent: ObjectId, key: u64, name: &[u8], site: u64) -> ObjectId {
    if let Some(found) = find(kind, parent, key) {
        return found;
    }
    let Some(tables) = process::make() else { return ObjectId::NONE };
    let held = Held::take();
    if let Some(found) = find(kind, parent, key) {
        return found;
    }
    let wanted = Wanted { kind, parent, key };
    let made = append(tables, &wanted, name, site, &held);
    if made.is_none() {
        tables.header().losses.objects.fetch_add(1, Ordering::Relaxed);
    }
    made.unwrap_or(parent)
}

/// Finds the object if it was made and not retired.
#[must_use]
pub fn find(kind: ObjectKind, parent: ObjectId, key: u64) -> Option<ObjectId> {
    let tables = process::tables()?;
    let wanted = Wanted { kind, parent, key };
    wanted.chain()?.map_while(|entry| entry.number()).find(|id| wanted.is(id.record(tables)))
}

/// Gives the object another name.
pub fn rename(id: ObjectId, name: &[u8]) {
    let Some(tables) = process::tables() else { return };
    if id == ObjectId::NONE {
        return;
    }
    let held = Held::take();
    let name = strings::append(tables, name, &held);
    id.record(tables).name.store(name, Ordering::Release); // SYNC renamed with Tables::look_again
}

/// The object exists no more: the same kind, parent and key will be another one.
pub fn retire(id: ObjectId) {
    if let Some(tables) = process::tables()
        && id != ObjectId::NONE
    {
        id.record(tables).retired.store(1, Ordering::Relaxed);
    }
}

/// Copies a record into a forked child's table.
pub(crate) fn copy(parent: Tables, child: Tables, id: u16) {
    let (from, to) = (parent.object(id), child.object(id));
    for (source, target) in [
        (&from.kind, &to.kind),
        (&from.parent, &to.parent),
        (&from.name, &to.name),
        (&from.retired, &to.retired),
    ] {
        target.store(source.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    to.key.store(from.key.load(Ordering::Relaxed), Ordering::Relaxed);
    to.site.store(from.site.load(Ordering::Relaxed), Ordering::Relaxed);
}

fn append(
    tables: Tables,
    wanted: &Wanted,
    name: &[u8],
    site: u64,
    held: &Held,
) -> Option<ObjectId> {
    if INDEX.load(Ordering::Relaxed).is_null() {
        let index = kernel::private_memory(ENTRIES * size_of::<AtomicU32>())?;
        INDEX.store(index.cast(), Ordering::Release); // SYNC index with Wanted::chain
    }
    let header = tables.header();
    let count = header.object_count.load(Ordering::Relaxed);
    let id = u16::try_from(count).ok()?;
    if !map::reach_object(tables, id, held) {
        return None;
    }
    let entry = wanted.chain()?.find(|entry| {
        entry.number().is_none_or(|id| id.record(tables).retired.load(Ordering::Relaxed) != 0)
    })?;
    let record = tables.object(id);
    record.kind.store(wanted.kind.number(), Ordering::Relaxed);
    record.parent.store(wanted.parent.number(), Ordering::Relaxed);
    record.key.store(wanted.key, Ordering::Relaxed);
    record.site.store(site, Ordering::Relaxed);
    record.name.store(strings::append(tables, name, held), Ordering::Relaxed);
    header.object_count.store(count + 1, Ordering::Release); // SYNC tables with Region::objects
    entry.0.store(count, Ordering::Release); // SYNC object with Entry::number
    Some(ObjectId(count))
}

/// What is looked for.
struct Wanted {
    kind: ObjectKind,
    parent: ObjectId,
    key: u64,
}

/// One entry of the table.
struct Entry(&'static AtomicU32);

impl Entry {
    fn number(&self) -> Option<ObjectId> {
        let number = self.0.load(Ordering::Acquire); // SYNC object with append
        (number != 0).then_some(ObjectId(number))
    }
}

impl Wanted {
    fn is(&self, record: &ObjectRecord) -> bool {
        record.key.load(Ordering::Relaxed) == self.key
            && record.kind.load(Ordering::Relaxed) == self.kind.number()
            && record.parent.load(Ordering::Relaxed) == self.parent.number()
            && record.retired.load(Ordering::Relaxed) == 0
    }

    /// The entries where it may be, in order.
    fn chain(&self) -> Option<impl Iterator<Item = Entry> + use<>> {
        let index = INDEX.load(Ordering::Acquire); // SYNC index with append
        if index.is_null() {
            return None;
        }
        let kind = u64::from(self.kind.number());
        let mixed = (self.key ^ (u64::from(self.parent.0) << 40) ^ (kind << 58))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let start = (mixed >> 40) as usize;
        Some((0..ENTRIES).map(move |step| {
            let at = (start + step) % ENTRIES;
            // SAFETY: `at` is below the number of entries, and the table stays for ever.
            Entry(unsafe { &*index.add(at) })
        }))
    }
}
