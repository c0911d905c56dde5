//! Windows: functions that are on for a short time of each period, by the agent's clock.
//!
//! ```text
//!   shut: its own bytes ──► armed, on ──► off, its own bytes
//!                            │ on nanoseconds, or so many visits ┘
//! ```
//! Between two windows such a function is byte for byte the compiler's: it is called so often that
//! being armed would cost the program more than the window does.

use super::text::Text;
use super::{arm, count};
use crate::clock;
use crate::functions::site::{PatchedFunction, Ran};
use crate::functions::windows::{COUNTED, COUNTS, FunctionWindow, TO_COME, taken};
use crate::functions::{counts, site};
use crate::lock::Held;
use crate::view::Tables;
use core::sync::atomic::Ordering;
use whyperf_layout::Outcome;

/// What could not be changed for the moment is tried again after this time.
const AGAIN: u64 = 5_000_000;

/// Of the time in nanoseconds, the bits that do not choose who counts.
const TURN: u32 = 24;
/// Nanoseconds for which calls are counted, of the process's running time if it runs at all.
const COUNTING: u64 = 400_000;
/// Of a process that ran for less, what changing its code took is too large a part.
const LEAST: u64 = 100_000;

/// Calls that were counted so far, and for how long the process had run just before and just after they were read.
#[derive(Clone, Copy, Debug)]
struct CountReading {
    calls: u64,
    work: [u64; 2],
}

impl CountReading {
    fn take(text: &Text) -> Self {
        let before = counts::work();
        let calls = count::sum(text);
        Self { calls, work: [before, counts::work()] }
    }

    /// For how long the process ran since another one; `None` where the two do not tell: the agent lost its processor while it read one of
    /// them, and the calls are those of another moment, or it ran too short. Each of so many threads takes some time to read.
    fn work_since(self, begin: Self, threads: usize) -> Option<u64> {
        let most = self.work[1].saturating_sub(begin.work[0]);
        let least = self.work[0].saturating_sub(begin.work[1]);
        let reading = READING.saturating_mul(threads as u64);
        let unclear = most / 4;
        let is_clear = least >= LEAST && most - least <= unclear.min(most / 16 + reading);
        is_clear.then_some(least + (most - least) / 2)
    }
}

/// Nanoseconds that it takes at most to read the count and the clock of a thread at both ends.
const READING: u64 = 8_000;

/// The second part of a window: calls are counted, no more.
fn begin_to_count(window: &FunctionWindow, tables: Tables, held: &Held) {
    window.count.store(COUNTED, Ordering::Relaxed);
    let Some((_, site)) = site::of_region(window.id()) else { return };
    let Some(text) = Text::open().filter(|text| count::prepare(text, site)) else { return };
    site::switch(tables, window.id(), false, &mut Ran::default());
    if !lead_to_count(window, tables, site, held) {
        return;
    }
    window.count.store(COUNTS, Ordering::Relaxed);
    let begin = CountReading::take(&text);
    window.calls.store(begin.calls, Ordering::Relaxed);
    window.work.iter().zip(begin.work).for_each(|(at, work)| at.store(work, Ordering::Relaxed));
    let now = clock::nanos();
    window.began.store(now, Ordering::Relaxed);
    window.due.store(now.saturating_add(COUNTING), Ordering::Relaxed);
}

/// Waits as long again for a process that hardly ran, while others had the processors.
fn go_on_counting(window: &FunctionWindow, now: u64) {
    let began = window.began.load(Ordering::Relaxed);
    let counted = now.saturating_sub(began);
    let ran = counts::work().saturating_sub(window.work[1].load(Ordering::Relaxed));
    if ran < COUNTING && counted < window.patience() {
        let again = now.saturating_add(counted.max(COUNTING));
        window.due.store(again.min(began.saturating_add(window.patience())), Ordering::Relaxed);
    }
}

/// Calls are only counted from here on; false when they cannot be.
fn lead_to_count(
    window: &FunctionWindow,
    tables: Tables,
    site: &PatchedFunction,
    held: &Held,
) -> bool {
    let is_one = |id: u16| id == window.id();
    if arm::disarm_those(tables, &is_one, held) != Outcome::Done {
        return false;
    }
    let is_direct = site.will_count();
    arm::again(tables, &is_one, held);
    if !arm::is_armed(window.id()) {
        site.will_not_count();
        return false;
    }
    if !is_direct {
        site.lead_to_count();
    }
    true
}

