//! A table as a file of Apache Arrow's interprocess form, which is also Feather's second version.
//!
//! ```text
//!   ARROW1 | schema | batches of rows | end | footer: the schema again, and where each batch is | its length | ARROW1
//!   batch    its description | for each column: a bit for each value that is known, and the values
//! ```
//! After Arrow's `Message.fbs`, `Schema.fbs` and `File.fbs`; buffers are not packed, so a reader maps them as they are.

mod flat_table;

use std::ops::Range;

use super::table::{Column, ColumnValues, Table};
use flat_table::{FlatField, FlatTable};

const MAGIC: &[u8] = b"ARROW1";
/// So many rows are a batch.
const BATCH: usize = 1 << 17;
/// The fifth version of the metadata.
const VERSION: FlatField = FlatField::Short(4);
/// Kinds of messages.
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
/// What a message begins with; alone with no length it is the end.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The bytes of the file.
pub(super) fn file(table: &Table) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([0; 2]);
    let schema = schema(table);
    message(&mut bytes, SCHEMA, schema.clone(), &[]);
    let mut blocks = Vec::new();
    for rows in table.groups(BATCH) {
        let (description, body) = batch(table, rows);
        let at = bytes.len() as i64;
        let length = message(&mut bytes, RECORD_BATCH, description, &body);
        blocks.extend([at, length, body.len() as i64]);
    }
    bytes.extend(CONTINUATION);
    bytes.extend([0; 4]);
    let footer = FlatTable::default()
        .with(0, VERSION)
        .with(1, FlatField::Table(schema))
        .with(3, FlatField::Words(3, blocks))
        .written();
    bytes.extend_from_slice(&footer);
    bytes.extend((footer.len() as i32).to_le_bytes());
    bytes.extend_from_slice(MAGIC);
    bytes
}

/// Writes a message, and answers the length of all but its body.
fn message(bytes: &mut Vec<u8>, kind: u8, head: FlatTable, body: &[u8]) -> i64 {
    let description = FlatTable::default()
        .with(0, VERSION)
        .with(1, FlatField::Byte(kind))
        .with(2, FlatField::Table(head))
        .with(3, FlatField::Long(body.len() as i64))
        .written();
    bytes.extend(CONTINUATION);
    bytes.extend((description.len() as i32).to_le_bytes());
    bytes.extend_from_slice(&description);
    bytes.extend_from_slice(body);
    8 + description.len() as i64
}

fn schema(table: &Table) -> FlatTable {
    let about = table.about.iter().map(|(name, value)| {
        FlatTable::default()
            .with(0, FlatField::Text((*name).to_owned()))
            .with(1, FlatField::Text(value.clone()))
    });
    FlatTable::default()
        .with(1, FlatField::Tables(table.columns.iter().map(column).collect()))
        .with(2, FlatField::Tables(about.collect()))
}

fn column(column: &Column) -> FlatTable {
    let (kind, about) = match column.values {
        ColumnValues::Whole(_) => {
            (2, FlatTable::default().with(0, FlatField::Int(64)).with(1, FlatField::Byte(1)))
        }
        ColumnValues::Real(_) => (3, FlatTable::default().with(0, FlatField::Short(2))),
        ColumnValues::Text(_) => (5, FlatTable::default()),
    };
    FlatTable::default()
        .with(0, FlatField::Text(column.name.to_owned()))
        .with(1, FlatField::Byte(1))
        .with(2, FlatField::Byte(kind))
        .with(3, FlatField::Table(about))
        .with(5, FlatField::Tables(Vec::new()))
}

/// A batch's description, and the buffers it speaks of.
fn batch(table: &Table, rows: Range<usize>) -> (FlatTable, Vec<u8>) {
    let (mut nodes, mut buffers) = (Vec::new(), Buffers::default());
    for column in &table.columns {
        let known = column.values.known(rows.clone());
        let unknown = known.iter().filter(|known| !**known).count();
        nodes.extend([rows.len() as i64, unknown as i64]);
        buffers.add(&if unknown == 0 { Vec::new() } else { bits(&known) });
        buffers.add_values(&column.values, rows.clone());
    }
    let description = FlatTable::default()
        .with(0, FlatField::Long(rows.len() as i64))
        .with(1, FlatField::Words(2, nodes))
        .with(2, FlatField::Words(2, buffers.places));
    (description, buffers.body)
}

/// The first value in the lowest bit.
fn bits(known: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        eight.iter().enumerate().fold(0, |byte, (at, known)| byte | u8::from(*known) << at)
    };
    known.chunks(8).map(byte).collect()
}

/// Buffers one after the other, and where each is.
#[derive(Default)]
struct Buffers {
    places: Vec<i64>,
    body: Vec<u8>,
}

impl Buffers {
    fn add(&mut self, bytes: &[u8]) {
        self.places.extend([self.body.len() as i64, bytes.len() as i64]);
        self.body.extend_from_slice(bytes);
        self.body.resize(self.body.len().next_multiple_of(8), 0);
    }

    /// What is not known has a place, too; of texts it is as long as nothing.
    fn add_values(&mut self, values: &ColumnValues, rows: Range<usize>) {
        match values {
            ColumnValues::Whole(values) => {
                let words = values[rows].iter().map(|value| value.unwrap_or_default());
                self.add(&words.flat_map(i64::to_le_bytes).collect::<Vec<_>>());
            }
            ColumnValues::Real(values) => {
                let words = values[rows].iter().map(|value| value.unwrap_or_default());
                self.add(&words.flat_map(f64::to_le_bytes).collect::<Vec<_>>());
            }
            ColumnValues::Text(values) => {
                let (mut ends, mut texts) = (0i32.to_le_bytes().to_vec(), Vec::new());
                for text in &values[rows] {
                    texts.extend_from_slice(text.as_deref().unwrap_or_default().as_bytes());
                    ends.extend((texts.len() as i32).to_le_bytes());
                }
                self.add(&ends);
                self.add(&texts);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_a_bit_for_each_value_and_ends_of_texts() {
        let texts = vec![Some("ab".into()), None, Some("c".into())];
        let columns = vec![Column { name: "name", values: ColumnValues::Text(texts) }];
        let table = Table { name: "one", columns, about: Vec::new() };
        let (_, body) = batch(&table, 0..3);
        let mut expected = vec![0b101, 0, 0, 0, 0, 0, 0, 0];
        expected.extend([0i32, 2, 2, 3].iter().flat_map(|end| end.to_le_bytes()));
        expected.extend(b"abc\0\0\0\0\0");
        assert_eq!(body, expected);
        let (_, body) = batch(&table, 2..3);
        assert_eq!(body[..8], [0, 0, 0, 0, 1, 0, 0, 0], "all are known, so there are no bits");
    }
}
