//! What fuzzing found once, and what it starts from: texts of any bytes are read or refused with a place.

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
mod directives;
mod hypotheses;

#[test]
fn directives_of_any_bytes_are_read_or_refused() {
    corpus::each("directives", directives::feed);
}

#[test]
fn hypotheses_of_any_bytes_are_read_or_refused() {
    corpus::each("hypotheses", hypotheses::feed);
}
