//! The folding time histogram: a whole run in fixed memory, however long it gets.
//!
//! ```text
//!   width 50 ms   |a|b|c|d|e|f|g|h|     full: the next sample lies beyond the last bin
//!                  \ / \ / \ / \ /
//!   width 100 ms  |a+b|c+d|e+f|g+h|   |   |   |   |      fold: pairs merge, the width doubles
//! ```
//!
//! A bin holds an **amount**, the time of it that was **covered** by samples, and the lowest and highest **rate** of any sample that
//! touched it. Because covered time is stored, *not measured* is not zero, a bin covered by half reads the right rate, and
//! nothing is interpolated. Extremes are of rates, not of amounts: a sample cut at the edge of a bin keeps its rate.
//!
//! Invariants, each a property test in `tests/histogram.rs`:
//! * the sum of all bins is the sum of all that was added, whatever the order of adding and folding;
//! * folding after adding gives the same bins as adding at the double width;
//! * no bin is covered for longer than its width;
//! * memory never grows.
//!
//! A sample is spread over the bins it touches in proportion to time, in integers: the share before a point in time is
//! `amount × elapsed ÷ length`, rounded down, and a bin gets the difference of the shares at its edges. Shares at an edge
//! do not depend on the other edges, which is what makes folding and adding commute exactly.
//!
//! Source: Paradyn's histograms (1000 bins, doubling width), whose bins hold no covered time and therefore read low when
//! partly measured.

mod bin;
mod fold;
mod query;

pub use bin::{Bin, Extremes};
pub use query::HistogramReading;

use crate::time::Nanos;

/// Samples of one pair over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    bins: Vec<Bin>,
    width: Nanos,
}

impl Histogram {
    /// The number of bins, unless the caller chooses another.
    pub const DEFAULT_BINS: usize = 1000;
    /// The first width of a bin, unless the caller chooses another.
    pub const DEFAULT_WIDTH: Nanos = Nanos::from_millis(50);

    /// An empty histogram. An odd number of bins is made even, fewer than two become two, and a width of nothing one
    /// nanosecond: there is no wrong histogram.
    #[must_use]
    pub fn new(bins: usize, width: Nanos) -> Self {
        let bins = bins.max(2).next_multiple_of(2);
        Self { bins: vec![Bin::default(); bins], width: width.max(Nanos(1)) }
    }

    /// The histogram with these bins; `None` unless they are an even number, two at least, and of some width.
    #[must_use]
    pub fn from_bins(bins: Vec<Bin>, width: Nanos) -> Option<Self> {
        let is_one = bins.len() >= 2 && bins.len().is_multiple_of(2) && !width.is_zero();
        let fit = bins.iter().all(|bin| bin.covered <= width);
        (is_one && fit).then_some(Self { bins, width })
    }

    /// How wide a bin is now. Sampling more often than this is lost on the histogram.
    #[must_use]
    pub const fn width(&self) -> Nanos {
        self.width
    }

    /// The bins, from the beginning of the run.
    #[must_use]
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BINS, Self::DEFAULT_WIDTH)
    }
}
