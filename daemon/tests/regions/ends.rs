//! Threads and processes come and go: slots used again, killed processes, renamed and retired
//! objects, pauses, ranks that become known late.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::stage::{SECOND, Stage, amounts, focus, names};
use whyperf_daemon::{Milestone, MilestoneKind, SwitchedBy, View};
use whyperf_layout::{
    Answer, CodeState, Command, Kind, Message, Moved, ObjectKind, Outcome, PAUSED_BY_DAEMON,
    RegionState, Reply, Sequence,
};
use whyperf_model::{CodeFilter, FilterEffect, FilterTarget, Metric, NamePattern};

#[test]
fn a_slot_used_again_is_another_thread() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(0);
    let barrier = process.region("pthread_barrier_wait", Kind::ThreadBarrier, 0);
    let first = process.thread(stage.pid(), stage.at(0));
    let call = first.add(1, barrier, 0, 0);
    first.begin(call, stage.at(100));
    first.end(stage.at(300), Moved::default());
    first.finish(stage.at(1000));
    let waits = stage.daemon.start(Metric::SyncWait, &focus("</Code>"));
    let wall = stage.daemon.start(Metric::Wall, &focus("</Code>"));
    let pass = stage.sample(SECOND);
    assert_eq!((amounts(&pass, waits), amounts(&pass, wall)), (vec![200], vec![1000]));
    assert!(!names(&pass.appeared).contains(&"/Process/0/0".to_owned()), "it is gone already");
    assert_eq!(
        process.received(),
        Some((Sequence(1), Command::ReleaseSlot { slot: 0, generation: 1 }))
    );
    assert!(amounts(&stage.sample(2 * SECOND), wall).is_empty(), "no thread, nobody to report");

    let second = process.thread_again(0, stage.pid(), stage.at(2 * SECOND));
    let call = second.add(1, barrier, 0, 0);
    second.begin(call, stage.at(2 * SECOND + 10));
    let pass = stage.sample(2 * SECOND + 50);
    assert_eq!((amounts(&pass, waits), amounts(&pass, wall)), (vec![40], vec![50]));
    assert_eq!(names(&pass.appeared), ["/Process/0/1"]);
    let rows = stage.daemon.profile(View::TwoLevel);
    let threads: Vec<_> = rows.iter().map(|row| (row.thread, row.inclusive.0)).collect();
    assert_eq!(threads, [(0, 200), (1, 40)]);
}

#[test]
fn a_killed_process_is_told_until_it_was_last_seen_alive() {
    let mut stage = Stage::new();
    let process = stage.other_process();
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let thread = process.thread(0, stage.at(0));
    let call = thread.add(1, receive, 0, 0);
    let waits = stage.daemon.start(Metric::SyncWait, &focus("</Code>"));
    thread.begin(call, stage.at(SECOND));
    assert_eq!(amounts(&stage.sample(2 * SECOND), waits), [1_000_000_000]);
    stage.kill_others();
    let last = stage.sample(3 * SECOND);
    assert_eq!(last.ended.len(), 1);
    assert_eq!(amounts(&last, waits).iter().sum::<i64>(), 0, "it may have ended at once");
    let rows = stage.daemon.profile(View::TwoLevel);
    let shown: Vec<_> = rows.iter().map(|row| (row.calls, row.inclusive.0)).collect();
    assert_eq!(shown, [(0, 1_000_000_000)], "the call that nothing closed");
    assert_eq!(stage.daemon.counts().running, 0);
    assert_eq!(stage.daemon.counts().processes, 1);
}

#[test]
fn an_exec_that_fails_changes_nothing_and_one_that_works_ends_it() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let thread = process.thread(stage.pid(), stage.at(0));
    let _ = thread;
    process.header().state.store(RegionState::Replaced as u32, Ordering::Release);
    assert!(stage.sample(SECOND).ended.is_empty());
    process.header().state.store(RegionState::Running as u32, Ordering::Release);
    assert!(stage.sample(2 * SECOND).ended.is_empty());
    let successor = stage.process(2);
    let pass = stage.sample(3 * SECOND);
    assert_eq!((pass.ended.len(), pass.started.len()), (1, 1));
    assert_eq!(stage.daemon.counts().running, 1);
    drop(successor);
}

