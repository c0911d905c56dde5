//! A machine written down: each figure with its path, its value and its unit, and all of them as a machine file.

use std::fmt::Write as _;

use whyperf_extrapolate::{
    Barrier, Interconnect, LogGops, Machine, MessageUse, ServicePolicy, SimTime, SizeRange,
};

use super::MachineFile;

/// One figure of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its path in a machine file, such as `network.range.latency`.
    pub path: String,
    /// For which messages or calls it is, where there are several of the path.
    pub of: Option<String>,
    /// Its value as it stands in a file.
    pub value: String,
    /// Its unit; empty for words and ratios.
    pub unit: &'static str,
}

/// A table of a machine file with its figures.
struct Section {
    /// Its path, and whether it is one of several.
    path: &'static str,
    is_one_of_several: bool,
    of: Option<String>,
    figures: Vec<(String, String, &'static str)>,
}

impl Section {
    fn new(path: &'static str) -> Self {
        Self { path, is_one_of_several: false, of: None, figures: Vec::new() }
    }

    fn one_of_several(path: &'static str, of: Option<String>) -> Self {
        Self { path, is_one_of_several: true, of, figures: Vec::new() }
    }

    fn push(&mut self, key: &str, value: impl ToString, unit: &'static str) {
        self.figures.push((key.to_owned(), value.to_string(), unit));
    }

    fn word(&mut self, key: &str, word: &str) {
        self.push(key, format!("\"{word}\""), "");
    }

    fn time(&mut self, key: &str, time: SimTime) {
        self.push(key, without_noise(time.as_nanos() / 1e3), "us");
    }

    /// A time a byte as a rate; nothing where nothing limits it.
    fn rate(&mut self, key: &str, per_byte: SimTime) {
        if !per_byte.is_zero() {
            self.push(key, without_noise(1e9 / per_byte.as_nanos()), "bytes/s");
        }
    }
}

/// The number of six places, or without any where it is large, that this one is but for rounding, if there is one.
fn without_noise(number: f64) -> f64 {
    let places = if number < 1e6 { 1e6 } else { 1.0 };
    let short = (number * places).round() / places;
    if (number - short).abs() <= 1e-12 * number { short } else { number }
}

/// All figures of a machine, in the order of a machine file.
#[must_use]
pub fn figures(machine: &Machine) -> Vec<Figure> {
    let of_section = |section: Section| {
        let Section { path, of, figures, .. } = section;
        figures.into_iter().map(move |(key, value, unit)| Figure {
            path: format!("{path}.{key}"),
            of: of.clone(),
            value,
            unit,
        })
    };
    sections(machine).into_iter().flat_map(of_section).collect()
}

impl MachineFile {
    /// The file as text, which can be read again.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut text = format!("name = {:?}\ntitle = {:?}\n", self.machine.name, self.title);
        for Section { path, is_one_of_several, figures, .. } in sections(&self.machine) {
            let _ = match is_one_of_several {
                true => writeln!(text, "\n[[{path}]]"),
                false => writeln!(text, "\n[{path}]"),
            };
            for (key, value, unit) in figures {
                let unit = if unit.is_empty() { String::new() } else { format!("  # {unit}") };
                let _ = writeln!(text, "{key} = {value}{unit}");
            }
        }
        for source in &self.sources {
            let (of, from, date) = (&source.of, &source.from, &source.date);
            let _ = writeln!(text, "\n[[source]]\nof = {of:?}\nfrom = {from:?}\ndate = {date:?}");
        }
        text
    }
}

fn sections(machine: &Machine) -> Vec<Section> {
    let mut all = vec![processors(machine)];
    let ratios = &machine.processors.region_ratios;
    if !ratios.is_empty() {
        let mut section = Section::new("processors.region_ratios");
        ratios.iter().for_each(|(region, ratio)| section.push(&format!("{region:?}"), ratio, ""));
        all.push(section);
    }
    all.extend(messages("network", "network.range", &machine.network.between));
    if let Some(inside) = &machine.network.inside {
        all.extend(messages("network.inside", "network.inside.range", inside));
    }
    all.extend(interconnect(&machine.interconnect));
    let mut access = Section::new("remote_access");
    access.push("request", machine.remote_access.request.0, "bytes");
    access.push("header", machine.remote_access.header.0, "bytes");
    access.time("service", machine.remote_access.service);
    all.push(access);
    all.extend(collectives(machine));
    all.push(barrier(&machine.barrier));
    if !machine.noise.period.is_zero() {
        let mut noise = Section::new("noise");
        noise.time("period", machine.noise.period);
        noise.time("length", machine.noise.length);
        noise.push("seed", machine.noise.seed, "");
        all.push(noise);
    }
    all
}

