//! A run directory, a daemon over it and a virtual clock.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use whyperf_daemon::{Daemon, DaemonSettings, Moment, PairId, SamplingPass};
use whyperf_inject::WaitReason;
use whyperf_model::{CodeFilter, Focus, Resource};
use whyperf_testkit::synthetic::SyntheticProcess;

/// Nanoseconds of a second.
pub(crate) const SECOND: u64 = 1_000_000_000;
/// Where the virtual clock begins.
const ZERO: u64 = 5 * SECOND;

/// Everything a test needs around it.
pub(crate) struct Stage {
    pub(crate) directory: PathBuf,
    pub(crate) daemon: Daemon,
    others: RefCell<Vec<Child>>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::leaving_out(None)
    }

    /// One whose user leaves out what a filter says.
    pub(crate) fn leaving_out(filter: Option<Arc<CodeFilter>>) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("whyperf-stage-{}-{number}", std::process::id());
        let base = if PathBuf::from("/dev/shm").is_dir() {
            "/dev/shm".into()
        } else {
            std::env::temp_dir()
        };
        let directory = base.join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::DirBuilder::new().mode(0o700).create(&directory).expect("the base is writable");
        let zero = Moment { nanos: ZERO, ticks: ZERO };
        let host = "node1".to_owned();
        let settings = DaemonSettings { host, filter, ..DaemonSettings::new(zero) };
        let daemon = Daemon::open(&directory, settings).expect("the directory was just made");
        Self { directory, daemon, others: RefCell::default() }
    }

    /// This process's id.
    pub(crate) fn pid(&self) -> u32 {
        std::process::id()
    }

    /// The absolute time so long after the run's beginning.
    pub(crate) fn at(&self, nanos: u64) -> u64 {
        ZERO + nanos
    }

    pub(crate) fn machine(&self) -> String {
        "/Machine/node1".to_owned()
    }

    pub(crate) fn sample(&mut self, nanos: u64) -> SamplingPass {
        self.daemon.sample(Moment { nanos: ZERO + nanos, ticks: ZERO + nanos })
    }

    /// A region in this process's name.
    pub(crate) fn process(&self, number: u32) -> SyntheticProcess {
        SyntheticProcess::create(&self.directory, self.pid(), number, 4, ZERO)
            .expect("the stage's directory is writable")
    }

    /// A region in the name of another process, which lives as long as the stage.
    pub(crate) fn other_process(&self) -> SyntheticProcess {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat is everywhere");
        let pid = child.id();
        self.others.borrow_mut().push(child);
        SyntheticProcess::create(&self.directory, pid, 1, 4, ZERO)
            .expect("the stage's directory is writable")
    }

    /// Ends the other processes without a word.
    pub(crate) fn kill_others(&self) {
        for mut child in self.others.borrow_mut().drain(..) {
            child.kill().expect("the child is ours");
            child.wait().expect("the child is ours");
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.kill_others();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A focus out of the parts that restrict.
pub(crate) fn focus(text: &str) -> Focus {
    Focus::parse(text).expect("the test's own focus is well formed")
}

/// The amounts of a pair in a sampling pass: one, or none.
pub(crate) fn amounts(pass: &SamplingPass, pair: PairId) -> Vec<i64> {
    let of_pair = pass.samples.iter().filter(|(id, _)| *id == pair);
    of_pair.map(|(_, sample)| sample.amount).collect()
}

pub(crate) fn names(resources: &[Resource]) -> Vec<String> {
    // Regions are in the name of this process: what its own threads wait for is no part of a test.
    let reasons = WaitReason::ALL.iter().map(|reason| reason.name()).chain(["Processor"]);
    let waits: Vec<String> = reasons.map(|reason| format!("/SyncObject/{reason}")).collect();
    let all = resources.iter().map(Resource::to_string);
    let is_wait = |name: &String| {
        let rests = waits.iter().filter_map(|wait| name.strip_prefix(wait.as_str()));
        rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    all.filter(|name| !is_wait(name)).collect()
}
