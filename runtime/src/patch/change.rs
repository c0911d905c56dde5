//! The change of a batch of sites: their bytes change together.
//!
//! ```text
//!   1  a trap in the first byte of each site      ── all processors read code anew ──
//!   2  the other bytes of each                    ── all processors read code anew ──
//!   3  the first byte of each                     ── all processors read code anew ──
//! ```
//! At no moment can a thread execute a mixture: before 3 the first byte is a trap, whose handler
//! leads to the copy. Most sites are one instruction, so no thread stands inside; where they are several,
//! all threads are looked at between 1 and 2.
//!
//! The kernel may refuse each write and each synchronization. What fails in 1 goes back. What fails later is
//! tried again, and at last left a trap: that works, whatever lies behind the first byte.

use super::batch::{Batch, PatchDirection};
use super::inspection;
use super::text::{Text, synchronize};
use super::trap;
use super::trap_wait::Changing;
use crate::functions::site::{JUMP, PatchedFunction, SiteState};
use crate::kernel;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use whyperf_layout::Outcome;
use whyperf_layout::geometry::STAGING_CAPACITY;

impl Batch {
    /// Changes the bytes. When that fails each site says where it stands: those that went back where they
    /// stood before, the others are [`SiteState::Trapped`].
    pub(super) fn flip(&self, text: &Text) -> Result<(), Outcome> {
        if self.used == 0 {
            return Ok(());
        }
        let _changing = Changing::begin();
        if let Err(outcome) = self.begin(text) {
            self.take_back(text);
            return Err(outcome);
        }
        self.finish(text)
    }

    /// Puts traps, and makes sure that no thread stands behind one.
    fn begin(&self, text: &Text) -> Result<(), Outcome> {
        if self.way == PatchDirection::In && !self.sites().all(|site| write_island(text, site)) {
            return Err(Outcome::NoTextWrite);
        }
        for site in self.sites() {
            // First: in a child that is forked in between the state must say what there may be.
            site.set(SiteState::Trapped);
            // SAFETY: a trap leads to the copy, wherever a thread meets it.
            if !unsafe { write(text, at(site), &[trap::byte()]) } {
                return Err(Outcome::NoTextWrite);
            }
        }
        if !synchronize_surely() {
            return Err(Outcome::NoCoreSync);
        }
        if self.way == PatchDirection::In && self.sites().any(PatchedFunction::is_divided) {
            inspection::clear(self, text)?;
        }
        Ok(())
    }

    /// Only first bytes have changed, and islands, to which nothing led yet.
    fn take_back(&self, text: &Text) {
        for (site, before) in self.with_before().filter(|(site, _)| site.is(SiteState::Trapped)) {
            // What stood at a trap before has other bytes behind it.
            if before == SiteState::Trapped {
                continue;
            }
            let (bytes, _) = new_bytes(
                site,
                if self.way == PatchDirection::In {
                    PatchDirection::Out
                } else {
                    PatchDirection::In
                },
            );
            let first = bytes.get(..1).unwrap_or(&[]);
            // SAFETY: the byte that stood there, before bytes that stand there still.
            if unsafe { write(text, at(site), first) } || text.holds(at(site), first) {
                site.set(before);
            }
        }
        // A processor that still finds the trap is led to the copy, which needs no synchronization.
        let _ = synchronize_surely();
        if self.way == PatchDirection::Out {
            return;
        }
        for (site, before) in self.with_before().filter(|(site, _)| !site.is(SiteState::Trapped)) {
            // An island from which the site was taken earlier waits until no thread stands there.
            if before != SiteState::Retiring && !clear_island(text, site) {
                site.set(SiteState::Retiring);
            }
        }
    }

    /// Behind traps: the other bytes, then the first.
    fn finish(&self, text: &Text) -> Result<(), Outcome> {
        let (way, mut outcome) = (self.way, Ok(()));
        let mut is_written = [true; STAGING_CAPACITY];
        for (site, written) in self.sites().zip(&mut is_written) {
            let (bytes, length) = new_bytes(site, way);
            // SAFETY: the bytes behind a trap, in which no thread stands.
            *written = unsafe { write(text, at(site) + 1, bytes.get(1..length).unwrap_or(&[])) };
        }
        if !synchronize_surely() {
            return Err(Outcome::NoCoreSync);
        }
        for (site, written) in self.sites().zip(is_written) {
            let (bytes, _) = new_bytes(site, way);
            // SAFETY: the bytes behind it are those that belong to it, and every processor knows.
            if written && unsafe { write(text, at(site), bytes.get(..1).unwrap_or(&[])) } {
                site.set(reached(site, way));
            } else {
                outcome = Err(Outcome::NoTextWrite);
            }
        }
        if synchronize_surely() { outcome } else { outcome.and(Err(Outcome::NoCoreSync)) }
    }

