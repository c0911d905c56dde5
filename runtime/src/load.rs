//! The loading of the library: decides whether this process is measured, and creates nothing yet.

use crate::agent_thread::{self, AgentMain};
use crate::lock::Held;
use crate::machine_facts::MachineFacts;
use crate::measurement::{self, Children};
use crate::patch::thread_ends;
use crate::process_status::MeasurementStage;
use crate::registration::{self, Upcalls};
use crate::switch::{self, WIPE_ON_FORK};
use crate::{agent, calibration, clock, environ, event_costs, map};
use whyperf_layout::RegionFailure;

/// What the layers below ask of those above them.
static UPCALLS: Upcalls = Upcalls {
    carry_out: agent::carry_out_all,
    calibrate: calibration::calibrate,
    end: thread_ends::enter,
};

static BODY: AgentMain = AgentMain(agent::run);

/// Constructor of the library: decides whether this process is measured; creates nothing yet.
///
/// # Safety
/// The library is being loaded, by this thread: no other function of it was called in this process image.
pub unsafe fn attach() {
    registration::set_upcalls(&UPCALLS);
    agent_thread::set_body(&BODY);
    if WIPE_ON_FORK.stage.peek() != MeasurementStage::Unknown as u32 {
        return;
    }
    // SAFETY: the caller's contract.
    let meant = unsafe { environ::read() };
    let wanted = meant && environ::has_room();
    if meant && !wanted {
        map::decline(environ::settings(), RegionFailure::AddressSpace, &Held::take());
    }
    if wanted {
        // SAFETY: the caller's contract.
        match unsafe { MachineFacts::read() } {
            Some(facts) => {
                clock::take(facts.has_counter);
                event_costs::take(facts.costs);
            }
            None => clock::choose(),
        }
        switch::wipe_on_fork();
        registration::prepare();
    }
    let stage = if wanted { MeasurementStage::Wanted } else { MeasurementStage::Declined };
    WIPE_ON_FORK.stage.decide(stage);
    measurement::decide_on_children(if wanted { Children::Measured } else { Children::Unmeasured });
}
