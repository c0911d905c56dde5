//! What the measuring program printed, and the machine that follows from it.
//!
//! ```text
//!   L = (PRTT(1,0,s)/2 - o_s - o_r - (s-1)·G) / 1, or / 3 above the eager limit, where an announcement and an answer come first
//! ```
//!
//! so that a simulated ping-pong of a measured size takes as long as the measured one. Above the eager limit the overheads are those
//! of the largest eager size: measured ones hold the wait for the receiver, which is simulated.

use whyperf_experiments::{FigureSource, MachineFile};
use whyperf_extrapolate::{Barrier, Bytes, LogGops, Machine, Network, SimTime, SizeRange};

/// The figures of one size, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SizeFigures {
    bytes: u64,
    round_trip: f64,
    /// Between two messages that are sent one after the other.
    apart: f64,
    sends: f64,
    receives: f64,
}

impl SizeFigures {
    /// Both overheads, made shorter where reading the clock made them longer than a message takes.
    fn overheads(&self) -> [f64; 2] {
        let all = [self.sends, self.receives].map(|of| of.max(0.0));
        let fits = self.round_trip / 2.0 / (all[0] + all[1]).max(f64::MIN_POSITIVE);
        all.map(|of| of * fits.min(1.0))
    }
}

/// All figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Measurement {
    gap: f64,
    eager: u64,
    combine: f64,
    sizes: Vec<SizeFigures>,
}

impl Measurement {
    /// Reads what the measuring program printed; none if that is not all.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut found = Self::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next()? {
                "gap" => found.gap = words.next()?.parse().ok()?,
                "eager" => found.eager = words.next()?.parse().ok()?,
                "combine" => found.combine = words.next()?.parse().ok()?,
                "size" => {
                    let bytes = words.next()?.parse().ok()?;
                    let mut next = || words.next()?.parse().ok();
                    let (round_trip, apart) = (next()?, next()?);
                    let (sends, receives) = (next()?, next()?);
                    found.sizes.push(SizeFigures { bytes, round_trip, apart, sends, receives });
                }
                "end" => return Some(found).filter(|found| !found.sizes.is_empty()),
                _ => return None,
            }
        }
        None
    }

    /// The machine of `processors` processors that was measured.
    pub(super) fn machine(&self, name: &str, processors: u32) -> Machine {
        let mut machine = Machine { name: name.to_owned(), ..Machine::ideal() };
        machine.processors.per_node = processors;
        machine.network = Network {
            between: LogGops { ranges: self.ranges(), eager: Some(Bytes(self.eager)) },
            inside: None,
        };
        machine.collectives.combine_per_byte = seconds_a_byte(1.0 / self.combine);
        machine.barrier = Barrier::Dissemination;
        machine
    }

    fn ranges(&self) -> Vec<SizeRange> {
        let largest_eager = self.sizes.iter().rfind(|size| size.bytes <= self.eager);
        let before = std::iter::once(None).chain(self.sizes.iter().map(Some));
        let last = self.sizes.len().saturating_sub(1);
        let all = self.sizes.iter().zip(before).enumerate();
        let range = |(at, (size, before)): (usize, (&SizeFigures, Option<&SizeFigures>))| {
            let is_eager = size.bytes <= self.eager;
            let overheads = if is_eager { size } else { largest_eager.unwrap_or(size) };
            let [sends, receives] = overheads.overheads();
            let rest = (size.round_trip / 2.0 - sends - receives).max(0.0);
            let body = size.bytes.saturating_sub(1).max(1) as f64;
            let growth = before.map_or(0.0, |before| {
                (size.apart - before.apart) / (size.bytes - before.bytes) as f64
            });
            let per_byte = growth.clamp(0.0, rest / body);
            let trips = if is_eager { 1.0 } else { 3.0 };
            SizeRange {
                up_to: (at < last).then_some(Bytes(size.bytes)),
                latency: seconds((rest - per_byte * body) / trips),
                send_overhead: seconds(sends),
                receive_overhead: seconds(receives),
                gap: seconds(self.gap),
                gap_per_byte: seconds_a_byte(per_byte),
                overhead_per_byte: SimTime::ZERO,
            }
        };
        all.map(range).collect()
    }

    /// The machine as a file.
    pub(super) fn file(&self, name: &str, processors: u32, measured: Measured) -> MachineFile {
        let Measured { title, how, date } = measured;
        let source = |of: &[&str], from: String| FigureSource {
            of: of.iter().map(|of| (*of).to_owned()).collect(),
            from,
            date: date.clone(),
        };
        let ratio = "1 for traces of this machine; set it for those of another";
        let assumed = "not measured: nothing for finding data in memory, and the barrier of MPICH";
        let sources = vec![
            source(&["network", "collectives"], how),
            source(&["processors"], ratio.to_owned()),
            source(&["remote_access", "barrier"], assumed.to_owned()),
        ];
        MachineFile { machine: self.machine(name, processors), title, sources }
    }
}

