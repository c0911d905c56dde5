//! Nothing points to a file that is not there: links and paths in documents, documents named in comments.

use crate::lexer::line_of;
use crate::tree::{Language, Source, Tree};
use crate::violation::{Violation, refuse};

/// Endings by which a word between backticks is taken for a path of ours, when it has a slash.
const ENDINGS: [&str; 10] =
    [".rs", ".md", ".c", ".h", ".f90", ".F90", ".toml", ".py", ".txt", ".sql"];

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &tree.files {
        let references = match file.language {
            Language::Markdown => [links(&file.text), paths(&file.text)].concat(),
            Language::Rust if !file.path.starts_with("tests/tidy/") => documents(file.comments()),
            Language::C => documents(file.comments()),
            Language::Fortran | Language::Hash => documents(&file.text),
            _ => Vec::new(),
        };
        for (at, target) in references {
            if !leads_somewhere(tree, file, target) {
                let advice =
                    format!("`{target}` is not there: mend the reference or write the file");
                found.push(Violation::new(
                    &file.path,
                    line_of(&file.text, at.min(file.text.len())),
                    advice,
                ));
            }
        }
    }
    found
}

/// Targets of `[text](target)`, but those with a scheme and those inside the page.
fn links(text: &str) -> Vec<(usize, &str)> {
    let targets = text.match_indices("](").filter_map(|(at, _)| {
        let target = text[at + 2..].split([')', ' ', '\n']).next()?;
        let file = target.split('#').next()?;
        (!file.is_empty() && !target.contains(':')).then_some((at, file))
    });
    targets.collect()
}

/// Paths between backticks.
fn paths(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, piece) in text.split('`').enumerate() {
        if number % 2 == 1 && is_path(piece) {
            found.push((at, piece));
        }
        at += piece.len() + 1;
    }
    found
}

fn is_path(word: &str) -> bool {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    word.contains('/')
        && !word.starts_with(['/', '.', '~'])
        && word.chars().all(plain)
        && (word.ends_with('/') || ENDINGS.iter().any(|ending| word.ends_with(ending)))
}

/// Documents that a comment names.
fn documents(comments: &str) -> Vec<(usize, &str)> {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    let named = comments.match_indices(".md").filter_map(|(at, _)| {
        let end = at + ".md".len();
        let start = comments[..at].rfind(|letter| !plain(letter)).map_or(0, |before| before + 1);
        let whole =
            !comments[end..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        (whole && start < at && comments.is_char_boundary(start))
            .then(|| (start, &comments[start..end]))
    });
    named.collect()
}

/// From the file's folder, from the root, or from one of the folders above the file.
fn leads_somewhere(tree: &Tree, file: &Source, target: &str) -> bool {
    let mut folder = Some(file.path.as_str());
    while let Some(path) = folder {
        let above = path.rsplit_once('/').map(|(above, _)| above);
        if tree.has(&resolved(above.unwrap_or(""), target)) {
            return true;
        }
        folder = above;
    }
    false
}

fn resolved(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn every_reference_leads_somewhere() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn dead_references_are_seen() {
    let page = "[a](b.md) [c](../x/d.rs#e) [f](#g) [h](https://i.j/k)\n`docs/b.md` `docs/l.md` `/tmp/m.md` `n.rs`\n[o](p.md)\n";
    let tree = Tree::sample(&[
        ("docs/a.md", page),
        ("docs/b.md", "# b"),
        ("x/d.rs", "//! See docs/b.md and docs/q.md.\nlet a = \"r.md\";\n"),
    ]);
    let found: Vec<(String, usize)> =
        violations(&tree).into_iter().map(|v| (v.file, v.line)).collect();
    let expected = [("docs/a.md", 3), ("docs/a.md", 2), ("x/d.rs", 1)];
    assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
}
