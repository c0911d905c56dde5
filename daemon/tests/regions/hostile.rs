//! Regions that lie, are cut, or hold random bytes: the daemon goes on, and says what it left out.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::Command;
use std::sync::atomic::Ordering;

use crate::stage::{SECOND, Stage, amounts, focus};
use proptest::prelude::*;
use whyperf_daemon::{Complaint, View};
use whyperf_layout::{Kind, MAGIC, Moved, ObjectKind, RegionState, VERSION, geometry};
use whyperf_model::Metric;
use whyperf_testkit::synthetic::SyntheticProcess;

#[test]
fn a_file_that_is_cut_costs_its_process_only() {
    let mut stage = Stage::new();
    let cut = stage.process(1);
    let whole = stage.other_process();
    for process in [&cut, &whole] {
        let thread = process.thread(stage.pid(), stage.at(0));
        let region = process.region("solve", Kind::User, 0);
        thread.begin(thread.add(1, region, 0, 0), stage.at(0));
    }
    let pair = stage.daemon.start(Metric::Compute, &focus("</Code>"));
    assert_eq!(amounts(&stage.sample(SECOND), pair), [2_000_000_000]);
    cut.file().set_len(geometry::PAGE as u64).expect("the file is ours");
    let pass = stage.sample(2 * SECOND);
    assert!(matches!(pass.complaints.as_slice(), [Complaint::Damaged { .. }]), "{pass:?}");
    assert_eq!(amounts(&pass, pair), [1_000_000_000]);
    assert_eq!(amounts(&stage.sample(3 * SECOND), pair), [1_000_000_000]);
    let kept = stage.daemon.profile(View::Full);
    assert_eq!(kept.len(), 2, "what was measured until then is kept");
}

#[test]
fn a_process_that_gives_its_measurement_up_is_named() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let thread = process.thread(stage.pid(), stage.at(0));
    let region = process.region("solve", Kind::User, 0);
    thread.begin(thread.add(1, region, 0, 0), stage.at(0));
    stage.sample(SECOND);
    process.header().set_state(RegionState::GivenUp);
    let pass = stage.sample(2 * SECOND);
    let said: Vec<String> = pass.complaints.iter().map(ToString::to_string).collect();
    assert!(
        matches!(said.as_slice(), [one] if one.contains("is not measured any more")),
        "{said:?}"
    );
    assert_eq!(stage.daemon.profile(View::Full).len(), 1, "what was measured until then is kept");
}

#[test]
fn what_is_no_region_is_named_and_left_out() {
    let mut stage = Stage::new();
    let place = |name: &str| stage.directory.join(name);
    fs::write(place("10-1.region"), "short").expect("the directory is ours");
    fs::write(place("11-1.region"), "").expect("the directory is ours");
    fs::create_dir(place("12-1.region")).expect("the directory is ours");
    std::os::unix::fs::symlink("/etc/passwd", place("13-1.region")).expect("ours");
    let file = File::create(place("14-1.region")).expect("the directory is ours");
    file.set_len(geometry::file_size(1) as u64).expect("sparse");
    file.write_all_at(&MAGIC.to_le_bytes(), 0).expect("ours");
    file.write_all_at(&(VERSION + 1).to_le_bytes(), 8).expect("ours");
    fs::write(place("notes.txt"), "none of the daemon's business").expect("ours");
    let pass = stage.sample(SECOND);
    let said: Vec<String> = pass.complaints.iter().map(ToString::to_string).collect();
    assert_eq!(said.len(), 4, "{said:#?}");
    assert!(said[0].contains("10-1.region") && said[0].contains("5 bytes long"), "{}", said[0]);
    assert!(said[1].contains("12-1.region"), "{}", said[1]);
    assert!(said[2].contains("13-1.region"), "{}", said[2]);
    let newer = format!("layout is version {}", VERSION + 1);
    assert!(said[3].contains(&newer), "{}", said[3]);
    assert!(stage.sample(2 * SECOND).complaints.is_empty(), "each is said once");
}

#[test]
fn a_run_directory_that_vanishes_is_said_once() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let thread = process.thread(stage.pid(), stage.at(0));
    let _ = thread;
    let pair = stage.daemon.start(Metric::Compute, &focus("</Code>"));
    stage.sample(SECOND);
    fs::remove_dir_all(&stage.directory).expect("ours");
    let pass = stage.sample(2 * SECOND);
    assert!(matches!(pass.complaints.as_slice(), [Complaint::Directory(_)]));
    assert_eq!(amounts(&pass, pair), [1_000_000_000], "what is mapped is still read");
    assert!(stage.sample(3 * SECOND).complaints.is_empty());
}

