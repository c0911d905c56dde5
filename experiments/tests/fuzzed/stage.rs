//! A store of one run, into which bytes of any kind are put in place of what was stored.

use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use whyperf_experiments::{Access, Ending, NewRun, Progress, Recorder, RunId, Store};

/// A store of one run, whose file has no name any more.
pub(crate) struct Stage {
    writer: Connection,
    pub(crate) store: Store,
    pub(crate) run: RunId,
}

impl Stage {
    /// The run has what this progress brings.
    pub(crate) fn new(progress: &Progress) -> Self {
        let thread = std::thread::current().id();
        let name = format!("whyperf-fuzzed-{}-{thread:?}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).expect("the temporary folder can be written");
        let path = folder.join("store.db");
        let run = NewRun {
            application: "fuzzed".into(),
            experiment: String::new(),
            trial: String::new(),
            started: SystemTime::UNIX_EPOCH,
            command: Vec::new(),
            facts: Vec::new(),
            directives: Vec::new(),
        };
        let recorder = Recorder::begin(&path, &run).expect("the folder is ours");
        let ending = Ending { elapsed: Duration::ZERO, exit_status: Some(0) };
        let run = recorder.finish(progress, ending).expect("the store can be written");
        let writer = Connection::open(&path).expect("it was just made");
        let quick = "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF";
        writer.execute_batch(quick).expect("these are settings");
        let store = Store::open(&path, Access::Read).expect("it was just made");
        let _ = std::fs::remove_dir_all(&folder);
        Self { writer, store, run }
    }

    /// Carries out a statement that puts these bytes in one place.
    pub(crate) fn put(&self, write: &str, bytes: &[u8]) {
        assert_eq!(self.writer.execute(write, [bytes]).expect("it is ours"), 1);
    }
}
