//! Feeds the inputs that fuzzing starts from to the mailbox of attach requests, to both rings and to that of traced events: whatever the other side writes, this
//! one reads what was meant or nothing.

#![cfg(not(loom))]

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
mod event_ring;
mod mailbox;
mod rings;

#[test]
fn a_mailbox_of_any_bytes_is_a_whole_request_or_none() {
    corpus::each("mailbox", mailbox::feed);
}

#[test]
fn rings_of_any_indices_and_words_give_what_was_sent_or_nothing_for_long() {
    corpus::each("rings", rings::feed);
}

#[test]
fn a_ring_of_traced_events_of_any_index_gives_whole_entries_or_none_for_long() {
    corpus::each("event_ring", event_ring::feed);
}
