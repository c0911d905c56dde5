//! A file `.metric-db`: for each node of the call tree a value of each metric, of one thread.

use std::fs;
use std::path::Path;

use crate::exchange::error::ExchangeError;

/// The name that such a file begins with, and the length of its head.
const TAG: &[u8] = b"HPCPROF-metricdb__";
const HEAD: usize = 32;

/// The values of a thread.
#[derive(Debug)]
pub(super) struct ThreadValues {
    metrics: usize,
    /// By node and metric.
    values: Vec<f64>,
}

impl ThreadValues {
    /// Reads a file of a tree whose largest number is `most`.
    pub(super) fn read(path: &Path, most: usize) -> Result<Self, ExchangeError> {
        let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
        let bytes = fs::read(path).map_err(failed)?;
        let what = "no values of HPCToolkit, or some that were cut";
        let values = Self::parse(&bytes)
            .ok_or_else(|| ExchangeError::Nothing { path: path.to_owned(), what })?;
        if values.values.len() < most.saturating_mul(values.metrics) {
            let what = "values of fewer nodes than experiment.xml has";
            return Err(ExchangeError::Nothing { path: path.to_owned(), what });
        }
        Ok(values)
    }

    /// After the name: five signs of the version, `b` for the order of bytes, how many nodes and how many metrics.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let head = bytes.strip_prefix(TAG)?.get(..HEAD - TAG.len())?;
        if head[5] != b'b' {
            return None;
        }
        let word = |at: usize| {
            let word = u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?);
            usize::try_from(word).ok()
        };
        let (nodes, metrics) = (word(6)?, word(10)?);
        let length = nodes.checked_mul(metrics)?.checked_mul(8)?;
        let values = bytes[HEAD..].get(..length)?.chunks_exact(8);
        let number = |word: &[u8]| word.try_into().map_or(0.0, f64::from_be_bytes);
        Some(Self { metrics, values: values.map(number).collect() })
    }

    /// Of a node, the first being 1, and a metric; zero of what is not there or no number.
    pub(super) fn of(&self, node: usize, metric: u32) -> f64 {
        let metric = usize::try_from(metric).ok().filter(|metric| *metric < self.metrics);
        let at = metric.zip(node.checked_sub(1)).map(|(metric, node)| node * self.metrics + metric);
        let value = at.and_then(|at| self.values.get(at)).copied().unwrap_or_default();
        if value.is_finite() { value } else { 0.0 }
    }
}