#[test]
fn a_rank_that_comes_late_renames_the_process() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let thread = process.thread(stage.pid(), stage.at(0));
    let _ = thread;
    let pid = stage.pid();
    let pair = stage.daemon.start(Metric::Wall, &focus("</Process/3/0>"));
    let first = stage.sample(SECOND);
    assert!(names(&first.appeared).contains(&format!("/Process/{pid}/0")));
    assert!(amounts(&first, pair).is_empty());
    process.set_rank(3);
    let pass = stage.sample(2 * SECOND);
    assert_eq!(names(&pass.appeared), ["/Process/3", "/Process/3/0"]);
    assert_eq!(names(&pass.retired), [format!("/Process/{pid}"), format!("/Process/{pid}/0")]);
    assert_eq!(amounts(&pass, pair), [1_000_000_000]);
}

#[test]
fn objects_are_renamed_and_retired() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let receive = process.region("MPI_Recv", Kind::Receive, 0);
    let group = process.object(ObjectKind::Communicator, 0, 77, "");
    let tag = process.object(ObjectKind::Tag, group, 5, "");
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, receive, 0, tag);
    let before = names(&stage.sample(SECOND).appeared);
    assert!(before.contains(&"/SyncObject/Message/0x4d/5".to_owned()), "{before:?}");
    process.object_record(group).name.store(process.string("rows"), Ordering::Release);
    let pair = stage.daemon.start(Metric::SyncWait, &focus("</SyncObject/Message/rows>"));
    thread.begin(call, stage.at(SECOND));
    thread.end(stage.at(SECOND + 70), Moved::default());
    let pass = stage.sample(2 * SECOND);
    assert_eq!(names(&pass.appeared), ["/SyncObject/Message/rows", "/SyncObject/Message/rows/5"]);
    assert_eq!(amounts(&pass, pair), [70]);
    process.object_record(tag).retired.store(1, Ordering::Relaxed);
    let pass = stage.sample(3 * SECOND);
    let gone = ["/SyncObject/Message", "/SyncObject/Message/rows", "/SyncObject/Message/rows/5"];
    assert_eq!(names(&pass.retired), gone);
}

#[test]
fn a_pause_is_not_measured() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let thread = process.thread(stage.pid(), stage.at(0));
    let _ = thread;
    let pair = stage.daemon.start(Metric::Compute, &focus("</Code>"));
    assert_eq!(amounts(&stage.sample(SECOND), pair), [1_000_000_000]);
    process.header().paused.store(1, Ordering::Relaxed);
    stage.sample(2 * SECOND);
    assert!(amounts(&stage.sample(3 * SECOND), pair).is_empty());
    process.header().paused.store(0, Ordering::Relaxed);
    stage.sample(4 * SECOND);
    assert_eq!(amounts(&stage.sample(5 * SECOND), pair), [1_000_000_000]);
    let covered = stage.daemon.histogram(pair).expect("it is measured").whole().covered;
    assert!(covered.0 <= 4 * SECOND, "the pause is not covered");
}

#[test]
fn a_pause_of_the_daemons_keeps_what_tells_the_progress_and_is_ended_for_each_process() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let step = process.region("step", Kind::User, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    thread.add(1, step, 0, 0);
    stage.sample(SECOND);
    let by = Milestone { kind: MilestoneKind::Region, name: "step".to_owned() };
    let progress = stage.daemon.progress(Some(&by));
    assert!(progress.milestones().eq([&by]), "{progress:?}");
    stage.daemon.pause(&by);
    assert_eq!(process.received().map(|(_, command)| command), Some(Command::Pause { kept: step }));
    assert!(!stage.daemon.have_paused());
    process.header().paused.store(PAUSED_BY_DAEMON, Ordering::Relaxed);
    assert!(stage.daemon.have_paused());
    stage.daemon.resume();
    assert_eq!(process.received().map(|(_, command)| command), Some(Command::Resume));
    // A process that was forked meanwhile is paused, and asked again.
    stage.sample(3 * SECOND);
    assert_eq!(process.received().map(|(_, command)| command), Some(Command::Resume));
}

