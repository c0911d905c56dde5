//! Runs `whyperf` and keeps all that it said.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::needs;

/// The command under test, with no setting of the caller's in its environment.
pub(crate) fn whyperf() -> Command {
    let named = std::env::var_os("WHYPERF_TEST_BIN_DIR");
    let built = option_env!("CARGO_BIN_EXE_whyperf").map(PathBuf::from);
    let path = named.map(|folder| PathBuf::from(folder).join("whyperf")).or(built);
    let path = path.expect("WHYPERF_TEST_BIN_DIR is set, or the command is built with this test");
    let library = path.with_file_name("libwhyperf.so");
    assert!(library.exists(), "{} is missing: run `cargo build` first", library.display());
    let mut command = Command::new(path);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("WHYPERF_") {
            command.env_remove(name);
        }
    }
    command.env("LC_ALL", "C.UTF-8").env("WHYPERF_NO_STORE", "1").env_remove("LD_PRELOAD");
    command.env("WHYPERF_DETAILS", "1");
    command
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Self { status: output.status.code(), stdout: output.stdout, stderr }
    }
}

/// Runs `whyperf` with these words.
pub(crate) fn say(words: &[&str]) -> Said {
    whyperf().args(words).output().expect("the command was built").into()
}

/// Runs a script in name spaces of its own, where it may mount; whether the system allows that.
pub(crate) fn apart(folder: &Folder, script: &str) -> Option<Said> {
    let allowed = Command::new("unshare").args(["-rm", "true"]).status();
    if !needs::is_met("name-spaces", allowed.is_ok_and(|status| status.success())) {
        return None;
    }
    let plain = whyperf();
    let mut command = Command::new("unshare");
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env_remove("WHYPERF_NO_STORE").env("W", plain.get_program());
    let script = format!("mkdir small && mount -t tmpfs -o size=700k none small\n{script}");
    command.args(["-rm", "sh", "-ec", &script]).current_dir(&folder.0);
    Some(command.output().expect("it was tried before").into())
}

/// A new empty folder that goes away with the value.
#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("whyperf-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
