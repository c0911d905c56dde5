//! Files and functions stay small enough to be read at once.

use crate::lexer::{block_end, is_word, line_of, words};
use crate::tree::{Language, Source, Tree};
use crate::violation::{Violation, refuse};

const FILE_LINES: usize = 400;
const FUNCTION_LINES: usize = 60;

/// Files that may be longer, each with its reason. A pure table may.
const LONG_FILES: [(&str, &str); 0] = [];

/// Functions that may be longer: file, name, reason.
const LONG_FUNCTIONS: [(&str, &str, &str); 0] = [];

fn violations(tree: &Tree) -> Vec<Violation> {
    tree.files
        .iter()
        .flat_map(|file| long_file(file).into_iter().chain(long_functions(file)))
        .collect()
}

fn long_file(file: &Source) -> Option<Violation> {
    let lines = match file.language {
        Language::Rust | Language::C => code_lines(file.code()),
        Language::Fortran => plain_lines(&file.text, '!'),
        Language::Hash => plain_lines(&file.text, '#'),
        _ => 0,
    };
    if lines <= FILE_LINES || LONG_FILES.iter().any(|(path, _)| *path == file.path) {
        return None;
    }
    let advice = format!(
        "{lines} lines of code, {FILE_LINES} is the budget: find the noun that wants a file of its own"
    );
    Some(Violation::new(&file.path, 1, advice))
}

fn long_functions(file: &Source) -> Vec<Violation> {
    let long = functions(file).into_iter().filter(|function| function.lines > FUNCTION_LINES);
    let refused = long.filter(|function| {
        !LONG_FUNCTIONS.iter().any(|(path, name, _)| *path == file.path && *name == function.name)
    });
    let report = refused.map(|Function { name, line, lines }| {
        let advice =
            format!("`{name}` has {lines} lines, {FUNCTION_LINES} is the budget: name its parts");
        Violation::new(&file.path, line, advice)
    });
    report.collect()
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

fn functions(file: &Source) -> Vec<Function> {
    match file.language {
        Language::Rust => rust_functions(file.code()),
        Language::C => c_functions(file.code()),
        _ => Vec::new(),
    }
}

fn rust_functions(code: &str) -> Vec<Function> {
    let heads = words(code).filter(|(_, word)| *word == "fn");
    let bodies = heads.filter_map(|(at, _)| {
        let name = code[at + 2..].trim_start().split(|letter| !is_word(letter)).next()?;
        let body = body_start(code, at)?;
        let end = block_end(code, body)?;
        let lines = code_lines(&code[at..end]);
        (!name.is_empty()).then(|| Function {
            name: name.to_owned(),
            line: line_of(code, at),
            lines,
        })
    });
    bodies.collect()
}

/// The `{` of a function's body: the first outside of brackets, unless a `;` ends the declaration before.
fn body_start(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, letter) in code[from..].char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(from + at),
            ';' if depth == 0 => return None,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// A block at the outermost level whose `{` follows a `)`.
fn c_functions(code: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(opening) = code[at..].find('{').map(|next| at + next) {
        let head = code[at..opening].trim_end();
        let Some(end) = block_end(code, opening) else { break };
        if head.ends_with(')') {
            let name = head[..head.find('(').unwrap_or(0)].rsplit(|letter| !is_word(letter)).next();
            let name = name.unwrap_or("").to_owned();
            found.push(Function {
                name,
                line: line_of(code, opening),
                lines: code_lines(&code[opening..end]),
            });
            at = end;
        } else {
            // `extern "C" {` and types: their inside is looked at like the outside.
            at = if head.ends_with('"') { opening + 1 } else { end };
        }
    }
    found
}

fn code_lines(code: &str) -> usize {
    code.lines().filter(|line| !line.trim().is_empty()).count()
}

fn plain_lines(text: &str, comment: char) -> usize {
    text.lines()
        .filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with(comment))
        .count()
}

#[test]
fn files_and_functions_keep_their_budget() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn every_exception_is_still_needed() {
    let tree = Tree::of_project();
    for (path, _) in LONG_FILES {
        let lines = tree.file(path).map(|file| code_lines(file.code()));
        assert!(lines > Some(FILE_LINES), "{path} needs no exception any more: {lines:?} lines");
    }
    for (path, name, _) in LONG_FUNCTIONS {
        let functions = tree.file(path).map(functions).unwrap_or_default();
        let is_long = functions
            .iter()
            .any(|function| function.name == name && function.lines > FUNCTION_LINES);
        assert!(is_long, "`{name}` in {path} needs no exception any more");
    }
}

#[test]
fn long_files_and_functions_are_seen() {
    let body = "    a(\"}\");\n// comment\n\n".repeat(61);
    let rust = format!(
        "trait T {{ fn declared(x: [u8; 2]); }}\nfn long<F: Fn(u8)>(f: F) {{\n{body}}}\nfn short() {{}}\n"
    );
    let c = format!("struct s {{ int a; }};\nextern \"C\" {{\nint long_c(void) {{\n{body}}}\n}}\n");
    let tree = Tree::sample(&[("a.rs", &rust), ("b.c", &c), ("c.rs", &"x;\n".repeat(401))]);
    let found: Vec<(String, usize)> =
        violations(&tree).into_iter().map(|v| (v.file, v.line)).collect();
    assert_eq!(found, [("a.rs".to_owned(), 2), ("b.c".to_owned(), 3), ("c.rs".to_owned(), 1)]);
}
