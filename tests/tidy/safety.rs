//! Every `unsafe` says why it holds: a `// SAFETY:` comment, or a `# Safety` section on a function.

use crate::justification::stands_at;
use crate::lexer::{line_of, words};
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

fn violations(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in tree.rust() {
        let code = file.code();
        for (at, _) in words(code).filter(|(_, word)| *word == "unsafe") {
            if needs_reason(code, at) && !stands_at(file, at, &["SAFETY:", "# Safety"]) {
                let advice = "`unsafe` without a reason: write `// SAFETY:` and why it holds here, right above";
                found.push(Violation::new(&file.path, line_of(code, at), advice));
            }
        }
    }
    found
}

/// Attributes (`#[unsafe(..)]`), types of functions and declarations inside a block of foreign items state nothing.
/// An entry that C calls asks of its caller what the C function asks; only a public one must say so.
fn needs_reason(code: &str, at: usize) -> bool {
    let after = code[at + "unsafe".len()..].trim_start();
    if after.starts_with('(') {
        return false;
    }
    let head = after.split(['{', ';', '=', ',']).next().unwrap_or("");
    let Some((before_name, name)) = head.split_once("fn") else { return true };
    let is_entry = before_name.contains("extern") && !code[..at].trim_end().ends_with("pub");
    !name.trim_start().starts_with('(') && !is_entry && has_body(after)
}

/// Whether the function whose head starts here has a body: a declaration ends with a semicolon.
fn has_body(head: &str) -> bool {
    let end = head.find(['{', ';']);
    end.is_some_and(|end| head[end..].starts_with('{'))
}

#[test]
fn every_unsafe_has_its_reason() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn an_unsafe_without_reason_is_seen() {
    let text = "fn a() { unsafe { b() } }\n// SAFETY: c holds\nunsafe impl Send for C {}\n\
                type D = unsafe extern \"C\" fn(u8);\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn e() {}\n\
                /// # Safety\n/// f\n#[inline]\nunsafe fn f() {}\nunsafe impl Sync for C {}\n\
                pub(crate) unsafe extern \"C\" fn g() {}\nunsafe extern \"C\" { fn h(); }\nunsafe fn i() {}\n";
    let lines: Vec<usize> =
        violations(&Tree::sample(&[("a.rs", text)])).iter().map(|v| v.line).collect();
    assert_eq!(lines, [1, 6, 11, 13, 14]);
}
