//! Run directories that are of no use: the program goes on, unmeasured and unaware.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::comparison::Trial;
use crate::needs;
use crate::release::library;
use crate::stage::make_private;

const PYTHON: &str = "/usr/bin/python3";
const SCRIPT: &str = r#"
import threading
def work():
    for i in range(100): open("/dev/null").close()
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
print("done", open("/dev/zero", "rb").read(3))
"#;

/// A trial of a program that reads and writes from several threads.
fn trial(name: &str) -> Trial {
    Trial::of(name, &[PYTHON, "-c", SCRIPT])
}

#[test]
fn directories_that_are_none() {
    let trial = trial("places-none");
    let bare = trial.bare();
    let file = trial.stage.beside("file");
    fs::write(&file, "not a directory").expect("a test may write its own files");
    let link = trial.stage.beside("link");
    symlink("/no/such/place", &link).expect("a link can be made");
    let long = format!("/{}", "long/".repeat(1000));
    let own = [file, link].map(|path| path.display().to_string());
    for place in ["", "/", ".", "relative/path", "/no/such/place", "/dev/null", &long] {
        trial.is_same_in(&bare, place);
    }
    own.iter().for_each(|place| trial.is_same_in(&bare, place));
    let root = fs::read_dir("/").expect("everybody may list it");
    let left = root.filter_map(Result::ok).map(|entry| entry.path());
    let left: Vec<_> =
        left.filter(|path| path.extension().is_some_and(|e| e == "region")).collect();
    assert!(left.is_empty(), "left behind in a place that is no run directory: {left:?}");
}

#[test]
fn bytes_that_are_no_text() {
    let trial = trial("places-bytes");
    let bare = trial.bare();
    let noise = OsString::from_vec((1..=255).filter(|byte| *byte != b'=').collect());
    let mut command = Command::new(PYTHON);
    command.args(["-c", SCRIPT]).env("LC_ALL", "C");
    command.env("LD_PRELOAD", library()).env("WHYPERF_DIR", noise);
    assert_eq!(trial.stage.perform(&mut command, |_| ()), bare);
}

#[test]
fn directories_that_cannot_be_written() {
    let trial = trial("places-closed");
    let bare = trial.bare();
    for mode in [0o500, 0o000, 0o777] {
        let place = trial.stage.beside(&format!("mode-{mode:o}"));
        make_private(&place);
        let closed = fs::Permissions::from_mode(mode);
        fs::set_permissions(&place, closed).expect("its owner may change its mode");
        trial.is_same_in(&bare, &place.display().to_string());
        let open = fs::Permissions::from_mode(0o700);
        fs::set_permissions(&place, open).expect("its owner may change its mode");
    }
    trial.is_same_in(&bare, "/proc/self");
    trial.is_same_in(&bare, "/sys");
}

#[test]
fn a_directory_that_vanishes() {
    let script = "import os, shutil\n\
                  shutil.rmtree(os.environ.get('WHYPERF_DIR', '/no/such/place'), ignore_errors=True)\n\
                  print(sum(len(open('/dev/zero', 'rb').read(n)) for n in range(100)))\n";
    let trial = Trial::of("places-vanishing", &[PYTHON, "-c", script]);
    let deed = trial.is_unchanged();
    assert_eq!(deed.stdout, "4950\n");
    assert!(!trial.stage.run().exists(), "the script removes it");
}

#[test]
fn numbers_that_are_none() {
    let trial = trial("places-numbers");
    let bare = trial.bare();
    let (library, run) = (library().display().to_string(), trial.stage.run().display().to_string());
    for depth in ["", "0", "1", "-1", "many", "99999999999999999999", "0x10"] {
        let variables =
            [("LD_PRELOAD", &*library), ("WHYPERF_DIR", &*run), ("WHYPERF_CALLPATH_DEPTH", depth)];
        trial.is_same(&bare, &variables);
    }
}

#[test]
fn a_file_system_without_room() {
    for size in ["4k", "64k", "256k", "1m"] {
        let trial = trial(&format!("places-full-{size}"));
        let bare = trial.bare();
        let place = SmallPlace::mount(&trial.stage.beside("small"), size);
        needs::is_met("mounting", place.is_some());
        let Some(place) = place else { return };
        trial.is_same_in(&bare, &place.0.display().to_string());
        let threads = crate::built::program("guests/many_threads").display().to_string();
        let threads = Trial::of(&format!("places-full-threads-{size}"), &[&threads]);
        threads.is_same_in(&threads.bare(), &place.0.display().to_string());
    }
}

/// A file system in memory, unmounted at the end.
struct SmallPlace(PathBuf);

impl SmallPlace {
    fn mount(place: &Path, size: &str) -> Option<Self> {
        make_private(place);
        let options = format!("size={size},mode=0700");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(place)
            .output();
        mounted.ok()?.status.success().then(|| Self(place.to_owned()))
    }
}

impl Drop for SmallPlace {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
