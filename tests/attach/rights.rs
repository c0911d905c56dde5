//! Whoever may attach is exactly whoever may trace the process, also where that carries the library and listens.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use whyperf_layout::attach_request::RequestNumber;

use crate::attached::Attached;
use crate::copied::copied;
use crate::folder::Folder;
use crate::requested::{carrier, carrying, ends_well, forbidden, send};
use crate::target::Target;
use crate::{needs, release, shipped};

/// Nobody's number.
const NOBODY: &str = "65534";

/// Copies of the command, its library and a program, which any user may run.
struct Shared(Folder);

impl Shared {
    fn new(name: &str) -> Self {
        let folder = Folder::below(&std::env::temp_dir(), name);
        for file in [shipped::whyperf(), release::library(), PathBuf::from(carrier())] {
            copied(&file, &folder.0.join(file.file_name().expect("it is a file")));
        }
        let opened = Command::new("chmod").args(["-R", "a+rX"]).arg(&folder.0).status();
        assert!(opened.is_ok_and(|done| done.success()));
        Self(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.0.join(name).display().to_string()
    }

    /// The program with the library, as a user without rights.
    fn carrier(&self, how: &str) -> Target {
        let library = format!("LD_PRELOAD={}", self.file("libwhyperf.so"));
        let mut command = as_user(NOBODY);
        Target::start(command.args(["env", &library, &self.file("carrier"), how]))
    }

    /// Attaches as this user.
    fn attach(&self, user: &str, pid: u32) -> (Option<i32>, String) {
        let mut command = as_user(user);
        command.arg(self.file("whyperf")).args(["attach", "--no-store", "--duration", "0.5"]);
        let output = command.arg(pid.to_string()).output().expect("`setpriv` is installed");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn as_user(number: &str) -> Command {
    let mut command = Command::new("setpriv");
    let words = [format!("--reuid={number}"), format!("--regid={number}")];
    command.args(words).args(["--clear-groups", "--"]).current_dir("/");
    command
}

/// It was refused, and nothing of a measurement is there.
fn is_untouched(target: Target, (status, said): (Option<i32>, String), why: &str) {
    assert_eq!(status, Some(125), "{said}");
    assert!(said.contains(why), "{said}");
    let maps = fs::read_to_string(format!("/proc/{}/maps", target.pid())).expect("it runs");
    assert!(!maps.contains(".region"), "{maps}");
    ends_well(target);
}

#[test]
fn the_same_user_may() {
    if !needs::is_met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    let shared = Shared::new("same-user");
    let target = shared.carrier("");
    let (status, said) = shared.attach(NOBODY, target.pid());
    assert_eq!(status, Some(0), "{said}");
    ends_well(target);
}

#[test]
fn the_same_user_may_not_where_the_process_is_not_dumpable() {
    if !needs::is_met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    let shared = Shared::new("undumpable");
    let target = shared.carrier("undumpable");
    let refused = shared.attach(NOBODY, target.pid());
    is_untouched(target, refused, "does not allow to attach");
}

#[test]
fn another_user_may_not() {
    if !needs::is_met("root", rustix::process::geteuid().is_root()) {
        return;
    }
    let shared = Shared::new("other-user");
    let target = shared.carrier("");
    let refused = shared.attach("65533", target.pid());
    is_untouched(target, refused, "belongs to user 65534");
}

/// Whatever `kernel.yama.ptrace_scope` forbids it forbids by refusing these very calls.
#[test]
fn whom_the_kernel_refuses_the_memory_may_not() {
    let target = Target::start(&mut carrying(carrier()));
    let words = ["--duration", "0.5", &target.pid().to_string()];
    let refused = Attached::by(forbidden("memory"), &words);
    is_untouched(target, (refused.status, refused.said), "does not allow to attach");
}

#[test]
fn with_the_signal_alone_nothing_happens() {
    let target = Target::start(&mut carrying(carrier()));
    for bits in [1, 0x1234_5678_9abc, u64::MAX] {
        send(target.pid(), RequestNumber::new(bits).signal_value());
    }
    let maps = fs::read_to_string(format!("/proc/{}/maps", target.pid())).expect("it runs");
    assert!(!maps.contains(".region"), "{maps}");
    assert!(Path::new(&format!("/proc/{}", target.pid())).exists());
    ends_well(target);
}
