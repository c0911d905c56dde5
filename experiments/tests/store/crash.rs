//! A writer that is killed in the middle loses its own run's last seconds, and no other run.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use whyperf_experiments::{Access, History, Store};

use crate::sample::{Place, written};

/// Names the store for the process that is going to be killed.
const VICTIM: &str = "WHYPERF_TEST_VICTIM";

/// Not a test of its own: what the other test starts and kills. It writes runs for ever, and says the name of each.
#[test]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(VICTIM) else { return };
    for n in 0.. {
        println!("finished {}", written(Path::new(&path), n));
    }
}

#[test]
fn a_hundred_kills_lose_no_finished_run() {
    let place = Place::new("kills");
    let mut finished = Vec::new();
    for kill in 0u32..100 {
        let mut child = Command::new(std::env::current_exe().expect("this test has a file"))
            .args(["--exact", "--nocapture", "crash::writes_until_it_is_killed"])
            .env(VICTIM, place.store())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this test can start itself");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut names = lines
            .map_while(Result::ok)
            .filter_map(|line| line.strip_prefix("finished ").map(str::to_owned));
        let mut took = Duration::ZERO;
        let mut before = Instant::now();
        for name in names.by_ref().take(1 + kill as usize % 3) {
            finished.push(name);
            took = std::mem::replace(&mut before, Instant::now()).elapsed();
        }
        // Somewhere in the next run, which takes about as long as the last: at its beginning, in its midst, at its end.
        let moment = before + took * (kill * 37 % 100) / 100;
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        child.kill().expect("it runs for ever");
        child.wait().expect("it was killed");
    }
    let store = Store::open(&place.store(), Access::Change).expect("it opens");
    let runs = store.runs(&History::default()).expect("it is readable");
    for name in &finished {
        let run = runs.iter().find(|run| run.id.as_str() == name).expect("it was finished");
        assert!(run.complete);
        assert_eq!(store.verdicts(&run.id).expect("readable").len(), 1);
    }
    assert!(finished.len() >= 100);
}
