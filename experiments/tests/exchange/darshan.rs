//! What `darshan-parser` prints, in the form of its documentation.

use std::path::Path;

use whyperf_experiments::{ForeignFormat, darshan};

use crate::round_trip::Folder;

const TEXT: &str = "# darshan log version: 3.41
# exe: ./app
# nprocs: 2
# run time: 1.5000

# *******************************************************
# POSIX module data
# *******************************************************
#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>
POSIX\t1\t12\tPOSIX_OPENS\t1\t/home/x/a.dat\t/home\text4
POSIX\t1\t12\tPOSIX_READS\t8\t/home/x/a.dat\t/home\text4
POSIX\t1\t12\tPOSIX_BYTES_READ\t4096\t/home/x/a.dat\t/home\text4
POSIX\t1\t12\tPOSIX_MAX_BYTE_READ\t4095\t/home/x/a.dat\t/home\text4
POSIX\t1\t12\tPOSIX_F_READ_TIME\t0.250000\t/home/x/a.dat\t/home\text4
POSIX\t1\t12\tPOSIX_F_META_TIME\t0.001000\t/home/x/a.dat\t/home\text4
MPI-IO\t-1\t13\tMPIIO_COLL_WRITES\t4\t/home/x/b.dat\t/home\text4
MPI-IO\t-1\t13\tMPIIO_SYNCS\t-1\t/home/x/b.dat\t/home\text4
MPI-IO\t-1\t13\tMPIIO_F_WRITE_TIME\t0.500000\t/home/x/b.dat\t/home\text4
";

#[test]
fn files_have_times_bytes_and_calls() {
    let profile = darshan(Path::new("app.txt"), TEXT).expect("well formed");
    let places: Vec<u32> = profile.threads.iter().map(|thread| thread.node).collect();
    assert_eq!(places, [1, 2], "what ranks share stands behind the last of them");
    let read = "POSIX => read => /home/x/a.dat";
    let timer = profile.threads[0].timers.iter().find(|one| one.name == read).expect("there");
    assert_eq!((timer.calls, timer.values[0].exclusive), (8.0, 250_000.0));
    assert_eq!(timer.values[1].exclusive, 4096.0);
    let shared = &profile.threads[1].timers;
    let write = shared.iter().find(|one| one.name == "MPI-IO => write => /home/x/b.dat");
    assert_eq!(write.map(|one| (one.calls, one.values[0].exclusive)), Some((4.0, 500_000.0)));
    assert!(!shared.iter().any(|one| one.name.contains("metadata")), "-1 is not known");
    assert!(profile.threads[0].metadata.contains(&("nprocs".to_owned(), "2".to_owned())));
    for note in ["at a process 2 of their own", "modules lie above each other", "1 of POSIX"] {
        assert!(profile.notes.iter().any(|told| told.contains(note)), "{:?}", profile.notes);
    }
}

#[test]
fn what_makes_no_sense_is_named_with_its_line() {
    let refused = |text: &str| {
        darshan(Path::new("app.txt"), text).expect_err("it makes no sense").to_string()
    };
    assert!(refused(&TEXT.replace("\t8\t", "\teight\t")).contains("line 11: expected a number"));
    assert!(
        refused(&TEXT.replace("POSIX\t1\t12\tPOSIX_OPENS", "POSIX")).contains("line 10: expected")
    );
    assert!(refused(&TEXT.replace("# nprocs: 2\n", "")).contains("nprocs"));
    assert!(refused("# darshan log version: 3.41\n").contains("no counters of Darshan"));
}

#[test]
fn it_is_known_by_its_content() {
    let folder = Folder::new();
    let path = folder.0.join("app.txt");
    std::fs::write(&path, TEXT).expect("writable");
    assert_eq!(ForeignFormat::of(&path).ok(), Some(ForeignFormat::Darshan));
}
