//! The profile of Google's `pprof`, as Go, gperftools and others write it: a protocol buffer, mostly compressed; after `profile.proto`.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use super::callpath_sums::{CallpathSums, ThreadPlace};
use super::error::ExchangeError;
use super::protobuf_fields::{Fields, numbers};
use super::unpacking::{UnpackingError, bounded, unpacked};
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// As much is read at most.
const MOST: u64 = 2 << 30;

/// What a profile is made of, as far as callpaths need it.
#[derive(Debug, Default)]
struct Tables {
    strings: Vec<String>,
    /// Type and unit, as strings.
    kinds: Vec<(u64, u64)>,
    samples: Vec<Sample>,
    /// The functions of a location, the innermost first.
    locations: BTreeMap<u64, Vec<u64>>,
    /// By function: its name and its file.
    functions: BTreeMap<u64, (u64, u64)>,
}

#[derive(Debug, Default)]
struct Sample {
    /// The innermost first.
    locations: Vec<u64>,
    values: Vec<u64>,
    /// Names and numbers.
    labels: Vec<(u64, u64)>,
}

/// Reads a file.
///
/// # Errors
/// When it cannot be read, is no profile, or was cut.
pub fn pprof_profile(path: &Path) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let bytes = bytes(path)?;
    let tables =
        Tables::of(&bytes).ok_or_else(|| refused("no profile of pprof, or one that was cut"))?;
    if tables.samples.is_empty() || tables.kinds.is_empty() {
        return Err(refused("no samples of pprof"));
    }
    tables.profile().ok_or_else(|| refused("a profile of pprof with a number of nothing"))
}

fn bytes(path: &Path) -> Result<Vec<u8>, ExchangeError> {
    let refused = |error: UnpackingError| match error {
        UnpackingError::Damaged(source) => ExchangeError::Read { path: path.to_owned(), source },
        UnpackingError::TooLarge => {
            ExchangeError::Nothing { path: path.to_owned(), what: error.told() }
        }
    };
    let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
    let bytes = bounded(File::open(path).map_err(failed)?, MOST).map_err(refused)?;
    let is_packed = bytes.starts_with(&[0x1f, 0x8b]);
    if is_packed { unpacked(&bytes).map_err(refused) } else { Ok(bytes) }
}

impl Tables {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut tables = Self::default();
        for field in Fields::of(bytes) {
            let field = field?;
            match field.number {
                1 => tables.kinds.push(field.pair(1, 2)?),
                2 => tables.samples.push(Sample::of(field.bytes()?)?),
                4 => {
                    let (mut id, mut lines) = (0, Vec::new());
                    for part in Fields::of(field.bytes()?) {
                        let part = part?;
                        match part.number {
                            1 => id = part.value()?,
                            4 => lines.push(part.pair(1, 2)?.0),
                            _ => {}
                        }
                    }
                    tables.locations.insert(id, lines);
                }
                5 => {
                    let (id, name) = field.pair(1, 2)?;
                    let (_, file) = field.pair(1, 4)?;
                    tables.functions.insert(id, (name, file));
                }
                6 => tables.strings.push(String::from_utf8_lossy(field.bytes()?).into_owned()),
                _ => {}
            }
        }
        Some(tables)
    }

    fn text(&self, at: u64) -> Option<&str> {
        self.strings.get(usize::try_from(at).ok()?).map(String::as_str)
    }

    fn profile(&self) -> Option<ForeignProfile> {
        let kinds: Option<Vec<(&str, &str)>> = self
            .kinds
            .iter()
            .map(|(kind, unit)| Some((self.text(*kind)?, self.text(*unit)?)))
            .collect();
        let kinds = kinds?;
        let time = kinds.iter().position(|(_, unit)| *unit == "nanoseconds");
        let calls = kinds.iter().position(|kind| *kind == ("calls", "count"));
        let kept: Vec<usize> = (0..kinds.len()).filter(|at| Some(*at) != calls).collect();
        let mut sums = CallpathSums::default();
        for sample in &self.samples {
            let path = self.callpath(sample)?;
            let place = self.place(sample);
            for (number, at) in kept.iter().enumerate() {
                let value = sample.values.get(*at).copied()?.cast_signed() as f64;
                let scale = if kinds[*at].1 == "nanoseconds" { 1e-3 } else { 1.0 };
                sums.add(place, &path, number, value * scale);
            }
            if let Some(calls) = calls.and_then(|at| sample.values.get(at)) {
                sums.called(place, &path, calls.cast_signed() as f64);
            }
        }
        let name = |at: &usize| if time == Some(*at) { "TIME" } else { kinds[*at].0 };
        let metrics: Vec<ForeignMetric> =
            kept.iter().map(|at| ForeignMetric { name: name(at).to_owned() }).collect();
        let mut notes = Vec::new();
        if calls.is_none() {
            notes.push("samples tell no calls".to_owned());
        }
        let threads = sums.threads(metrics.len());
        Some(ForeignProfile { metrics, threads, notes })
    }

    /// The names from the outside in. A location without functions has none: it is an address.
    fn callpath(&self, sample: &Sample) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for location in &sample.locations {
            let functions = self.locations.get(location)?;
            if functions.is_empty() {
                names.push(format!("[location {location}]"));
            }
            for function in functions {
                let (name, file) = self.functions.get(function)?;
                let (name, file) = (self.text(*name)?, self.text(*file)?);
                let is_known = !file.is_empty();
                names.push(if is_known { format!("{name} [{{{file}}}]") } else { name.to_owned() });
            }
        }
        names.reverse();
        Some(if names.is_empty() { vec!["[no stack]".into()] } else { names })
    }

    /// By the labels that whyperf writes; else all is one thread.
    fn place(&self, sample: &Sample) -> ThreadPlace {
        let label = |name: &str| {
            let found = sample.labels.iter().find(|(key, _)| self.text(*key) == Some(name));
            found.map_or(0, |(_, number)| u32::try_from(*number).unwrap_or(u32::MAX))
        };
        (label("process"), 0, label("thread"))
    }
}

impl Sample {
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut sample = Self::default();
        for field in Fields::of(bytes) {
            let field = field?;
            match field.number {
                1 => numbers(&field, &mut sample.locations)?,
                2 => numbers(&field, &mut sample.values)?,
                3 => sample.labels.push(field.pair(1, 3)?),
                _ => {}
            }
        }
        Some(sample)
    }
}
