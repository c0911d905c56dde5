//! Arms and disarms functions: what the daemon planned is checked, prepared, and put in place.

use super::batch::{Batch, PatchDirection};
use super::disposition::Unblocked;
use super::maps::Maps;
use super::text::{self, Text};
use super::{arena, change, count, gate, handlers, signal_stack, threads, trap_choice, wide};
use crate::functions::announced;
use crate::functions::site::{self, JUMP, PatchedFunction, Ran, SiteState};
use crate::lock::Held;
use crate::region;
use crate::view::Tables;
use core::sync::atomic::Ordering;
use whyperf_layout::geometry::STAGING_CAPACITY;
use whyperf_layout::patch::{BOUNDARIES, CODE};
use whyperf_layout::{MovedCode, Outcome, Patch, ThunkForm};

/// Bytes of a stub and of what lies behind it.
const ROOM: u64 = (CODE + count::LENGTH) as u64;

/// What a batch needs of the process.
#[derive(Debug)]
struct BatchContext {
    text: Text,
    maps: Maps,
    /// Until it is dropped no handler begins that blocks the trap.
    _handlers: Unblocked,
}

impl BatchContext {
    fn new(held: &Held) -> Result<Self, Outcome> {
        // The gate is not closed for those that block the trap for long.
        if let Some(obstacle) = threads::obstacle() {
            return Err(obstacle);
        }
        let closed = gate::close(held).ok_or(Outcome::Busy)?;
        if !signal_stack::has_room() {
            return Err(Outcome::SmallSignalStack);
        }
        handlers::lie_in_front(&closed);
        if !trap_choice::choose(&closed) {
            return Err(Outcome::TrapHandled);
        }
        let handlers = Unblocked::new(&closed);
        if let Some(obstacle) = threads::obstacle() {
            return Err(obstacle);
        }
        if !text::prepare_to_synchronize() {
            return Err(Outcome::NoCoreSync);
        }
        let text = Text::open().ok_or(Outcome::NoTextWrite)?;
        let maps = Maps::read(held).ok_or(Outcome::NoTextWrite)?;
        Ok(Self { text, maps, _handlers: handlers })
    }
}

/// Arms the functions of `count` records from `first` on; answers how many are armed then. Beside
/// each record lies what became of it.
pub(super) fn arm(tables: Tables, first: u64, count: u64, held: &Held) -> Option<u64> {
    let end = first.checked_add(count).filter(|end| *end <= STAGING_CAPACITY as u64)?;
    let records = first as usize..end as usize;
    let ground = match BatchContext::new(held) {
        Ok(ground) => ground,
        Err(outcome) => {
            records.for_each(|at| tell(tables, at, 0, outcome));
            return Some(0);
        }
    };
    // Apart, so that a thread that stands between instructions keeps no others from being armed.
    let mut batches = [Batch::new(PatchDirection::In), Batch::new(PatchDirection::In)];
    for at in records.clone() {
        let patch = tables.patch(at).read();
        if is_announced(&patch) {
            let is_code = ground.maps.holds(patch.entry, 1);
            let armed = if !is_code {
                Err(Outcome::NotMapped)
            } else if site::of_entry(patch.entry).is_some() {
                Err(Outcome::Nonsense)
            } else {
                announced::arm(tables, patch.entry, held)
            };
            match armed {
                Ok(id) => tell(tables, at, id, Outcome::Done),
                Err(outcome) => tell(tables, at, 0, outcome),
            }
            continue;
        }
        match admit(tables, &ground, &patch, held) {
            Ok(slot) => {
                if let Some(site) = site::of_slot(slot).filter(|site| !site.is(SiteState::Armed))
                    && let Some(batch) = batches.get_mut(usize::from(site.is_divided()))
                    && !batch.has(slot)
                {
                    batch.add(slot);
                }
                let region = site::of_slot(slot).map_or(0, PatchedFunction::region);
                tell(tables, at, region, Outcome::Done);
            }
            Err(outcome) => tell(tables, at, 0, outcome),
        }
    }
    for batch in &batches {
        let outcome = flip(tables, batch, &ground.text);
        for site in batch.sites().filter(|site| !site.is(SiteState::Armed)) {
            let failed = records.clone().filter(|at| is_told(tables, *at, site));
            failed.for_each(|at| tell(tables, at, 0, outcome));
        }
    }
    let is_armed = |at: &usize| tables.result(*at).load(Ordering::Relaxed) as u32 == 0;
    Some(records.filter(is_armed).count() as u64)
}

