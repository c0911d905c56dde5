//! Cuts or overwrites regions while the process measures into them.

use crate::measured::{only, run};
use crate::{end, visit, visit_from};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Barrier;
use std::thread;
use whyperf_layout::geometry::{NODE_CAPACITY, SLOTS, node_offset, slot_offset};
use whyperf_layout::{Kind, ObjectKind, RegionState};
use whyperf_runtime::{ObjectId, Region, event, object, process};

static SOLVE: Region = Region::new(c"solve", Kind::User);
static SEND: Region = Region::new(c"send", Kind::Send);
static LATE: Region = Region::new(c"late", Kind::User);

fn file() -> (PathBuf, File) {
    let folder = PathBuf::from(std::env::var_os("WHYPERF_DIR").expect("set by the test"));
    let entries = fs::read_dir(folder).expect("the folder is ours");
    let mut paths = entries.map(|entry| entry.expect("the folder is ours").path());
    // What was found out about the machine lies there, too.
    let is_region = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "region");
    let path = paths.find(is_region).expect("a region");
    let file = File::options().read(true).write(true).open(&path).expect("the region is ours");
    (path, file)
}

/// Events of two threads around the damage, with visits open while it comes.
fn survive(damage: impl Fn(&File)) {
    // The standard library of this test has a handler; a preloaded library comes before it.
    // SAFETY: brings the default disposition back; no other thread runs yet.
    unsafe { libc::signal(libc::SIGBUS, libc::SIG_DFL) };
    process::set_world(0, 1);
    let both = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            visit(&SEND, || {
                both.wait();
                both.wait();
            });
            (1..=5000).for_each(|site| visit_from(&SEND, site, || visit(&SOLVE, || ())));
        });
        let open = event::begin(&SOLVE, 0, ObjectId::NONE);
        assert!(open, "recorded before the damage");
        visit(&SEND, || ());
        both.wait();
        let (path, file) = file();
        damage(&file);
        both.wait();
        end(&SOLVE);
        (1..=200_000).for_each(|site| visit_from(&SEND, site % 3000, || ()));
        visit(&LATE, || ());
        object::intern(ObjectKind::Tag, ObjectId::NONE, 7, b"a name", 0);
        process::phase(b"after");
        fs::remove_file(path).expect("the region is ours");
    });
    thread::spawn(|| visit(&SOLVE, || ())).join().expect("the thread returns");
    process::leave();
}

#[test]
fn a_file_cut_to_nothing_is_survived() {
    assert!(run(&[], || survive(|file| file.set_len(0).unwrap())).is_empty());
}

#[test]
fn a_file_cut_to_two_pages_is_survived() {
    assert!(run(&[], || survive(|file| file.set_len(8192).unwrap())).is_empty());
}

/// Overwrites some of the file with pseudo-random bytes.
fn scribble(file: &File, from: usize, size: usize) {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut bytes = vec![0_u8; size];
    for byte in &mut bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *byte = state as u8;
    }
    file.write_all_at(&bytes, from as u64).expect("the region is ours");
}

#[test]
fn random_bytes_everywhere_are_survived() {
    assert!(run(&[], || survive(|file| scribble(file, 0, SLOTS + (2 << 20)))).is_empty());
}

#[test]
fn random_bytes_in_the_nodes_are_survived() {
    let nodes = || survive(|file| scribble(file, slot_offset(0) + 4096, 2 << 20));
    assert!(run(&[], nodes).is_empty());
}

#[test]
fn a_current_node_far_outside_is_survived() {
    assert!(run(&[], || far(u32::MAX - 63)).is_empty());
}

#[test]
fn who_finds_its_region_damaged_says_so() {
    let region = only(run(&[], || {
        visit(&SOLVE, || ());
        far_current(&file().1, u32::MAX - 63);
        visit(&SOLVE, || ());
    }));
    assert_eq!(region.header().state(), RegionState::GivenUp);
}

#[test]
fn a_current_node_behind_the_last_one_is_survived() {
    assert!(run(&[], || far(node_offset(NODE_CAPACITY))).is_empty());
}

/// The main thread is in a node that does not exist, as it seems.
fn far(node: u32) {
    survive(|file| far_current(file, node));
}

fn far_current(file: &File, node: u32) {
    for slot in 0..2 {
        file.write_all_at(&node.to_le_bytes(), slot_offset(slot) as u64 + 4)
            .expect("the region is ours");
    }
}

#[test]
fn parents_in_a_circle_are_survived() {
    assert!(
        run(&[], || {
            survive(|file| {
                let circle = node_offset(3);
                let at = slot_offset(0) + circle as usize;
                let parent = at + core::mem::offset_of!(whyperf_layout::Node, parent);
                let region = at + core::mem::offset_of!(whyperf_layout::Node, region);
                file.write_all_at(&circle.to_le_bytes(), parent as u64).unwrap();
                file.write_all_at(&9_u32.to_le_bytes(), region as u64).unwrap();
            });
        })
        .is_empty()
    );
}
