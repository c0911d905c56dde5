//! Switches: by the daemon, by the program, and by the limit.

use crate::measured::{only, own, run};
use crate::threads::tell;
use crate::{end, visit, visit_from};
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::{Command, Kind, Message, Reply};
use whyperf_runtime::{ObjectId, Region, event, process};

static SOLVE: Region = Region::new(c"solve", Kind::User);
static STEP: Region = Region::new(c"step", Kind::User);

fn switch(command: Command, region: &str) {
    let own = own();
    let arguments = [u64::from(own.region_named(region)), 0, 0];
    tell(&own, Message { what: command as u64, arguments });
}

#[test]
fn the_daemon_switches_regions_and_is_told() {
    let region = only(run(&[], || {
        visit(&SOLVE, || ());
        visit(&STEP, || ());
        visit(&SOLVE, || {
            switch(Command::SwitchOff, "solve");
            visit(&SOLVE, || visit(&STEP, || ()));
        });
        visit(&SOLVE, || ());
        end(&SOLVE);
        switch(Command::SwitchOn, "solve");
        visit(&SOLVE, || ());
        tell(&own(), Message { what: Command::SwitchOn as u64, arguments: [99, 0, 0] });
        tell(&own(), Message { what: 12345, arguments: [1, 2, 3] });
    }));
    let slot = region.slot();
    assert_eq!(slot.visits(&["solve"]), 3);
    assert_eq!(slot.visits(&["solve", "step"]), 1);
    assert_eq!(slot.anomalies(), 0);
    let solve = u64::from(region.region_named("solve"));
    let mut replies = std::iter::from_fn(|| region.replies().receive(region.commands()))
        .map(|reply| (reply.what, reply.arguments));
    assert_eq!(replies.next(), Some((Reply::Switched as u64, [solve, 0, 0])));
    assert_eq!(replies.next(), Some((Reply::Switched as u64, [solve, 1, 0])));
    assert_eq!(replies.next(), Some((Reply::Refused as u64, [Command::SwitchOn as u64, 99, 0])));
    assert_eq!(replies.next(), Some((Reply::Refused as u64, [12345, 1, 2])));
    assert_eq!(replies.next(), None);
}

#[test]
fn a_paused_program_records_nothing_but_the_ends_of_what_was_open() {
    let region = only(run(&[], || {
        for _ in 0..200 {
            event::begin(&SOLVE, 0, ObjectId::NONE);
            process::pause();
            process::pause();
            event::begin(&STEP, 0, ObjectId::NONE);
            end(&STEP);
            process::resume();
            process::resume();
            end(&SOLVE);
        }
        process::pause();
    }));
    let slot = region.slot();
    assert_eq!([slot.visits(&["solve"]), slot.visits(&["solve", "step"])], [200, 0]);
    assert_eq!(region.header().paused.load(Relaxed), 1);
    assert_eq!(slot.anomalies(), 0);
    slot.check_whole();
}

const LOOKS: u64 = 1 << 20;

#[test]
fn a_hot_region_of_the_program_is_switched_off_and_that_is_announced() {
    let region = only(run(&[("WHYPERF_COST_LIMIT", "0.001")], || {
        (0..LOOKS + 1000).for_each(|_| visit(&SOLVE, || ()));
    }));
    assert_eq!(region.slot().visits(&["solve"]), LOOKS);
    let id = region.region_named("solve");
    let record = region.region(id as usize);
    assert_eq!(
        [record.switched.load(Relaxed), record.hot_visits.load(Relaxed) as u32],
        [0, LOOKS as u32]
    );
    let reply = region.replies().receive(region.commands()).expect("a reply");
    assert_eq!((reply.what, reply.arguments), (Reply::TooHot as u64, [u64::from(id), LOOKS, 0]));
}

#[test]
fn a_call_into_a_library_is_never_switched_off_for_being_hot() {
    static SEND: Region = Region::new(c"send", Kind::Send);
    let region = only(run(&[("WHYPERF_COST_LIMIT", "0.001")], || {
        (0..LOOKS + 1000).for_each(|_| visit_from(&SEND, 1, || ()));
    }));
    assert_eq!(region.slot().visits(&["send"]), LOOKS + 1000);
}