fn processors(machine: &Machine) -> Section {
    let processors = &machine.processors;
    let mut section = Section::new("processors");
    section.push("cpu_ratio", processors.cpu_ratio, "");
    if let Some(count) = processors.count {
        section.push("count", count, "");
    }
    section.push("per_node", processors.per_node, "");
    match processors.service {
        ServicePolicy::NoInterrupt => section.word("service", "no-interrupt"),
        ServicePolicy::Interrupt => section.word("service", "interrupt"),
        ServicePolicy::Poll { chunk, cost } => {
            section.word("service", "poll");
            section.time("poll_chunk", chunk);
            section.time("poll_cost", cost);
        }
    }
    section
}

fn messages(path: &'static str, range_path: &'static str, figures: &LogGops) -> Vec<Section> {
    let mut all = Vec::new();
    let mut first = Section::new(path);
    if let Some(eager) = figures.eager {
        first.push("eager", eager.0, "bytes");
    }
    all.push(first);
    for range in &figures.ranges {
        let of = range.up_to.map(|up_to| format!("up to {} bytes", up_to.0));
        let mut section = Section::one_of_several(range_path, of);
        size_range(&mut section, range);
        all.push(section);
    }
    all
}

fn size_range(section: &mut Section, range: &SizeRange) {
    if let Some(up_to) = range.up_to {
        section.push("up_to", up_to.0, "bytes");
    }
    section.time("latency", range.latency);
    section.time("send_overhead", range.send_overhead);
    section.time("receive_overhead", range.receive_overhead);
    section.time("gap", range.gap);
    section.rate("bandwidth", range.gap_per_byte);
    section.rate("copy_rate", range.overhead_per_byte);
}

fn interconnect(interconnect: &Interconnect) -> Option<Section> {
    let mut section = Section::new("interconnect");
    match interconnect {
        Interconnect::Crossbar => return None,
        Interconnect::Buses { count, .. } => {
            section.word("kind", "buses");
            section.push("count", count, "");
        }
        Interconnect::FatTree { arity, up_links, per_hop, .. } => {
            section.word("kind", "fat-tree");
            section.push("arity", arity, "");
            section.push("up_links", up_links, "");
            section.time("hop", *per_hop);
        }
        Interconnect::Torus { sides, per_hop, .. } => {
            section.word("kind", "torus");
            section.push("sides", format!("{sides:?}"), "");
            section.time("hop", *per_hop);
        }
    }
    section.rate("bandwidth", interconnect.per_byte());
    Some(section)
}

fn collectives(machine: &Machine) -> Vec<Section> {
    let mut first = Section::new("collectives");
    first.rate("combine_rate", machine.collectives.combine_per_byte);
    let mut all = if first.figures.is_empty() { Vec::new() } else { vec![first] };
    for (kind, choices) in &machine.collectives.choices {
        for choice in choices {
            let mut section =
                Section::one_of_several("collectives.choice", Some(kind.name().to_owned()));
            section.word("call", kind.name());
            if let Some(up_to) = choice.up_to {
                section.push("up_to", up_to.0, "bytes");
            }
            section.word("algorithm", choice.algorithm.name());
            all.push(section);
        }
    }
    all
}

fn barrier(barrier: &Barrier) -> Section {
    let mut section = Section::new("barrier");
    match barrier {
        Barrier::Hardware { time } => {
            section.word("kind", "hardware");
            section.time("time", *time);
        }
        Barrier::Tree => section.word("kind", "tree"),
        Barrier::Dissemination => section.word("kind", "dissemination"),
        Barrier::Linear(linear) => {
            section.word("kind", "linear");
            section.time("entry", linear.entry);
            section.time("exit", linear.exit);
            section.time("check", linear.check);
            section.time("exit_check", linear.exit_check);
            section.time("model", linear.model);
            section.push("by_messages", linear.messages == MessageUse::Messages, "");
            section.push("message_size", linear.size.0, "bytes");
        }
    }
    section
}
