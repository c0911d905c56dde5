//! Switches: by the daemon, by the program, and by the limit.

use crate::measured::{only, own, run};
use crate::threads::tell;
use crate::{end, visit, visit_from};
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::{
    Answer, Command, CommandRefusal, Kind, Message, PAUSED_BY_DAEMON, PAUSED_BY_PROGRAM, Reply,
    Sequence,
};
use whyperf_runtime::{ObjectId, Region, event, process};

static SOLVE: Region = Region::new(c"solve", Kind::User);
static STEP: Region = Region::new(c"step", Kind::User);

fn switch(command: fn(u32) -> Command, region: &str) {
    let own = own();
    tell(&own, command(own.region_named(region)).encode());
}

#[test]
fn the_daemon_switches_regions_and_is_told() {
    let region = only(run(&[], || {
        visit(&SOLVE, || ());
        visit(&STEP, || ());
        visit(&SOLVE, || {
            switch(|region| Command::SwitchOff { region }, "solve");
            visit(&SOLVE, || visit(&STEP, || ()));
        });
        visit(&SOLVE, || ());
        end(&SOLVE);
        switch(|region| Command::SwitchOn { region }, "solve");
        visit(&SOLVE, || ());
        tell(&own(), Command::SwitchOn { region: 99 }.encode());
        tell(&own(), Message { what: 12345, arguments: [1, 2, 3] });
    }));
    let slot = region.slot();
    assert_eq!(slot.visits(&["solve"]), 3);
    assert_eq!(slot.visits(&["solve", "step"]), 1);
    assert_eq!(slot.anomalies(), 0);
    let solve = region.region_named("solve");
    let replies: Vec<_> =
        std::iter::from_fn(|| region.replies().receive(region.commands())).collect();
    let refused = |what, argument| {
        let reason = CommandRefusal::Nonsense;
        Reply::Refused { what, argument, reason }
    };
    // Each is followed by a budget without a limit, of which nothing is said.
    let expected = [
        (1, Reply::SwitchedOff { region: solve }),
        (3, Reply::SwitchedOn { region: solve }),
        (5, refused(Command::SwitchOn { region: 99 }.encode().what, 99)),
        (7, refused(12345, 1)),
    ];
    let expected = expected.map(|(to, reply)| Some(Answer { to: Some(Sequence(to)), reply }));
    assert_eq!(replies.into_iter().map(Answer::decode).collect::<Vec<_>>(), expected);
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

#[test]
fn what_the_daemon_paused_records_one_region_until_it_goes_on_and_the_program_has_its_own_pause() {
    let region = only(run(&[], || {
        let both = || visit(&SOLVE, || visit(&STEP, || ()));
        let is_paused = |by: u32| assert_eq!(own().header().paused.load(Relaxed), by);
        both();
        switch(|kept| Command::Pause { kept }, "step");
        (0..10).for_each(|_| both());
        is_paused(PAUSED_BY_DAEMON);
        process::pause();
        both();
        tell(&own(), Command::Resume.encode());
        both();
        is_paused(PAUSED_BY_PROGRAM);
        process::resume();
        is_paused(0);
        both();
    }));
    let slot = region.slot();
    let visits = [&["solve"][..], &["solve", "step"], &["step"]].map(|path| slot.visits(path));
    assert_eq!(visits, [2, 2, 10]);
}

const LOOKS: u64 = 1 << 20;

#[test]
fn a_hot_region_of_the_program_is_switched_off_and_that_is_announced() {
    let region = only(run(&[("WHYPERF_COST_LIMIT", "0.1")], || {
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
    let hot = Reply::TooHot { region: id, visits: LOOKS, burst: 0 };
    assert_eq!(Answer::decode(reply), Some(Answer::unasked(hot)));
}

#[test]
fn a_call_into_a_library_is_never_switched_off_for_being_hot() {
    static SEND: Region = Region::new(c"send", Kind::Send);
    let region = only(run(&[("WHYPERF_COST_LIMIT", "0.1")], || {
        (0..LOOKS + 1000).for_each(|_| visit_from(&SEND, 1, || ()));
    }));
    assert_eq!(region.slot().visits(&["send"]), LOOKS + 1000);
}
