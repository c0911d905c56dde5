//! Functions that announce their calls themselves (`-finstrument-functions`): which they are, and their regions.

use crate::lock::Held;
use crate::region;
use crate::view::Tables;
use crate::{clock, switch};
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use whyperf_layout::geometry::REGION_CAPACITY;
use whyperf_layout::{Outcome, ThunkForm};

/// Places for functions.
const PLACES: usize = 1 << 16;
/// So many of them are looked at for one.
const REACH: usize = 32;
/// Functions with their regions, at a place by their address; none is ever taken away.
static FUNCTIONS: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
/// Which regions are such functions'.
static IS_OURS: [AtomicU8; REGION_CAPACITY] = [const { AtomicU8::new(0) }; REGION_CAPACITY];

/// The region of a function, 0 for none; `None` where another one has its place.
#[inline(always)]
pub(crate) fn peek(function: u64) -> Option<u32> {
    // SAFETY: the start is below the number of places.
    let first = unsafe { FUNCTIONS.get_unchecked(start(function)) }.load(Ordering::Relaxed);
    if first == 0 {
        Some(0)
    } else if first >> 16 == function {
        Some(first as u32 & 0xffff)
    } else {
        None
    }
}

/// The same wherever it is.
pub(crate) fn number(function: u64) -> u32 {
    let there = place(function, start(function)).map_or(0, |place| place.load(Ordering::Relaxed));
    if there >> 16 == function { there as u32 & 0xffff } else { 0 }
}

#[inline(always)]
const fn start(function: u64) -> usize {
    (function.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.trailing_zeros())) as usize
}

/// Where the function is, or may be put.
fn place(function: u64, start: usize) -> Option<&'static AtomicU64> {
    let mut near = (start..start + REACH).filter_map(|at| FUNCTIONS.get(at % PLACES));
    near.find(|place| {
        let there = place.load(Ordering::Relaxed);
        there == 0 || there >> 16 == function
    })
}

/// Whether calls of the region's function are seen without a change of code.
pub(crate) fn is_region(id: u16) -> bool {
    IS_OURS[usize::from(id)].load(Ordering::Relaxed) != 0
}

/// Gives the function at `entry` a region if it has none; what has no room is counted.
pub(crate) fn arm(tables: Tables, entry: u64, held: &Held) -> Result<u16, Outcome> {
    const USER: u64 = 1 << 47;
    if entry == 0 || entry >= USER {
        return Err(Outcome::Nonsense);
    }
    let Some(place) = place(entry, start(entry)) else {
        tables.header().losses.regions.fetch_add(1, Ordering::Relaxed);
        return Err(Outcome::SlotPoolFull);
    };
    let there = place.load(Ordering::Relaxed);
    if there != 0 {
        return Ok(there as u16);
    }
    let id = region::register_function(tables, entry, ThunkForm::Shift, held)
        .ok_or(Outcome::SlotPoolFull)?;
    IS_OURS[usize::from(id)].store(1, Ordering::Relaxed);
    place.store(entry << 16 | u64::from(id), Ordering::Relaxed);
    Ok(id)
}

/// Switches such a region for all threads.
pub(crate) fn switch(tables: Tables, id: u16, on: bool) {
    let record = tables.region(id);
    if on {
        switch::set(id, tables.header().paused.load(Ordering::Relaxed) == 0);
        record.uncover(clock::now());
    } else {
        switch::set(id, false);
        record.cover(clock::now());
    }
}

/// Switches such a region off, or, when it is 0, all of them: their measurement ends.
pub(crate) fn rest(tables: Tables, id: u16) {
    let count = tables.header().region_count.load(Ordering::Relaxed) as u16;
    let range = if id == 0 { 1..count } else { id..id.saturating_add(1) };
    for id in range.filter(|id| is_region(*id)) {
        switch(tables, id, false);
        tables.region(id).switched.store(0, Ordering::Relaxed);
    }
}
