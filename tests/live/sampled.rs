//! Functions that cannot be switched on are told by stack samples.

use crate::report::{Bottleneck, run_with};
use crate::shipped::Load;
use crate::{programs, shipped};

#[test]
fn one_that_jumps_on_has_the_time_of_what_it_jumps_to() {
    let program = programs::with_code().join("code/jumps_on").display().to_string();
    let options = ["--no-store", "--threshold", "CPUbound=10%"];
    let _turn = shipped::turn(Load::Computes);
    let run = run_with(&options, &[program]);
    let known = run.stdout.split_whitespace().map(|word| word.parse().expect("seconds"));
    let [assembled, all]: [f64; 2] = known.collect::<Vec<_>>().try_into().expect("two numbers");
    let found = run.bottlenecks();
    let is_meant = |one: &&Bottleneck| one.focus.contains("/jumps_on.c/assemble,");
    let told = found.iter().find(is_meant).unwrap_or_else(|| panic!("{}", run.shown()));
    // Four seconds bring 700 stack samples: a share of a half is known to 0.1 by five standard errors.
    let error = told.value - assembled / all;
    assert!(error.abs() < 0.1, "{} of {assembled} of {all} s; {}", told.value, run.shown());
    let refused = run.list("refusals").iter().map(ToString::to_string);
    assert!(!refused.into_iter().any(|one| one.contains("assemble")), "{}", run.shown());
}
