//! The table of patch sites: one entry per slot, kept for the life of the process.
//!
//! ```text
//!   Free ──► Trapped ──► Armed ──► Trapped ──► Disarmed, or Retiring ──► Disarmed
//!               └─ a change failed: back to where it was; where even that fails, it stays Trapped
//!   any ──► Forgotten
//! ```
//! Every change of bytes goes through `Trapped`, in which the first byte is a trap that leads to the copy: no thread sees
//! bytes that are neither the compiler's nor ours. A site that stays in that state works, and the change is tried again.
//! Entries are written under the lock, read by the handler of traps, by switches and by the agent. A slot, its stub and its
//! region stay bound to their function, for a thread may stand in any of them at any time.

use super::index::Index;
use super::pool::{self, SLOTS};
use super::{announced, counts};
use crate::lock::Held;
use crate::view::Tables;
use crate::{clock, switch};
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};
use whyperf_layout::geometry::REGION_CAPACITY;
use whyperf_layout::patch::{BOUNDARIES, CODE};
use whyperf_layout::{CodeState, Outcome, Patch, RegionRecord};

/// Where a site stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum SiteState {
    /// It was never armed.
    Free = 0,
    /// Its bytes lead to the stub.
    Armed = 1,
    /// Its bytes are the compiler's again.
    Disarmed = 2,
    /// Its object is gone.
    Forgotten = 3,
    /// Its bytes are the compiler's again, but those of its island.
    Retiring = 4,
    /// Its first byte may be a trap, and no thread executes what lies behind it.
    Trapped = 5,
}

impl SiteState {
    /// In which state its code is for the daemon.
    pub(crate) const fn code(self) -> CodeState {
        match self {
            Self::Armed => CodeState::Patched,
            Self::Trapped => CodeState::Trapped,
            Self::Retiring => CodeState::Island,
            Self::Disarmed | Self::Forgotten | Self::Free => CodeState::Own,
        }
    }
}

/// One patched function.
#[derive(Debug)]
pub(crate) struct PatchedFunction {
    state: AtomicU32,
    region: AtomicU32,
    /// The function's first byte.
    pub(crate) entry: AtomicU64,
    /// The first byte that changes; 0 while the entry is free.
    pub(crate) at: AtomicU64,
    /// Bytes that change.
    pub(crate) length: AtomicU64,
    /// What they are without us.
    pub(crate) original: AtomicU64,
    /// What they are with us.
    pub(crate) patched: AtomicU64,
    /// The same while calls are only counted, else 0.
    counting: AtomicU64,
    /// The same of the island, 0 for none.
    pub(crate) island: AtomicU64,
    pub(crate) island_original: AtomicU64,
    pub(crate) island_patched: AtomicU64,
    /// Where the stub begins.
    pub(crate) stub: AtomicU64,
    /// Where the function's own first instructions are.
    pub(crate) copy: AtomicU64,
    /// Where calls go while it is on: the code of its slot.
    slot_code: AtomicU64,
    /// The word that the stub jumps through.
    pub(crate) word: AtomicU64,
    /// How long the process had run when it was switched off, plus one; 0 while it is on, or never was.
    off_since: AtomicU64,
    /// The same when it was switched on; 0 while it is off.
    on_since: AtomicU64,
    /// Beginnings of instructions inside, as in the record.
    boundaries: [AtomicU32; BOUNDARIES],
}

static SITES: [PatchedFunction; SLOTS] = [const { PatchedFunction::new() }; SLOTS];
/// Entries in use, from the first on.
static USED: AtomicU32 = AtomicU32::new(0);
/// Slot of a region, plus one.
static SLOT_OF: [AtomicU16; REGION_CAPACITY] = [const { AtomicU16::new(0) }; REGION_CAPACITY];

static BY_ENTRY: Index = Index::new();
static BY_SITE: Index = Index::new();

/// Bytes that an island's jump takes.
pub(crate) const JUMP: usize = 5;

impl PatchedFunction {
    pub(crate) const fn new() -> Self {
        Self {
            state: AtomicU32::new(0),
            region: AtomicU32::new(0),
            entry: AtomicU64::new(0),
            at: AtomicU64::new(0),
            length: AtomicU64::new(0),
            original: AtomicU64::new(0),
            patched: AtomicU64::new(0),
            counting: AtomicU64::new(0),
            island: AtomicU64::new(0),
            island_original: AtomicU64::new(0),
            island_patched: AtomicU64::new(0),
            stub: AtomicU64::new(0),
            copy: AtomicU64::new(0),
            slot_code: AtomicU64::new(0),
            word: AtomicU64::new(0),
            off_since: AtomicU64::new(0),
            on_since: AtomicU64::new(0),
            boundaries: [const { AtomicU32::new(0) }; BOUNDARIES],
        }
    }

