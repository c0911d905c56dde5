//! Feeds the inputs that fuzzing found and starts from to the readers of stored records, histograms and messages: bytes
//! of any kind are read or refused.

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
mod histogram;
mod messages;
mod record;
mod stage;

#[test]
fn records_of_any_bytes_are_read_or_refused() {
    corpus::each("record", record::feed);
}

#[test]
fn histograms_of_any_bytes_are_read_or_refused() {
    corpus::each("histogram", histogram::feed);
}

#[test]
fn messages_of_any_bytes_are_read_or_refused() {
    corpus::each("messages", messages::feed);
}
