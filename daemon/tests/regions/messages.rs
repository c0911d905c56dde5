//! Messages between ranks: each pass tells by how much they grew, and all passes together what the daemon tells of the run.

use whyperf_daemon::{Daemon, DaemonSettings, Moment};
use whyperf_layout::{Kind, Messages, Moved, Peer};
use whyperf_model::matching::IntervalRecord;
use whyperf_model::{MessageRow, MessageTable, Nanos};

use crate::stage::{SECOND, Stage};

/// The daemon of the stage with another one in its place, whose passes bring interval records.
fn recording() -> Stage {
    let mut stage = Stage::new();
    let zero = Moment { nanos: stage.at(0), ticks: stage.at(0) };
    let settings = DaemonSettings { records: true, ..DaemonSettings::new(zero) };
    stage.daemon = Daemon::open(&stage.directory, settings).expect("the directory is there");
    stage
}

fn rows(table: &MessageTable) -> Vec<MessageRow> {
    table.rows().collect()
}

fn sum(records: &[IntervalRecord]) -> MessageTable {
    let mut table = MessageTable::default();
    records.iter().flat_map(|record| &record.messages).for_each(|growth| table.add(*growth));
    table
}

#[test]
fn passes_add_up_to_the_run() {
    let mut stage = recording();
    let process = stage.process(1);
    let region = process.region("MPI_Recv", Kind::Receive, 0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let call = thread.add(1, region, 0, 0);
    let (next, unknown) = (Peer::of_rank(70), Peer::UNKNOWN);
    let seen = |number, ticks| Messages { number, bytes: 8 * number, ticks };
    let mut records: Vec<IntervalRecord> = Vec::new();
    let mut step = |stage: &mut Stage, at: u64| {
        thread.begin(call, stage.at(at * SECOND - 2));
        thread.end(stage.at(at * SECOND - 1), Moved::default());
        let record = stage.sample(at * SECOND).interval_record.expect("it was asked for");
        records.push(record.clone());
        record.messages.iter().map(|growth| growth.by.number).collect::<Vec<u64>>()
    };
    thread.peer(next).add_sent(seen(3, 10));
    assert_eq!(step(&mut stage, 1), [0; 0], "it is no rank yet");
    process.set_rank(2);
    thread.peer(next).add_received(seen(2, 50));
    assert_eq!(step(&mut stage, 2), [3, 2], "what was before belongs to the rank, too");
    assert_eq!(step(&mut stage, 3), [0; 0]);
    thread.peer(unknown).add_received(seen(1, 7));
    thread.peer(next).add_received(seen(4, 100));
    assert_eq!(step(&mut stage, 4), [1, 4]);
    thread.peer(next).add_sent(seen(1, 1));
    thread.finish(stage.at(5 * SECOND - 1));
    let last = stage.sample(5 * SECOND).interval_record.expect("it was asked for");
    assert_eq!(last.messages.len(), 1, "a thread that ended is read a last time");
    records.push(last);
    let told = rows(&stage.daemon.messages());
    assert_eq!(told, rows(&sum(&records)));
    let counts: Vec<_> =
        told.iter().map(|row| (row.route.from, row.route.to, row.number, row.waiting)).collect();
    assert_eq!(
        counts,
        [
            (None, Some(2), 1, Nanos(7)),
            (Some(2), Some(70), 4, Nanos(0)),
            (Some(70), Some(2), 6, Nanos(150))
        ]
    );
}

#[test]
fn a_message_that_is_counted_after_its_event_is_told_in_the_next_pass() {
    let mut stage = recording();
    let process = stage.process(1);
    process.set_rank(0);
    let thread = process.thread(stage.pid(), stage.at(0));
    stage.sample(SECOND);
    for rank in [5, 63, 64, 1022] {
        thread.peer(Peer::of_rank(rank)).add_sent(Messages { number: 1, bytes: 8, ticks: 5 });
    }
    // No event since the pass before: the thread computes, or is in its next call.
    let told = |stage: &mut Stage, at: u64| {
        let record = stage.sample(at * SECOND).interval_record.expect("it was asked for");
        record.messages.iter().map(|growth| growth.route.to).collect::<Vec<_>>()
    };
    assert_eq!(told(&mut stage, 2), [5, 63, 64, 1022].map(Some));
    thread.peer(Peer::of_rank(64)).add_sent(Messages { number: 0, bytes: 0, ticks: 1 });
    assert_eq!(told(&mut stage, 3), [Some(64)], "a wait is told without a message");
    assert_eq!(told(&mut stage, 4), []);
}

#[test]
fn a_run_that_is_not_kept_is_read_when_it_is_asked_for() {
    let mut stage = Stage::new();
    let process = stage.process(1);
    process.set_rank(0);
    let thread = process.thread(stage.pid(), stage.at(0));
    stage.sample(SECOND);
    let peer = thread.peer(Peer::of_rank(1));
    for number in 1..4 {
        peer.add_sent(Messages { number: 1, bytes: 8, ticks: 5 });
        assert_eq!(stage.sample((1 + number) * SECOND).interval_record, None);
        let told = rows(&stage.daemon.messages());
        let [row] = told[..] else { panic!("{told:?}") };
        assert_eq!((row.number, row.sending), (number, Nanos(5 * number)));
    }
    thread.finish(stage.at(9 * SECOND));
    stage.sample(10 * SECOND);
    assert_eq!(rows(&stage.daemon.messages()).len(), 1, "and once more when it has ended");
}

#[test]
fn counters_that_fall_are_told_as_no_growth() {
    let mut stage = recording();
    let process = stage.process(1);
    process.set_rank(0);
    let thread = process.thread(stage.pid(), stage.at(0));
    let peer = thread.peer(Peer::of_rank(1));
    peer.add_received(Messages { number: 5, bytes: 40, ticks: 9 });
    stage.sample(SECOND);
    peer.clear();
    peer.add_received(Messages { number: 2, bytes: 400, ticks: 9 });
    thread.finish(stage.at(2 * SECOND - 1));
    stage.sample(2 * SECOND);
    let told = rows(&stage.daemon.messages());
    let [row] = told[..] else { panic!("{told:?}") };
    assert_eq!((row.number, row.bytes, row.waiting), (5, 400, Nanos(9)));
}
