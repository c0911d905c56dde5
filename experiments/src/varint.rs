//! Writes numbers in as many bytes as they need, seven bits in each and the lowest first: LEB128, as protobuf, Thrift and our traces have it.

/// Adds a number.
pub(crate) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
