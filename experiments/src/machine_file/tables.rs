//! The tables of a machine file, as they stand there.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;
use whyperf_extrapolate::{
    Algorithm, AlgorithmChoice, Barrier, Bytes, CollectiveKind, Collectives, Interconnect,
    LinearBarrier, LogGops, Machine, MessageUse, Network, Noise, Processors, RemoteAccessModel,
    ServicePolicy, SimTime, SizeRange,
};

use super::quantity::{Rate, Ratio, Size, Time};
use super::{FigureSource, MachineFile};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileTable {
    name: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    processors: ProcessorsTable,
    #[serde(default)]
    network: NetworkTable,
    #[serde(default)]
    interconnect: InterconnectTable,
    #[serde(default)]
    remote_access: RemoteAccessTable,
    #[serde(default)]
    collectives: CollectivesTable,
    #[serde(default)]
    barrier: BarrierTable,
    #[serde(default)]
    noise: NoiseTable,
    #[serde(default)]
    source: Vec<SourceTable>,
}

impl FileTable {
    pub(super) fn read(self) -> MachineFile {
        let machine = Machine {
            name: self.name,
            processors: self.processors.read(),
            network: Network {
                between: log_gops(self.network.range, self.network.eager),
                inside: self.network.inside.map(|inside| log_gops(inside.range, inside.eager)),
            },
            interconnect: self.interconnect.read(),
            remote_access: RemoteAccessModel {
                request: self.remote_access.request.0,
                header: self.remote_access.header.0,
                service: self.remote_access.service.0,
            },
            collectives: self.collectives.read(),
            barrier: self.barrier.read(),
            noise: Noise {
                period: self.noise.period.0,
                length: self.noise.length.0,
                seed: self.noise.seed,
            },
        };
        let source = |SourceTable { of, from, date }| FigureSource { of, from, date };
        let sources = self.source.into_iter().map(source).collect();
        MachineFile { machine, title: self.title, sources }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceTable {
    of: Vec<String>,
    from: String,
    date: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ProcessorsTable {
    cpu_ratio: Option<Ratio>,
    region_ratios: BTreeMap<String, Ratio>,
    count: Option<NonZeroU32>,
    per_node: Option<NonZeroU32>,
    service: ServiceWord,
    poll_chunk: Time,
    poll_cost: Time,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ServiceWord {
    #[default]
    NoInterrupt,
    Interrupt,
    Poll,
}

impl ProcessorsTable {
    fn read(self) -> Processors {
        let usual = Processors::default();
        let ratios = self.region_ratios.into_iter().map(|(name, ratio)| (name, ratio.0));
        Processors {
            cpu_ratio: self.cpu_ratio.map_or(usual.cpu_ratio, |ratio| ratio.0),
            region_ratios: ratios.collect(),
            count: self.count.map(NonZeroU32::get),
            per_node: self.per_node.map_or(usual.per_node, NonZeroU32::get),
            service: match self.service {
                ServiceWord::NoInterrupt => ServicePolicy::NoInterrupt,
                ServiceWord::Interrupt => ServicePolicy::Interrupt,
                ServiceWord::Poll => {
                    ServicePolicy::Poll { chunk: self.poll_chunk.0, cost: self.poll_cost.0 }
                }
            },
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NetworkTable {
    eager: Option<Size>,
    range: Ranges,
    inside: Option<InsideTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InsideTable {
    eager: Option<Size>,
    #[serde(default)]
    range: Ranges,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RangeTable {
    up_to: Option<Size>,
    latency: Time,
    send_overhead: Time,
    receive_overhead: Time,
    gap: Time,
    bandwidth: Rate,
    copy_rate: Rate,
}

/// Ranges of sizes, smallest first.
#[derive(Default, Deserialize)]
#[serde(try_from = "Vec<RangeTable>")]
struct Ranges(Vec<RangeTable>);

impl TryFrom<Vec<RangeTable>> for Ranges {
    type Error = &'static str;
    fn try_from(ranges: Vec<RangeTable>) -> Result<Self, Self::Error> {
        let limit = |range: &RangeTable| range.up_to.map_or(u64::MAX, |up_to| up_to.0.0);
        let is_ordered = ranges.windows(2).all(|pair| limit(&pair[0]) < limit(&pair[1]));
        if is_ordered {
            Ok(Self(ranges))
        } else {
            Err(
                "ranges stand smallest first, each with another `up_to`; the last one may have none",
            )
        }
    }
}

fn log_gops(ranges: Ranges, eager: Option<Size>) -> LogGops {
    let range = |range: RangeTable| SizeRange {
        up_to: range.up_to.map(|size| size.0),
        latency: range.latency.0,
        send_overhead: range.send_overhead.0,
        receive_overhead: range.receive_overhead.0,
        gap: range.gap.0,
        gap_per_byte: range.bandwidth.0,
        overhead_per_byte: range.copy_rate.0,
    };
    LogGops { ranges: ranges.0.into_iter().map(range).collect(), eager: eager.map(|size| size.0) }
}

#[derive(Default, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum InterconnectTable {
    #[default]
    Crossbar,
    Buses {
        count: NonZeroU32,
        bandwidth: Rate,
    },
    FatTree {
        arity: NonZeroU32,
        up_links: NonZeroU32,
        bandwidth: Rate,
        #[serde(default)]
        hop: Time,
    },
    Torus {
        sides: Sides,
        bandwidth: Rate,
        #[serde(default)]
        hop: Time,
    },
}

impl InterconnectTable {
    fn read(self) -> Interconnect {
        match self {
            Self::Crossbar => Interconnect::Crossbar,
            Self::Buses { count, bandwidth } => {
                Interconnect::Buses { count: count.get(), per_byte: bandwidth.0 }
            }
            Self::FatTree { arity, up_links, bandwidth, hop } => Interconnect::FatTree {
                arity: arity.get(),
                up_links: up_links.get(),
                per_byte: bandwidth.0,
                per_hop: hop.0,
            },
            Self::Torus { sides, bandwidth, hop } => {
                Interconnect::Torus { sides: sides.0, per_byte: bandwidth.0, per_hop: hop.0 }
            }
        }
    }
}

/// The sides of a torus: some, and no more nodes than can be numbered.
#[derive(Deserialize)]
#[serde(try_from = "Vec<NonZeroU32>")]
struct Sides(Vec<u32>);

impl TryFrom<Vec<NonZeroU32>> for Sides {
    type Error = &'static str;
    fn try_from(sides: Vec<NonZeroU32>) -> Result<Self, Self::Error> {
        let nodes = sides.iter().try_fold(1_u32, |nodes, side| nodes.checked_mul(side.get()));
        if sides.is_empty() || nodes.is_none() {
            return Err(
                "a torus has a side for each dimension, such as [8, 8], and at most 2^32 nodes",
            );
        }
        Ok(Self(sides.into_iter().map(NonZeroU32::get).collect()))
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RemoteAccessTable {
    request: Size,
    header: Size,
    service: Time,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CollectivesTable {
    combine_rate: Rate,
    choice: Vec<Choice>,
}

impl CollectivesTable {
    fn read(self) -> Collectives {
        let mut choices: BTreeMap<CollectiveKind, Vec<AlgorithmChoice>> = BTreeMap::new();
        for ChoiceTable { call, up_to, algorithm } in self.choice.into_iter().map(|of| of.0) {
            let choice =
                AlgorithmChoice { up_to: up_to.map(|size| size.0), algorithm: algorithm.0 };
            choices.entry(call.0).or_default().push(choice);
        }
        for of in choices.values_mut() {
            of.sort_by_key(|choice| choice.up_to.unwrap_or(Bytes(u64::MAX)));
        }
        Collectives { choices, combine_per_byte: self.combine_rate.0 }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceTable {
    call: Call,
    up_to: Option<Size>,
    algorithm: AlgorithmName,
}

/// A choice whose algorithm does its call.
#[derive(Deserialize)]
#[serde(try_from = "ChoiceTable")]
struct Choice(ChoiceTable);

impl TryFrom<ChoiceTable> for Choice {
    type Error = String;
    fn try_from(choice: ChoiceTable) -> Result<Self, String> {
        let (call, algorithm) = (choice.call.0, choice.algorithm.0);
        if algorithm.does(call) {
            return Ok(Self(choice));
        }
        let fit = Algorithm::ALL.into_iter().filter(|fit| fit.does(call)).map(Algorithm::name);
        let fit = fit.collect::<Vec<_>>().join(", ");
        Err(format!("{} is no algorithm for {}: take one of {fit}", algorithm.name(), call.name()))
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Call(CollectiveKind);

impl TryFrom<String> for Call {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        let all = CollectiveKind::ALL.map(CollectiveKind::name);
        let known = CollectiveKind::named(&name).map(Self);
        known.ok_or_else(|| unknown(&name, &all))
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct AlgorithmName(Algorithm);

impl TryFrom<String> for AlgorithmName {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        let all = Algorithm::ALL.map(Algorithm::name);
        let known = Algorithm::named(&name).map(Self);
        known.ok_or_else(|| unknown(&name, &all))
    }
}

fn unknown(name: &str, all: &[&str]) -> String {
    format!("unknown variant `{}`, expected one of {}", name.escape_debug(), all.join(", "))
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum BarrierTable {
    Hardware {
        #[serde(default)]
        time: Time,
    },
    Linear(LinearTable),
    Tree,
    Dissemination,
}

impl Default for BarrierTable {
    fn default() -> Self {
        Self::Hardware { time: Time(SimTime::ZERO) }
    }
}

/// The parameters of ExtraP's barrier, under names that say what they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinearTable {
    entry: Time,
    exit: Time,
    check: Time,
    exit_check: Time,
    model: Time,
    by_messages: bool,
    #[serde(default)]
    message_size: Size,
}

impl BarrierTable {
    fn read(self) -> Barrier {
        match self {
            Self::Hardware { time } => Barrier::Hardware { time: time.0 },
            Self::Tree => Barrier::Tree,
            Self::Dissemination => Barrier::Dissemination,
            Self::Linear(linear) => Barrier::Linear(LinearBarrier {
                entry: linear.entry.0,
                exit: linear.exit.0,
                check: linear.check.0,
                exit_check: linear.exit_check.0,
                model: linear.model.0,
                messages: match linear.by_messages {
                    true => MessageUse::Messages,
                    false => MessageUse::None,
                },
                size: linear.message_size.0,
            }),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NoiseTable {
    period: Time,
    length: Time,
    seed: u64,
}
