//! The visit budget inside the process: so many visits of all functions, by all threads together, in each interval.
//!
//! ```text
//!   a node's burst ends ──► spent in this interval ──► within the allowance: another burst
//!                                    └──► beyond it: the function rests until an interval has room
//!                                         and so often called that it alone takes half: too hot
//! ```
//! A burst is 32 visits at first, and later as many as come in a quarter to a whole millisecond, so the visits spent are
//! known to within a millisecond, and a function is watched from its first calls on. The excess of one interval is
//! subtracted from the next ones. Threads only count and switch off, by plain stores and without waiting; the agent
//! switches on again.

use super::site::Ran;
use super::{site, windows};
use crate::switch::{self, WIPE_ON_FORK};
use crate::view::Tables;
use crate::{clock, kernel};
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use whyperf_layout::Node;
use whyperf_layout::geometry::REGION_CAPACITY;
use whyperf_layout::slot::low;

/// Visits that an interval may have now, and when nothing else costs anything.
static ALLOWED: AtomicU32 = AtomicU32::new(0);
static WHOLE: AtomicU32 = AtomicU32::new(0);
/// Ticks of an interval, 0 for no limit.
static LENGTH: AtomicU64 = AtomicU64::new(0);
/// The same in nanoseconds.
static NANOS: AtomicU64 = AtomicU64::new(0);
/// Number of the interval that was last counted in, and its visits, with what those before it had
/// too many.
static SPENT: AtomicU64 = AtomicU64::new(0);
/// The same of each function, in the one interval alone.
static COUNTED: [AtomicU64; REGION_CAPACITY] = [const { AtomicU64::new(0) }; REGION_CAPACITY];

/// Powers of two: visits of the first and shortest burst, and of the longest.
const SHORTEST: u32 = 5;
const LONGEST: u32 = 12;
/// Unit of the time in [`Node::reserved`], a power of two of ticks, and its bits; the burst's size
/// lies above.
const COARSE: u32 = 16;
const TIME: u32 = 27;
/// A burst that took less than this becomes longer, one that took more than that shorter.
const QUICK: u32 = 8;
const LONG: u32 = 32;
/// Part of the whole below which a function is never too hot.
const LEAST_PART: u64 = 64;
const LONGEST_INTERVAL: u64 = 1_000_000_000;

/// Sets the budget: so many visits in every so many nanoseconds, 0 for no limit. It is what is left of a
/// whole of that many visits.
pub(crate) fn set(tables: Tables, visits: u64, nanos: u64, whole: u64) {
    let nanos = nanos.min(LONGEST_INTERVAL);
    let bounded = |visits: u64| visits.min(u64::from(u32::MAX / 2)) as u32;
    ALLOWED.store(bounded(visits), Ordering::Relaxed);
    WHOLE.store(bounded(whole.max(visits)), Ordering::Relaxed);
    NANOS.store(nanos, Ordering::Relaxed);
    LENGTH.store(ticks(tables, nanos), Ordering::Relaxed);
}

/// Ticks of so many nanoseconds, by what passed since the region was made.
fn ticks(tables: Tables, nanos: u64) -> u64 {
    if !clock::is_counter() {
        return nanos;
    }
    let header = tables.header();
    let ticks = clock::now().wrapping_sub(header.start_ticks.load(Ordering::Relaxed));
    let passed = clock::nanos().wrapping_sub(header.start_nanos.load(Ordering::Relaxed)).max(1);
    (u128::from(nanos) * u128::from(ticks) / u128::from(passed)) as u64
}

/// A function's node has its first burst before it.
pub(crate) fn watch(node: &Node, now: u64) {
    begin(node, SHORTEST, now);
}

fn begin(node: &Node, size: u32, now: u64) {
    let limit = low(node.visits.load(Ordering::Relaxed)).wrapping_add(1 << size);
    node.limit.store(limit, Ordering::Relaxed);
    node.reserved.store(size << TIME | coarse(now), Ordering::Relaxed);
}

const fn coarse(now: u64) -> u32 {
    (now >> COARSE) as u32 & ((1 << TIME) - 1)
}

/// A burst of a function's node has ended: what it spent is counted, and the next one begins.
pub(crate) fn look(tables: Tables, node: &Node, now: u64) {
    let packed = node.reserved.load(Ordering::Relaxed);
    let size = (packed >> TIME).clamp(SHORTEST, LONGEST);
    let took = coarse(now.wrapping_sub(u64::from(packed) << COARSE));
    let next = match took {
        0..QUICK => (size + 1).min(LONGEST),
        LONG.. => (size - 1).max(SHORTEST),
        _ => size,
    };
    begin(node, next, now);
    let id = node.region.load(Ordering::Relaxed) as u16;
    spend(tables, id, 1 << size, u64::from(took) << COARSE, now);
}

fn spend(tables: Tables, id: u16, visits: u32, took: u64, now: u64) {
    let length = LENGTH.load(Ordering::Relaxed);
    if length == 0 {
        return;
    }
    if WIPE_ON_FORK.in_windows.has(id) {
        if windows::is_spent(id, visits) {
            rest(tables, id);
        }
        return;
    }
    let (number, passed) = ((now / length) as u32, now % length);
    let allowed = ALLOWED.load(Ordering::Relaxed);
    let counted = COUNTED.get(usize::from(id)).map_or(0, |own| add(own, number, visits, u32::MAX));
    if add(&SPENT, number, visits, allowed) <= allowed {
        return;
    }
    // What ended in this interval may have begun before it, and nothing before the function was on.
    let since = tables.region(id).since.load(Ordering::Relaxed);
    let time = now.wrapping_sub(since).min(passed + took);
    let own = u64::from(counted);
    if is_too_hot(own, [time, length], [allowed, WHOLE.load(Ordering::Relaxed)]) {
        leave(tables, id, own << 32 | time.min(u64::from(u32::MAX)));
    } else {
        rest(tables, id);
    }
}