#[test]
fn time_that_cannot_have_passed_is_not_counted() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let region = process.region("MPI_Recv", Kind::Receive, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let node = thread.add(1, region, 0, 0);
    let pair = stage.daemon.start(Metric::SyncWait, &focus("</Code>"));
    stage.sample(SECOND);
    thread.node(node).exclusive.store(1 << 60, Ordering::Relaxed);
    thread.stamp(node).store(9, Ordering::Relaxed);
    thread.head().last.store(stage.at(SECOND), Ordering::Relaxed);
    thread.head().word.store(u64::MAX, Ordering::Relaxed);
    let pass = stage.sample(2 * SECOND);
    assert_eq!(amounts(&pass, pair), [0]);
    assert!(stage.daemon.losses().doubted > 0);
}

#[test]
fn a_named_pipe_that_a_process_calls_its_program_is_not_waited_for() {
    let mut stage = Stage::new();
    let pipe = stage.directory.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|done| done.success()));
    let process = stage.other_process();
    let header = process.header();
    header.program.store(process.string(&pipe.display().to_string()), Ordering::Relaxed);
    header.program_base.store(0, Ordering::Relaxed);
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let thread = process.thread(0, stage.at(0));
    thread.add(1, receive, 0x1234, 0);
    // Its map cannot be read any more, so its program is looked at as it says.
    stage.kill_others();
    stage.sample(SECOND);
    stage.daemon.settle_places();
    assert_eq!(stage.daemon.counts().processes, 1);
}

/// How much memory of its own this process has, in MiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("this process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kibibytes.expect("the kernel tells") / 1024
}

#[test]
fn a_process_full_of_nodes_takes_no_more_memory_than_it_may() {
    let mut stage = Stage::new();
    let process = SyntheticProcess::create(&stage.directory, stage.pid(), 1, 100, stage.at(0));
    let process = process.expect("the directory is ours");
    let region = process.region("MPI_Recv", Kind::Receive, 0);
    for number in 0..100 {
        let thread = process.thread(number, stage.at(0));
        (2..65_535).for_each(|at| assert!(thread.add(1, region, 0x1000 + at, 0) > 1));
    }
    let before = resident();
    stage.sample(SECOND);
    let grown = resident().saturating_sub(before);
    assert!(grown < 300, "{grown} MiB");
    assert!(stage.daemon.losses().unread > 6_000_000, "{:?}", stage.daemon.losses());
}

#[test]
fn deep_and_long_names_take_no_more_memory_than_they_may() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let region = process.region("open", Kind::Open, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    for number in 0..2000 {
        let path = format!("/{number}{}", "/d".repeat(1024));
        thread.add(1, region, 0, process.object(ObjectKind::File, 0, number, &path));
    }
    let before = resident();
    let pass = stage.sample(SECOND);
    let grown = resident().saturating_sub(before);
    assert!(grown < 100, "{grown} MiB");
    let deepest = pass.appeared.iter().map(whyperf_model::Resource::depth).max();
    assert!(deepest.is_some_and(|deepest| deepest <= 33), "{deepest:?}");
}

/// So much address space of this process has the file in it, in MiB.
fn mapped(process: &SyntheticProcess) -> u64 {
    let maps = fs::read_to_string("/proc/self/maps").expect("this process runs");
    let path = process.path().display().to_string();
    let of_file = maps.lines().filter(|line| line.ends_with(&path));
    let ranges = of_file.filter_map(|line| line.split(' ').next()?.split_once('-'));
    let number = |text| u64::from_str_radix(text, 16).expect("an address");
    ranges.map(|(from, to)| number(to) - number(from)).sum::<u64>() >> 20
}

