//! Feeds the inputs that fuzzing found and starts from to a daemon: whatever a process writes into its region, the daemon
//! goes on.

#[path = "../../../fuzz/corpus.rs"]
mod corpus;
mod region;

#[test]
fn regions_of_any_bytes_are_read_or_refused() {
    corpus::each("region", region::feed);
}
