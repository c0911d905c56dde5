//! Reads a file of directives of any bytes; what is read is written and read again.

use std::hint::black_box;

use whyperf_consultant::{Directive, Directives, DirectivesInForce, Hypotheses};

/// A file holds these bytes.
pub(crate) fn feed(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let hypotheses = Hypotheses::built_in();
    let read = match Directives::parse("fuzzed", &text, &hypotheses) {
        Ok(read) => read,
        Err(mistakes) => {
            assert!(mistakes.iter().all(|mistake| !mistake.to_string().is_empty()));
            return;
        }
    };
    let again = Directives::parse("again", &read.to_string(), &hypotheses);
    let again = again.expect("what is written can be read");
    assert_eq!(said(&again), said(&read));
    if let Ok(in_force) = DirectivesInForce::new(&read, &hypotheses) {
        assert!(in_force.used() <= read.entries.len());
    }
    for entry in &read.entries {
        black_box(entry.directive.subject());
    }
}

fn said(directives: &Directives) -> Vec<(&Directive, Option<&str>)> {
    let entries = directives.entries.iter();
    entries.map(|entry| (&entry.directive, entry.comment.as_deref())).collect()
}