#[test]
fn a_region_takes_the_address_space_of_the_threads_that_it_has() {
    let mut stage = Stage::new();
    let process = SyntheticProcess::create(&stage.directory, stage.pid(), 1, 4096, stage.at(0));
    let process = process.expect("the directory is ours");
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let own = mapped(&process);
    let mut sample = |threads: std::ops::Range<u32>, at| {
        for number in threads {
            process.thread(number, stage.at(0)).add(1, receive, 0x1000, 0);
        }
        stage.sample(at);
        mapped(&process) - own
    };
    let of_one = sample(0..1, SECOND);
    let of_ten = sample(1..10, 2 * SECOND);
    assert!(of_one < 50 && of_ten < 150, "{of_one} and {of_ten} MiB");
    assert_eq!(stage.daemon.counts().threads, 10);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Random words anywhere in the tables, the head, the stamps and the nodes.
    #[test]
    fn random_bytes_never_end_the_daemon(
        words in proptest::collection::vec((0usize..7, 0usize..4096, any::<u64>()), 1..400),
        cut in proptest::option::of(0u64..geometry::file_size(2) as u64),
    ) {
        let mut stage = Stage::new();
        let process = stage.process(1);
        let region = process.region("MPI_Recv", Kind::Receive, 0);
        let tag = process.object(ObjectKind::Tag, 0, 3, "x");
        let thread = process.thread(stage.pid(), stage.at(0));
        let call = thread.add(1, region, 0, tag);
        let pair = stage.daemon.start(Metric::Wall, &focus("</Code>"));
        stage.sample(SECOND);
        thread.begin(call, stage.at(SECOND));
        thread.end(stage.at(SECOND + 5), Moved::default());
        let slot = geometry::slot_offset(0);
        let bases = [
            0,
            geometry::COMMANDS,
            geometry::REPLIES,
            geometry::REGIONS,
            geometry::OBJECTS,
            slot,
            slot + geometry::NODES_IN_SLOT,
        ];
        for (base, offset, word) in words {
            // The first words stay: without magic nothing would be read at all.
            let at = bases[base] + if base == 0 { offset % 4064 + 32 } else { offset };
            process.file().write_all_at(&word.to_le_bytes(), at as u64).expect("ours");
        }
        let pass = stage.sample(2 * SECOND);
        for amount in amounts(&pass, pair) {
            prop_assert!((0..=10_000_000_000).contains(&amount), "{amount}");
        }
        if let Some(size) = cut {
            process.file().set_len(size).expect("ours");
        }
        for step in 3..30 {
            stage.sample(step * SECOND);
        }
        stage.daemon.settle_places();
        prop_assert!(stage.daemon.profile(View::Full).len() <= geometry::NODE_CAPACITY);
        prop_assert!(stage.daemon.profile(View::TwoLevel).len() <= geometry::NODE_CAPACITY);
    }

    /// However calls fall between samples, what pairs get adds up to what the thread lived.
    #[test]
    fn sums_are_right_whenever_samples_come(
        steps in proptest::collection::vec((1u64..400_000_000, 0u8..5), 1..200),
    ) {
        let mut stage = Stage::new();
        let process = stage.process(1);
        let kinds = [Kind::Receive, Kind::Read, Kind::User];
        let thread = process.thread(stage.pid(), stage.at(0));
        let mut nodes = vec![1];
        for (at, kind) in kinds.into_iter().enumerate() {
            let region = process.region(&format!("r{at}"), kind, 0);
            nodes.push(thread.add(nodes[at], region, 0, 0));
        }
        let metrics = [Metric::SyncWait, Metric::IoWait, Metric::Compute, Metric::Wall];
        let pairs = metrics.map(|metric| stage.daemon.start(metric, &focus("</Code>")));
        let (mut now, mut depth) = (0, 0);
        let mut got = [0i64; 4];
        let mut expected = [0u64; 3];
        for (length, action) in steps {
            now += length;
            expected[[2, 0, 1, 2][depth]] += length;
            match action {
                0 | 1 if depth < 3 => {
                    depth += 1;
                    thread.begin(nodes[depth], stage.at(now));
                }
                2 if depth > 0 => {
                    depth -= 1;
                    thread.end(stage.at(now), Moved::default());
                }
                _ => {
                    let pass = stage.sample(now);
                    for (sum, pair) in got.iter_mut().zip(pairs) {
                        *sum += amounts(&pass, pair).first().copied().unwrap_or(0);
                    }
                }
            }
        }
        let pass = stage.sample(now + 1);
        expected[[2, 0, 1, 2][depth]] += 1;
        for (sum, pair) in got.iter_mut().zip(pairs) {
            *sum += amounts(&pass, pair)[0];
        }
        let expected = expected.map(|part| i64::try_from(part).expect("small"));
        prop_assert_eq!(&got[..3], &expected[..]);
        prop_assert_eq!(got[3], expected.iter().sum::<i64>());
    }
}
