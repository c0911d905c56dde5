//! A measurement that ends, and another that begins, between any two instructions of an event.

use crate::measured::run;
use crate::{stepping, visit_from};
use std::env;
use std::os::unix::ffi::OsStringExt as _;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::Kind;
use whyperf_runtime::Region;
use whyperf_runtime::attachment::{self, Late, Outcome};

static WORK: Region = Region::new(c"work", Kind::Read);
static HANDLER: Region = Region::new(c"handler", Kind::Read);
static DIRECTORY: OnceLock<Vec<u8>> = OnceLock::new();

extern "C" fn nothing() {}

/// Ends the measurement and begins another one, into which the thread comes at once.
fn begin_again() {
    attachment::take_over();
    let directory = DIRECTORY.get().expect("set before the first step");
    let late = Late { directory, callpath_depth: 0, rank: None, size: 0, threads: &[] };
    assert_eq!(attachment::begin(&late, nothing), Outcome::Measured);
    visit_from(&HANDLER, 1, || ());
}

#[test]
fn another_measurement_may_begin_at_any_instruction_of_an_event() {
    let regions = run(&[], || {
        DIRECTORY.get_or_init(|| env::var_os("WHYPERF_DIR").expect("set by the test").into_vec());
        // The thread takes its place in the present measurement under a lock that keeps traps out.
        let take_place = || {
            visit_from(&HANDLER, 1, || ());
        };
        let new_node = |round| visit_from(&WORK, 0x1000 + round, || ());
        stepping::at_every_step_after(take_place, begin_again, new_node);
    });
    assert!(regions.len() > 50, "only {} measurements", regions.len());
    let last = regions.last().expect("there are some").slot();
    assert_eq!(last.visits(&["handler"]), 1);
    assert_eq!(last.head().overflowed.load(Relaxed), 0);
}