    /// Takes the islands of disarmed sites away, when no thread stands on one any more.
    pub(super) fn clear_islands(&self, text: &Text) -> Result<(), Outcome> {
        if self.used == 0 {
            return Ok(());
        }
        inspection::clear(self, text)?;
        let mut outcome = Ok(());
        for site in self.sites() {
            if clear_island(text, site) {
                site.set(SiteState::Disarmed);
            } else {
                outcome = Err(Outcome::NoTextWrite);
            }
        }
        // No thread executes these bytes before the island is there again, which is synchronized.
        if synchronize_surely() { outcome } else { outcome.and(Err(Outcome::NoCoreSync)) }
    }
}

/// Where a site stands whose bytes were changed.
fn reached(site: &PatchedFunction, way: PatchDirection) -> SiteState {
    match way {
        PatchDirection::In => SiteState::Armed,
        PatchDirection::Out if site.island.load(Ordering::Relaxed) != 0 => SiteState::Retiring,
        PatchDirection::Out => SiteState::Disarmed,
    }
}

/// Tries of a write or of a synchronization, and nanoseconds between two of them.
const TRIES: u32 = 5;
const PAUSE: u64 = 200_000;

fn surely(deed: impl Fn() -> bool) -> bool {
    (0..TRIES).any(|time| {
        if time > 0 {
            kernel::futex_wait(&AtomicU32::new(0), 0, PAUSE);
        }
        deed()
    })
}

/// Writes bytes; where the kernel refuses at first, again.
///
/// # Safety
/// As for [`Text::write`].
unsafe fn write(text: &Text, at: u64, bytes: &[u8]) -> bool {
    // SAFETY: by the caller's contract.
    surely(|| unsafe { text.write(at, bytes) })
}

fn synchronize_surely() -> bool {
    surely(synchronize)
}

fn at(site: &PatchedFunction) -> u64 {
    site.at.load(Ordering::Relaxed)
}

fn length(site: &PatchedFunction) -> usize {
    site.length.load(Ordering::Relaxed) as usize
}

fn new_bytes(site: &PatchedFunction, way: PatchDirection) -> ([u8; 8], usize) {
    let bytes = if way == PatchDirection::In { site.ours() } else { site.bytes(&site.original) };
    (bytes, length(site))
}

/// The island is dead code: no thread executes it before the site leads there.
fn write_island(text: &Text, site: &PatchedFunction) -> bool {
    let at = site.island.load(Ordering::Relaxed);
    let bytes = site.bytes(&site.island_patched);
    // SAFETY: dead code between functions, to which nothing leads yet.
    at == 0 || bytes.get(..JUMP).is_some_and(|bytes| unsafe { write(text, at, bytes) })
}

/// Gives an island its own bytes back.
fn clear_island(text: &Text, site: &PatchedFunction) -> bool {
    let at = site.island.load(Ordering::Relaxed);
    let bytes = site.bytes(&site.island_original);
    // SAFETY: nothing leads there, and no thread stands on it any more.
    at == 0 || bytes.get(..JUMP).is_some_and(|bytes| unsafe { write(text, at, bytes) })
}

/// Whether the first byte is a trap, or the one that was to follow or to go: then the site is ours to settle.
pub(super) fn may_be_trapped(text: &Text, site: &PatchedFunction) -> bool {
    let [ours, ..] = site.ours();
    let [own, ..] = site.bytes(&site.original);
    trap::bytes().chain([ours, own]).any(|first| text.holds(at(site), &[first]))
}

/// Whether site and island hold these bytes.
pub(super) fn holds(text: &Text, site: &PatchedFunction, way: PatchDirection) -> bool {
    let (bytes, length) = new_bytes(site, way);
    bytes.get(..length).is_some_and(|bytes| text.holds(at(site), bytes))
        && island_holds(
            text,
            site,
            if way == PatchDirection::In { &site.island_patched } else { &site.island_original },
        )
}

fn island_holds(text: &Text, site: &PatchedFunction, bytes: &AtomicU64) -> bool {
    let at = site.island.load(Ordering::Relaxed);
    at == 0 || site.bytes(bytes).get(..JUMP).is_some_and(|bytes| text.holds(at, bytes))
}