    /// Takes over what was planned.
    ///
    /// # Safety
    /// As that of [`publish`].
    pub(crate) unsafe fn fill(&self, patch: &Patch) {
        for (place, value) in [
            (&self.entry, patch.entry),
            (&self.length, patch.length),
            (&self.original, patch.original),
            (&self.patched, patch.patched),
            (&self.island, patch.island),
            (&self.island_original, patch.island_original),
            (&self.island_patched, patch.island_patched),
            (&self.stub, patch.stub),
            (&self.copy, patch.copy),
            (&self.word, patch.word),
        ] {
            place.store(value, Ordering::Relaxed);
        }
        let count = (patch.boundary_count as usize).min(BOUNDARIES);
        for (at, place) in self.boundaries.iter().enumerate() {
            let pair = patch.boundaries.get(at).filter(|_| at < count);
            let pair = pair.map_or(0, |pair| u32::from(pair.new) << 8 | u32::from(pair.old));
            place.store(pair, Ordering::Relaxed);
        }
        // Whoever meets the trap sees this: the write of its byte is a call of the kernel's.
        self.at.store(patch.site, Ordering::Relaxed);
    }

    /// Where it stands.
    pub(crate) fn is(&self, state: SiteState) -> bool {
        self.state.load(Ordering::Relaxed) == state as u32
    }

    /// The same as a state.
    pub(crate) fn state(&self) -> SiteState {
        let states =
            [SiteState::Armed, SiteState::Disarmed, SiteState::Forgotten, SiteState::Retiring];
        let mut known = states.into_iter().chain([SiteState::Trapped]);
        known.find(|state| self.is(*state)).unwrap_or(SiteState::Free)
    }

    /// Where it stands from here on.
    pub(crate) fn set(&self, state: SiteState) {
        if !matches!(state, SiteState::Armed | SiteState::Trapped) {
            self.counting.store(0, Ordering::Relaxed);
        }
        self.state.store(state as u32, Ordering::Relaxed);
    }

    /// Whether any byte of the program may be other than the compiler's because of it.
    pub(crate) fn is_changed(&self) -> bool {
        self.state().code() != CodeState::Own
    }

    /// Tells the daemon in which state its code is, after a try that ended so.
    pub(crate) fn tell(&self, tables: Tables, outcome: Outcome) {
        let outcome = if self.is_changed() { outcome } else { Outcome::Done };
        tables.region(self.region()).set_code(self.state().code(), outcome);
    }

    /// Its region.
    pub(crate) fn region(&self) -> u16 {
        self.region.load(Ordering::Relaxed) as u16
    }

    /// Where a thread that stands at `at`, between the instructions to be replaced, goes on in the
    /// copy; `None` when it does not stand there.
    pub(crate) fn moved(&self, at: u64) -> Option<u64> {
        let distance = at.wrapping_sub(self.at.load(Ordering::Relaxed));
        if distance == 0 || distance >= self.length.load(Ordering::Relaxed) {
            return None;
        }
        let pairs = self.boundaries.iter().map(|pair| pair.load(Ordering::Relaxed));
        let [_, new, ..] =
            pairs.map(u32::to_le_bytes).find(|[old, ..]| u64::from(*old) == distance)?;
        Some(self.copy.load(Ordering::Relaxed) + u64::from(new))
    }

    /// Where the instructions behind the first begin, and their copies: distances from site and copy.
    pub(crate) fn boundaries(&self) -> impl Iterator<Item = (u64, u64)> {
        let pairs = self.boundaries.iter().map(|pair| pair.load(Ordering::Relaxed).to_le_bytes());
        pairs.map(|[old, new, ..]| (u64::from(old), u64::from(new))).filter(|(old, _)| *old != 0)
    }

    /// Whether more than one instruction is replaced, so that a thread may stand between them.
    pub(crate) fn is_divided(&self) -> bool {
        let length = self.length.load(Ordering::Relaxed);
        self.boundaries.iter().any(|pair| {
            let old = u64::from(pair.load(Ordering::Relaxed) & 0xff);
            old != 0 && old < length
        })
    }

