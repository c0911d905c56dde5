//! Machine files: the figures of a machine as TOML, each with its unit, its source and its date.
//!
//! ```toml
//! name = "cm5"
//! title = "Thinking Machines CM-5"
//!
//! [[network.range]]
//! latency = 6                    # a number alone is in the unit of its key: microseconds, bytes, bytes a second
//! bandwidth = "10 MB/s"
//!
//! [[source]]
//! of = ["network"]               # a figure, or a table with all its figures
//! from = "Culler and others, LogP, PPoPP 1993"
//! date = "1993-05"
//! ```

mod quantity;
mod tables;
mod written;

use std::fmt;

use whyperf_extrapolate::Machine;

pub use written::{Figure, figures};

/// A machine with the sources of its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineFile {
    /// The machine.
    pub machine: Machine,
    /// What it is, in a few words.
    pub title: String,
    /// Where its figures come from.
    pub sources: Vec<FigureSource>,
}

/// Where some figures come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureSource {
    /// The figures by their paths in the file, such as `network.range.latency`, or the beginnings of paths.
    pub of: Vec<String>,
    /// A paper, a file, a measurement, or that it is a guess.
    pub from: String,
    /// When they were measured or published.
    pub date: String,
}

/// A mistake in a machine file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineFileError {
    file: String,
    line: usize,
    column: usize,
    what: String,
}

impl fmt::Display for MachineFileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, what } = self;
        write!(out, "{file}:{line}:{column}: {what}")
    }
}

impl std::error::Error for MachineFileError {}

/// What the parser says, without the names of types.
fn in_plain_words(message: &str) -> String {
    let message = message.replace("a nonzero u32", "a whole number from 1 on");
    message
        .replace("expected f64", "expected a number")
        .replace("expected u32", "expected a whole number")
}

/// The machine files that are shipped, by name.
const SHIPPED: [(&str, &str); 5] = [
    ("alps", include_str!("shipped/alps.toml")),
    ("cm5", include_str!("shipped/cm5.toml")),
    ("ideal", include_str!("shipped/ideal.toml")),
    ("laptop", include_str!("shipped/laptop.toml")),
    ("tukey", include_str!("shipped/tukey.toml")),
];

impl MachineFile {
    /// The names of the machines that are shipped.
    pub fn shipped_names() -> impl Iterator<Item = &'static str> {
        SHIPPED.iter().map(|(name, _)| *name)
    }

    /// The text of the shipped machine of this name.
    #[must_use]
    pub fn shipped_text(name: &str) -> Option<&'static str> {
        SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// Reads a machine file; `file` is its name in messages.
    ///
    /// # Errors
    /// The first mistake, with its line.
    pub fn parse(file: &str, text: &str) -> Result<Self, MachineFileError> {
        toml::from_str::<tables::FileTable>(text).map(tables::FileTable::read).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.get(..start).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            let what = in_plain_words(error.message());
            MachineFileError { file: file.to_owned(), line, column, what }
        })
    }

    /// A number that changes with any figure or source, not with how they are written.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(self.to_toml().as_bytes())
    }

    /// The source of a figure: the one that names the most of its path.
    #[must_use]
    pub fn source(&self, figure: &str) -> Option<&FigureSource> {
        let named = |source: &&FigureSource| source.of.iter().any(|of| is_below(figure, of));
        let length = |source: &&FigureSource| {
            source.of.iter().filter(|of| is_below(figure, of)).map(String::len).max()
        };
        self.sources.iter().filter(named).max_by_key(length)
    }
}

