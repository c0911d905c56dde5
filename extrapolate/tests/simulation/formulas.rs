//! What the head of `network.rs` says of single messages, as formulas, and how a simulated time is compared with one.

use crate::programs::figures;

/// The same to a part in 10^9.
pub(crate) fn assert_close(found: f64, formula: f64) {
    let error = (found - formula).abs() / formula.max(1.0);
    assert!(error < 1e-9, "simulated {found}, by the formula {formula}");
}

/// All bytes but the first.
fn after_first(bytes: u64) -> f64 {
    bytes.saturating_sub(1) as f64
}

/// From the call of the send to the return of a receive that waits: o + L + (s-1)·max(G,O) + o. Two that exchange at the same time take as long:
/// each sends first, and then waits for the other.
pub(crate) fn one_message(bytes: u64) -> f64 {
    let range = figures();
    let body = range.gap_per_byte.as_nanos().max(range.overhead_per_byte.as_nanos());
    let ends = range.send_overhead + range.latency + range.receive_overhead;
    ends.as_nanos() + body * after_first(bytes)
}

/// What a processor has to do for the bytes of a message: (s-1)O.
pub(crate) fn copied(bytes: u64) -> f64 {
    figures().overhead_per_byte.as_nanos() * after_first(bytes)
}

/// For how long a message takes a port: g + (s-1)G.
pub(crate) fn port(bytes: u64) -> f64 {
    figures().gap.as_nanos() + figures().gap_per_byte.as_nanos() * after_first(bytes)
}

/// How long after each other one sends several messages: as its processor or its port allows.
pub(crate) fn apart(bytes: u64) -> f64 {
    (figures().send_overhead.as_nanos() + copied(bytes)).max(port(bytes))
}

/// The children of a place in a binomial tree, the nearest first.
pub(crate) fn children(place: u32, ranks: u32) -> Vec<u32> {
    let bits = if place == 0 { 31 } else { place.trailing_zeros() };
    (0..bits).map(|bit| place + (1 << bit)).filter(|child| *child < ranks).collect()
}

/// When the last one below a place has what is sent down a binomial tree, where the place has it at `has`: every member sends to its children,
/// the farthest first.
pub(crate) fn sent_down(place: u32, ranks: u32, has: f64, bytes: u64) -> f64 {
    let farthest_first = children(place, ranks).into_iter().rev();
    let each = farthest_first.zip(0..).map(|(child, before)| {
        let begun = has + f64::from(before) * apart(bytes);
        sent_down(child, ranks, begun + one_message(bytes), bytes)
    });
    each.fold(has, f64::max)
}
