//! Visits, bytes and time of ordinary and of disorderly programs.

use crate::measured::{only, run};
use crate::{end, visit, visit_from};
use std::sync::atomic::Ordering::Relaxed;
use whyperf_layout::{Gauge, Kind, Moved, ObjectKind, UserEventPart};
use whyperf_runtime::call_cost::CallCost;
use whyperf_runtime::{ObjectId, Region, clock, event, guard, object, process};

static SOLVE: Region = Region::new(c"solve", Kind::User);
static STEP: Region = Region::new(c"step", Kind::User);
static WRITE: Region = Region::new(c"write", Kind::Write);

fn descend(depth: u32) {
    visit(&STEP, || {
        if depth > 1 {
            descend(depth - 1)
        }
    });
}

#[test]
fn a_program_without_events_leaves_no_trace() {
    assert!(run(&[], || ()).is_empty());
}

#[test]
fn nested_and_recursive_visits_are_counted_by_path() {
    let region = only(run(&[], || {
        for _ in 0..100 {
            visit(&SOLVE, || (0..3).for_each(|_| visit(&STEP, || ())));
        }
        descend(1000);
    }));
    let slot = region.slot();
    assert_eq!(slot.visits(&["solve"]), 100);
    assert_eq!(slot.visits(&["solve", "step"]), 300);
    assert_eq!(slot.visits(&vec!["step"; 1000]), 1);
    assert_eq!(slot.head().nodes.load(Relaxed), 3 + 2 + 1000);
    assert_eq!(slot.anomalies(), 0);
    assert!(slot.head().inside.load(Relaxed) > 0 && slot.head().outside.load(Relaxed) > 0);
    slot.check_whole();
}

