//! The machine of the experiments, and how programs are simulated on it.

use whyperf_experiments::MachineFile;
use whyperf_extrapolate::{
    Bytes, CommId, Event, Machine, Outcome, Rank, RegionId, RemoteAccess, SimTime, TraceHead,
    simulate,
};

/// As many processors as in Figures 9 and 10 of the paper.
pub(crate) const PROCESSORS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Floating-point operations a second of a SPARC of 32 MHz in compiled C++, without the vector units.
pub(crate) const SPEED: f64 = 4e6;

/// The shipped CM-5.
pub(crate) fn cm5() -> Machine {
    let text = MachineFile::shipped_text("cm5").expect("it is shipped");
    MachineFile::parse("cm5", text).expect("it is right").machine
}

/// Computing so many operations.
pub(crate) fn operations(count: f64) -> Event {
    Event::Compute { region: RegionId(0), span: SimTime::micros(count / SPEED * 1e6) }
}

/// Reading so many numbers of eight bytes from another thread.
pub(crate) fn read(owner: u32, numbers: u32) -> Event {
    let bytes = Bytes(u64::from(numbers) * 8);
    Event::Get(RemoteAccess { owner: Rank(owner), bytes })
}

/// All threads meet, as they do around each parallel method of pC++.
pub(crate) fn barrier() -> Event {
    Event::Barrier(CommId::WORLD)
}

/// Runs what each thread does.
pub(crate) fn run(threads: &[Vec<Event>], machine: &Machine) -> Outcome {
    let mut head = TraceHead::new(u32::try_from(threads.len()).expect("few threads"));
    head.name_region("program");
    let streams = threads.iter().map(|events| events.iter().copied()).collect();
    let outcome = simulate(&head, streams, machine, &mut ());
    assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
    outcome
}

/// How long it takes, in seconds.
pub(crate) fn seconds(threads: &[Vec<Event>]) -> f64 {
    run(threads, &cm5()).elapsed.as_secs()
}
