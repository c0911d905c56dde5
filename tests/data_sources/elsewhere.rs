//! Logs are the same in another process, where memory lies elsewhere and hashes are seeded anew.

use std::env;
use std::fs;
use std::process::Command;

use whyperf_experiments::Replay;

use crate::conformance::{searched, searched_by_phases};
use crate::{live, simulated};

/// Names the file into which another process writes what it found.
const FILE: &str = "WHYPERF_WORLDS_LOG";

/// What is searched in each data source, and the record of the live one.
fn logs() -> String {
    let (source, seen) = live::source();
    let lived = searched(source);
    let record = seen.take().record;
    let bytes = record.bytes();
    let replayed = || Replay::new(record.clone(), []);
    let simulated = [searched(simulated::source()), searched_by_phases(simulated::source())];
    let replayed = [searched(replayed()), searched_by_phases(replayed())];
    format!("{lived:#?}\n{simulated:#?}\n{replayed:#?}\n{bytes:?}")
}

#[test]
fn a_log_is_that_of_another_process_to_the_byte() {
    let here = logs();
    if let Some(file) = env::var_os(FILE) {
        return fs::write(file, here).expect("the folder is writable");
    }
    for number in 0..2 {
        let name = format!("whyperf-worlds-{}-log-{number}", std::process::id());
        let file = env::temp_dir().join(name);
        let this = env::current_exe().expect("it runs");
        let test = "elsewhere::a_log_is_that_of_another_process_to_the_byte";
        let mut other = Command::new(this);
        let status = other.args(["--exact", test]).env(FILE, &file).status();
        assert!(status.expect("it is this program").success());
        let there = fs::read_to_string(&file).expect("it was written");
        fs::remove_file(&file).expect("it is ours");
        assert!(there.len() > 10_000, "{there}");
        assert_eq!(there, here);
    }
}
