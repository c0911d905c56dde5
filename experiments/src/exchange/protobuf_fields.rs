//! The fields of a protocol buffer's message, one by one: numbers and bytes. Whatever the bytes are, each length is checked.

/// What is left of a message.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    rest: &'a [u8],
}

/// A field: its number, and what it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub(super) number: u64,
    content: Content<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    Value(u64),
    Bytes(&'a [u8]),
}

impl<'a> Fields<'a> {
    /// Those of a message.
    pub(super) const fn of(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn field(&mut self) -> Option<Field<'a>> {
        let key = self.varint()?;
        let content = match key & 7 {
            0 => Content::Value(self.varint()?),
            1 => Content::Value(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Content::Bytes(self.take(length)?)
            }
            5 => Content::Value(u64::from(u32::from_le_bytes(self.take(4)?.try_into().ok()?))),
            _ => return None,
        };
        Some(Field { number: key >> 3, content })
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for (at, byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f).checked_shl(7 * u32::try_from(at).ok()?)?;
            if byte & 0x80 == 0 {
                self.rest = &self.rest[at + 1..];
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }
}

impl<'a> Iterator for Fields<'a> {
    /// `None` where the bytes are no field: then it is over, too.
    type Item = Option<Field<'a>>;

    fn next(&mut self) -> Option<Option<Field<'a>>> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> Field<'a> {
    /// Its number; `None` of bytes.
    pub(super) const fn value(&self) -> Option<u64> {
        match self.content {
            Content::Value(value) => Some(value),
            Content::Bytes(_) => None,
        }
    }

    /// Its bytes; `None` of a number.
    pub(super) const fn bytes(&self) -> Option<&'a [u8]> {
        match self.content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Value(_) => None,
        }
    }

    /// Two numbers of the message that it is; zero is what is not written.
    pub(super) fn pair(&self, one: u64, other: u64) -> Option<(u64, u64)> {
        let mut found = (0, 0);
        for field in Fields::of(self.bytes()?) {
            let field = field?;
            if field.number == one {
                found.0 = field.value()?;
            } else if field.number == other {
                found.1 = field.value()?;
            }
        }
        Some(found)
    }
}

/// Adds the numbers of a field, packed or not.
pub(super) fn numbers(field: &Field<'_>, list: &mut Vec<u64>) -> Option<()> {
    match field.content {
        Content::Value(value) => list.push(value),
        Content::Bytes(bytes) => {
            let mut rest = Fields::of(bytes);
            while !rest.rest.is_empty() {
                list.push(rest.varint()?);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_cut_is_no_message() {
        let whole = [0x08, 0x96, 0x01, 0x12, 0x02, 0x01, 0x02];
        let told: Vec<_> =
            Fields::of(&whole).map(|field| field.map(|field| field.number)).collect();
        assert_eq!(told, [Some(1), Some(2)]);
        let field = Fields::of(&whole).next().flatten().expect("the first");
        assert_eq!(field.value(), Some(150));
        for length in [2, 4, 6] {
            assert!(Fields::of(&whole[..length]).any(|field| field.is_none()), "{length}");
        }
        assert!(Fields::of(&[0xff; 12]).any(|field| field.is_none()));
    }
}
