//! Regions: what begins and ends, one static each, numbered at the first event.

use crate::lock::Held;
use crate::number::Number;
use crate::view::Tables;
use crate::{environ, map, strings, switch};
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicU32, Ordering};
use whyperf_layout::geometry::REGION_CAPACITY;
use whyperf_layout::{Kind, ThunkForm};

/// The number that no region gets: the calibration's.
pub(crate) const RESERVED: u16 = u16::MAX;
const _: () = assert!(RESERVED as usize == REGION_CAPACITY - 1);
/// In place of the kind of a region of the program: the name of a group stands behind its own. `include/whyperf.h` and `.f90` have it, too.
const GROUPED: u32 = 0x6772_6f75;

/// Gives a patched function a region of its own, switched off; `None` when all are taken.
pub(crate) fn register_function(
    tables: Tables,
    address: u64,
    form: ThunkForm,
    held: &Held,
) -> Option<u16> {
    let header = tables.header();
    let count = header.region_count.load(Ordering::Relaxed);
    let id = u16::try_from(count).ok().filter(|id| *id != RESERVED)?;
    if !map::reach_region(tables, id, held) {
        return None;
    }
    let record = tables.region(id);
    record.name.store(0, Ordering::Relaxed);
    record.kind.store(Kind::Function.number(), Ordering::Relaxed);
    record.form.store(form as u32, Ordering::Relaxed);
    record.address.store(address, Ordering::Relaxed);
    record.switched.store(0, Ordering::Relaxed);
    header.publish_regions(count + 1);
    Some(id)
}

/// Something that begins and ends; `whyperf_region` of the C interface has the same bytes.
#[derive(Debug)]
#[repr(C)]
pub struct Region {
    name: *const c_char,
    id: Number,
    kind: AtomicU32,
}

// What `include/whyperf.h` and `include/whyperf.f90` say; `tests/contract` compiles the same sums.
const _: () = {
    assert!(size_of::<Region>() == 16);
    assert!(core::mem::offset_of!(Region, name) == 0);
    assert!(core::mem::offset_of!(Region, id) == 8);
    assert!(core::mem::offset_of!(Region, kind) == 12);
};

// SAFETY: the name is never written, the rest is atomic.
unsafe impl Sync for Region {}

impl Region {
    /// A region of the library's own.
    #[must_use]
    pub const fn new(name: &'static CStr, kind: Kind) -> Self {
        Self { name: name.as_ptr(), id: Number::of(0), kind: AtomicU32::new(kind.number()) }
    }

    /// The one with the reserved number.
    pub(crate) const fn reserved() -> Self {
        Self {
            name: c"".as_ptr(),
            id: Number::of(RESERVED as u32),
            kind: AtomicU32::new(Kind::Other.number()),
        }
    }

    /// Its number in passing; 0 before its first event.
    #[inline(always)]
    pub(crate) fn id(&self) -> u32 {
        self.id.peek()
    }

    /// Its number, for nodes to name; 0 before its first event.
    pub(crate) fn number(&self) -> u32 {
        self.id.get()
    }

    /// What it does. The C interface leaves the field zero, which stands for a user's region.
    pub(crate) fn kind(&self) -> Kind {
        match Kind::from_number(self.kind.load(Ordering::Relaxed)) {
            None | Some(Kind::Root | Kind::Other) => Kind::User,
            Some(kind) => kind,
        }
    }

    /// A region of the program that values are told of: a counter or a gauge, which takes no time.
    pub(crate) fn is_user_event(&self) {
        if self.id() == 0 {
            self.kind.store(Kind::UserEvent.number(), Ordering::Relaxed);
        }
    }

    /// Gives the region its number and switches it on; answers the number, 0 when all are taken.
    #[cold]
    pub(crate) fn register(&self, tables: Tables, address: u64) -> u32 {
        let held = Held::take();
        if self.id() == 0 {
            if let Some(id) = self.append(tables, address, &held) {
                self.id.give(u32::from(id));
            } else {
                tables.header().losses.regions.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.id()
    }

    fn append(&self, tables: Tables, address: u64, held: &Held) -> Option<u16> {
        let header = tables.header();
        let count = header.region_count.load(Ordering::Relaxed);
        let id = u16::try_from(count).ok().filter(|id| *id != RESERVED)?;
        if !map::reach_region(tables, id, held) {
            return None;
        }
        let record = tables.region(id);
        let (name, is_wanted) = self.wanted_name();
        record.name.store(strings::append(tables, name, held), Ordering::Relaxed);
        record.kind.store(self.kind().number(), Ordering::Relaxed);
        record.address.store(address, Ordering::Relaxed);
        record.switched.store(u32::from(is_wanted), Ordering::Relaxed);
        header.publish_regions(count + 1);
        switch::set(id, is_wanted && header.paused.load(Ordering::Relaxed) == 0);
        Some(id)
    }

    /// Its name, with that of its group behind a zero if it has one, and whether the group is measured.
    fn wanted_name(&self) -> (&[u8], bool) {
        let name = self.name();
        if self.kind() != Kind::User {
            return (name, true);
        }
        let choices = &environ::options().groups;
        if self.name.is_null() || self.kind.load(Ordering::Relaxed) != GROUPED {
            return (name, choices.are_on(b""));
        }
        // SAFETY: behind the zero of the name the C interface has the name of the group, and a zero.
        let group = unsafe { CStr::from_ptr(self.name.add(name.len() + 1)) }.to_bytes();
        let length = name.len() + 1 + group.len();
        // SAFETY: so many bytes of the two strings, side by side; they stay.
        let both = unsafe { core::slice::from_raw_parts(self.name.cast::<u8>(), length) };
        (both, choices.are_on(group))
    }

    fn name(&self) -> &[u8] {
        if self.name.is_null() {
            return b"?";
        }
        // SAFETY: `new` takes a `CStr`, the C interface a string literal.
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }
}