/// Changes the bytes of a batch, and tells the daemon in which state they are.
fn flip(tables: Tables, batch: &Batch, text: &Text) -> Outcome {
    let outcome = batch.flip(text).err().unwrap_or(Outcome::Done);
    batch.sites().for_each(|site| site.tell(tables, outcome));
    outcome
}

/// Whether the function announces its calls by itself, so that only its entry is told.
fn is_announced(patch: &Patch) -> bool {
    patch.entry != 0 && *patch == (Patch { entry: patch.entry, ..Patch::default() })
}

fn is_told(tables: Tables, at: usize, site: &PatchedFunction) -> bool {
    tables.result(at).load(Ordering::Relaxed) == u64::from(site.region()) << 32
}

fn tell(tables: Tables, at: usize, region: u16, outcome: Outcome) {
    let word = u64::from(region) << 32 | outcome as u64;
    tables.result(at).store(word, Ordering::Relaxed);
}

/// Checks a record and prepares its slot and its stub; nothing of the program's changes.
fn admit(
    tables: Tables,
    ground: &BatchContext,
    patch: &Patch,
    held: &Held,
) -> Result<usize, Outcome> {
    if patch.form().ok_or(Outcome::Nonsense)?.0 == ThunkForm::Anchor {
        return Err(Outcome::NoThunk);
    }
    if !makes_sense(patch) {
        return Err(Outcome::Nonsense);
    }
    let is_island = patch.island != 0;
    let is_code = ground.maps.holds(patch.site, patch.length)
        && ground.maps.holds(patch.entry, 1)
        && (!is_island || ground.maps.holds(patch.island, JUMP as u64));
    if !is_code || !arena::holds(patch.stub, ROOM, patch.word) {
        return Err(Outcome::NotMapped);
    }
    let known = site::of_entry(patch.entry);
    if let Some(slot) = known
        && let Some(site) = site::of_slot(slot)
        && site.is(SiteState::Armed)
    {
        if change::holds(&ground.text, site, PatchDirection::In) {
            return Ok(slot);
        }
        // Another object came to lie here.
        site.set(SiteState::Forgotten);
    }
    let known = site::of_entry(patch.entry);
    if known.and_then(site::of_slot).is_some_and(|site| site.is(SiteState::Trapped)) {
        // Its last change is not finished; the agent tries again.
        return Err(Outcome::Busy);
    }
    // Its island is still there.
    let is_retiring = known.and_then(site::of_slot).is_some_and(|site| {
        site.is(SiteState::Retiring)
            && site.island.load(Ordering::Relaxed) == patch.island
            && site.island_original.load(Ordering::Relaxed) == patch.island_original
    });
    let bytes = patch.original.to_le_bytes();
    let island = patch.island_original.to_le_bytes();
    let is_original = bytes
        .get(..patch.length as usize)
        .is_some_and(|bytes| ground.text.holds(patch.site, bytes))
        && (!is_island
            || is_retiring
            || island.get(..JUMP).is_some_and(|bytes| ground.text.holds(patch.island, bytes)));
    if !is_original {
        return Err(Outcome::TextChanged);
    }
    if !is_moved_code(ground, patch) {
        return Err(Outcome::Nonsense);
    }
    prepare(tables, ground, patch, known, held)
}

/// Whether the record's parts fit each other.
fn makes_sense(patch: &Patch) -> bool {
    const SHORT_JUMP: u8 = 0xeb;
    const USER: u64 = 1 << 47;
    const STUB: u64 = 8;
    let places = [patch.entry, patch.site, patch.stub, patch.copy, patch.word, patch.island];
    let end = patch.stub.wrapping_add(patch.code_length);
    let is_in_front = patch.copy >= patch.stub.wrapping_add(STUB) && patch.copy < end;
    if places.iter().any(|place| *place >= USER)
        || !(STUB + 1..=CODE as u64).contains(&patch.code_length)
        || patch.site.wrapping_sub(patch.entry) > 16
        || !is_in_front
        || patch.boundary_count > BOUNDARIES as u64
        || patch
            .boundaries
            .iter()
            .take(patch.boundary_count as usize)
            .any(|pair| patch.copy + u64::from(pair.new) >= end)
    {
        return false;
    }
    let [a, b, c, d, e, f, ..] = patch.code.0;
    let through = i32::from_le_bytes([c, d, e, f]);
    let word = patch.stub.wrapping_add(6).wrapping_add_signed(i64::from(through));
    if [a, b] != [0xff, 0x25] || word != patch.word {
        return false;
    }
    let [first, second, ..] = patch.patched.to_le_bytes();
    match patch.length {
        5 => patch.island == 0 && jump_target(patch.site, patch.patched) == Some(patch.stub),
        2 => {
            let short = i64::from(second.cast_signed());
            first == SHORT_JUMP
                && patch.island != 0
                && patch.site.wrapping_add(2).wrapping_add_signed(short) == patch.island
                && jump_target(patch.island, patch.island_patched) == Some(patch.stub)
        }
        _ => false,
    }
}

