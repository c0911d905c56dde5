//! FlatBuffers, as far as Arrow's descriptions need them: tables of numbers, texts, other tables and lists.
//!
//! A table begins with the way back to the list of where its fields are, which stands before it; whatever it refers to is written after it, as
//! references point forwards.

/// A table: its fields by number, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct FlatTable(Vec<(u16, FlatField)>);

/// What a field holds.
#[derive(Clone, Debug)]
pub(super) enum FlatField {
    /// A byte, a truth or which of several tables follows.
    Byte(u8),
    /// A number of 16 bits.
    Short(i16),
    /// A number of 32 bits.
    Int(i32),
    /// A number of 64 bits.
    Long(i64),
    /// A text.
    Text(String),
    /// A table.
    Table(FlatTable),
    /// A list of tables.
    Tables(Vec<FlatTable>),
    /// A list of structures, each of so many words of 64 bits.
    Words(usize, Vec<i64>),
}

impl FlatTable {
    /// The same with a field more.
    pub(super) fn with(mut self, number: u16, field: FlatField) -> Self {
        self.0.push((number, field));
        self
    }

    /// The bytes of a buffer that holds it.
    pub(super) fn written(&self) -> Vec<u8> {
        let mut buffer = FlatBuffer(vec![0; 4]);
        let table = buffer.table(self);
        buffer.refer(0, table);
        buffer.pad(8);
        buffer.0
    }
}

impl FlatField {
    /// In the table itself: as many bytes, which are also what its place is a multiple of.
    const fn size(&self) -> usize {
        match self {
            Self::Byte(_) => 1,
            Self::Short(_) => 2,
            Self::Long(_) => 8,
            _ => 4,
        }
    }
}

struct FlatBuffer(Vec<u8>);

impl FlatBuffer {
    fn pad(&mut self, to: usize) {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
    }

    /// Lets what stands at a place point to another behind it.
    fn refer(&mut self, at: usize, to: usize) {
        self.put(at, &((to - at) as u32).to_le_bytes());
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes a table, and all it refers to behind it; answers where it begins.
    fn table(&mut self, table: &FlatTable) -> usize {
        let slots = table.0.last().map_or(0, |(number, _)| usize::from(*number) + 1);
        let (mut places, mut length) = (vec![0u16; slots], 4usize);
        for (number, field) in &table.0 {
            length = length.next_multiple_of(field.size());
            places[usize::from(*number)] = length as u16;
            length += field.size();
        }
        self.pad(2);
        let list = self.0.len();
        let head = [4 + 2 * slots as u16, length as u16];
        self.0.extend(head.iter().chain(&places).flat_map(|place| place.to_le_bytes()));
        self.pad(8);
        let begin = self.0.len();
        self.0.resize(begin + length, 0);
        self.put(begin, &((begin - list) as i32).to_le_bytes());
        for (number, field) in &table.0 {
            self.field(begin + usize::from(places[usize::from(*number)]), field);
        }
        begin
    }

    fn field(&mut self, at: usize, field: &FlatField) {
        match field {
            FlatField::Byte(value) => self.put(at, &[*value]),
            FlatField::Short(value) => self.put(at, &value.to_le_bytes()),
            FlatField::Int(value) => self.put(at, &value.to_le_bytes()),
            FlatField::Long(value) => self.put(at, &value.to_le_bytes()),
            FlatField::Text(text) => {
                let to = self.length(text.len(), 4);
                self.refer(at, to);
                self.0.extend_from_slice(text.as_bytes());
                self.0.push(0);
            }
            FlatField::Table(table) => {
                let to = self.table(table);
                self.refer(at, to);
            }
            FlatField::Tables(tables) => {
                let to = self.length(tables.len(), 4);
                self.refer(at, to);
                self.0.resize(to + 4 + 4 * tables.len(), 0);
                for (number, table) in tables.iter().enumerate() {
                    let at = to + 4 + 4 * number;
                    let to = self.table(table);
                    self.refer(at, to);
                }
            }
            FlatField::Words(each, words) => {
                let to = self.length(words.len() / each, 8);
                self.refer(at, to);
                self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            }
        }
    }

    /// Writes the length of a list so that what follows stands at a multiple; answers where.
    fn length(&mut self, length: usize, align: usize) -> usize {
        self.pad(4);
        if !(self.0.len() + 4).is_multiple_of(align) {
            self.0.extend([0; 4]);
        }
        let at = self.0.len();
        self.0.extend((length as u32).to_le_bytes());
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a field of a table stands, as a reader finds it.
    fn place(bytes: &[u8], table: usize, number: usize) -> usize {
        let word = |at: usize| i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let list = table - word(table) as usize;
        let at = list + 4 + 2 * number;
        table + usize::from(u16::from_le_bytes(bytes[at..at + 2].try_into().expect("two")))
    }

    fn behind(bytes: &[u8], at: usize) -> usize {
        at + u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four")) as usize
    }

    #[test]
    fn a_reader_finds_each_field_at_a_multiple_of_its_size() {
        let inner = FlatTable::default().with(1, FlatField::Text("name".into()));
        let bytes = FlatTable::default()
            .with(0, FlatField::Short(4))
            .with(2, FlatField::Long(-7))
            .with(3, FlatField::Tables(vec![inner]))
            .with(4, FlatField::Words(2, vec![8, 9]))
            .written();
        let root = behind(&bytes, 0);
        let long = place(&bytes, root, 2);
        assert_eq!((long % 8, bytes[long] as i8), (0, -7));
        let tables = behind(&bytes, place(&bytes, root, 3));
        let inner = behind(&bytes, tables + 4);
        let text = behind(&bytes, place(&bytes, inner, 1));
        assert_eq!(&bytes[text + 4..text + 9], b"name\0");
        let words = behind(&bytes, place(&bytes, root, 4));
        assert_eq!((bytes[words], (words + 4) % 8, bytes[words + 12]), (1, 0, 9));
    }
}
