//! Directive files that earlier versions wrote: each is read, and says what it said.

use std::fs;
use std::path::Path;

use whyperf_consultant::{Directives, DirectivesInForce, Hypotheses};

/// Written by `whyperf directives extract` beside the stores of the same name, and one with every directive by hand.
const FILES: [&str; 4] = ["schema-2-record-1", "schema-2-record-2", "schema-3-record-3", "each"];

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join(format!("tests/golden/{name}.directives"));
    fs::read_to_string(&path).expect("the older files are there")
}

#[test]
fn each_file_of_old_is_read_and_says_what_it_said() {
    let hypotheses = Hypotheses::built_in();
    for name in FILES {
        let text = text(name);
        let read = Directives::parse(name, &text, &hypotheses).expect("it was right once");
        assert_eq!(read.to_string(), text, "{name}");
        DirectivesInForce::new(&read, &hypotheses).expect("it contradicts itself nowhere");
    }
}

#[test]
fn a_file_of_a_newer_whyperf_is_refused_in_one_sentence() {
    let newer = text("each").replacen("whyperf directives 1", "whyperf directives 2", 1);
    let refused = Directives::parse("newer", &newer, &Hypotheses::built_in());
    let mistakes = refused.expect_err("its version is not known");
    let said: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("newer:1:") && said[0].contains("version '2' cannot be read"),
        "{said:?}"
    );
}