/// Whether the copy is that of the function: whoever writes into the region has the process run no other code.
fn is_moved_code(ground: &BatchContext, patch: &Patch) -> bool {
    let mut original = [0; CODE];
    let original = ground.text.read_most(patch.site, &mut original);
    let length = patch.length as usize;
    let before = patch.copy.wrapping_sub(patch.stub) as usize;
    let copy = patch.code.0.get(before..patch.code_length as usize);
    let (entry, site, at) = (patch.entry, patch.site, patch.copy);
    copy.is_some_and(|copy| MovedCode { entry, site, original, length, at, copy }.is_true())
}

/// Where the five bytes of a jump at `at` lead.
fn jump_target(at: u64, bytes: u64) -> Option<u64> {
    let [first, a, b, c, d, ..] = bytes.to_le_bytes();
    let distance = i32::from_le_bytes([a, b, c, d]);
    (first == 0xe9).then(|| at.wrapping_add(JUMP as u64).wrapping_add_signed(i64::from(distance)))
}

/// Fills slot, stub and word: from here on they may be used.
fn prepare(
    tables: Tables,
    ground: &BatchContext,
    patch: &Patch,
    known: Option<usize>,
    held: &Held,
) -> Result<usize, Outcome> {
    let mut found = [0; CODE];
    let length = patch.code_length as usize;
    let (Some(code), Some(found)) = (patch.code.0.get(..length), found.get_mut(..length)) else {
        return Err(Outcome::Nonsense);
    };
    // A thread may stand in a stub at any time, so what is there stays.
    if !ground.text.read(patch.stub, found)
        || (found != code && found.iter().any(|byte| *byte != 0))
    {
        return Err(Outcome::Nonsense);
    }
    // SAFETY: the stub lies in an arena, which was checked before, and holds nothing, so nothing leads there yet.
    if found != code && !unsafe { ground.text.write(patch.stub, code) } {
        return Err(Outcome::NoTextWrite);
    }
    let (form, words) = patch.form().ok_or(Outcome::Nonsense)?;
    let slot = match known {
        Some(slot) if wide::width(slot) == words => slot,
        Some(_) => return Err(Outcome::Nonsense),
        None => {
            let slot = site::claim(held).ok_or(Outcome::SlotPoolFull)?;
            let id = region::register_function(tables, patch.entry, form, held)
                .ok_or(Outcome::SlotPoolFull)?;
            wide::widen(slot, words);
            // SAFETY: the plan was checked, and its copy is in the arena now.
            unsafe { site::bind(slot, id, patch.copy, wide::address(slot)) };
            slot
        }
    };
    // SAFETY: the plan was checked, and its code was written above.
    unsafe { site::publish(slot, patch) };
    if let Some(site) = site::of_slot(slot) {
        site::rest(site);
    }
    Ok(slot)
}

/// Gives functions their bytes back: that of one region, or, when it is 0, all of them. The first
/// that cannot be disarmed says why.
pub(super) fn disarm(tables: Tables, id: u16, held: &Held) -> Outcome {
    announced::rest(tables, id);
    disarm_those(tables, &|region| id == 0 || region == id, held)
}