#[test]
fn commands_arrive_and_replies_are_told() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(2);
    let hot = process.region("hot", Kind::User, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let _ = thread;
    stage.sample(SECOND);
    assert_eq!(stage.daemon.switch("hot", Some("2"), false), 1);
    assert_eq!(stage.daemon.switch("hot", Some("3"), false), 0);
    assert_eq!(stage.daemon.switch("cold", None, false), 0);
    let (sequence, command) = process.received().expect("a command");
    assert_eq!(command, Command::SwitchOff { region: hot });
    let reply = Reply::SwitchedOff { region: hot };
    process.reply(Answer { to: Some(sequence), reply }.encode());
    let reply = Reply::TooHot { region: hot, visits: 99, burst: 0 };
    process.reply(Answer::unasked(reply).encode());
    process.reply(Message { what: 77, arguments: [u64::from(hot), 99, 0] });
    let pass = stage.sample(2 * SECOND);
    let told: Vec<_> =
        pass.switched.iter().map(|s| format!("{} {:?}", s.region, s.outcome)).collect();
    assert_eq!(told, ["hot Off", "hot TooHot { visits: 99 }"]);
    let beats = process.heartbeat();
    stage.sample(3 * SECOND);
    assert_eq!(process.heartbeat(), beats + 1);
}

#[test]
fn a_region_that_the_filter_leaves_out_is_switched_off_when_it_is_first_seen() {
    let mut filter = CodeFilter::default();
    let target = FilterTarget::Function(NamePattern::exact("small"));
    filter.add(target, FilterEffect::LeaveOut);
    let mut stage = Stage::leaving_out(Some(Arc::new(filter)));
    let process = stage.process(1);
    let regions = ["small", "large"].map(|name| process.region(name, Kind::User, 0));
    let thread = process.thread(stage.pid(), stage.at(0));
    for region in regions {
        let visit = thread.add(1, region, 0, 0);
        thread.begin(visit, stage.at(1));
        thread.end(stage.at(2), Moved::default());
    }
    stage.sample(SECOND);
    let commands = std::iter::from_fn(|| process.received().map(|(_, command)| command));
    assert_eq!(commands.collect::<Vec<_>>(), [Command::SwitchOff { region: regions[0] }]);
}

#[test]
fn what_was_hot_before_it_was_read_is_told_and_never_taken_for_nothing() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(2);
    let hot = process.region("hot", Kind::User, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let visit = thread.add(1, hot, 0, 0);
    thread.begin(visit, stage.at(1));
    thread.end(stage.at(2), Moved::default());
    let reply = Reply::TooHot { region: hot, visits: 99, burst: 0 };
    process.reply(Answer::unasked(reply).encode());
    let pass = stage.sample(SECOND);
    assert_eq!(pass.switched.len(), 1, "the region was new to the daemon");
    let code = names(&pass.appeared).into_iter().find(|name| name.ends_with("/hot"));
    let code = focus(&format!("<{}>", code.expect("the region is a resource")));
    let at_root = stage.daemon.start(Metric::Compute, &focus("</Code>"));
    let at_hot = stage.daemon.start(Metric::Compute, &code);
    let pass = stage.sample(2 * SECOND);
    assert_eq!([amounts(&pass, at_root).len(), amounts(&pass, at_hot).len()], [1, 1]);
    process.too_hot(hot, 99);
    let pass = stage.sample(3 * SECOND);
    assert_eq!([amounts(&pass, at_root).len(), amounts(&pass, at_hot).len()], [1, 0]);
    let off = stage.daemon.switched_off();
    let told: Vec<_> = off.iter().map(|o| (o.region.as_str(), o.process, o.visits)).collect();
    assert_eq!(told, [("hot", 2, 99)]);
    assert_eq!(off[0].by, SwitchedBy::Itself);
}

