//! Finds whether the statement at a line carries a comment that justifies it.

use crate::tree::Source;

/// Whether one of `tags` stands on the line itself, inside its statement above, or in the comment right above that.
pub(crate) fn stands_at(file: &Source, line: usize, tags: &[&str]) -> bool {
    let code: Vec<&str> = file.code().lines().collect();
    let comments: Vec<&str> = file.comments().lines().collect();
    let tagged =
        |at: usize| comments.get(at).is_some_and(|text| tags.iter().any(|tag| text.contains(tag)));
    let mut at = line - 1;
    if tagged(at) {
        return true;
    }
    let mut in_statement = true;
    while at > 0 {
        at -= 1;
        let above = code.get(at).map_or("", |text| text.trim());
        let is_comment =
            above.is_empty() && !comments.get(at).map_or("", |text| text.trim()).is_empty();
        let is_attribute = above.starts_with("#[");
        if is_comment {
            in_statement = false;
        } else if !is_attribute && (!in_statement || ends_statement(above)) {
            return false;
        }
        if tagged(at) {
            return true;
        }
    }
    false
}

fn ends_statement(code: &str) -> bool {
    code.is_empty() || code.ends_with([';', '{', '}', ','])
}

#[test]
fn a_tag_counts_on_the_line_in_the_statement_and_above_it() {
    let at = |text: &str, line: usize| stands_at(&Source::new("a.rs", text), line, &["SAFETY:"]);
    assert!(at("f(); // SAFETY: x\n", 1));
    assert!(at("// SAFETY: x\n// more\n#[inline]\nlet a =\n    b();\n", 5));
    assert!(!at("// SAFETY: x\nc();\nb();\n", 3));
    assert!(!at("// SAFETY: x\n\nb();\n", 3));
    assert!(!at("let a = \"SAFETY:\";\nb();\n", 2));
}