#[test]
fn sites_and_objects_tell_nodes_apart_and_bytes_are_added() {
    let region = only(run(&[], || {
        let file = object::intern(ObjectKind::File, ObjectId::NONE, 7, b"/a", 0x99);
        for site in [0x10, 0x20, 0x10] {
            assert!(event::begin(&WRITE, site, file));
            event::end(&WRITE, Moved { out: site, r#in: 1 });
        }
        assert!(event::begin(&WRITE, 0x10, ObjectId::NONE));
        event::end(&WRITE, Moved { out: 5, r#in: 0 });
    }));
    let mut seen: Vec<_> = region
        .slot()
        .nodes_at(&["write"])
        .iter()
        .map(|node| {
            [
                node.site.load(Relaxed),
                u64::from(node.object.load(Relaxed)),
                node.visits.load(Relaxed),
                node.bytes.load(Relaxed),
                node.received.load(Relaxed),
            ]
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, [[0x10, 0, 1, 5, 0], [0x10, 1, 2, 0x20, 2], [0x20, 1, 1, 0x20, 1]]);
    assert_eq!(region.text(region.object(1).name.load(Relaxed)), "/a");
    assert_eq!(region.object(1).site.load(Relaxed), 0x99);
}

#[test]
fn a_retired_object_is_followed_by_another_one() {
    let region = only(run(&[], || {
        let find = |key| object::find(ObjectKind::Mutex, ObjectId::NONE, key);
        let make = |key| object::intern(ObjectKind::Mutex, ObjectId::NONE, key, b"", 0);
        assert_eq!(find(1), None);
        let first = make(1);
        assert_eq!((find(1), make(1)), (Some(first), first));
        object::retire(first);
        assert_eq!(find(1), None);
        let second = make(1);
        assert_ne!(first, second);
        object::rename(second, b"renamed");
    }));
    assert_eq!(region.object(1).retired.load(Relaxed), 1);
    assert_eq!(region.text(region.object(2).name.load(Relaxed)), "renamed");
}

#[test]
fn an_end_closes_what_is_inside_and_a_stray_end_nothing() {
    let region = only(run(&[], || {
        event::begin(&SOLVE, 0, ObjectId::NONE);
        event::begin(&STEP, 0, ObjectId::NONE);
        end(&SOLVE);
        end(&STEP);
        visit(&SOLVE, || end(&STEP));
    }));
    let slot = region.slot();
    assert_eq!([slot.visits(&["solve"]), slot.visits(&["solve", "step"])], [2, 1]);
    assert_eq!(slot.anomalies(), 3);
    slot.check_whole();
}

#[test]
fn a_wrapper_left_by_a_jump_is_cleaned_up() {
    #[inline(never)]
    fn jumped_out_of() {
        let mut deep = [0_u64; 64];
        std::hint::black_box(&mut deep);
        assert!(guard::enter().is_some());
        assert!(event::begin(&WRITE, 1, ObjectId::NONE));
        assert!(guard::is_inside());
    }
    let region = only(run(&[], || {
        visit(&SOLVE, || {
            jumped_out_of();
            assert!(!guard::is_inside());
            let site = guard::enter();
            assert!(site.is_some() && guard::enter().is_some() == guard::is_inside());
            visit_from(&WRITE, 2, || ());
            guard::leave();
        });
    }));
    let slot = region.slot();
    assert_eq!(slot.visits(&["solve", "write"]), 2);
    assert_eq!(slot.anomalies(), 1);
    slot.check_whole();
}

#[test]
fn counters_add_and_set() {
    static CELLS: Region = Region::new(c"cells", Kind::User);
    static LEVEL: Region = Region::new(c"level", Kind::User);
    let region = only(run(&[], || {
        visit(&SOLVE, || {
            for number in 0..1000 {
                event::add(&CELLS, number - 10, 0);
                event::set(&LEVEL, 3 - number, 0);
            }
        });
        process::phase(b"assembly");
        process::phase(b"solution");
    }));
    let slot = region.slot();
    let part = |name, part: UserEventPart| {
        let nodes = slot.nodes_at(&["solve", name]);
        let found = nodes.iter().find(|node| node.site.load(Relaxed) == part.site());
        found.and_then(|node| node.read()).expect("the program told it")
    };
    let added = part("cells", UserEventPart::Added);
    assert_eq!((added.visits, added.moved), (1000, Moved { out: 489_555, r#in: 55 }));
    let set = part("level", UserEventPart::Set);
    assert_eq!((set.visits, set.moved), (1000, Moved { out: 6, r#in: 496_506 }));
    let [squares, extremes] =
        [UserEventPart::Squares, UserEventPart::Extremes].map(|one| part("level", one));
    assert_eq!(
        Gauge::squares(squares.moved),
        (0..1000).map(|number| (3_i128 - number).pow(2).unsigned_abs()).sum()
    );
    assert_eq!(Gauge::extremes(extremes.moved), [-996, 3]);
    assert_eq!(region.header().phase_count.load(Relaxed), 2);
    assert_eq!(region.text(region.header().phase_name.load(Relaxed)), "solution");
    slot.check_whole();
}

#[test]
fn a_phase_that_comes_again_and_again_is_named_once() {
    let region = only(run(&[], || {
        for step in 0..10_000 {
            let name: &[u8] = if step % 2 == 0 { b"compute" } else { b"exchange" };
            process::phase(name);
        }
    }));
    assert_eq!(region.header().phase_count.load(Relaxed), 10_000);
    assert_eq!(region.text(region.header().phase_name.load(Relaxed)), "exchange");
    assert!(region.header().strings_used.load(Relaxed) < 10_000, "less than a byte for each phase");
}

#[test]
fn folding_keeps_the_last_regions_of_a_path() {
    let region = only(run(&[("WHYPERF_CALLPATH_DEPTH", "2")], || {
        for _ in 0..10 {
            visit(&SOLVE, || visit(&STEP, || visit(&WRITE, || visit(&STEP, || ()))));
        }
        descend(100);
    }));
    let slot = region.slot();
    let visits = |path: &[&str]| slot.visits(path);
    assert_eq!(visits(&["solve"]), 10);
    assert_eq!(visits(&["solve", "step"]), 10);
    assert_eq!(visits(&["step", "write"]), 10);
    assert_eq!(visits(&["write", "step"]), 10);
    assert_eq!([visits(&["step"]), visits(&["step", "step"])], [1, 99]);
    slot.check_whole();
}

/// Spins for so many ticks of the events' clock.
fn spin(ticks: u64) {
    let begin = clock::now();
    while clock::now().wrapping_sub(begin) < ticks {}
}

#[test]
fn what_a_wrapper_does_around_its_events_is_measured_in_some_calls() {
    const CALLS: u64 = 200_000;
    const AROUND: u64 = 1500;
    let region = only(run(&[], || {
        for _ in 0..CALLS {
            let mut cost = CallCost::enter();
            spin(AROUND / 2);
            assert!(event::begin(&WRITE, 1, ObjectId::NONE));
            cost.begun();
            spin(2 * AROUND);
            event::end(&WRITE, Moved::default());
            spin(AROUND / 2);
            cost.leave();
        }
    }));
    let slot = region.slot();
    let [ticks, calls] =
        [&slot.head().call_ticks, &slot.head().measured_calls].map(|count| count.load(Relaxed));
    assert!((CALLS / 2048..CALLS / 512).contains(&calls), "{calls} of {CALLS}");
    assert!((AROUND..2 * AROUND).contains(&(ticks / calls)), "{ticks} in {calls}");
}
