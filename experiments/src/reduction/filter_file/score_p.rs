//! Reads Score-P's filter: rules of files and of regions, of which the last one that fits counts.

use whyperf_model::{FilterEffect, FilterTarget, NamePattern, PatternPart};

use super::filter_error::{FilterProblem, shown};
use super::read_filter::{FilterPlace, ReadFilter};

/// What a block is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Files,
    Regions,
}

/// Whether names are those that people read, or those of a linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Readable,
    Mangled,
}

impl Block {
    const fn begin(self) -> &'static str {
        match self {
            Self::Files => "SCOREP_FILE_NAMES_BEGIN",
            Self::Regions => "SCOREP_REGION_NAMES_BEGIN",
        }
    }
}

/// How far the reader is.
struct Reader<'r> {
    into: &'r mut ReadFilter,
    block: Option<(Block, FilterPlace)>,
    effect: Option<FilterEffect>,
    spelling: Spelling,
}

const BEGINNINGS: &str = "SCOREP_FILE_NAMES_BEGIN or SCOREP_REGION_NAMES_BEGIN";

/// Reads all blocks.
pub(super) fn read(text: &str, into: &mut ReadFilter) {
    let mut reader = Reader { into, block: None, effect: None, spelling: Spelling::Readable };
    for (number, line) in (1..).zip(text.lines()) {
        for (byte, word) in words(line) {
            reader.take(word, FilterPlace::of(number, line, byte));
        }
    }
    if let Some((block, begin)) = reader.block {
        reader.into.complain(begin, FilterProblem::NoEnd(block.begin().to_owned()));
    }
}

/// The words of a line up to its comment, with where they begin. A backslash takes the meaning from what is behind it.
fn words(line: &str) -> Vec<(usize, &str)> {
    let (mut words, mut begin, mut is_escaped) = (Vec::new(), None, false);
    let mut end = line.len();
    for (at, letter) in line.char_indices() {
        if !is_escaped && letter == '#' {
            end = at;
            break;
        }
        let is_blank = !is_escaped && letter.is_whitespace();
        is_escaped = !is_escaped && letter == '\\';
        match begin {
            Some(from) if is_blank => {
                words.push((from, &line[from..at]));
                begin = None;
            }
            None if !is_blank => begin = Some(at),
            _ => {}
        }
    }
    words.extend(begin.map(|from| (from, &line[from..end])));
    words
}

impl Reader<'_> {
    fn take(&mut self, word: &str, at: FilterPlace) {
        match word {
            "SCOREP_FILE_NAMES_BEGIN" => self.begin(Block::Files, at),
            "SCOREP_REGION_NAMES_BEGIN" => self.begin(Block::Regions, at),
            "SCOREP_FILE_NAMES_END" => self.end(Block::Files, word, at),
            "SCOREP_REGION_NAMES_END" => self.end(Block::Regions, word, at),
            "EXCLUDE" => self.begin_list(FilterEffect::LeaveOut, word, at),
            "INCLUDE" => self.begin_list(FilterEffect::Keep, word, at),
            "MANGLED" => {
                let is_of_regions = matches!(self.block, Some((Block::Regions, _)));
                match self.effect {
                    Some(_) if is_of_regions => self.spelling = Spelling::Mangled,
                    _ => self.into.complain(at, FilterProblem::Mangled),
                }
            }
            name => self.name(name, at),
        }
    }

    fn begin(&mut self, block: Block, at: FilterPlace) {
        if let Some((other, _)) = self.block {
            let (inner, outer) = (block.begin().to_owned(), other.begin().to_owned());
            self.into.complain(at, FilterProblem::Inside(inner, outer));
        }
        (self.block, self.effect) = (Some((block, at)), None);
    }

    fn end(&mut self, block: Block, word: &str, at: FilterPlace) {
        match self.block {
            Some((other, _)) if other == block => (self.block, self.effect) = (None, None),
            _ => self.into.complain(at, FilterProblem::NotBegun(word.to_owned())),
        }
    }

    fn begin_list(&mut self, effect: FilterEffect, word: &str, at: FilterPlace) {
        if self.block.is_none() {
            self.into.complain(at, FilterProblem::Outside(word.to_owned(), BEGINNINGS));
        }
        (self.effect, self.spelling) = (Some(effect), Spelling::Readable);
    }

    fn name(&mut self, word: &str, at: FilterPlace) {
        let Some((block, _)) = self.block else {
            return self.into.complain(at, FilterProblem::Outside(shown(word), BEGINNINGS));
        };
        let Some(effect) = self.effect else {
            return self.into.complain(at, FilterProblem::NoEffect(shown(word)));
        };
        let Some(pattern) = pattern(word) else {
            let column = at.column + word.chars().count() - 1;
            return self.into.complain(FilterPlace { column, ..at }, FilterProblem::Escape);
        };
        let target = match (block, self.spelling) {
            (Block::Regions, Spelling::Readable) => FilterTarget::Function(pattern),
            (Block::Regions, Spelling::Mangled) => FilterTarget::Symbol(pattern),
            (Block::Files, _) => file(pattern),
        };
        self.into.add(target, effect, at);
    }
}

/// What is in any folder needs no folder to be known.
fn file(pattern: NamePattern) -> FilterTarget {
    let slash = PatternPart::Letter('/');
    let name = match pattern.parts() {
        [PatternPart::AnyText, PatternPart::Letter('/'), name @ ..] if !name.contains(&slash) => {
            Some(NamePattern::of(name.to_vec()))
        }
        _ => None,
    };
    name.map_or(FilterTarget::Path(pattern), FilterTarget::File)
}

/// As a shell's: `*`, `?`, `[a-z]`, `[!a-z]`; a backslash takes the meaning from what is behind it. `None` where nothing is.
fn pattern(word: &str) -> Option<NamePattern> {
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        parts.push(match letter {
            '*' => PatternPart::AnyText,
            '?' => PatternPart::AnyLetter,
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = &rest[escaped.len_utf8()..];
                PatternPart::Letter(escaped)
            }
            '[' => match letters(rest) {
                Some((of, behind)) => {
                    rest = behind;
                    of
                }
                None => PatternPart::Letter('['),
            },
            _ => PatternPart::Letter(letter),
        });
    }
    Some(NamePattern::of(parts))
}

/// The letters between brackets, and what is behind them; `None` where no bracket closes.
fn letters(text: &str) -> Option<(PatternPart, &str)> {
    let inner = text.strip_prefix(['!', '^']);
    let negated = inner.is_some();
    let inner = inner.unwrap_or(text);
    // One that stands first is a letter.
    let first = inner.chars().next()?;
    let end = first.len_utf8() + inner[first.len_utf8()..].find(']')?;
    let all: Vec<char> = inner[..end].chars().collect();
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(from) = all.get(at) {
        let to = (all.get(at + 1) == Some(&'-')).then(|| all.get(at + 2)).flatten();
        ranges.push((*from, *to.unwrap_or(from)));
        at += if to.is_some() { 3 } else { 1 };
    }
    Some((PatternPart::Of { ranges, negated }, &inner[end + 1..]))
}
