//! Reads TAU's selective instrumentation file: lists of routines and of files.
//!
//! What is included is kept alone, where a list says so, and what is excluded is left out even so.

use whyperf_model::{FilterEffect, FilterTarget, NamePattern};

use super::filter_error::{FilterProblem, shown};
use super::read_filter::{FilterPlace, ReadFilter};

/// A list that is open.
struct OpenList {
    name: &'static str,
    begin: FilterPlace,
}

const EXCLUDE: &str = "EXCLUDE_LIST";
const INCLUDE: &str = "INCLUDE_LIST";
const FILE_EXCLUDE: &str = "FILE_EXCLUDE_LIST";
const FILE_INCLUDE: &str = "FILE_INCLUDE_LIST";
/// They add what is no function.
const BESIDE: [&str; 2] = ["INSTRUMENT_SECTION", "LOOPS_LIST"];
const BEGINNINGS: &str =
    "BEGIN_EXCLUDE_LIST, BEGIN_INCLUDE_LIST, BEGIN_FILE_EXCLUDE_LIST or BEGIN_FILE_INCLUDE_LIST";

/// Reads all lists, then adds what is included before what is excluded.
pub(super) fn read(text: &str, into: &mut ReadFilter) {
    let mut entries: Vec<(&'static str, String, FilterPlace)> = Vec::new();
    let mut open: Option<OpenList> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let word = line.trim();
        if word.is_empty() || word.starts_with('#') {
            continue;
        }
        let place = FilterPlace::of(number, line, line.len() - line.trim_start().len());
        if let Some(name) = list(word, "BEGIN_") {
            if let Some(other) = &open {
                let (inner, outer) = (word.to_owned(), format!("BEGIN_{}", other.name));
                into.complain(place, FilterProblem::Inside(inner, outer));
            }
            if BESIDE.contains(&name) {
                into.note(number, &format!("{word} {ASIDE}"));
            }
            open = Some(OpenList { name, begin: place });
        } else if let Some(name) = list(word, "END_") {
            match &open {
                Some(other) if other.name == name => open = None,
                _ => into.complain(place, FilterProblem::NotBegun(word.to_owned())),
            }
        } else {
            match (&open, entry(word)) {
                (None, _) => {
                    into.complain(place, FilterProblem::Outside(shown(word), BEGINNINGS));
                }
                (Some(list), _) if BESIDE.contains(&list.name) => {}
                (Some(_), None) => into.complain(place, FilterProblem::Quote),
                (Some(list), Some(entry)) => entries.push((list.name, entry, place)),
            }
        }
    }
    if let Some(OpenList { name, begin }) = open {
        into.complain(begin, FilterProblem::NoEnd(format!("BEGIN_{name}")));
    }
    add(&entries, into);
}

/// What is told of what a filter does not do.
const ASIDE: &str =
    "says what to measure beside functions, which a filter does not: it is left aside";

fn list(word: &str, edge: &str) -> Option<&'static str> {
    let all = [EXCLUDE, INCLUDE, FILE_EXCLUDE, FILE_INCLUDE].into_iter().chain(BESIDE);
    let word = word.strip_prefix(edge)?;
    all.into_iter().find(|name| *name == word)
}

/// In quotes it may begin with any sign.
fn entry(word: &str) -> Option<String> {
    match word.strip_prefix('"') {
        Some(quoted) => quoted.strip_suffix('"').map(str::to_owned),
        None => Some(word.to_owned()),
    }
}

fn add(entries: &[(&'static str, String, FilterPlace)], into: &mut ReadFilter) {
    let of = |list: &'static str| entries.iter().filter(move |(name, ..)| *name == list);
    for (included, excluded) in [(INCLUDE, EXCLUDE), (FILE_INCLUDE, FILE_EXCLUDE)] {
        let target = if included == INCLUDE { function } else { file };
        if let Some((.., place)) = of(included).next() {
            let all = match included {
                INCLUDE => FilterTarget::Function(NamePattern::any()),
                _ => FilterTarget::File(NamePattern::any()),
            };
            into.add(all, FilterEffect::LeaveOut, *place);
        }
        for (_, entry, place) in of(included) {
            into.add(target(entry), FilterEffect::Keep, *place);
        }
        for (_, entry, place) in of(excluded) {
            into.add(target(entry), FilterEffect::LeaveOut, *place);
        }
    }
}

fn function(entry: &str) -> FilterTarget {
    FilterTarget::Function(NamePattern::with_signs(entry, '#', '?'))
}

/// Without a folder it is about the name of the file alone.
fn file(entry: &str) -> FilterTarget {
    let pattern = NamePattern::with_signs(entry, '*', '?');
    if entry.contains('/') { FilterTarget::Path(pattern) } else { FilterTarget::File(pattern) }
}
