//! The data source of a described program keeps the promises.

use whyperf_testkit::simulate::{Scenario, Simulated};

use whyperf_model::Metric;

use crate::conformance::{LATE, LATE_STEPS, Odd, PHASE, RANKS, STEP, STEPS, TAG, check, pair};

/// With its last message goes the communicator, as it does where it is seen.
const GONE: &str = "/SyncObject/Message/other";
const HOT: &str = "/Code/a.c/hot";
const REFUSED: &str = "/Code/a.c/short";

pub(crate) fn source() -> Simulated {
    let length = STEPS * STEP.0 / 1_000_000;
    let [from, to] = [LATE_STEPS.start, LATE_STEPS.end].map(|step| step * STEP.0 / 1_000_000);
    let mut text = format!(
        "length {length}ms\nprocesses 2 on n0\nat {from}ms announce {PHASE}\nat {to}ms retire {GONE}\n\
         function {HOT} hot 0.25\nrefuse <{REFUSED}> it is too short\n"
    );
    let mut phase = |rank: usize, from: u64, to: u64, tag: &str| {
        let computed = 10 - RANKS[rank];
        text += &format!("phase {from}ms {to}ms {rank} period 50ms\n");
        text += &format!("  0.{computed} Other\n  0.{} Receive {tag}\n", RANKS[rank]);
    };
    phase(0, 0, from, TAG);
    phase(0, from, to, LATE);
    phase(0, to, length, TAG);
    phase(1, 0, length, TAG);
    Scenario::parse(&text).expect("the scenario is well formed").source()
}

#[test]
fn the_simulated_source_keeps_the_promises() {
    let odd = Odd {
        hot: Some((pair(Metric::Cpu, HOT), 0.25)),
        refused: Some(pair(Metric::Cpu, REFUSED)),
    };
    check(&mut source, &odd);
}
