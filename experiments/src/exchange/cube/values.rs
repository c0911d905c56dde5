//! The values of a metric: a row for each callpath that its index names, a column for each thread.

use std::io::Read as _;

use flate2::read::ZlibDecoder;

use super::Rows;
use super::archive::Archive;
use super::description::{CubeMetric, Description, MetricKind, ValueType};

const INDEX: &[u8] = b"CUBEX.INDEX";
const DATA: &[u8] = b"CUBEX.DATA";
const PACKED: &[u8] = b"ZCUBEX.DATA";

/// Words in the order of the machine that wrote them.
#[derive(Clone, Copy)]
enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    fn word(self, bytes: &[u8]) -> Option<u64> {
        let mut word = [0; 8];
        match self {
            Self::Little => word.get_mut(..bytes.len())?.copy_from_slice(bytes),
            Self::Big => {
                bytes.iter().rev().zip(&mut word).for_each(|(byte, place)| *place = *byte);
            }
        }
        Some(u64::from_le_bytes(word))
    }
}

/// The rows by callpath, in the order of the tree; `None` where the metric has no values.
pub(super) fn rows(
    archive: &Archive,
    metric: &CubeMetric,
    description: &Description,
) -> Result<Option<Rows>, &'static str> {
    let files = [".index", ".data"].map(|ending| archive.file(&format!("{}{ending}", metric.id)));
    let [Some(index), Some(data)] = files else { return Ok(None) };
    let (order, numbers) = numbers(&index).ok_or("an index of Cube that was cut")?;
    let width = match metric.value {
        ValueType::Double => 8,
        ValueType::Signed(width) | ValueType::Unsigned(width) => width,
    };
    let columns = description.locations.len();
    if columns == 0 {
        return Err("no ranks and threads");
    }
    let length = numbers.len().saturating_mul(columns * width);
    let data = unpacked(data, order, length).ok_or("values of Cube that were cut")?;
    let places = match metric.kind {
        MetricKind::Exclusive => (0..description.callpaths.len()).collect(),
        MetricKind::Inclusive => description.children_first(),
    };
    if data.len() != length {
        return Err("values that are not as many as callpaths and threads");
    }
    let mut rows: Rows = vec![None; description.callpaths.len()];
    for (number, row) in numbers.iter().zip(data.chunks(columns * width)) {
        let place = usize::try_from(*number).ok().and_then(|number| places.get(number));
        let place = *place.ok_or("values of a callpath that is not there")?;
        let values = row.chunks(width).map(|bytes| value(bytes, metric.value, order));
        rows[place] = Some(values.collect::<Option<_>>().ok_or("values of Cube that were cut")?);
    }
    Ok(Some(rows))
}

/// After the name: the number one as the machine writes it, the version, and a list whose length comes first.
fn numbers(index: &[u8]) -> Option<(ByteOrder, Vec<u64>)> {
    let rest = index.strip_prefix(INDEX)?;
    let order = if *rest.first()? == 1 { ByteOrder::Little } else { ByteOrder::Big };
    let count = order.word(rest.get(7..11)?)?;
    let list = rest.get(11..)?;
    let words: Option<Vec<u64>> = list.chunks(4).map(|word| order.word(word)).collect();
    let words = words?;
    (words.len() as u64 == count).then_some((order, words))
}

/// The values as they are, or packed in pieces, each with where it lies and how long it is: of one that is longer than the values, no more than
/// a byte too many.
fn unpacked(data: Vec<u8>, order: ByteOrder, most: usize) -> Option<Vec<u8>> {
    let Some(rest) = data.strip_prefix(PACKED) else {
        return data.strip_prefix(DATA).map(<[u8]>::to_vec);
    };
    let pieces = usize::try_from(order.word(rest.get(..8)?)?).ok()?;
    let heads = rest.get(8..8usize.checked_add(pieces.checked_mul(24)?)?)?;
    let mut packed = &rest[8 + heads.len()..];
    let mut all = Vec::new();
    for head in heads.chunks(24) {
        let length = usize::try_from(order.word(&head[16..24])?).ok()?;
        let (piece, after) = packed.split_at_checked(length)?;
        packed = after;
        if length > 0 {
            let room = (most.saturating_sub(all.len()) as u64).saturating_add(1);
            ZlibDecoder::new(piece).take(room).read_to_end(&mut all).ok()?;
        }
    }
    Some(all)
}

fn value(bytes: &[u8], of: ValueType, order: ByteOrder) -> Option<f64> {
    let word = order.word(bytes)?;
    Some(match of {
        ValueType::Double => f64::from_bits(word),
        ValueType::Unsigned(_) => word as f64,
        ValueType::Signed(4) => f64::from((word as u32).cast_signed()),
        ValueType::Signed(_) => word.cast_signed() as f64,
    })
}