fn end_count(window: &FunctionWindow, tables: Tables) {
    if !window.is_at(COUNTS) {
        return;
    }
    window.count.store(COUNTED, Ordering::Relaxed);
    let Some(text) = Text::open() else { return };
    let begin = CountReading {
        calls: window.calls.load(Ordering::Relaxed),
        work: [0, 1].map(|at| window.work[at].load(Ordering::Relaxed)),
    };
    let end = CountReading::take(&text);
    let threads = counts::places().1.count();
    let Some(work) = end.work_since(begin, threads) else { return };
    let calls = end.calls.wrapping_sub(begin.calls);
    let record = tables.region(window.id());
    record.counted.fetch_add(calls as u32, Ordering::Relaxed);
    record.counting.fetch_add(work as u32, Ordering::Relaxed);
}

/// Opens and shuts what is due at `now`: all of it together, so that none waits for another.
pub(crate) fn turn(tables: Tables, now: u64, held: &Held) {
    let is_due = |window: &&FunctionWindow| window.is_due(now);
    if let Some(window) = taken().filter(is_due).find(|window| window.is_at(COUNTS)) {
        go_on_counting(window, now);
    }
    // One counts at a time, another one in each period.
    let others =
        || taken().filter(is_due).filter(|window| window.is_open() && window.is_at(TO_COME));
    if taken().all(|window| !window.is_at(COUNTS)) && others().next().is_some() {
        let number = (now >> TURN) as usize % others().count().max(1);
        if let Some(window) = others().nth(number) {
            begin_to_count(window, tables, held);
        }
    }
    if taken().any(|window| is_due(&window) && window.is_open()) {
        shut_all(tables, held, &is_due);
    }
    if taken().any(|window| is_due(&window) && !window.is_open()) {
        open_all(tables, held, &is_due);
    }
}

/// Shuts all windows that are open, before their time.
pub(crate) fn shut_open_ones(tables: Tables, held: &Held) {
    if taken().any(|window| window.is_open()) {
        shut_all(tables, held, &|_: &&FunctionWindow| true);
    }
}

fn shut_all(tables: Tables, held: &Held, is_due: &impl Fn(&&FunctionWindow) -> bool) {
    let all = || taken().filter(is_due).filter(|window| window.is_open());
    for window in all() {
        end_count(window, tables);
        site::switch(tables, window.id(), false, &mut Ran::default());
    }
    let is_one = |id: u16| all().any(|window| window.id() == id);
    if arm::disarm_those(tables, &is_one, held) == Outcome::Busy {
        // Off they are; the bytes come later.
        let again = clock::nanos().saturating_add(AGAIN);
        all().for_each(|window| window.due.store(again, Ordering::Relaxed));
        return;
    }
    all().for_each(FunctionWindow::wait_shut);
}

fn open_all(tables: Tables, held: &Held, is_due: &impl Fn(&&FunctionWindow) -> bool) {
    let all = || taken().filter(is_due).filter(|window| !window.is_open());
    let is_one = |id: u16| all().any(|window| window.id() == id);
    arm::again(tables, &is_one, held);
    for window in all() {
        if arm::is_armed(window.id()) {
            tables.region(window.id()).switched.store(1, Ordering::Relaxed);
            site::switch(tables, window.id(), true, &mut Ran::default());
            window.wait_open();
        } else {
            window.wait_shut();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_known_where_both_readings_took_a_short_time() {
        let begin = CountReading { calls: 0, work: [1000, 1010] };
        let end = |work| CountReading { calls: 100, work }.work_since(begin, 1);
        assert_eq!(end([401_000, 401_010]), Some(400_000));
        assert_eq!(end([401_000, 700_000]), None, "calls went on while the processor was lost");
        let slow = CountReading { calls: 0, work: [1000, 200_000] };
        let fast = CountReading { calls: 100, work: [401_000, 401_010] };
        assert_eq!(fast.work_since(slow, 1), None);
    }

    #[test]
    fn who_hardly_ran_shows_nothing() {
        let begin = CountReading { calls: 0, work: [1000, 1000] };
        let end = |ran| CountReading { calls: 1, work: [1000 + ran; 2] }.work_since(begin, 1);
        assert_eq!([0, LEAST - 1, LEAST].map(end), [None, None, Some(LEAST)]);
    }

    #[test]
    fn many_threads_take_longer_to_read() {
        let begin = CountReading { calls: 0, work: [0, 40_000] };
        let end = CountReading { calls: 100, work: [400_000, 440_000] };
        assert_eq!(end.work_since(begin, 1), None, "one is read in less");
        assert_eq!(end.work_since(begin, 32), Some(400_000));
    }
}
