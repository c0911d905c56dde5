//! Feeds the inputs that fuzzing starts from to the mailbox of attach requests and to both rings: whatever the other side writes, this
//! one reads what was meant or nothing.

#![cfg(not(loom))]

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
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
