//! A process in an interval: what is known of it beside its functions.

use whyperf_model::Nanos;

/// A process in an interval.
#[derive(Clone, Copy, Debug)]
pub struct ProcessInterval<'a> {
    /// Its number.
    pub number: u32,
    /// The groups that its threads are in.
    pub groups: &'a [u32],
    /// How long the interval is.
    pub length: Nanos,
    /// How long its threads ran in it, together.
    pub ran: Nanos,
    /// How long they lived in it, together.
    pub lived: Nanos,
    /// It waited at its start for functions to be in place, or does.
    pub is_held: bool,
}
