//! The table of places where locks were made: it keeps each place until a thread waits for the lock, which then becomes an
//! object.
//!
//! Most locks are never waited for; an object for each would fill the table. So a small table keeps one word per lock: a
//! part of its address as the key, and the place where it was made. A newer lock may push an older one out, whose name is
//! then its address.

use core::sync::atomic::{AtomicU64, Ordering};

use whyperf_layout::ObjectKind;
use whyperf_runtime::thread_local::thread;
use whyperf_runtime::{ObjectId, measurement, object};

/// A lock is about to be made at `address` by the caller of this thread's newest wrapper.
#[inline(always)]
pub(super) fn made(kind: ObjectKind, address: usize) {
    if measurement::is_measured() {
        unmade(kind, address);
        let site = thread().site.load(Ordering::Relaxed);
        entry(address).store(pack(address, site), Ordering::Relaxed);
    }
}

/// The lock at `address` is about to be unmade, or another one to be made in its place.
#[inline(always)]
pub(super) fn unmade(kind: ObjectKind, address: usize) {
    if measurement::is_measured() {
        if let Some(object) = object::find(kind, ObjectId::NONE, address as u64) {
            object::retire(object);
        }
        if site_of(address) != 0 {
            entry(address).store(0, Ordering::Relaxed);
        }
    }
}

/// The object of a lock that is going to be waited for.
#[inline(always)]
pub(super) fn object_at(kind: ObjectKind, address: usize) -> ObjectId {
    match object::find(kind, ObjectId::NONE, address as u64) {
        Some(object) => object,
        None => first_wait(kind, address),
    }
}

#[cold]
fn first_wait(kind: ObjectKind, address: usize) -> ObjectId {
    object::intern(kind, ObjectId::NONE, address as u64, b"", site_of(address))
}

/// Where the lock at `address` was made, 0 when that is not known.
fn site_of(address: usize) -> u64 {
    let word = entry(address).load(Ordering::Relaxed);
    if word >> SITE_BITS == u64::from(check(address)) { word & SITE } else { 0 }
}

fn pack(address: usize, site: u64) -> u64 {
    (u64::from(check(address)) << SITE_BITS) | (site & SITE)
}

fn entry(address: usize) -> &'static AtomicU64 {
    let [first, ..] = &ENTRIES;
    ENTRIES.get(spread(address) as usize % ENTRIES.len()).unwrap_or(first)
}

fn check(address: usize) -> u16 {
    (spread(address) >> SITE_BITS) as u16
}

/// Fibonacci hashing: the upper bits depend on all bits of the address.
fn spread(address: usize) -> u64 {
    let product = (address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 32)
}

static ENTRIES: [AtomicU64; 8192] = [const { AtomicU64::new(0) }; 8192];

/// Addresses of code have so many bits.
const SITE_BITS: u32 = 48;
const SITE: u64 = (1 << SITE_BITS) - 1;
