//! Programs that never rest: allocating, loading objects, making threads, handling faults.

use std::process::Command;

use crate::attached::Attached;
use crate::target::{Target, build};

fn weather(kind: &str) {
    let program = build("storm.c", &format!("storm-{kind}"), "gcc", &[]);
    let target = Target::start(Command::new(program).arg(kind));
    for _ in 0..5 {
        Attached::to(target.pid(), "0.1");
    }
    assert_eq!(target.end(), (Some(0), format!("{kind} 0 wrong\n")));
}

#[test]
fn in_the_midst_of_allocating() {
    weather("malloc");
}

#[test]
fn in_the_midst_of_loading_objects() {
    weather("dlopen");
}

#[test]
fn in_the_midst_of_making_threads() {
    weather("threads");
}

/// Their signals are often on the way when they are stopped.
#[test]
fn in_the_midst_of_faults() {
    weather("faults");
}