/// The same for whatever regions are wanted.
pub(super) fn disarm_those(tables: Tables, is_one: &dyn Fn(u16) -> bool, held: &Held) -> Outcome {
    let is_wanted = |site: &&PatchedFunction| site.is_changed() && is_one(site.region());
    if site::all().find(is_wanted).is_none() {
        return Outcome::Done;
    }
    let mut ran = Ran::default();
    let switch_off = |site: &PatchedFunction| {
        let id = site.region();
        site::switch(tables, id, false, &mut ran);
        tables.region(id).switched.store(0, Ordering::Relaxed);
    };
    let outcome = give_back(is_one, switch_off, held).err().unwrap_or(Outcome::Done);
    site::all().filter(|site| is_one(site.region())).for_each(|site| site.tell(tables, outcome));
    outcome
}

/// The same in a forked child, which is not measured.
pub(super) fn disarm_fork(held: &Held) -> Result<(), Outcome> {
    give_back(&|_| true, site::rest, held)
}

/// Gives bytes back, those of islands too; `switch_off` is called for each function before.
fn give_back(
    is_one: &dyn Fn(u16) -> bool,
    mut switch_off: impl FnMut(&PatchedFunction),
    held: &Held,
) -> Result<(), Outcome> {
    let is_wanted = |site: &PatchedFunction| site.is_changed() && is_one(site.region());
    let ground = BatchContext::new(held)?;
    let mut outcome = Ok(());
    let mut from = 0;
    while let Some(found) =
        (from..site::used()).find(|slot| site::of_slot(*slot).is_some_and(is_wanted))
    {
        from = site::used().min(found + STAGING_CAPACITY);
        let piece = || (found..from).filter_map(|slot| Some((slot, site::of_slot(slot)?)));
        let mut batch = Batch::new(PatchDirection::Out);
        for (slot, site) in
            piece().filter(|(_, site)| is_wanted(site) && !site.is(SiteState::Retiring))
        {
            switch_off(site);
            match may_be_disarmed(&ground, site) {
                Outcome::Done => batch.add(slot),
                other => outcome = Err(other),
            }
        }
        outcome = batch.flip(&ground.text).and(outcome);
        let mut retiring = Batch::new(PatchDirection::Out);
        let of_islands =
            piece().filter(|(_, site)| is_wanted(site) && site.is(SiteState::Retiring));
        of_islands.for_each(|(slot, _)| retiring.add(slot));
        outcome = retiring.clear_islands(&ground.text).and(outcome);
    }
    outcome
}

/// Arms functions again that got their bytes back, as they were armed before; they are off.
pub(super) fn again(tables: Tables, is_one: &impl Fn(u16) -> bool, held: &Held) {
    let Ok(ground) = BatchContext::new(held) else { return };
    let mut batch = Batch::new(PatchDirection::In);
    for slot in 0..site::used() {
        if let Some(site) = site::of_slot(slot).filter(|site| is_one(site.region()))
            && is_as_it_was(&ground, site)
        {
            site::rest(site);
            tables.region(site.region()).switched.store(0, Ordering::Relaxed);
            batch.add(slot);
        }
    }
    flip(tables, &batch, &ground.text);
}

/// Whether the code of a function that was disarmed is still there, and the compiler's.
fn is_as_it_was(ground: &BatchContext, site: &PatchedFunction) -> bool {
    let [at, length, island] =
        [&site.at, &site.length, &site.island].map(|word| word.load(Ordering::Relaxed));
    let is_code =
        ground.maps.holds(at, length) && (island == 0 || ground.maps.holds(island, JUMP as u64));
    // The island of one that is retiring still leads to the stub.
    let is_back =
        site.is(SiteState::Disarmed) && change::holds(&ground.text, site, PatchDirection::Out);
    is_code && (is_back || site.is(SiteState::Retiring))
}

/// Whether calls of the region's function are seen.
pub(super) fn is_armed(id: u16) -> bool {
    announced::is_region(id)
        || site::of_region(id).is_some_and(|(_, site)| site.is(SiteState::Armed))
}

/// Looks whether a function that was switched off may be disarmed.
fn may_be_disarmed(ground: &BatchContext, site: &PatchedFunction) -> Outcome {
    let is_code =
        ground.maps.holds(site.at.load(Ordering::Relaxed), site.length.load(Ordering::Relaxed));
    let is_ours = || {
        let is_trapped = site.is(SiteState::Trapped) && change::may_be_trapped(&ground.text, site);
        is_trapped || change::holds(&ground.text, site, PatchDirection::In)
    };
    if is_code && is_ours() {
        return Outcome::Done;
    }
    // Bytes of other code are not ours to replace.
    site.set(SiteState::Forgotten);
    Outcome::ModuleGone
}
