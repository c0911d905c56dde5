//! Every ordering stronger than relaxed names its partner, on both ends.

use std::collections::BTreeMap;

use crate::justification::stands_at;
use crate::lexer::{is_word, line_of, words};
use crate::tree::{Source, Tree};
use crate::violation::{Violation, refuse};

const STRONG: [&str; 4] = ["Acquire", "Release", "AcqRel", "SeqCst"];
const TAG: &str = "SYNC ";

/// One tag: the pair's name, and the words that name a function as the other end.
pub(crate) struct Tag<'a> {
    pub(crate) file: &'a Source,
    pub(crate) line: usize,
    pub(crate) name: &'a str,
    partner: &'a str,
}

fn violations(tree: &Tree) -> Vec<Violation> {
    let sources = sources(tree);
    let mut found: Vec<Violation> = sources.iter().flat_map(|file| untagged(file)).collect();
    for (name, ends) in &pairs(&sources) {
        found.extend(lonely(name, ends));
        found.extend(ends.iter().filter_map(|end| lost_partner(&sources, end)));
    }
    found
}

/// What may hold orderings: all but the rules themselves, which speak of them.
pub(crate) fn sources(tree: &Tree) -> Vec<&Source> {
    tree.rust().filter(|file| !file.path.starts_with("tests/tidy/")).collect()
}

/// The tags by their names.
pub(crate) fn pairs<'a>(sources: &[&'a Source]) -> BTreeMap<&'a str, Vec<Tag<'a>>> {
    let mut pairs: BTreeMap<&str, Vec<Tag<'_>>> = BTreeMap::new();
    for tag in sources.iter().flat_map(|file| tags(file)) {
        pairs.entry(tag.name).or_default().push(tag);
    }
    pairs
}

/// Where the code, tests apart, names an ordering stronger than relaxed.
pub(crate) fn strong(file: &Source) -> Vec<usize> {
    let code = file.code();
    let imported = code.contains("Ordering::{");
    let named = words(code).filter(|(at, word)| {
        let before = &code[..*at];
        let named = before.ends_with("Ordering::") || imported && before.ends_with(['(', ' ']);
        STRONG.contains(word) && named
    });
    let counted = named.map(|(at, _)| at).filter(|at| {
        let line = line_of(code, *at);
        !file.tests_at(line) && !is_import(code, line)
    });
    counted.collect()
}

fn untagged(file: &Source) -> Vec<Violation> {
    let untagged = strong(file).into_iter().filter(|at| !stands_at(file, *at, &[TAG]));
    let advice = "an ordering without partner: write `// SYNC name with function` on it and on the other end, or use Relaxed";
    untagged.map(|at| Violation::new(&file.path, line_of(file.code(), at), advice)).collect()
}

fn is_import(code: &str, line: usize) -> bool {
    code.lines()
        .nth(line - 1)
        .is_some_and(|text| text.trim_start().starts_with("use ") || text.contains("pub use "))
}

fn tags(file: &Source) -> Vec<Tag<'_>> {
    let lines = file.comments().lines().enumerate();
    // Documentation speaks of the tags; a plain comment is one.
    let plain = lines.filter(|(_, text)| !text.contains("///") && !text.contains("//!"));
    let tagged = plain.filter_map(|(number, text)| Some((number + 1, text.split_once(TAG)?.1)));
    let parsed = tagged.map(|(line, text)| {
        let (name, rest) = text.trim_start().split_once(' ').unwrap_or((text, ""));
        let name = name.trim_matches(|letter| !is_word(letter));
        let partner = rest.trim_start().strip_prefix("with ").unwrap_or("");
        Tag { file, line, name, partner }
    });
    // What a test plays is no end of a pair: the other one must be in what is shipped.
    parsed
        .filter(|tag| !tag.name.is_empty() && !tag.name.starts_with(char::is_uppercase))
        .filter(|tag| !file.tests_at(tag.line))
        .collect()
}

fn lonely(name: &str, ends: &[Tag<'_>]) -> Option<Violation> {
    let [only] = ends else { return None };
    let advice = format!("SYNC {name} has one end only: tag the other, too");
    Some(Violation::new(&only.file.path, only.line, advice))
}

fn lost_partner(sources: &[&Source], end: &Tag<'_>) -> Option<Violation> {
    if words(end.partner).any(|(_, word)| sources.iter().any(|file| defines(file, word))) {
        return None;
    }
    let advice =
        format!("SYNC {} names no function of ours as its other end: `{}`", end.name, end.partner);
    Some(Violation::new(&end.file.path, end.line, advice))
}

fn defines(file: &Source, function: &str) -> bool {
    let head = format!("fn {function}");
    file.code()
        .match_indices(&head)
        .any(|(at, _)| !file.code()[at + head.len()..].starts_with(is_word))
}

#[test]
fn every_ordering_has_its_partner() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn a_lonely_tag_and_an_untagged_ordering_are_seen() {
    let good = "fn put() {\n a.store(1, Ordering::Release); // SYNC word with take\n}\n\
                fn take() {\n // SYNC word with put\n a.load(Ordering::Acquire);\n}\n";
    let bad = "fn f(a: Act::Release) {\n fence(Ordering::Release);\n // SYNC alone with nobody\n a.load(Ordering::Acquire);\n}\n";
    let tree = Tree::sample(&[("layout/src/a.rs", good), ("layout/src/b.rs", bad)]);
    let found: Vec<(String, usize)> =
        violations(&tree).into_iter().map(|v| (v.file, v.line)).collect();
    let b = |line: usize| ("layout/src/b.rs".to_owned(), line);
    assert_eq!(found, [b(2), b(3), b(3)]);
}
