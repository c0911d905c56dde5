//! A node of a thread that grew in a pass, with what is asked of it again and again.

use std::collections::BTreeMap;

use whyperf_model::matching::ClassId;
use whyperf_model::{Category, Nanos};

use crate::running_split::PlaceTime;

/// A node that grew, and for how long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GrownNode {
    pub(crate) node: u32,
    pub(crate) class: ClassId,
    pub(crate) category: Category,
    /// The region of the innermost function around it, 0 for none, where it computed.
    pub(crate) place: Option<u32>,
    pub(crate) time: Nanos,
}

/// How long a thread computed at each place.
pub(crate) fn computed(grown: &[GrownNode]) -> BTreeMap<u32, PlaceTime> {
    let mut times: BTreeMap<u32, PlaceTime> = BTreeMap::new();
    for (place, time) in grown.iter().filter_map(|one| Some((one.place?, one.time))) {
        times.entry(place).or_default().computed += time;
    }
    times
}
