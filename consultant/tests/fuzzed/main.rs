//! Feeds the inputs that fuzzing found and starts from to the readers of directives and hypotheses: text of any bytes is
//! read, or refused with a position.

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