#[test]
fn a_process_that_is_left_is_asked_once_and_nothing_more_is_sent_to_it() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.has_agent();
    process.region("hot", Kind::User, 0);
    stage.sample(SECOND);
    assert_eq!(process.received(), None);
    stage.daemon.leave(Duration::from_secs(1));
    let patience = 900_000_000;
    assert_eq!(process.received(), Some((Sequence(1), Command::Detach { patience })));
    assert!(!stage.daemon.is_left(), "it did not answer");
    assert_eq!(stage.daemon.silent(), [stage.pid()]);
    assert_eq!(stage.daemon.switch("hot", None, false), 0);
    stage.sample(2 * SECOND);
    assert_eq!(process.received(), None);
    process.leave(stage.at(2 * SECOND));
    assert!(stage.daemon.is_left() && stage.daemon.unrestored().is_empty());
}

#[test]
fn what_could_not_be_restored_is_named_with_its_reason() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.has_agent();
    let [restored, traced] = ["restored", "traced"].map(|name| process.region(name, Kind::User, 0));
    process.set_code(restored, CodeState::Own, Outcome::Done);
    process.set_code(traced, CodeState::Patched, Outcome::TracerPresent);
    stage.sample(SECOND);
    stage.daemon.leave(Duration::from_secs(1));
    let (sequence, _) = process.received().expect("it is asked to go");
    let reply = Reply::Detached { unrestored: 1 };
    process.reply(Answer { to: Some(sequence), reply }.encode());
    process.leave(stage.at(2 * SECOND));
    assert!(stage.daemon.is_left());
    let named = stage.daemon.unrestored();
    let named: Vec<_> = named.iter().map(|one| (one.pid, one.reason)).collect();
    assert_eq!(named, [(stage.pid(), "a debugger follows the process")]);
}

#[test]
fn one_that_appears_while_others_are_left_is_asked_to_go_too() {
    let mut stage = Stage::new();
    stage.daemon.leave(Duration::from_secs(1));
    let process = stage.process(1);
    process.has_agent();
    assert!(!stage.daemon.is_left());
    assert!(matches!(process.received(), Some((_, Command::Detach { .. }))));
    process.leave(stage.at(SECOND));
    assert!(stage.daemon.is_left());
}

#[test]
fn recursion_counts_its_time_once() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let solve = process.region("solve", Kind::User, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let mut node = 1;
    for depth in 0..3000 {
        node = thread.add(node, solve, 0, 0);
        thread.begin(node, stage.at(1000 + depth));
    }
    for depth in 0..3000 {
        thread.end(stage.at(5000 + depth), Moved::default());
    }
    stage.sample(SECOND);
    let rows = stage.daemon.profile(View::TwoLevel);
    let inner: Vec<_> =
        rows.iter().map(|row| (row.path.join(" "), row.calls, row.inclusive.0)).collect();
    assert_eq!(inner, [("solve".to_owned(), 3000, 4000 + 2999),]);
}

#[test]
fn the_file_of_an_ended_process_goes_and_its_name_may_come_again() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    let read = process.region("read", Kind::Read, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, read, 0, 0);
    thread.begin(call, stage.at(100));
    thread.end(stage.at(300), Moved::default());
    stage.sample(SECOND);
    assert!(process.path().exists());
    process.leave(stage.at(SECOND + 500));
    assert_eq!(stage.sample(2 * SECOND).ended.len(), 1);
    assert!(!process.path().exists(), "{}", process.path().display());

    let path = process.path().to_owned();
    drop(process);
    let again = stage.process(1);
    assert_eq!(again.path(), path);
    assert_eq!(stage.sample(3 * SECOND).started.len(), 1);
    assert_eq!(stage.daemon.counts().processes, 2);
    assert_eq!(stage.daemon.profile(View::TwoLevel).len(), 1, "what was measured is kept");
}
