//! Compares the values of findings over random programs: all are shares of one run, so that no part exceeds its whole, and
//! a finding that begins late says when it was.

use std::fmt::Write as _;

use whyperf_consultant::{
    Bottleneck, DataSource, DirectivesInForce, Hypotheses, Operator, SearchScope, Searches,
    Settings, Step, drive,
};
use whyperf_model::{Hierarchy, Interval, Time};
use whyperf_testkit::simulate::{Ranks, Scenario, Simulated};

/// Numbers without order; the tests need no secrets.
struct Dice(u64);

impl Dice {
    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (self.0 >> 33) % (high - low + 1)
    }
}

/// Some processes that wait for messages and locks in several places, by other shares in each of a few phases.
fn drawn(seed: u64) -> Simulated {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let phases = dice.between(1, 4);
    let mut text = String::new();
    let mut begin = 0;
    for _ in 0..phases {
        let end = begin + dice.between(1000, 8000) / 50 * 50;
        let period = dice.between(10, 200);
        writeln!(text, "phase {begin}ms {end}ms * period {period}ms").expect("writing");
        let mut left = 1000;
        for place in 0..dice.between(1, 4) {
            let share = dice.between(0, left);
            left -= share;
            let (call, object) = match dice.between(0, 2) {
                0 => ("Receive", format!("/SyncObject/Message/w/{place}")),
                1 => ("Mutex", format!("/SyncObject/Mutex/{place}")),
                _ => ("Read", "/File/input".to_owned()),
            };
            let share = share as f64 / 1000.0;
            writeln!(text, "  {share} {call} /Code/m.c/f{place} {object}").expect("writing");
        }
        writeln!(text, "  {} Other", left as f64 / 1000.0).expect("writing");
        begin = end;
    }
    let text = format!("length {begin}ms\nprocesses {} on n0\n{text}", dice.between(1, 3));
    Scenario::parse(&text).unwrap_or_else(|complaint| panic!("{complaint}: {text}")).source()
}

fn searched(mut source: impl DataSource) -> (Vec<Bottleneck>, Time) {
    let (table, settings) = (Hypotheses::built_in(), Settings::default());
    let mut searches = Searches::new(table, settings, DirectivesInForce::default());
    drive(&mut searches, &mut source, &mut |_: SearchScope, _: &Step| {});
    (searches.global().report().bottlenecks, searches.now())
}

/// Whether one is of the same as another in a part of its focus, and a share of the same time.
fn is_part(part: &Bottleneck, whole: &Bottleneck) -> bool {
    let table = Hypotheses::built_in();
    let row = table.row(table.named(&part.hypothesis).expect("shipped"));
    let is_one = |one: &Bottleneck| {
        [Hierarchy::Process, Hierarchy::Machine].iter().all(|of| one.focus.part(*of).len() == 1)
    };
    let divisor = |one: &Bottleneck| row.pairs(&one.focus).1;
    part.hypothesis == whole.hypothesis
        && part.focus != whole.focus
        && whole.focus.contains(&part.focus)
        && row.operator == Operator::Above
        && is_one(part)
        && is_one(whole)
        && divisor(part) == divisor(whole)
        && part.interval == whole.interval
}

#[test]
fn no_part_exceeds_its_whole() {
    let programs = (0..20).map(|seed| searched(drawn(seed)));
    let jobs = (0..4).map(|seed| searched(Ranks::one_slow(seed)));
    let (mut compared, mut wrong) = (0, Vec::new());
    for (found, _) in programs.chain(jobs) {
        for whole in &found {
            for part in found.iter().filter(|part| is_part(part, whole)) {
                compared += 1;
                if part.value > whole.value {
                    wrong.push(format!("{} {} > {}", part.focus, part.value, whole.value));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}: {wrong:#?}", wrong.len());
    assert!(compared > 500, "only {compared} compared");
}

#[test]
fn waits_are_shares_of_the_whole_run_and_happened_within_it() {
    let mut stretches = 0;
    for seed in 0..20 {
        let (found, end) = searched(drawn(seed));
        let run = Interval::new(Time::ZERO, end);
        for one in found.iter().filter(|one| one.hypothesis.contains("Waiting")) {
            assert_eq!(one.interval, run, "{seed}: {} {}", one.hypothesis, one.focus);
            for stretch in &one.happened {
                stretches += 1;
                assert_eq!(stretch.interval.intersect(run), stretch.interval, "{stretch:?}");
                assert!(stretch.value > one.threshold, "{stretch:?}");
            }
        }
    }
    assert!(stretches > 20, "only {stretches} stretches");
}

#[test]
fn what_begins_late_is_told_with_when_it_was() {
    let program = "length 16s\nprocesses 2 on n0\nphase 0s 8s *\n  1 Other\n\
                   phase 8s 16s * period 100ms\n  0.6 Mutex /Code/a.c/take /SyncObject/Mutex/a\n  0.4 Other\n";
    let (found, _) = searched(Scenario::parse(program).expect("well formed").source());
    let waits: Vec<_> = found.iter().filter(|one| one.hypothesis.contains("Lock")).collect();
    assert!(waits.len() > 2, "{found:#?}");
    for one in waits {
        assert!((one.value - 0.3).abs() < 1e-3, "{} {}", one.focus, one.value);
        let [stretch] = &one.happened[..] else { panic!("{one:?}") };
        assert_eq!(stretch.interval, Interval::new(Time::from_secs(8), Time::from_secs(16)));
        assert!((stretch.value - 0.6).abs() < 1e-3, "{stretch:?}");
    }
}

/// What leads the report of a program of one process that spends its time so.
fn leading(lines: &[&str]) -> String {
    let text = lines.join("\n");
    let text = format!("length 8s\nprocesses 1 on n0\nphase 0s 8s * period 110ms\n{text}\n");
    let scenario = Scenario::parse(&text).unwrap_or_else(|complaint| panic!("{complaint}: {text}"));
    let (found, _) = searched(scenario.source());
    found.first().expect("something is found").hypothesis.to_string()
}

#[test]
fn what_costs_more_and_has_its_own_reason_leads() {
    let [works, lacks] = ["0.1 User /Code/a.c/work", "0.16 RunDelay /Code/a.c/work"];
    let locks = "0.38 Mutex /Code/a.c/save /SyncObject/Mutex/m";
    let because = |time: &str| format!("{time} /Code/a.c/save /SyncObject/Mutex/m");
    let told = |time: &str| leading(&[works, lacks, locks, &because(time)]);
    assert_eq!(told("0.34 WaitByIo"), "ExcessiveSyncWaitingTime");
    assert_eq!(told("0.14 WaitByIo"), "WaitingForProcessors");
    assert_eq!(leading(&[works, lacks, locks]), "WaitingForProcessors", "perhaps for one without");
    let by_processors = because("0.14 WaitByProcessors");
    let told = leading(&[works, lacks, locks, &because("0.22 WaitByIo"), &by_processors]);
    assert!(told != "ExcessiveSyncWaitingTime", "they are why: {told}");
    let reads = "0.16 Read /Code/a.c/load /File/input";
    let told = |time: &str| leading(&[reads, locks, &because(time)]);
    assert_eq!(told("0.36 WaitByIo"), "ExcessiveIOBlockingTime", "that is why");
    assert_eq!(told("0.36 WaitByComputing"), "ExcessiveSyncWaitingTime");
}
