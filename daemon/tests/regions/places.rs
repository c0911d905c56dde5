//! Call sites of a real process, this one: code resources, lines, the profile's callers.

use std::collections::BTreeSet;
use std::os::fd::AsRawFd as _;
use std::process::{Command, Stdio};

use whyperf_daemon::View;
use whyperf_layout::{Kind, Moved, ObjectKind};
use whyperf_model::matching::Line;
use whyperf_model::{Focus, Metric};

use crate::stage::{SECOND, Stage, amounts, focus, names};

#[inline(never)]
fn exchange() -> u64 {
    exchange as *const () as u64 + 1
}

#[inline(never)]
fn sweep() -> u64 {
    sweep as *const () as u64 + 1
}

#[test]
fn waiting_belongs_to_the_function_that_called() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(0);
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let solve = process.region("solve", Kind::User, sweep());
    let thread = process.thread(stage.pid(), stage.at(0));
    let outer = thread.add(1, solve, 0, 0);
    let inner = thread.add(outer, receive, exchange(), 0);
    stage.sample(1);
    stage.daemon.settle_places();
    let pass = stage.sample(2);
    let code: Vec<String> =
        names(&pass.appeared).into_iter().filter(|name| name.starts_with("/Code/")).collect();
    let exchange = code.iter().find(|name| name.ends_with("exchange")).expect("it is resolved");
    assert!(exchange.starts_with("/Code/places.rs/"), "{exchange}");
    assert!(code.contains(&"/Code/places.rs/solve".to_owned()), "{code:?}");

    let at_exchange: Focus = focus(&format!("<{exchange}>"));
    let called = stage.daemon.start(Metric::SyncWait, &at_exchange);
    let inside = stage.daemon.start(Metric::SyncWait, &focus("</Code/places.rs/solve>"));
    let computed = stage.daemon.start(Metric::Compute, &focus("</Code/places.rs/solve>"));
    let elsewhere = stage.daemon.start(Metric::SyncWait, &focus("</Code/other.c>"));
    thread.begin(outer, stage.at(100));
    thread.begin(inner, stage.at(150));
    thread.end(stage.at(450), Moved { out: 0, r#in: 16 });
    thread.end(stage.at(500), Moved::default());
    let pass = stage.sample(SECOND);
    let got = [called, inside, computed, elsewhere].map(|pair| amounts(&pass, pair)[0]);
    assert_eq!(got, [300, 300, 100, 0]);

    let lines = stage.daemon.lines();
    let source = Line::longest(&lines, Metric::SyncWait, &at_exchange).expect("it has a line");
    assert!(source.starts_with("places.rs:"), "{source}");
    assert_eq!(Line::longest(&lines, Metric::IoWait, &at_exchange), None);

    let rows = stage.daemon.profile(View::TwoLevel);
    let row = rows.iter().find(|row| row.path.last().is_some_and(|name| name == "MPI_Recv"));
    let row = row.expect("the call is in the profile");
    assert!(row.path[0].ends_with("exchange"), "{:?}", row.path);
    assert_eq!((row.calls, row.inclusive.0, row.received), (1, 300, 16));
    let full = stage.daemon.profile(View::Full);
    assert!(full.iter().any(|row| row.path.len() == 3 && row.path[0] == "solve"), "{full:#?}");
}

#[test]
fn a_lock_without_a_name_is_called_after_its_place() {
    static LOCK: [u64; 4] = [1; 4];
    let mut stage = Stage::new();
    let process = stage.process(1);
    let lock = process.region("pthread_mutex_lock", Kind::Mutex, 0);
    let made_at = process.object(ObjectKind::Mutex, 0, 0x1000, "");
    process.object_record(made_at).site.store(sweep(), std::sync::atomic::Ordering::Relaxed);
    let unknown = process.object(ObjectKind::Mutex, 0, 0x1000, "");
    let variable = process.object(ObjectKind::Mutex, 0, LOCK.as_ptr() as u64, "");
    let thread = process.thread(stage.pid(), stage.at(0));
    for object in [made_at, unknown, variable] {
        thread.add(1, lock, 0, object);
    }
    stage.sample(1);
    stage.daemon.settle_places();
    let mut appeared = names(&stage.sample(2).appeared);
    appeared.retain(|name| name.starts_with("/SyncObject/Mutex/"));
    assert!(appeared.contains(&"/SyncObject/Mutex/0x1000".to_owned()), "{appeared:?}");
    assert!(
        appeared.iter().any(|name| name.starts_with("/SyncObject/Mutex/places.rs:")),
        "{appeared:?}"
    );
    assert_eq!(appeared.len(), 3, "{appeared:?}");
}

#[test]
fn a_pipe_is_called_by_who_has_its_other_end() {
    let child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut child = child.expect("every system has `cat`");
    let input = child.stdin.take().expect("it is a pipe");
    // Until then it is a copy of this process.
    while whyperf_inject::program_name(child.id()) != "cat" {
        std::thread::yield_now();
    }
    let link = format!("/proc/self/fd/{}", input.as_raw_fd());
    let pipe = std::fs::read_link(link).expect("it is open").display().to_string();
    let mut stage = Stage::new();
    let process = stage.process(1);
    let write = process.region("write", Kind::Write, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let names_of = ["pipe", "stdout"].map(|kind| format!("{kind}/{pipe}"));
    let objects = [0, 1].map(|at| process.object(ObjectKind::File, 0, at, &names_of[at as usize]));
    let other = process.object(ObjectKind::File, 0, 2, &format!("/data/{pipe}"));
    for object in [objects[0], objects[1], other] {
        thread.add(1, write, 0, object);
    }
    let mut appeared = BTreeSet::new();
    let mut now = 0;
    while !appeared.contains("/File/stdout/cat") {
        now += 1;
        appeared.extend(names(&stage.sample(now).appeared));
        std::thread::yield_now();
    }
    for name in ["/File/pipe", "/File/stdout", "/File/pipe/cat"] {
        assert!(appeared.contains(name), "{appeared:?}");
    }
    assert!(appeared.contains(&format!("/File/data/{pipe}")), "that is a name: {appeared:?}");
    drop(input);
    assert!(child.wait().expect("it is ours").success());
}