    /// The bytes of the site in eight of them.
    pub(crate) fn bytes(&self, word: &AtomicU64) -> [u8; 8] {
        word.load(Ordering::Relaxed).to_le_bytes()
    }

    /// Takes note of how much the process ran while it was off.
    fn note_missed(&self, tables: Tables, goes_on: bool, ran: &mut Ran) {
        let since = self.off_since.swap(0, Ordering::Relaxed);
        if since != 0 {
            let work = ran.get();
            let missed = &tables.region(self.region()).missed;
            missed.fetch_add(work.wrapping_sub(since), Ordering::Relaxed);
            self.off_since.store(if goes_on { work } else { 0 }, Ordering::Relaxed);
        }
    }

    /// The bytes of the site with us, in eight of them.
    pub(crate) fn ours(&self) -> [u8; 8] {
        let counting = self.counting.load(Ordering::Relaxed);
        if counting == 0 { self.bytes(&self.patched) } else { counting.to_le_bytes() }
    }

    /// A time in which it was on has ended, when the process had run for so long; another one begins if it goes on.
    fn note_worked(&self, record: &RegionRecord, goes_on: bool, work: u64) {
        let since = self.on_since.swap(if goes_on { work } else { 0 }, Ordering::Relaxed);
        if since != 0 {
            record.worked.fetch_add(work.wrapping_sub(since), Ordering::Relaxed);
        }
    }

    /// When it is armed next calls are only counted, and without a way through the stub: a jump that once led
    /// here and once there is foreseen later than others. False where the site has no room for that.
    pub(crate) fn will_count(&self) -> bool {
        let at = self.at.load(Ordering::Relaxed);
        let way = self.counting_code().wrapping_sub(at.wrapping_add(JUMP as u64)) as i64;
        let Ok(way) = i32::try_from(way) else { return false };
        if self.length.load(Ordering::Relaxed) != JUMP as u64 {
            return false;
        }
        let [first, _, _, _, _, rest @ ..] = self.bytes(&self.patched);
        let ([a, b, c, d], [e, f, g]) = (way.to_le_bytes(), rest);
        let bytes = u64::from_le_bytes([first, a, b, c, d, e, f, g]);
        self.counting.store(bytes, Ordering::Relaxed);
        true
    }

    /// It could not be armed: the next time it is as always.
    pub(crate) fn will_not_count(&self) {
        self.counting.store(0, Ordering::Relaxed);
    }

    /// Calls are only counted from here on.
    pub(crate) fn lead_to_count(&self) {
        self.lead(self.counting_code());
    }

    /// Where the code is that counts calls: behind the stub.
    pub(crate) fn counting_code(&self) -> u64 {
        self.stub.load(Ordering::Relaxed).wrapping_add(CODE as u64)
    }

    /// Leads calls to the slot, or past it.
    fn lead(&self, to: u64) {
        let word = self.word.load(Ordering::Relaxed);
        if word != 0 {
            // SAFETY: arming checked that the word lies in an arena's data, aligned; arenas stay.
            unsafe { &*(word as *const AtomicU64) }.store(to, Ordering::Relaxed);
        }
    }
}

/// Entries in use.
pub(crate) fn used() -> usize {
    USED.load(Ordering::Relaxed) as usize
}

/// The process ends: what is off was off until now.
pub(crate) fn note_all_missed(tables: Tables) {
    let mut ran = Ran::default();
    SITES.iter().take(used()).for_each(|site| site.note_missed(tables, true, &mut ran));
}

/// How much the process ran, never zero. It is asked once, and only if a caller needs it: that takes longer than
/// a switch.
#[derive(Debug, Default)]
pub(crate) struct Ran(Option<u64>);

impl Ran {
    fn get(&mut self) -> u64 {
        *self.0.get_or_insert_with(|| counts::work().wrapping_add(1))
    }
}

/// In a forked child, which has run for no time yet.
pub(crate) fn begin_again() {
    for site in SITES.iter().take(used()) {
        for since in [&site.off_since, &site.on_since] {
            if since.load(Ordering::Relaxed) != 0 {
                since.store(1, Ordering::Relaxed);
            }
        }
    }
}

/// The entry of a slot.
pub(crate) fn of_slot(slot: usize) -> Option<&'static PatchedFunction> {
    SITES.get(slot)
}

