//! Region files that earlier versions wrote: one of this layout is read, any other is refused in one sentence and left alone.
//!
//! A file in `golden/` holds the size of the region, and then every part of it that is not zero as offset, length and bytes.

use std::fs::{self, File};
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use whyperf_daemon::{Daemon, DaemonSettings, Moment, ProfileRow, View};
use whyperf_layout::{Header, VERSION};

use crate::stage::{SECOND, Stage};

/// The versions of the layout of which there is a region.
const LAYOUTS: [u32; 1] = [2];

#[test]
fn each_region_of_old_is_read_or_refused_in_one_sentence() {
    for layout in LAYOUTS {
        let stage = Stage::new();
        let path = restored(&format!("layout-{layout}"), &stage);
        let before = fs::metadata(&path).expect("it was just written").len();
        // The process began then, by its own clocks.
        let zero = Moment {
            nanos: word(&path, offset_of!(Header, start_nanos)),
            ticks: word(&path, offset_of!(Header, start_ticks)),
        };
        let after = |seconds: u64| Moment {
            nanos: zero.nanos + seconds * SECOND,
            ticks: zero.ticks + seconds * TICKS,
        };
        let settings = DaemonSettings { host: "node1".to_owned(), ..DaemonSettings::new(zero) };
        let mut daemon = Daemon::open(&stage.directory, settings).expect("the folder is there");
        let complaints = daemon.sample(after(1)).complaints;
        let said: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        if layout == VERSION {
            assert_eq!(said, [""; 0]);
            daemon.sample(after(2));
            let profile = daemon.profile(View::Full);
            let locks = |row: &ProfileRow| row.path.last().is_some_and(|name| name == LOCK);
            assert!(profile.iter().any(locks), "the program locks: {profile:?}");
        } else {
            let version = format!("layout is version {layout}");
            assert!(said.len() == 1 && said[0].contains(&version), "{said:?}");
            assert_eq!(fs::metadata(&path).expect("it is still there").len(), before);
        }
    }
}

/// What the program of the region did most.
const LOCK: &str = "pthread_mutex_lock";
/// About so many ticks had a second on its machine.
const TICKS: u64 = 5 * SECOND / 2;

fn word(path: &Path, offset: usize) -> u64 {
    let mut bytes = [0; 8];
    let file = File::open(path).expect("it was just written");
    file.read_exact_at(&mut bytes, offset as u64).expect("inside the file");
    u64::from_le_bytes(bytes)
}

/// Puts a region where the daemon finds it, as that of this process.
fn restored(name: &str, stage: &Stage) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regions/golden");
    let bytes = fs::read(folder.join(format!("{name}.dump"))).expect("it is there");
    let path = stage.directory.join(format!("{}-0.region", stage.pid()));
    let file = File::options().read(true).write(true).create_new(true).open(&path);
    let file = file.expect("the folder is ours");
    let (size, mut rest) = bytes.split_first_chunk().expect("the size comes first");
    file.set_len(u64::from_le_bytes(*size)).expect("a sparse file takes no room");
    while let Some((head, behind)) = rest.split_first_chunk::<12>() {
        let offset = u64::from_le_bytes(head[..8].try_into().expect("eight bytes"));
        let length = u32::from_le_bytes(head[8..].try_into().expect("four bytes")) as usize;
        file.write_all_at(&behind[..length], offset).expect("inside the file");
        rest = &behind[length..];
    }
    let pid = offset_of!(Header, pid);
    file.write_all_at(&stage.pid().to_le_bytes(), pid as u64).expect("inside the file");
    path
}
