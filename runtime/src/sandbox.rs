//! The end of measuring in a process that goes on, because it gives up system calls.

use crate::lock::Held;
use crate::measurement::{self, Children};
use crate::process_status::MeasurementStage;
use crate::switch::{self, WIPE_ON_FORK};
use crate::{agent_thread, process};
use whyperf_layout::geometry::REGION_CAPACITY;

/// Stops measuring this process and all that it forks, for good: afterwards nothing of ours makes a
/// system call. What was measured until now stays to be read.
pub fn enter() {
    if !measurement::is_measured() {
        return;
    }
    process::leave();
    // The filter may not allow what it needs to end.
    let _ended = agent_thread::send_away();
    let held = Held::take();
    measurement::decide_on_children(Children::Unmeasured);
    WIPE_ON_FORK.stage.set(MeasurementStage::Declined);
    for id in 1..REGION_CAPACITY as u32 {
        switch::set(id as u16, false);
    }
    drop(held);
}
