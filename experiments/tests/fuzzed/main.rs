//! What fuzzing found once, and what it starts from: stored bytes of any kind are read or refused.

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
mod histogram;
mod record;

#[test]
fn records_of_any_bytes_are_read_or_refused() {
    corpus::each("record", record::feed);
}

#[test]
fn histograms_of_any_bytes_are_read_or_refused() {
    corpus::each("histogram", histogram::feed);
}