/// Whether a function that made so many visits in so many ticks of an interval's would take half of the whole alone. Few visits tell nothing,
/// unless they are all that others leave: it would rest for nearly all of the time.
fn is_too_hot(visits: u64, [time, length]: [u64; 2], [allowed, whole]: [u32; 2]) -> bool {
    let (allowed, whole) = (u64::from(allowed), u64::from(whole));
    let least = whole.div_ceil(LEAST_PART).min(allowed);
    visits >= least && visits * 2 * (length >> 10) > whole * (time >> 10)
}

/// Adds visits to an account; answers what it holds in this interval. Between two intervals so many
/// are given back.
fn add(account: &AtomicU64, number: u32, visits: u32, returned: u32) -> u32 {
    let mut seen = account.load(Ordering::Relaxed);
    loop {
        let (then, held) = ((seen >> 32) as u32, low(seen));
        let passed = number.wrapping_sub(then);
        // Another thread may have looked at the clock later, and counted first.
        let (number, held) = if passed > u32::MAX / 2 {
            (then, held)
        } else {
            (number, held.saturating_sub(passed.saturating_mul(returned)))
        };
        let held = held.saturating_add(visits);
        let next = u64::from(number) << 32 | u64::from(held);
        let order = Ordering::Relaxed;
        match account.compare_exchange_weak(seen, next, order, order) {
            Ok(_) => return held,
            Err(other) => seen = other,
        }
    }
}

/// Switches a function off until there is room again.
fn rest(tables: Tables, id: u16) {
    stop(tables, id);
    let is_first = WIPE_ON_FORK.resting.is_empty();
    // Of many the first one wakes the agent, which then looks at all.
    if WIPE_ON_FORK.resting.add(id) && (is_first || WIPE_ON_FORK.in_windows.has(id)) {
        wake(tables);
    }
}

/// Switches a function off that is too hot; the agent does what else is to be done. `burst` says how
/// many calls of it, the high half, took how many ticks.
fn leave(tables: Tables, id: u16, burst: u64) {
    stop(tables, id);
    if let Some(place) = COUNTED.get(usize::from(id)) {
        place.store(burst, Ordering::Relaxed);
    }
    if WIPE_ON_FORK.hot.add(id) {
        wake(tables);
    }
}

/// At once, for the agent may be at work under the lock; whatever it is just about to do with this
/// function it does again.
fn stop(tables: Tables, id: u16) {
    switch::set(id, false);
    site::switch(tables, id, false, &mut Ran::default());
}

fn wake(tables: Tables) {
    tables.commands().ring();
    kernel::futex_wake(&tables.commands().doorbell);
}

/// Nanoseconds until resting functions may go on, at `now`; `u64::MAX` when none rests.
pub(crate) fn due(now: u64) -> u64 {
    if WIPE_ON_FORK.resting.is_empty() { u64::MAX } else { now.saturating_add(wait()) }
}

/// Nanoseconds until an interval has room.
pub(crate) fn wait() -> u64 {
    let length = LENGTH.load(Ordering::Relaxed);
    if length == 0 {
        return 0;
    }
    let now = clock::now();
    let allowed = ALLOWED.load(Ordering::Relaxed);
    let spent = add(&SPENT, (now / length) as u32, 0, allowed);
    if spent < allowed {
        return 0;
    }
    let intervals = u64::from(spent.checked_div(allowed).unwrap_or(1));
    let ticks = length - now % length + (intervals - 1) * length;
    let nanos = NANOS.load(Ordering::Relaxed);
    (u128::from(ticks) * u128::from(nanos) / u128::from(length)) as u64 + 1
}

/// How often a function that was too hot was called in its last burst, in the high half, and in how many ticks.
pub(crate) fn last_burst(id: u16) -> u64 {
    COUNTED.get(usize::from(id)).map_or(0, |own| own.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_take_half_of_the_whole_alone_is_too_hot() {
        let of = |visits, time, allowed| is_too_hot(visits, [time, 1 << 24], [allowed, 9000]);
        assert!(of(9001, 1 << 24, 9000) && of(150, 1 << 17, 9000));
        assert!(!of(4000, 1 << 24, 9000), "others take the rest");
        assert!(!of(96, 1 << 14, 9000), "a few quick calls tell nothing");
        assert!(of(96, 1 << 14, 64), "it would rest for nearly all of the time");
        assert!(!of(96, 1 << 20, 64), "it is called now and then");
    }

    #[test]
    fn an_account_forgets_what_an_interval_gives_back_and_keeps_what_was_too_much() {
        let account = AtomicU64::new(0);
        assert_eq!(add(&account, 7, 300, 100), 300);
        assert_eq!(add(&account, 7, 50, 100), 350);
        assert_eq!(add(&account, 8, 10, 100), 260);
        assert_eq!(add(&account, 6, 1, 100), 261, "a clock that was read earlier");
        assert_eq!(add(&account, 10, 0, 100), 61);
        assert_eq!(add(&account, 11, 5, u32::MAX), 5);
    }
}
