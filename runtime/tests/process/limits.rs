//! Full tables, limits of the system, and programs that take things away.

use crate::measured::{only, run};
use crate::{visit, visit_from};
use std::ffi::CString;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use whyperf_layout::geometry::{NODE_CAPACITY, OBJECT_CAPACITY, file_size};
use whyperf_layout::{Kind, ObjectKind};
use whyperf_runtime::{ObjectId, Region, object};

static SOLVE: Region = Region::new(c"solve", Kind::User);
static SEND: Region = Region::new(c"send", Kind::Send);

#[test]
fn events_without_room_go_to_other() {
    const SITES: u64 = 70_000;
    let region = only(run(&[], || {
        visit(&SOLVE, || ());
        for site in 1..=SITES {
            visit_from(&SEND, site, || visit(&SOLVE, || ()));
        }
        visit(&SOLVE, || ());
    }));
    let slot = region.slot();
    let head = slot.head();
    assert_eq!(head.nodes.load(Relaxed) as usize, NODE_CAPACITY);
    assert_eq!(slot.node(3).visits.load(Relaxed), 2);
    let all: u64 = (1..NODE_CAPACITY).map(|index| slot.node(index).visits.load(Relaxed)).sum();
    assert_eq!(all, 2 * SITES + 2);
    assert_eq!(slot.node(2).visits.load(Relaxed), head.overflowed.load(Relaxed));
    assert!(region.header().losses.nodes.load(Relaxed) > 0);
    assert_eq!(slot.anomalies(), 0);
    slot.check_whole();
}

#[test]
fn objects_without_room_are_their_parents() {
    let region = only(run(&[], || {
        let parent = object::intern(ObjectKind::Communicator, ObjectId::NONE, 1, b"world", 0);
        let mut last = parent;
        for tag in 0..70_000 {
            last = object::intern(ObjectKind::Tag, parent, tag, b"", 0);
        }
        assert_eq!(last, parent);
        assert!(object::find(ObjectKind::Tag, parent, 5).is_some());
    }));
    let header = region.header();
    assert_eq!(header.object_count.load(Relaxed) as usize, OBJECT_CAPACITY);
    let lost = 70_000 - (OBJECT_CAPACITY as u64 - 2);
    assert_eq!(header.losses.objects.load(Relaxed), lost);
}

/// Sets a limit of this process.
fn limit(bytes: usize) {
    let limit = libc::rlimit { rlim_cur: bytes as u64, rlim_max: bytes as u64 };
    // SAFETY: the structure is ours to read.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) }, 0);
}

#[test]
fn a_small_file_size_limit_means_fewer_slots() {
    let region = only(run(&[], || {
        limit(file_size(100));
        visit(&SOLVE, || ());
    }));
    assert_eq!(region.header().slot_capacity.load(Relaxed), 64);
}

#[test]
fn a_tiny_file_size_limit_means_no_region_and_no_signal() {
    assert!(
        run(&[], || {
            limit(1 << 20);
            visit(&SOLVE, || ());
        })
        .is_empty()
    );
}

#[test]
fn threads_without_a_slot_are_counted() {
    let region = only(run(&[], || {
        limit(file_size(2));
        for _ in 0..3 {
            thread::spawn(|| visit(&SOLVE, || ())).join().unwrap();
        }
    }));
    assert_eq!(region.slots().len(), 2);
    assert_eq!(region.header().losses.threads.load(Relaxed), 1);
}

#[test]
fn closed_descriptors_do_not_matter() {
    let region = only(run(&[], || {
        visit(&SOLVE, || ());
        // SAFETY: closes what this scenario does not use any more.
        unsafe { libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0) };
        for _ in 0..10 {
            thread::spawn(|| visit(&SOLVE, || ())).join().unwrap();
        }
    }));
    let visits: u64 = region.slots().iter().map(|slot| slot.visits(&["solve"])).sum();
    assert_eq!((visits, region.slots().len()), (11, 11));
}

#[test]
fn a_changed_environment_does_not_matter() {
    let region = only(run(&[], || {
        // SAFETY: no other thread reads the environment meanwhile.
        unsafe { libc::clearenv() };
        visit(&SOLVE, || ());
    }));
    assert_eq!(region.slot().visits(&["solve"]), 1);
}

/// Mounts a small file system over the run directory; false where that is not allowed.
fn mount_small(kilobytes: usize) -> bool {
    let folder = std::env::var("WHYPERF_DIR").expect("the run directory is named");
    let folder = CString::new(folder).expect("a path has no zero");
    let options = CString::new(format!("size={kilobytes}k")).expect("a number has no zero");
    // SAFETY: strings that end with zero; the mount is this process's own.
    unsafe {
        libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(
                std::ptr::null(),
                c"/".as_ptr(),
                std::ptr::null(),
                libc::MS_REC | libc::MS_PRIVATE,
                std::ptr::null(),
            ) == 0
            && libc::mount(
                c"tmpfs".as_ptr(),
                folder.as_ptr(),
                c"tmpfs".as_ptr(),
                0,
                options.as_ptr().cast(),
            ) == 0
    }
}

#[test]
fn a_full_file_system_is_a_loss_and_no_signal() {
    run(&[], || {
        for kilobytes in [4, 12, 24, 40, 60, 100, 200] {
            // SAFETY: the child ends by `_exit` and uses no lock of another thread.
            let pid = unsafe { libc::fork() };
            if pid == 0 {
                whyperf_runtime::fork::child();
                if !mount_small(kilobytes) {
                    eprintln!("not allowed to mount: a full file system is not tried");
                }
                for site in 1..=5000 {
                    visit_from(&SEND, site, || ());
                    object::intern(ObjectKind::Tag, ObjectId::NONE, site, b"a name", 0);
                }
                // SAFETY: ends the child at once.
                unsafe { libc::_exit(0) };
            }
            let mut status = 0;
            // SAFETY: the status is ours to write.
            unsafe { libc::waitpid(pid, &raw mut status, 0) };
            assert_eq!(status, 0, "with {kilobytes} KiB");
        }
    });
}
