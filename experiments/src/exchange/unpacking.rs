//! What gzip packed, unpacked in bounded room.

use std::io::{self, Read};

use flate2::read::GzDecoder;

/// As much is unpacked at most.
const MOST: u64 = 2 << 30;
/// A profile is packed to a tenth of its size or so; what becomes larger than this many times its size was made to fill the memory.
const MOST_TIMES: u64 = 500;
/// As much is unpacked however small it was.
const SMALL: u64 = 64 << 20;

/// Why something is not unpacked.
#[derive(Debug)]
pub(super) enum UnpackingError {
    /// It is not what gzip writes, or was cut.
    Damaged(io::Error),
    /// It would be larger than anything that a tool packs.
    TooLarge,
}

impl UnpackingError {
    /// What a file is that cannot be unpacked.
    pub(super) const fn told(&self) -> &'static str {
        match self {
            Self::Damaged(_) => "something that cannot be unpacked",
            Self::TooLarge => {
                "something that unpacks to more than two gigabytes or 500 times its size, as no profile does"
            }
        }
    }
}

/// Unpacks bytes.
pub(super) fn unpacked(packed: &[u8]) -> Result<Vec<u8>, UnpackingError> {
    bounded(GzDecoder::new(packed), bound(packed.len() as u64))
}

fn bound(packed: u64) -> u64 {
    packed.saturating_mul(MOST_TIMES).clamp(SMALL, MOST)
}

/// All there is to read, if it is no more than so many bytes.
pub(super) fn bounded(reader: impl Read, most: u64) -> Result<Vec<u8>, UnpackingError> {
    let mut bytes = Vec::new();
    let length = reader.take(most + 1).read_to_end(&mut bytes).map_err(UnpackingError::Damaged)?;
    if length as u64 > most { Err(UnpackingError::TooLarge) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn what_is_larger_than_its_bound_is_refused() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&[0; 100_000]).expect("a list takes all");
        let packed = packer.finish().expect("a list takes all");
        assert!(packed.len() < 1000, "{}", packed.len());
        let of = |most| bounded(GzDecoder::new(&packed[..]), most).map(|bytes| bytes.len());
        assert!(matches!(of(100_000), Ok(100_000)));
        assert!(matches!(of(99_999), Err(UnpackingError::TooLarge)));
        let cut = bounded(GzDecoder::new(&packed[..50]), 100_000);
        assert!(matches!(cut, Err(UnpackingError::Damaged(_))));
        assert_eq!([0, 1 << 20, 1 << 40].map(bound), [SMALL, 500 << 20, MOST]);
    }
}
