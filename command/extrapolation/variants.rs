//! Traces as variants of a program: those of one name are the same variant on several numbers of ranks.

use std::path::PathBuf;

use anyhow::{Result, bail};
use whyperf_experiments::TraceFile;
use whyperf_extrapolate::ScalingModel;

use crate::extrapolation::trace_store::tell_missing;

/// A trace of a variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct VariantTrace {
    pub(crate) ranks: u32,
    pub(crate) path: PathBuf,
    /// It changes with anything in the trace.
    checksum: u32,
}

/// Where a run comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Basis<'v> {
    /// This trace is simulated.
    Trace(&'v VariantTrace),
    /// These, by number of ranks, are simulated, and it is guessed from their results.
    Guess { traces: &'v [VariantTrace], processors: u32 },
}

impl Basis<'_> {
    /// The traces that the run is made from, by their checksums.
    pub(crate) fn checksums(&self) -> Vec<u32> {
        match self {
            Self::Trace(one) => vec![one.checksum],
            Self::Guess { traces, .. } => traces.iter().map(|one| one.checksum).collect(),
        }
    }
}

/// A program, or one way of writing it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) name: String,
    /// By number of ranks, the fewest first.
    traces: Vec<VariantTrace>,
}

impl Variant {
    /// The variants of some traces, in the order in which they are named.
    pub(crate) fn of(paths: &[PathBuf]) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for path in paths {
            let trace = TraceFile::open(path)?;
            tell_missing(&trace);
            let name = match trace.about().name.as_str() {
                "" => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                name => name.to_owned(),
            };
            let (ranks, path, checksum) = (trace.head().ranks(), path.clone(), trace.checksum());
            let one = VariantTrace { ranks, path, checksum };
            match all.iter_mut().find(|variant| variant.name == name) {
                None => all.push(Self { name, traces: vec![one] }),
                Some(variant) => {
                    if variant.traces.iter().any(|known| known.ranks == ranks) {
                        bail!(
                            "{} is a second trace of '{name}' with {ranks} ranks; give them different names",
                            one.path.display()
                        );
                    }
                    variant.traces.push(one);
                }
            }
        }
        all.iter_mut().for_each(|variant| variant.traces.sort_unstable());
        Ok(all)
    }

    /// Where a run on so many processors comes from: the trace with as many ranks, or with the next more, which share processors; or
    /// what all traces together let guess.
    pub(crate) fn basis(&self, processors: Option<u32>) -> Result<Basis<'_>> {
        let Some(processors) = processors else {
            let most = self.traces.last().map(Basis::Trace);
            return most.ok_or_else(|| anyhow::anyhow!("'{}' has no trace", self.name));
        };
        match self.traces.iter().find(|one| one.ranks >= processors) {
            Some(one) => Ok(Basis::Trace(one)),
            None if self.traces.len() >= ScalingModel::LEAST => {
                Ok(Basis::Guess { traces: &self.traces, processors })
            }
            None => bail!(
                "'{}' has no trace with {processors} ranks: the largest has {}; trace it with more ranks, or take fewer processors, or give \
                 {} traces of it, from which more can be guessed",
                self.name,
                self.traces.last().map_or(0, |one| one.ranks),
                ScalingModel::LEAST
            ),
        }
    }
}
