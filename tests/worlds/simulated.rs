//! The world of a described program keeps the promises.

use whyperf_consultant::simulate::{Scenario, Simulated};

use crate::conformance::{RANKS, STEP, STEPS, TAG, check};

fn world() -> Simulated {
    let length = STEPS * STEP.0 / 1_000_000;
    let mut text = format!("length {length}ms\nprocesses 2 on n0\n");
    for (rank, tenths) in RANKS.iter().enumerate() {
        let computed = 10 - tenths;
        text += &format!("phase 0s {length}ms {rank} period 50ms\n");
        text += &format!("  0.{computed} Other\n  0.{tenths} Receive {TAG}\n");
    }
    Scenario::parse(&text).expect("the scenario is well formed").world()
}

#[test]
fn the_simulated_world_keeps_the_promises() {
    check(&mut world);
}
