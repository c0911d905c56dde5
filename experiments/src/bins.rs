//! The stored form of a histogram: its width, the number of its bins, and the bins that hold data.

use serde::{Deserialize, Serialize};
use whyperf_model::{Bin, Histogram, Nanos};

#[derive(Serialize, Deserialize)]
struct StoredBins {
    width: u64,
    bins: u32,
    known: Vec<KnownBins>,
}

#[derive(Serialize, Deserialize)]
struct KnownBins {
    position: u32,
    bin: Bin,
}

/// The bytes of a histogram; a run that was measured for a tenth of its bins takes a tenth of the room.
pub(crate) fn bytes(histogram: &Histogram) -> Vec<u8> {
    let numbered = (0u32..).zip(histogram.bins());
    let known = numbered.filter(|(_, bin)| **bin != Bin::default());
    let stored = StoredBins {
        width: histogram.width().0,
        bins: u32::try_from(histogram.bins().len()).unwrap_or(u32::MAX),
        known: known.map(|(position, bin)| KnownBins { position, bin: *bin }).collect(),
    };
    postcard::to_stdvec(&stored).unwrap_or_default()
}

/// Most bins that a stored histogram is believed to have.
const MOST: u32 = 1 << 20;

/// The histogram of some bytes; `None` where they make no sense.
pub(crate) fn histogram(bytes: &[u8]) -> Option<Histogram> {
    let stored: StoredBins = postcard::from_bytes(bytes).ok()?;
    if stored.bins > MOST {
        return None;
    }
    let mut bins = vec![Bin::default(); stored.bins as usize];
    for KnownBins { position, bin } in stored.known {
        *bins.get_mut(position as usize)? = bin;
    }
    Histogram::from_bins(bins, Nanos(stored.width))
}

#[cfg(test)]
mod tests {
    use whyperf_model::{Interval, Time};

    use super::*;

    #[test]
    fn a_histogram_comes_back_as_it_was() {
        let mut histogram = Histogram::new(16, Nanos(10));
        for at in [0, 30, 210] {
            let interval = Interval { start: Time(Nanos(at)), end: Time(Nanos(at + 15)) };
            histogram.add(interval, 1_000_003);
        }
        assert_eq!(super::histogram(&bytes(&histogram)), Some(histogram));
    }

    #[test]
    fn bytes_that_make_no_sense_are_refused() {
        let whole = bytes(&Histogram::new(16, Nanos(10)));
        assert_eq!(histogram(&whole[..1]), None);
        assert_eq!(histogram(&[0xff; 40]), None);
        let width_zero = StoredBins { width: 0, bins: 16, known: Vec::new() };
        assert_eq!(histogram(&postcard::to_stdvec(&width_zero).expect("plain data")), None);
        let beyond = KnownBins { position: 99, bin: Bin::default() };
        let beyond = StoredBins { width: 1, bins: 16, known: vec![beyond] };
        assert_eq!(histogram(&postcard::to_stdvec(&beyond).expect("plain data")), None);
    }
}
