//! A pattern of names: letters, any text, any letter, or one of some letters.

/// A pattern of names, matched against the whole of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamePattern {
    parts: Vec<PatternPart>,
}

/// What stands at one place of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternPart {
    /// This letter.
    Letter(char),
    /// One letter, whichever.
    AnyLetter,
    /// Any text, also none.
    AnyText,
    /// A letter of one of these ranges, or of none of them.
    Of {
        /// From which letter to which.
        ranges: Vec<(char, char)>,
        /// Whether it is one that is in none of them.
        negated: bool,
    },
}

impl NamePattern {
    /// Of these parts, in their order.
    #[must_use]
    pub const fn of(parts: Vec<PatternPart>) -> Self {
        Self { parts }
    }

    /// This name alone.
    #[must_use]
    pub fn exact(name: &str) -> Self {
        Self { parts: name.chars().map(PatternPart::Letter).collect() }
    }

    /// Each name that has this text in it.
    #[must_use]
    pub fn containing(text: &str) -> Self {
        let inner = text.chars().map(PatternPart::Letter);
        let parts = [PatternPart::AnyText].into_iter().chain(inner).chain([PatternPart::AnyText]);
        Self { parts: parts.collect() }
    }

    /// With one sign for any text, another for any letter, and all others for themselves.
    #[must_use]
    pub fn with_signs(text: &str, any_text: char, any_letter: char) -> Self {
        let part = |letter: char| match letter {
            _ if letter == any_text => PatternPart::AnyText,
            _ if letter == any_letter => PatternPart::AnyLetter,
            _ => PatternPart::Letter(letter),
        };
        Self { parts: text.chars().map(part).collect() }
    }

    /// All names.
    #[must_use]
    pub fn any() -> Self {
        Self { parts: vec![PatternPart::AnyText] }
    }

    /// Other tools name functions with what they return and take, `int list::sort(int, char)`, and with where they are, `sort [{list.c} {20,1}]`.
    /// Here a function has its name alone: the pattern of that, where this one says more.
    #[must_use]
    pub fn name_alone(&self) -> Option<Self> {
        let parts = &self.parts;
        let is_parameters = |at: usize| self.has(at, "(") && !self.is_operator(at);
        let is_end = |at: &usize| is_parameters(*at) || self.has(*at, " [");
        // `sort #` is a name with any place.
        let before_place = parts.len().checked_sub(2);
        let before_place =
            before_place.filter(|at| self.has(*at, " ") && parts[at + 1] == PatternPart::AnyText);
        let end = (0..parts.len()).find(is_end).or(before_place)?;
        let (mut depth, mut begin) = (0_u32, 0);
        for (at, part) in parts[..end].iter().enumerate() {
            match part {
                PatternPart::Letter('<') => depth += 1,
                PatternPart::Letter('>') => depth = depth.saturating_sub(1),
                PatternPart::Letter(' ') if depth == 0 => begin = at + 1,
                _ => {}
            }
        }
        let is_of_type = |part: &&PatternPart| matches!(part, PatternPart::Letter('*' | '&'));
        let alone: Vec<PatternPart> =
            parts[begin..end].iter().skip_while(is_of_type).cloned().collect();
        (!alone.is_empty()).then_some(Self { parts: alone })
    }

    /// Whether a parenthesis at this place is a part of the name: that of `operator()`.
    fn is_operator(&self, at: usize) -> bool {
        const WORD: &str = "operator";
        at.checked_sub(WORD.len()).is_some_and(|begin| self.has(begin, WORD))
    }

    fn has(&self, at: usize, letters: &str) -> bool {
        let mut letters = (at..).zip(letters.chars());
        letters.all(|(at, letter)| self.parts.get(at) == Some(&PatternPart::Letter(letter)))
    }

    /// What it is made of.
    #[must_use]
    pub fn parts(&self) -> &[PatternPart] {
        &self.parts
    }

    /// Whether a name is as it says. Steps back to the last place of any text where the rest does not fit, so it takes no more than
    /// the length of the name times its own.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut at, mut of, mut last) = (0, 0, None);
        while of < name.len() {
            match self.parts.get(at) {
                Some(PatternPart::AnyText) => {
                    last = Some((at, of));
                    at += 1;
                }
                Some(part) if part.fits(name[of]) => (at, of) = (at + 1, of + 1),
                _ => {
                    let Some((any, from)) = last else { return false };
                    last = Some((any, from + 1));
                    (at, of) = (any + 1, from + 1);
                }
            }
        }
        self.parts[at..].iter().all(|part| *part == PatternPart::AnyText)
    }
}

impl PatternPart {
    fn fits(&self, letter: char) -> bool {
        match self {
            Self::Letter(own) => *own == letter,
            Self::AnyLetter | Self::AnyText => true,
            Self::Of { ranges, negated } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)) != *negated
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_name_is_as_the_pattern_says() {
        let matches =
            |pattern: &str, name| NamePattern::with_signs(pattern, '#', '?').matches(name);
        assert!(
            matches("sort", "sort") && !matches("sort", "sorted") && !matches("sort", "resort")
        );
        assert!(matches("sort#", "sort") && matches("#::sort", "list::sort"));
        assert!(matches("s?rt", "sort") && !matches("s?rt", "srt"));
        assert!(matches("a#b#c", "a-b-b-c") && !matches("a#b#c", "a-c-b"));
        assert!(matches("#", "") && !matches("?", ""));
    }

    #[test]
    fn any_text_takes_no_more_than_the_product_of_the_lengths() {
        let pattern = NamePattern::with_signs(&"*a".repeat(2_000), '*', '?');
        assert!(!pattern.matches(&"a".repeat(1_999)));
    }

    #[test]
    fn a_letter_may_be_one_of_some() {
        let of = |negated| {
            let ranges = vec![('a', 'c'), ('x', 'x')];
            let parts = vec![PatternPart::Letter('f'), PatternPart::Of { ranges, negated }];
            ["fa", "fc", "fx", "fd", "f"].map(|name| NamePattern::of(parts.clone()).matches(name))
        };
        assert_eq!(of(false), [true, true, true, false, false]);
        assert_eq!(of(true), [false, false, false, true, false]);
    }

    #[test]
    fn a_text_may_be_anywhere_in_a_name() {
        let inner = NamePattern::containing("s*rt");
        assert!(inner.matches("quicks*rt1") && !inner.matches("quicksort"));
        assert!(NamePattern::exact("a*").matches("a*") && !NamePattern::exact("a*").matches("ab"));
    }
}
