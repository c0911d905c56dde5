//! Counters and gauges of the program: each value that it tells is a visit of zero length, below the node that is current.

use crate::closing::{close_with, current, is_between_events};
use crate::node_index::Key;
use crate::region::Region;
use crate::thread::{OTHER, Private};
use crate::thread_local::thread;
use crate::{clock, registration, slow, tree};
use whyperf_layout::slot;
use whyperf_layout::{Gauge, Moved, Traced, UserEventPart};

/// Adds to a counter.
pub(crate) fn add(counter: &Region, amount: i64, address: u64) {
    visit(counter, UserEventPart::Added, address, |_, _| Moved::signed(amount));
}

/// Tells a gauge a value.
pub(crate) fn set(gauge: &Region, value: i64, address: u64) {
    visit(gauge, UserEventPart::Set, address, |beside, now| {
        beside.note(UserEventPart::Squares, now, |_, before| Gauge::squares_with(before, value));
        beside.note(UserEventPart::Extremes, now, |visits, before| {
            Gauge::extremes_with(before, visits, value)
        });
        Moved::signed(value)
    });
}

/// The nodes beside that of a gauge which hold its other parts.
struct Beside<'thread> {
    private: &'thread Private,
    squares: u32,
    extremes: u32,
}

impl<'thread> Beside<'thread> {
    /// Nodes are found before the event begins: to make one may take long.
    fn find(private: &'thread Private, id: u32, part: UserEventPart) -> Self {
        let find = |one: UserEventPart| match part {
            UserEventPart::Set => tree::beside(private, current(private), key(id, one)),
            _ => OTHER,
        };
        let (squares, extremes) = (find(UserEventPart::Squares), find(UserEventPart::Extremes));
        Self { private, squares, extremes }
    }

    fn note(&self, part: UserEventPart, now: u64, words: impl FnOnce(u64, Moved) -> Moved) {
        let node = if part == UserEventPart::Squares { self.squares } else { self.extremes };
        if node != OTHER {
            let slot = self.private.slot();
            slot::note(slot.node(node), slot.stamp(node), now, words);
        }
    }
}

fn visit(
    region: &Region,
    part: UserEventPart,
    address: u64,
    inside: impl FnOnce(&Beside<'_>, u64) -> Moved,
) {
    region.is_user_event();
    let Some(id) = slow::switched_on(region, address) else { return };
    let block = thread();
    let Some(private) = registration::private(&block) else { return };
    if !is_between_events(private) {
        return;
    }
    let beside = Beside::find(private, id, part);
    let current = current(private);
    let Some(next) = tree::child(private, current, key(id, part)) else { return };
    let (slot, now) = (private.slot(), clock::now());
    slot::begin(slot.head(), slot.node(current), slot.stamp(current), next, now);
    private.ring.record(Traced::Current { node: next, ticks: now });
    close_with(private, now, || {
        let moved = inside(&beside, now);
        // What "other" holds is not told apart: its words are no amounts.
        if next == OTHER { Moved::default() } else { moved }
    });
}

fn key(id: u32, part: UserEventPart) -> Key {
    Key::new(id, 0, part.site())
}
