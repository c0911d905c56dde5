//! Which groups of the program's regions are measured: `io=off`, or `*=off,solver=on`, of which the last one that fits a group counts.

/// Bytes that may be said of groups; the command refuses more.
const LONGEST: usize = 512;

/// What was chosen; all groups where nothing was.
#[derive(Debug)]
pub(crate) struct GroupChoices {
    text: [u8; LONGEST],
    length: usize,
}

impl GroupChoices {
    /// Nothing.
    pub(crate) const NONE: Self = Self { text: [0; LONGEST], length: 0 };

    /// Keeps what is said; nothing of what is too long.
    pub(crate) fn take(&mut self, text: &[u8]) {
        if let Some(place) = self.text.get_mut(..text.len()) {
            place.copy_from_slice(text);
            self.length = text.len();
        }
    }

    /// Whether a group is measured; a region without one has the empty name, which `*` stands for, too.
    pub(crate) fn are_on(&self, group: &[u8]) -> bool {
        let text = self.text.get(..self.length).unwrap_or(&[]);
        let about = |choice: &[u8]| {
            let end = choice.iter().rposition(|byte| *byte == b'=')?;
            let (name, word) = (choice.get(..end)?, choice.get(end..)?);
            let is_on = match word {
                b"=on" => true,
                b"=off" => false,
                _ => return None,
            };
            (name == b"*" || name == group).then_some(is_on)
        };
        text.split(|byte| *byte == b',').rev().find_map(about).unwrap_or(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> [bool; 3] {
        let mut choices = GroupChoices::NONE;
        choices.take(text.as_bytes());
        [&b"io"[..], b"work", b""].map(|group| choices.are_on(group))
    }

    #[test]
    fn the_last_choice_about_a_group_counts() {
        assert_eq!(told(""), [true; 3]);
        assert_eq!(told("io=off"), [false, true, true]);
        assert_eq!(told("*=off,work=on"), [false, true, false]);
        assert_eq!(told("work=on,*=off"), [false; 3]);
        assert_eq!(told("io,=,nonsense"), [true; 3]);
    }

    #[test]
    fn what_is_too_long_chooses_nothing() {
        let long = "io=off,".repeat(LONGEST);
        assert_eq!(told(&long), [true; 3]);
    }
}
