//! Tests of whole processes that measure themselves: what they recorded is read from the region that they leave.
#![cfg(not(loom))]

mod agent;
mod counting;
mod damage;
mod forks;
mod functions;
mod limits;
mod measured;
mod ranges;
mod signals;
mod stepping;
mod switching;
mod threads;

use whyperf_runtime::{ObjectId, Region, event};

/// One visit with `inside` in it.
fn visit(region: &Region, inside: impl FnOnce()) {
    visit_from(region, 0, inside);
}

/// One visit called from `site`.
fn visit_from(region: &Region, site: u64, inside: impl FnOnce()) {
    let recorded = event::begin(region, site, ObjectId::NONE);
    inside();
    if recorded {
        event::end(region, whyperf_layout::Moved::default());
    }
}

fn end(region: &Region) {
    event::end(region, whyperf_layout::Moved::default());
}