/// Whether a figure is the one that is named, or in the table that is named.
fn is_below(figure: &str, named: &str) -> bool {
    figure.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use whyperf_extrapolate::{
        Barrier, Bytes, CommId, Event, Expected, Interconnect, Rank, Sent, ServicePolicy, SimTime,
        Tag, TraceHead, simulate,
    };

    use super::{MachineFile, figures};

    fn fault(text: &str) -> String {
        MachineFile::parse("m.toml", text).expect_err("it is wrong").to_string()
    }

    #[test]
    fn every_shipped_figure_has_a_source_with_a_date() {
        for name in MachineFile::shipped_names() {
            let text = MachineFile::shipped_text(name).expect("it is shipped");
            let file = MachineFile::parse(name, text).expect("it is right");
            assert_eq!(file.machine.name, name);
            for figure in figures(&file.machine) {
                let source = file.source(&figure.path);
                let is_dated = source.is_some_and(|source| source.date.starts_with(['1', '2']));
                assert!(is_dated, "{name}: {} has no source with a date", figure.path);
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for name in MachineFile::shipped_names() {
            let text = MachineFile::shipped_text(name).expect("it is shipped");
            let file = MachineFile::parse(name, text).expect("it is right");
            let again = MachineFile::parse("again", &file.to_toml()).expect("it is right");
            assert_eq!(again, file);
        }
    }

    #[test]
    fn numbers_are_in_the_unit_of_their_key_and_text_says_its_own() {
        let text = r#"
            name = "m"
            [processors]
            service = "poll"
            poll_chunk = "1 ms"
            poll_cost = 2
            [network]
            eager = "8 KiB"
            [[network.range]]
            latency = 6
            gap = "250 ns"
            bandwidth = "10 MB/s"
            [interconnect]
            kind = "torus"
            sides = [4, 4]
            bandwidth = 1e9
            [barrier]
            kind = "hardware"
            time = 5
        "#;
        let machine = MachineFile::parse("m.toml", text).expect("it is right").machine;
        let range = machine.network.between.ranges[0];
        assert_eq!((range.latency, range.gap), (SimTime::micros(6.0), SimTime::nanos(250.0)));
        assert_eq!(range.gap_per_byte, SimTime::nanos(100.0));
        assert_eq!(machine.network.between.eager, Some(Bytes(8192)));
        let (chunk, cost) = (SimTime::micros(1000.0), SimTime::micros(2.0));
        assert_eq!(machine.processors.service, ServicePolicy::Poll { chunk, cost });
        assert_eq!(machine.barrier, Barrier::Hardware { time: SimTime::micros(5.0) });
        let torus = |interconnect: &Interconnect| matches!(interconnect, Interconnect::Torus { per_byte, .. } if *per_byte == SimTime::nanos(1.0));
        assert!(torus(&machine.interconnect));
    }

    /// Half of PRTT(1,0,s) in microseconds, of the file that the figures come from.
    const TUKEY: [(u64, f64); 14] = [
        (16, 5.379851),
        (64, 5.541332),
        (256, 6.736438),
        (1024, 8.056778),
        (2048, 9.531600),
        (4096, 11.394876),
        (8192, 18.110315),
        (16_384, 24.438802),
        (65_536, 47.826231),
        (131_072, 80.514791),
        (262_144, 145.896399),
        (1_048_576, 538.042841),
        (2_097_152, 1_060.548056),
        (4_194_304, 2_105.935691),
    ];

    #[test]
    fn a_simulated_ping_pong_on_tukey_takes_as_long_as_netgauge_s() {
        let text = MachineFile::shipped_text("tukey").expect("it is shipped");
        let machine = MachineFile::parse("tukey", text).expect("it is right").machine;
        for (size, measured) in TUKEY {
            let (tag, comm, bytes) = (Tag(0), CommId::WORLD, Bytes(size));
            let send = Event::Send(Sent { to: Rank(1), tag, comm, bytes });
            let from = Some(Rank(0));
            let receive = Event::Recv(Expected { from, tag: Some(tag), comm });
            let streams = vec![vec![send].into_iter(), vec![receive].into_iter()];
            let outcome = simulate(&TraceHead::new(2), streams, &machine, &mut ());
            let error = (outcome.elapsed.as_nanos() / 1e3 / measured - 1.0).abs();
            assert!(error < 0.05, "{size} bytes: {} and {measured} us", outcome.elapsed);
        }
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        let range = |line: &str| fault(&format!("name = \"m\"\n[[network.range]]\n{line}\n"));
        assert_eq!(range("latency = -6"), "m.toml:3:11: a time is not negative: -6");
        assert_eq!(
            range("latency = \"6 MB/s\""),
            "m.toml:3:11: '6 MB/s' is no time: a number of microseconds, or one with ns, us, ms or s"
        );
        assert!(range("latency_ms = 6").contains("unknown field `latency_ms`"));
        assert!(
            range("bandwidth = 0").contains("a rate is above zero"),
            "{}",
            range("bandwidth = 0")
        );
        assert!(range("latency = nan").contains("no finite number"));
        assert!(fault("name = \"m\"\n[processors]\ncpu_ratio = 0\n").contains("above zero"));
        assert!(
            fault("name = \"m\"\n[barrier]\nkind = \"liner\"\n")
                .contains("unknown variant `liner`")
        );
        let wrong =
            "name = \"m\"\n[[collectives.choice]]\ncall = \"barrier\"\nalgorithm = \"ring\"\n";
        assert!(fault(wrong).contains("unknown variant `barrier`"), "{}", fault(wrong));
        let unfit = "name = \"m\"\n[[collectives.choice]]\ncall = \"broadcast\"\nalgorithm = \"pairwise\"\n";
        assert!(fault(unfit).contains("is no algorithm for"), "{}", fault(unfit));
        let order = "name = \"m\"\n[[network.range]]\n[[network.range]]\nup_to = 8\n";
        assert!(fault(order).contains("smallest first"), "{}", fault(order));
    }
}
