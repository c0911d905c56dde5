//! Finds whether the statement at a place carries a comment that justifies it.

use crate::lexer::line_of;
use crate::tree::Source;

/// Whether one of `tags` stands beside the statement around `byte` of the code, or in the comment right above it.
pub(crate) fn stands_at(file: &Source, byte: usize, tags: &[&str]) -> bool {
    let code: Vec<&str> = file.code().lines().map(str::trim).collect();
    let comments: Vec<&str> = file.comments().lines().map(str::trim).collect();
    let tagged = |line: usize| {
        comments.get(line - 1).is_some_and(|text| tags.iter().any(|tag| text.contains(tag)))
    };
    let first = line_of(file.code(), statement_start(file.code(), byte));
    let last = line_of(file.code(), byte);
    // A comment behind an opening brace is moved to the next line when the code is formatted.
    let opens =
        code[last - 1].ends_with('{') && code.get(last).is_some_and(|below| below.is_empty());
    if (first..=last + usize::from(opens)).any(tagged) {
        return true;
    }
    let above = (1..first).rev().take_while(|line| {
        let is_comment = code[line - 1].is_empty() && !comments[line - 1].is_empty();
        is_comment || code[line - 1].starts_with("#[")
    });
    above.into_iter().any(tagged)
}

/// Where the statement, the item or the argument around `byte` begins: brackets that are closed before are skipped.
fn statement_start(code: &str, byte: usize) -> usize {
    let mut depth = 0_usize;
    let mut start = byte;
    for (at, letter) in code[..byte].char_indices().rev() {
        match letter {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            ';' | '{' | '}' | ',' | '(' | '[' if depth == 0 => break,
            _ if !letter.is_whitespace() => start = at,
            _ => {}
        }
    }
    start
}

#[test]
fn a_tag_counts_on_the_line_in_the_statement_and_above_it() {
    let at = |text: &str| {
        let file = Source::new("a.rs", text);
        stands_at(&file, file.code().find("here").expect("the sample has it"), &["SAFETY:"])
    };
    assert!(at("here(); // SAFETY: x\n"));
    assert!(at("// SAFETY: x\n// more\n#[inline]\nlet a: fn(\n u8,\n) =\n    here();\n"));
    assert!(at("// SAFETY: x\n#[doc = a!(\"b\")]\npub(crate) here fn f() {}\n"));
    assert!(at("match a {\n    // SAFETY: x\n    B => here,\n}\n"));
    assert!(at("match here {\n    // SAFETY: x\n    B => c,\n}\n"));
    assert!(!at("// SAFETY: x\nc();\nhere();\n"));
    assert!(!at("// SAFETY: x\n\nhere();\n"));
    assert!(!at("let a = \"SAFETY:\";\nhere();\n"));
}