/// All that were ever armed.
pub(crate) fn all() -> impl Iterator<Item = &'static PatchedFunction> {
    SITES.iter().take(used())
}

/// Whether any byte of the program may be other than the compiler's.
pub(crate) fn is_any_changed() -> bool {
    all().any(PatchedFunction::is_changed)
}

/// The entry of a region.
pub(crate) fn of_region(id: u16) -> Option<(usize, &'static PatchedFunction)> {
    let slot = usize::from(SLOT_OF[usize::from(id)].load(Ordering::Relaxed)).checked_sub(1)?;
    Some((slot, SITES.get(slot)?))
}

/// A slot for another function; `None` when all are taken.
pub(crate) fn claim(_: &Held) -> Option<usize> {
    let slot = USED.load(Ordering::Relaxed) as usize;
    // The last ones are the calibration's.
    if slot >= pool::CHAINED {
        return None;
    }
    USED.store(slot as u32 + 1, Ordering::Relaxed);
    Some(slot)
}

/// Gives a slot its region and its function; `slot_code` is where calls of it go while it is on.
///
/// # Safety
/// `copy` goes on as the function does, and `slot_code` is the slot's own code.
pub(crate) unsafe fn bind(slot: usize, id: u16, copy: u64, slot_code: u64) {
    if let Some(site) = SITES.get(slot) {
        site.region.store(u32::from(id), Ordering::Relaxed);
        site.slot_code.store(slot_code, Ordering::Relaxed);
        // SAFETY: the caller's contract; code of an arena stays.
        unsafe { pool::bind(slot, u32::from(id), copy) };
        SLOT_OF[usize::from(id)].store(slot as u16 + 1, Ordering::Relaxed);
    }
}

/// The newest slot of the function that begins at `entry`, and is not forgotten.
pub(crate) fn of_entry(entry: u64) -> Option<usize> {
    let is_wanted = |site: &PatchedFunction| {
        site.entry.load(Ordering::Relaxed) == entry && !site.is(SiteState::Forgotten)
    };
    BY_ENTRY.find(entry, |slot| SITES.get(slot).is_some_and(is_wanted))
}

/// Lets the entry of a slot be found.
///
/// # Safety
/// What was planned is right: its stub and its copy are in place, and go on as the function does.
pub(crate) unsafe fn publish(slot: usize, patch: &Patch) {
    if let Some(site) = SITES.get(slot) {
        // SAFETY: the caller's contract.
        unsafe { site.fill(patch) };
        BY_ENTRY.put(patch.entry, slot);
        BY_SITE.put(patch.site, slot);
    }
}

/// For the handler of traps: where the instruction at `address` has its copy, if it is ours.
pub(crate) fn copy_of(address: u64) -> Option<u64> {
    let is_wanted = |site: &PatchedFunction| {
        site.at.load(Ordering::Relaxed) == address && !site.is(SiteState::Forgotten)
    };
    let slot = BY_SITE.find(address, |slot| SITES.get(slot).is_some_and(is_wanted))?;
    SITES.get(slot).map(|site| site.copy.load(Ordering::Relaxed))
}

/// Leads calls past the slot: the site is about to be armed, and off.
pub(crate) fn rest(site: &PatchedFunction) {
    site.lead(site.copy.load(Ordering::Relaxed));
}

/// Switches a region, and where it is a function's its stub, for all threads of this process.
pub(crate) fn switch(tables: Tables, id: u16, on: bool, ran: &mut Ran) {
    if announced::is_region(id) {
        return announced::switch(tables, id, on);
    }
    let is_paused = tables.header().paused.load(Ordering::Relaxed) != 0;
    let function = of_region(id);
    let record = tables.region(id);
    if let Some((_, site)) = function.filter(|(_, site)| on && site.is(SiteState::Armed)) {
        switch::set(id, !is_paused);
        site.lead(site.slot_code.load(Ordering::Relaxed));
        record.uncover(clock::now());
        site.note_missed(tables, false, ran);
        site.note_worked(record, true, ran.get());
        return;
    }
    if let Some((_, site)) = function {
        site.lead(site.copy.load(Ordering::Relaxed));
        if record.since.load(Ordering::Relaxed) != 0 {
            let work = ran.get();
            site.off_since.store(work, Ordering::Relaxed);
            site.note_worked(record, false, work);
        }
        record.cover(clock::now());
    }
    switch::set(id, on && !is_paused && function.is_none());
}
