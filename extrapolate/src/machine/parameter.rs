//! The figures of a machine that a sweep can vary, by name.

use super::{Barrier, Interconnect, LinearBarrier, Machine, MessageUse, SizeRange};
use crate::identity::Bytes;
use crate::time::SimTime;

/// A figure that can be set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// How it is called.
    pub name: &'static str,
    /// What its numbers are.
    pub unit: ParameterUnit,
    /// What it is, in a few words.
    pub meaning: &'static str,
    set: fn(&mut Machine, f64),
}

/// What the numbers of a parameter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterUnit {
    /// A whole number, from 1 on.
    Count,
    /// A ratio above zero.
    Ratio,
    /// Microseconds.
    Micros,
    /// Bytes.
    Bytes,
    /// Bytes a second, above zero.
    BytesPerSecond,
}

impl ParameterUnit {
    /// How it is written behind a number.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "",
            Self::Ratio => "times",
            Self::Micros => "us",
            Self::Bytes => "bytes",
            Self::BytesPerSecond => "bytes/s",
        }
    }

    /// Whether a number can be one of this unit.
    #[must_use]
    pub fn allows(self, number: f64) -> bool {
        match self {
            Self::Count => number >= 1.0 && number <= f64::from(u32::MAX) && number.fract() == 0.0,
            Self::Ratio | Self::BytesPerSecond => number > 0.0 && number.is_finite(),
            Self::Micros => number >= 0.0 && number.is_finite(),
            Self::Bytes => number >= 0.0 && number < 2_f64.powi(53) && number.fract() == 0.0,
        }
    }
}

impl Parameter {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|parameter| parameter.name == name)
    }

    /// Sets it. A number that its unit does not allow is as near to it as can be.
    pub fn set(&self, machine: &mut Machine, number: f64) {
        (self.set)(machine, number);
    }

    /// All of them.
    pub const ALL: &[Self] = &[
        Self {
            name: "processors",
            unit: ParameterUnit::Count,
            meaning: "how many processors there are",
            set: |machine, number| machine.processors.count = Some((number as u32).max(1)),
        },
        Self {
            name: "per-node",
            unit: ParameterUnit::Count,
            meaning: "how many of them a node has",
            set: |machine, number| machine.processors.per_node = (number as u32).max(1),
        },
        Self {
            name: "cpu-ratio",
            unit: ParameterUnit::Ratio,
            meaning: "their speed relative to the machine of the trace",
            set: |machine, number| machine.processors.cpu_ratio = number.max(f64::MIN_POSITIVE),
        },
        Self {
            name: "latency",
            unit: ParameterUnit::Micros,
            meaning: "of a message of any size",
            set: |machine, number| ranges(machine, |range| range.latency = SimTime::micros(number)),
        },
        Self {
            name: "overhead",
            unit: ParameterUnit::Micros,
            meaning: "of sending and of receiving a message",
            set: |machine, number| {
                ranges(machine, |range| {
                    range.send_overhead = SimTime::micros(number);
                    range.receive_overhead = SimTime::micros(number);
                });
            },
        },
        Self {
            name: "gap",
            unit: ParameterUnit::Micros,
            meaning: "between two messages of a port",
            set: |machine, number| ranges(machine, |range| range.gap = SimTime::micros(number)),
        },
        Self {
            name: "bandwidth",
            unit: ParameterUnit::BytesPerSecond,
            meaning: "of a port",
            set: |machine, number| ranges(machine, |range| range.gap_per_byte = a_byte(number)),
        },
        Self {
            name: "eager",
            unit: ParameterUnit::Bytes,
            meaning: "up to which a send does not wait for its receiver",
            set: |machine, number| machine.network.between.eager = Some(Bytes(number as u64)),
        },
        Self {
            name: "hop",
            unit: ParameterUnit::Micros,
            meaning: "what a link adds to the latency, of a fat tree or a torus",
            set: |machine, number| match &mut machine.interconnect {
                Interconnect::FatTree { per_hop, .. } | Interconnect::Torus { per_hop, .. } => {
                    *per_hop = SimTime::micros(number);
                }
                Interconnect::Crossbar | Interconnect::Buses { .. } => {}
            },
        },
        Self {
            name: "service-time",
            unit: ParameterUnit::Micros,
            meaning: "what the owner of memory takes to find the data of a request",
            set: |machine, number| machine.remote_access.service = SimTime::micros(number),
        },
        Self {
            name: "combine-rate",
            unit: ParameterUnit::BytesPerSecond,
            meaning: "at which contributions to a sum are combined",
            set: |machine, number| machine.collectives.combine_per_byte = a_byte(number),
        },
        Self {
            name: "barrier-time",
            unit: ParameterUnit::Micros,
            meaning: "from the last arrival on, of a barrier in hardware, which the machine has then",
            set: |machine, number| {
                machine.barrier = Barrier::Hardware { time: SimTime::micros(number) };
            },
        },
        Self {
            name: "noise-period",
            unit: ParameterUnit::Micros,
            meaning: "from one detour of the operating system to the next",
            set: |machine, number| machine.noise.period = SimTime::micros(number),
        },
        Self {
            name: "noise-length",
            unit: ParameterUnit::Micros,
            meaning: "how long a detour of the operating system is",
            set: |machine, number| machine.noise.length = SimTime::micros(number),
        },
    ];
}

/// Changes the figures of all sizes, between nodes.
fn ranges(machine: &mut Machine, change: impl FnMut(&mut SizeRange)) {
    let ranges = &mut machine.network.between.ranges;
    if ranges.is_empty() {
        ranges.push(SizeRange::default());
    }
    ranges.iter_mut().for_each(change);
}

fn a_byte(rate: f64) -> SimTime {
    SimTime::nanos(1e9 / rate)
}

impl LinearBarrier {
    /// The example of Table 1 of *Speedy*, whose times are read as microseconds.
    #[must_use]
    pub fn example() -> Self {
        Self {
            entry: SimTime::micros(5.0),
            exit: SimTime::micros(5.0),
            check: SimTime::micros(2.0),
            exit_check: SimTime::micros(2.0),
            model: SimTime::micros(10.0),
            messages: MessageUse::Messages,
            size: Bytes(16),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Parameter, ParameterUnit};
    use crate::machine::{Interconnect, Machine};
    use crate::time::SimTime;

    #[test]
    fn each_parameter_changes_a_machine_and_has_a_name_of_its_own() {
        let (sides, figure) = (vec![2, 2], SimTime::micros(1.0));
        let interconnect = Interconnect::Torus { sides, per_byte: figure, per_hop: figure };
        let before = Machine { interconnect, ..Machine::ideal() };
        for parameter in Parameter::ALL {
            let mut machine = before.clone();
            parameter.set(&mut machine, 3.0);
            assert_ne!(machine, before, "{}", parameter.name);
            let same = Parameter::ALL.iter().filter(|other| other.name == parameter.name);
            assert_eq!(same.count(), 1, "{}", parameter.name);
        }
    }

    #[test]
    fn a_unit_allows_what_makes_sense() {
        let all = [f64::NAN, -1.0, 0.0, 0.5, 1.0];
        let allowed = |unit: ParameterUnit| all.map(|number| unit.allows(number));
        assert_eq!(allowed(ParameterUnit::Count), [false, false, false, false, true]);
        assert_eq!(allowed(ParameterUnit::Ratio), [false, false, false, true, true]);
        assert_eq!(allowed(ParameterUnit::Micros), [false, false, true, true, true]);
        assert_eq!(allowed(ParameterUnit::Bytes), [false, false, true, false, true]);
    }
}
