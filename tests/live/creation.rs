//! Making a communicator together is waiting for the one that comes late.

use crate::launcher::Mpi;
use crate::report::run;
use crate::{programs, shipped};

#[test]
fn waiting_for_a_new_communicator_is_waiting() {
    let mut words = Mpi::Mpich.launch(2);
    let guest = programs::built_for(Mpi::Mpich).join("guests/late_to_create");
    words.push(guest.display().to_string());
    let _alone = shipped::machine();
    let run = run(&words);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let is_found = run.bottlenecks().iter().any(|one| {
        one.hypothesis == "ExcessiveSyncWaitingTime"
            && one.focus.contains("/SyncObject/Collective/Comm_dup")
    });
    assert!(is_found, "{}", run.shown());
}
