//! The project speaks of itself alone: not of where, by whom or after which ticket it was written.

use crate::lexer::{is_word, line_of};
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

/// Words, in lower case and written so that this file does not contain them. A `9` stands for any digit.
const FOREIGN: [&str; 19] = [
    concat!("/wo", "rk/"),
    concat!("iss", "ue 9"),
    concat!("iss", "ue #9"),
    concat!("des", "ign.md"),
    concat!("des", "ign section"),
    concat!("des", "ign §"),
    concat!("/sha", "red/reference"),
    concat!("sub", "agent"),
    concat!("claude", ".ai"),
    concat!("anth", "ropic"),
    concat!("chat", "gpt"),
    concat!("language ", "model"),
    concat!("crates", ".io"),
    concat!("docs", ".rs"),
    concat!("pypi", ".org"),
    concat!("npmjs", ".com"),
    concat!("npmjs", ".org"),
    concat!("deb.", "debian.org"),
    concat!("proxy.", "golang.org"),
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let ours = tree
        .files
        .iter()
        .filter(|file| file.path != "Cargo.lock" && !file.path.starts_with("LICENSE"));
    let mut found = Vec::new();
    for file in ours {
        let text = file.text.to_ascii_lowercase();
        for word in FOREIGN {
            for at in occurrences(&text, word) {
                let advice = format!(
                    "`{word}` is of the workplace: say what a reader of the project needs instead"
                );
                found.push(Violation::new(&file.path, line_of(&text, at), advice));
            }
        }
    }
    found
}

/// Where the pattern stands as words of its own.
fn occurrences(text: &str, pattern: &str) -> Vec<usize> {
    let fixed = pattern.trim_end_matches('9');
    let matches = text.match_indices(fixed).map(|(at, _)| at).filter(|&at| {
        let before = text[..at].chars().next_back();
        let after = text[at + fixed.len()..].chars().next();
        let free = before.is_none_or(|letter| !is_word(letter) && letter != '.');
        let digit = pattern == fixed || after.is_some_and(|letter| letter.is_ascii_digit());
        free && digit
    });
    matches.collect()
}

#[test]
fn the_project_speaks_of_itself() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn words_of_the_workplace_are_seen() {
    let line = |word: &str| format!("// see {}\n", word.replace('9', "7"));
    let text: String = FOREIGN.iter().map(|word| line(word)).collect();
    let found = violations(&Tree::sample(&[("a.rs", &text)]));
    for number in 1..=FOREIGN.len() {
        assert!(found.iter().any(|violation| violation.line == number), "line {number} unseen");
    }
    let fine = "an issue of 3 ranks, tests/work/a, our_docs.rs/x";
    assert!(violations(&Tree::sample(&[("a.rs", fine)])).is_empty());
}
