//! Splits Rust and C text into code and comments, line for line, without reading further into the grammar.
//!
//! Both views have the lines of the text. In the code view comments are spaces and what strings and character
//! literals say is replaced by quotes, so that braces and words found there are code. The comment view is the opposite.

use std::ops::RangeInclusive;

/// How literals and comments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Rust,
    C,
}

/// The two views of a text.
#[derive(Debug, Default)]
pub(crate) struct Views {
    pub(crate) code: String,
    pub(crate) comments: String,
}

pub(crate) fn views(text: &str, dialect: Dialect) -> Views {
    let mut lexer = Lexer { rest: text, dialect, views: Views::default() };
    while !lexer.rest.is_empty() {
        let step = lexer.step();
        lexer.take(step);
    }
    lexer.views
}

/// What the next bytes of the text are.
enum Step {
    Code(usize),
    Comment(usize),
    Literal(usize),
}

struct Lexer<'a> {
    rest: &'a str,
    dialect: Dialect,
    views: Views,
}

impl Lexer<'_> {
    fn step(&self) -> Step {
        let rest = self.rest;
        if rest.starts_with("//") {
            return Step::Comment(rest.find('\n').unwrap_or(rest.len()));
        }
        if rest.starts_with("/*") {
            return Step::Comment(block_comment(rest, self.dialect));
        }
        if rest.starts_with('"') {
            return Step::Literal(quoted(rest, '"'));
        }
        if rest.starts_with('\'') {
            return self.character();
        }
        let raw = raw_string(rest).filter(|_| self.dialect == Dialect::Rust && !self.inside_word());
        if let Some(length) = raw {
            return Step::Literal(length);
        }
        Step::Code(rest.chars().next().map_or(0, char::len_utf8))
    }

    /// A character literal, or the quote of a lifetime.
    fn character(&self) -> Step {
        if self.dialect == Dialect::C || self.rest.starts_with("'\\") {
            return Step::Literal(quoted(self.rest, '\''));
        }
        let mut letters = self.rest.char_indices().skip(1);
        let closing = letters.nth(1).filter(|&(_, letter)| letter == '\'');
        closing.map_or(Step::Code(1), |(at, _)| Step::Literal(at + 1))
    }

    fn inside_word(&self) -> bool {
        self.views.code.chars().next_back().is_some_and(is_word)
    }

    fn take(&mut self, step: Step) {
        let (Step::Code(length) | Step::Comment(length) | Step::Literal(length)) = step;
        let (taken, rest) = self.rest.split_at(length);
        for letter in taken.chars() {
            let (code, comment) = match step {
                _ if letter == '\n' => ('\n', '\n'),
                Step::Code(_) => (letter, ' '),
                Step::Comment(_) => (' ', letter),
                Step::Literal(_) => ('"', ' '),
            };
            self.views.code.push(code);
            self.views.comments.push(comment);
        }
        self.rest = rest;
    }
}

pub(crate) fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn block_comment(text: &str, dialect: Dialect) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") && (depth == 0 || dialect == Dialect::Rust) {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of a literal that starts and ends with `quote` and knows backslashes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if letter == '\\' {
            escaped = true;
        } else if letter == quote {
            return at + 1;
        }
    }
    text.len()
}

/// Length of `r"…"`, `r#"…"#`, `br"…"` or `cr"…"`; the other prefixes need no care.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix(['b', 'c']).unwrap_or(text).strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let body = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(text.len() - body.len() + length)
}

/// Words of a code view with the byte where each starts.
pub(crate) fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split(|letter| !is_word(letter))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - code.as_ptr() as usize, word))
}

/// Line, counted from one, of a byte.
pub(crate) fn line_of(text: &str, byte: usize) -> usize {
    1 + text[..byte].matches('\n').count()
}

/// Byte after the bracket that closes the first `{` at or after `from`.
pub(crate) fn block_end(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in code[from..].char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth <= 1 => return Some(from + at + 1),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Lines of the modules under a condition that names `test`.
pub(crate) fn test_modules(code: &str) -> Vec<RangeInclusive<usize>> {
    code.match_indices("#[cfg(")
        .filter(|&(at, _)| {
            words(code[at..].lines().next().unwrap_or("")).any(|(_, word)| word == "test")
        })
        .filter_map(|(at, _)| {
            let opening = at + code[at..].find(['{', ';'])?;
            let end = if code[opening..].starts_with('{') { block_end(code, at)? } else { opening };
            Some(line_of(code, at)..=line_of(code, end))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Dialect, block_end, test_modules, views, words};

    fn code(text: &str) -> String {
        views(text, Dialect::Rust).code
    }

    #[test]
    fn comments_leave_the_code_view() {
        let both = views("a // x {\n/* y /* z */ } */ b", Dialect::Rust);
        assert_eq!(both.code.split_whitespace().collect::<Vec<_>>(), ["a", "b"]);
        assert!(both.comments.contains("// x {") && both.comments.contains("z */ }"));
        assert_eq!(both.code.lines().count(), 2);
    }

    #[test]
    fn literals_hide_what_they_say() {
        for text in [
            r#"f("{ // \" {")"#,
            r##"f(r#"" { "#)"##,
            r"f('{')",
            r"f('\'')",
            r"f(b'\\')",
            "f(br\"\\{\")",
        ] {
            let seen = code(text);
            assert!(!seen.contains(['{', '\\', '/']), "{text} gave {seen}");
            assert!(seen.starts_with("f(") && seen.ends_with(')'), "{text} gave {seen}");
        }
    }

    #[test]
    fn lifetimes_and_raw_names_are_code() {
        assert_eq!(code("fn f<'a>(x: &'a str, r#in: u8)"), "fn f<'a>(x: &'a str, r#in: u8)");
        assert_eq!(code("for r in [1] {}"), "for r in [1] {}");
    }

    #[test]
    fn blocks_and_test_modules_are_found() {
        assert_eq!(block_end("a { b { } } c", 0), Some(11));
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n fn g() {}\n}\nfn h() {}\n";
        assert_eq!(test_modules(&code(text)), vec![2..=5]);
        assert_eq!(words("a.b_c(1)").map(|(_, word)| word).collect::<Vec<_>>(), ["a", "b_c", "1"]);
    }
}
