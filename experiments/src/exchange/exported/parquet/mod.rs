//! A table as a file of Apache Parquet.
//!
//! ```text
//!   PAR1 | pages of values, one for each column and group of rows | description | its length | PAR1
//!   page    its head | packed by gzip: which values are known, and the values that are
//! ```
//! After `parquet-format`: values are plain, and which are known is told as runs. The crates that write Parquet take longer to build than all of
//! the exchange with other tools, and this is all that a run needs of it.

mod compact;

use std::io::Write as _;
use std::ops::Range;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::table::{Column, ColumnValues, Table};
use crate::varint;
use compact::CompactStruct;

const MAGIC: &[u8] = b"PAR1";
/// So many rows are a group.
const GROUP: usize = 1 << 17;
/// Codes of the format: pages of data, values as they are, runs, packed by gzip, texts, and what need not be known.
const DATA_PAGE: i32 = 0;
const PLAIN: i32 = 0;
const RUNS: i32 = 3;
const GZIP: i32 = 2;
const UTF8: i32 = 0;
const OPTIONAL: i32 = 1;

/// The bytes of the file.
pub(super) fn file(table: &Table) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let groups: Vec<CompactStruct> =
        table.groups(GROUP).map(|rows| group(&mut bytes, table, rows)).collect();
    let columns = i32::try_from(table.columns.len()).unwrap_or(i32::MAX);
    let root = CompactStruct::default().text(4, "schema").int(5, columns);
    let schema: Vec<CompactStruct> =
        [root].into_iter().chain(table.columns.iter().map(schema)).collect();
    let about = table
        .about
        .iter()
        .map(|(name, value)| CompactStruct::default().text(1, name).text(2, value));
    let description = CompactStruct::default()
        .int(1, 1)
        .structures(2, schema)
        .long(3, table.rows() as i64)
        .structures(4, groups)
        .structures(5, about.collect())
        .text(6, concat!("whyperf version ", env!("CARGO_PKG_VERSION")))
        .written();
    bytes.extend_from_slice(&description);
    bytes.extend((description.len() as u32).to_le_bytes());
    bytes.extend_from_slice(MAGIC);
    bytes
}

const fn kind(values: &ColumnValues) -> i32 {
    match values {
        ColumnValues::Whole(_) => 2,
        ColumnValues::Real(_) => 5,
        ColumnValues::Text(_) => 6,
    }
}

fn schema(column: &Column) -> CompactStruct {
    let element =
        CompactStruct::default().int(1, kind(&column.values)).int(3, OPTIONAL).text(4, column.name);
    match column.values {
        // Both the older and the newer way to say that bytes are a text.
        ColumnValues::Text(_) => element
            .int(6, UTF8)
            .structure(10, CompactStruct::default().structure(1, CompactStruct::default())),
        _ => element,
    }
}

/// Writes the pages of a group of rows, and answers its description.
fn group(bytes: &mut Vec<u8>, table: &Table, rows: Range<usize>) -> CompactStruct {
    let (mut chunks, mut all) = (Vec::new(), 0);
    for column in &table.columns {
        let at = bytes.len() as i64;
        let page = page(&column.values, rows.clone());
        let packed = packed(&page);
        let head = CompactStruct::default()
            .int(1, DATA_PAGE)
            .int(2, length(&page))
            .int(3, length(&packed))
            .structure(
                5,
                CompactStruct::default()
                    .int(1, rows.len() as i32)
                    .int(2, PLAIN)
                    .int(3, RUNS)
                    .int(4, RUNS),
            )
            .written();
        let sizes = [page.len(), packed.len()].map(|size| (head.len() + size) as i64);
        bytes.extend(head);
        bytes.extend(packed);
        let about = CompactStruct::default()
            .int(1, kind(&column.values))
            .ints(2, &[PLAIN, RUNS])
            .texts(3, &[column.name])
            .int(4, GZIP)
            .long(5, rows.len() as i64)
            .long(6, sizes[0])
            .long(7, sizes[1])
            .long(9, at);
        all += sizes[0];
        chunks.push(CompactStruct::default().long(2, at).structure(3, about));
    }
    CompactStruct::default().structures(1, chunks).long(2, all).long(3, rows.len() as i64)
}

/// Pages are of so few rows that their lengths fit.
fn length(bytes: &[u8]) -> i32 {
    i32::try_from(bytes.len()).unwrap_or(i32::MAX)
}

fn packed(page: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(page).and_then(|()| packer.finish()).expect("a list of bytes takes all")
}

/// The runs of known and unknown values, and those that are known.
fn page(values: &ColumnValues, rows: Range<usize>) -> Vec<u8> {
    let mut runs = Vec::new();
    for run in values.known(rows.clone()).chunk_by(|one, other| one == other) {
        varint::push(&mut runs, (run.len() as u64) << 1);
        runs.push(u8::from(run[0]));
    }
    let mut page = (runs.len() as u32).to_le_bytes().to_vec();
    page.extend(runs);
    match values {
        ColumnValues::Whole(values) => {
            page.extend(values[rows].iter().flatten().flat_map(|value| value.to_le_bytes()));
        }
        ColumnValues::Real(values) => {
            page.extend(values[rows].iter().flatten().flat_map(|value| value.to_le_bytes()));
        }
        ColumnValues::Text(values) => {
            for text in values[rows].iter().flatten() {
                page.extend((text.len() as u32).to_le_bytes());
                page.extend_from_slice(text.as_bytes());
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_what_is_known_by_runs_and_has_the_rest() {
        let values = ColumnValues::Whole(vec![Some(7), None, None, Some(-1)]);
        let mut expected = vec![6, 0, 0, 0, 2, 1, 4, 0, 2, 1];
        expected.extend([7i64, -1].iter().flat_map(|value| value.to_le_bytes()));
        assert_eq!(page(&values, 0..4), expected);
        let texts = ColumnValues::Text(vec![Some("a".into()), Some("é".into())]);
        assert_eq!(page(&texts, 1..2), [2, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0xc3, 0xa9]);
    }

    #[test]
    fn a_file_ends_with_its_description_and_the_length_of_that() {
        let values = ColumnValues::Real(vec![Some(0.5)]);
        let columns = vec![Column { name: "share", values }];
        let bytes = file(&Table { name: "one", columns, about: Vec::new() });
        let (rest, end) = bytes.split_last_chunk::<8>().expect("longer");
        let length = u32::from_le_bytes(end[..4].try_into().expect("four")) as usize;
        let description = &rest[rest.len() - length..];
        assert_eq!((&bytes[..4], &end[4..], description.first()), (MAGIC, MAGIC, Some(&0x15)));
        assert!(description.windows(5).any(|word| word == b"share"));
    }
}
