//! A folder of a test's own, and what a command did in it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Where one test works: `work` is emptied before each run, `run` is a run directory.
#[derive(Debug)]
pub(crate) struct Stage {
    root: PathBuf,
}

/// All that can be seen of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// What each file made holds, by its path.
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Stage {
    pub(crate) fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guest").join(name);
        let stage = Self { root };
        remove(&stage.root);
        make_private(&stage.run());
        stage
    }

    /// The program's working directory.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// A run directory as `whyperf run` makes one.
    pub(crate) fn run(&self) -> PathBuf {
        self.root.join("run")
    }

    /// A path beside these two.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The regions left in the run directory.
    pub(crate) fn regions(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.run()).expect("the run directory is there");
        let paths = entries.map(|entry| entry.expect("it can be listed").path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "region")).collect()
    }

    /// Runs a command in a fresh working directory that `prepare` has filled.
    pub(crate) fn perform(&self, command: &mut Command, prepare: fn(&Path)) -> Deed {
        remove(&self.work());
        fs::create_dir_all(self.work()).expect("a working directory can be made");
        prepare(&self.work());
        let output = finish(command.current_dir(self.work()));
        Deed {
            status: output.status,
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            files: files_under(&self.work()),
        }
    }
}

/// Makes a folder for its owner alone.
pub(crate) fn make_private(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder can be made");
    let mode = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder, mode).expect("its mode can be set");
}

/// What the command printed and returned, a failed test if it never ends.
fn finish(command: &mut Command) -> Output {
    let shown = format!("{command:?}");
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = piped.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
    let id = child.id();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    match receiver.recv_timeout(LIMIT) {
        Ok(output) => output.unwrap_or_else(|error| panic!("{shown}: {error}")),
        Err(_) => {
            let _ = Command::new("kill").args(["-KILL", &id.to_string()]).status();
            panic!("{shown} still runs after {} s", LIMIT.as_secs());
        }
    }
}

fn remove(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("a test may remove its own folder");
    }
}

fn files_under(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the test can be read") {
            let path = entry.expect("it can be listed").path();
            // The inner life of a version control system holds times.
            if path.is_dir() && !path.ends_with(".git") {
                open.push(path);
            } else if path.is_file() {
                let content = fs::read(&path).expect("a file of the test can be read");
                files.insert(path, content);
            }
        }
    }
    files
}

/// Far longer than any of them takes on the slowest machine.
const LIMIT: Duration = Duration::from_secs(120);
