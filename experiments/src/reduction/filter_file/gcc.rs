//! Reads gcc's options: each part of a name, or of a file with its folders, that functions are left out by.

use whyperf_model::{FilterEffect, FilterTarget, NamePattern};

use super::filter_error::{FilterProblem, shown};
use super::read_filter::{FilterPlace, ReadFilter};

const ALONE: &str = "-finstrument-functions";
const FUNCTIONS: &str = "-finstrument-functions-exclude-function-list=";
const FILES: &str = "-finstrument-functions-exclude-file-list=";

/// Reads all options. What is of one list may have blanks, so an option ends where another one begins.
pub(super) fn read(text: &str, into: &mut ReadFilter) {
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let begins: Vec<usize> = options(line).collect();
        let first = begins.first().copied().unwrap_or(line.len());
        if !line[..first].trim().is_empty() {
            let begin = line.len() - line.trim_start().len();
            let word = line[begin..first].trim();
            let place = FilterPlace::of(number, line, begin);
            into.complain(place, FilterProblem::Option(shown(word)));
        }
        let ends = begins.iter().skip(1).copied().chain([line.len()]);
        for (begin, end) in begins.iter().zip(ends) {
            option(line[*begin..end].trim_end(), FilterPlace::of(number, line, *begin), into);
        }
    }
}

/// Where a dash follows a blank, or the beginning.
fn options(line: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    line.char_indices().filter_map(move |(at, letter)| {
        let is_begin = letter == '-' && before.is_whitespace();
        before = letter;
        is_begin.then_some(at)
    })
}

fn option(text: &str, at: FilterPlace, into: &mut ReadFilter) {
    let is_of_functions = text.starts_with(FUNCTIONS);
    let names = text.strip_prefix(FUNCTIONS).or_else(|| text.strip_prefix(FILES));
    let Some(names) = names else {
        if text != ALONE {
            into.complain(at, FilterProblem::Option(shown(text)));
        }
        return;
    };
    for name in split(names).iter().filter(|name| !name.is_empty()) {
        let pattern = NamePattern::containing(name);
        let target = match is_of_functions {
            true => FilterTarget::Function(pattern),
            false => FilterTarget::Path(pattern),
        };
        into.add(target, FilterEffect::LeaveOut, at);
    }
}

/// At commas, but for those behind a backslash.
fn split(names: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut letters = names.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_escaped = letter == '\\' && letters.peek() == Some(&',');
        let letter = if is_escaped { letters.next().unwrap_or(letter) } else { letter };
        if letter == ',' && !is_escaped {
            all.push(String::new());
        } else if let Some(last) = all.last_mut() {
            last.push(letter);
        }
    }
    all
}
