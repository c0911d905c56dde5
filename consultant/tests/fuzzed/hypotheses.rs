//! Reads a table of hypotheses of any bytes; what is read is asked of the whole program.

use std::hint::black_box;

use whyperf_consultant::Hypotheses;
use whyperf_model::Focus;

/// A file holds these bytes.
pub(crate) fn feed(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut hypotheses = Hypotheses::built_in();
    let before = hypotheses.ids().count();
    match hypotheses.extend("fuzzed.toml", &text) {
        Err(mistakes) => {
            assert!(mistakes.iter().all(|mistake| !mistake.to_string().is_empty()));
            assert_eq!(hypotheses.ids().count(), before, "nothing of a file with mistakes is used");
        }
        Ok(()) => {
            for id in hypotheses.ids() {
                let row = hypotheses.row(id);
                assert_eq!(hypotheses.named(&row.name), Some(id));
                black_box((row.pairs(&Focus::whole_program()), hypotheses.top(id)));
            }
        }
    }
}