/// What a measured machine is, and how and when it was measured.
pub(super) struct Measured {
    pub(super) title: String,
    pub(super) how: String,
    pub(super) date: String,
}

/// Megabytes a second that no memory has: there the size does not matter.
const FASTEST: f64 = 1e9;

/// A time in whole picoseconds: no clock tells more.
fn seconds(seconds: f64) -> SimTime {
    SimTime::nanos((seconds * 1e12).round() / 1e3)
}

/// The time that a byte takes, such that its rate is whole megabytes a second.
fn seconds_a_byte(seconds: f64) -> SimTime {
    let megabytes = (1e-6 / seconds).round().max(1.0);
    if megabytes < FASTEST { SimTime::nanos(1e3 / megabytes) } else { SimTime::ZERO }
}

#[cfg(test)]
mod tests {
    use whyperf_extrapolate::{
        Bytes, CommId, Event, Expected, Rank, Sent, Tag, TraceHead, simulate,
    };

    use super::Measurement;

    const PRINTED: &str = "gap 5.1e-08\neager 4096\ncombine 9.6e10\n\
        size 16 3.0e-07 5.2e-08 5.5e-08 1.2e-07\nsize 1024 3.8e-07 2.1e-07 2.6e-07 1.4e-07\n\
        size 4096 4.0e-06 1.8e-06 1.7e-06 1.8e-06\nsize 65536 1.2e-05 5.4e-06 5.4e-06 5.4e-06\n\
        size 1048576 1.5e-04 6.6e-05 5.9e-04 6.6e-05\nend\n";

    #[test]
    fn a_simulated_ping_pong_takes_as_long_as_the_measured_one() {
        let measurement = Measurement::parse(PRINTED).expect("it is whole");
        let machine = measurement.machine("here", 2);
        for size in &measurement.sizes {
            let (tag, comm, bytes) = (Tag(0), CommId::WORLD, Bytes(size.bytes));
            let sends = |to| Event::Send(Sent { to: Rank(to), tag, comm, bytes });
            let takes =
                |from| Event::Recv(Expected { from: Some(Rank(from)), tag: Some(tag), comm });
            let streams =
                vec![vec![sends(1), takes(1)].into_iter(), vec![takes(0), sends(0)].into_iter()];
            let took = simulate(&TraceHead::new(2), streams, &machine, &mut ()).elapsed.as_secs();
            let error = (took / size.round_trip - 1.0).abs();
            assert!(error < 1e-3, "{} bytes: {took} and {}", size.bytes, size.round_trip);
        }
    }

    #[test]
    fn what_is_cut_is_no_measurement() {
        let cut = PRINTED.trim_end().trim_end_matches("end");
        assert_eq!(Measurement::parse(cut), None);
        assert_eq!(Measurement::parse("gap x\nend\n"), None);
    }
}
