//! Reads directives of whyperf that forbid all questions about code: `prune * /Code/list.c/swap`, with `*` for any text and `?` for any letter.

use whyperf_model::{FilterEffect, FilterTarget, Hierarchy, NamePattern, Resource};

use super::filter_error::{FilterProblem, shown};
use super::read_filter::{FilterPlace, ReadFilter};

/// What such a file begins with.
const FIRST: [&str; 3] = ["whyperf", "directives", "1"];

/// Reads all directives.
pub(super) fn read(text: &str, into: &mut ReadFilter) {
    let mut is_first = true;
    for (number, line) in (1..).zip(text.lines()) {
        let words = words(line);
        let Some((begin, _)) = words.first() else { continue };
        let place = |byte| FilterPlace::of(number, line, byte);
        let alone: Vec<&str> = words.iter().map(|(_, word)| *word).collect();
        if std::mem::take(&mut is_first) {
            if alone != FIRST {
                into.complain(place(*begin), FilterProblem::FirstLine);
                return;
            }
            continue;
        }
        let ["prune", "*", code] = alone[..] else {
            into.complain(place(*begin), FilterProblem::Directive);
            continue;
        };
        match target(code) {
            Some(target) => into.add(target, FilterEffect::LeaveOut, place(words[2].0)),
            None => into.complain(place(words[2].0), FilterProblem::Place(shown(code))),
        }
    }
}

/// The words of a line up to its comment, which begins where a word could, with where they begin.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    for word in line.split_whitespace() {
        // Words are pieces of the line.
        let at = word.as_ptr().addr() - line.as_ptr().addr();
        if word.starts_with('#') {
            break;
        }
        words.push((at, word));
    }
    words
}

fn target(code: &str) -> Option<FilterTarget> {
    let code: Resource = code.parse().ok()?;
    let is_code = code.hierarchy() == Hierarchy::Code;
    let (module, function) = match code.depth() {
        1 => (pattern(&code), NamePattern::any()),
        2 => (pattern(&code.parent()?), pattern(&code)),
        _ => return None,
    };
    is_code.then_some(FilterTarget::Place { module, function })
}

/// C++ has operators that are spelled with a star: those are no patterns.
fn pattern(code: &Resource) -> NamePattern {
    let name = code.label();
    let is_operator = ["operator*", "operator->*"].iter().any(|one| name.contains(one));
    if is_operator { NamePattern::exact(&name) } else { NamePattern::with_signs(&name, '*', '?') }
}
