//! Traces as variants of a program: those of one name are the same variant on several numbers of ranks.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use whyperf_experiments::TraceFile;
use whyperf_extrapolate::ScalingModel;

/// Where a run comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Basis<'v> {
    /// This trace is simulated.
    Trace(&'v Path),
    /// These, by number of ranks, are simulated, and it is guessed from their results.
    Guess { traces: &'v [(u32, PathBuf)], processors: u32 },
}

/// A program, or one way of writing it.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) name: String,
    /// By number of ranks, the fewest first.
    traces: Vec<(u32, PathBuf)>,
}

impl Variant {
    /// The variants of some traces, in the order in which they are named.
    pub(crate) fn of(paths: &[PathBuf]) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for path in paths {
            let trace = TraceFile::open(path)?;
            let name = match trace.about().name.as_str() {
                "" => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
                name => name.to_owned(),
            };
            let one = (trace.head().ranks(), path.clone());
            match all.iter_mut().find(|variant| variant.name == name) {
                None => all.push(Self { name, traces: vec![one] }),
                Some(variant) => {
                    if variant.traces.iter().any(|(ranks, _)| *ranks == one.0) {
                        bail!(
                            "{} is a second trace of '{name}' with {} ranks; give them different names",
                            path.display(),
                            one.0
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
            let most = self.traces.last().map(|(_, path)| Basis::Trace(path));
            return most.ok_or_else(|| anyhow::anyhow!("'{}' has no trace", self.name));
        };
        match self.traces.iter().find(|(ranks, _)| *ranks >= processors) {
            Some((_, path)) => Ok(Basis::Trace(path)),
            None if self.traces.len() >= ScalingModel::LEAST => {
                Ok(Basis::Guess { traces: &self.traces, processors })
            }
            None => bail!(
                "'{}' has no trace with {processors} ranks: the largest has {}; trace it with more ranks, or take fewer processors, or give \
                 {} traces of it, from which more can be guessed",
                self.name,
                self.traces.last().map_or(0, |(ranks, _)| *ranks),
                ScalingModel::LEAST
            ),
        }
    }
}
