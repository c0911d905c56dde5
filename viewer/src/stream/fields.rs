//! The fields of a line, each with the column that it begins in, so that what is wrong can be named.

/// What stands between two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// A character. Fields that hold it are quoted, and a quote within is doubled, as CSV has it.
    Character(char),
    /// Any number of spaces.
    Spaces,
}

/// A field and its column, which counts from one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) text: String,
    pub(super) column: usize,
}

impl Separator {
    /// What separates the fields of this line, most likely.
    pub(super) fn of(line: &str) -> Self {
        // A line that is made for people has tabs beside spaces.
        let is_table = line.contains('\t') && line.split('\t').all(|one| one.trim() == one);
        let tab = is_table.then_some('\t');
        let found = tab.or_else(|| [',', ';'].into_iter().find(|one| line.contains(*one)));
        found.map_or(Self::Spaces, Self::Character)
    }

    /// As a declaration names it.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "space" => Some(Self::Spaces),
            "tab" => Some(Self::Character('\t')),
            _ => {
                let mut letters = name.chars();
                let only = letters.next().filter(|letter| !letter.is_alphanumeric());
                only.filter(|letter| *letter != '"' && letters.next().is_none())
                    .map(Self::Character)
            }
        }
    }

    /// The fields of a line.
    ///
    /// # Errors
    /// The column of a quote that nothing closes.
    pub(super) fn split(self, line: &str) -> Result<Vec<Field>, usize> {
        match self {
            Self::Spaces => Ok(words(line)),
            Self::Character(separator) => quoted_fields(line, separator),
        }
    }
}

fn words(line: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut is_within = false;
    for (at, letter) in line.chars().enumerate() {
        if letter.is_whitespace() {
            is_within = false;
            continue;
        }
        if !is_within {
            fields.push(Field { text: String::new(), column: at + 1 });
            is_within = true;
        }
        if let Some(field) = fields.last_mut() {
            field.text.push(letter);
        }
    }
    fields
}

fn quoted_fields(line: &str, separator: char) -> Result<Vec<Field>, usize> {
    let letters: Vec<char> = line.chars().collect();
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        while letters.get(at).is_some_and(|letter| *letter == ' ' && *letter != separator) {
            at += 1;
        }
        let column = at + 1;
        let mut text = String::new();
        if letters.get(at) == Some(&'"') {
            at = quoted(&letters, at + 1, &mut text).ok_or(column)?;
        }
        while let Some(letter) = letters.get(at).filter(|letter| **letter != separator) {
            text.push(*letter);
            at += 1;
        }
        fields.push(Field { text: text.trim_end().to_owned(), column });
        if at >= letters.len() {
            return Ok(fields);
        }
        at += 1;
    }
}

/// Reads to the quote that closes a field; answers with what follows it.
fn quoted(letters: &[char], mut at: usize, text: &mut String) -> Option<usize> {
    loop {
        match (letters.get(at)?, letters.get(at + 1)) {
            ('"', Some('"')) => {
                text.push('"');
                at += 2;
            }
            ('"', _) => return Some(at + 1),
            (letter, _) => {
                text.push(*letter);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Result<Vec<(String, usize)>, usize> {
        let fields = Separator::of(line).split(line)?;
        Ok(fields.into_iter().map(|field| (field.text, field.column)).collect())
    }

    #[test]
    fn fields_know_where_they_begin() {
        let told = |all: &[(&str, usize)]| {
            Ok(all.iter().map(|(text, column)| ((*text).to_owned(), *column)).collect())
        };
        assert_eq!(split(" r  b   swpd"), told(&[("r", 2), ("b", 5), ("swpd", 9)]));
        assert_eq!(split("a,b,,c "), told(&[("a", 1), ("b", 3), ("", 5), ("c", 6)]));
        assert_eq!(split("1;\"a;\"\"b\"\"\";2"), told(&[("1", 1), ("a;\"b\"", 3), ("2", 13)]));
        assert_eq!(split("a,\"b"), Err(3), "nothing closes the quote");
        assert_eq!(split(""), Ok(Vec::new()));
    }

    #[test]
    fn a_separator_is_one_character_or_has_a_name() {
        assert_eq!(Separator::named("space"), Some(Separator::Spaces));
        assert_eq!(Separator::named("|"), Some(Separator::Character('|')));
        for wrong in ["", "ab", "\"", "x"] {
            assert_eq!(Separator::named(wrong), None, "{wrong}");
        }
    }
}
