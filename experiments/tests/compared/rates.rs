//! The rates of right answers.

use whyperf_experiments::{Comparison, ComparisonSettings, compare};

use crate::machine::{Chance, Noise};
use crate::program::{Known, Planted, experiment};

/// So many pairs are simulated of each kind.
const PAIRS: u64 = 200;

/// In how many of the pairs the comparison names first what was planted; of equals, in how many it names nothing.
fn right(planted: Planted, known: Known, (noise, trials): (Noise, usize)) -> u64 {
    let is_right = |seed: &u64| {
        let mut chance = Chance::new(*seed);
        let mut before = experiment(Planted::None, known, (noise, trials), &mut chance);
        let mut after = experiment(planted, known, (noise, trials), &mut chance);
        let comparison = compare(&mut before, &mut after, &ComparisonSettings::default());
        is_named_first(planted, &comparison)
    };
    let count = (0..PAIRS).filter(is_right).count();
    println!("{planted:?}, {known:?}, with {trials} trials on {noise:?}: {count} of {PAIRS}");
    count as u64
}

fn is_named_first(planted: Planted, comparison: &Comparison) -> bool {
    let Some(first) = comparison.differences.first() else { return planted == Planted::None };
    let has = |metric: &str, parts: &[&str]| {
        first.metric == metric && parts.iter().all(|part| first.focus.contains(part))
    };
    let of_last = has("cpu", &["/Process/3"]);
    match planted {
        Planted::None => false,
        Planted::Copy => has("cpu", &["/Code/planted.c/exchng1"]),
        Planted::Barrier => has("sync_ops", &["/SyncObject/Barrier"]),
        Planted::Blocking => has("sync_ops", &["/Code/planted.c/exchng1"]),
        Planted::Work => of_last || has("calls", &["/Code/sweep.c/sweep", "/Process/3"]),
        Planted::SlowSweep => of_last,
        Planted::Moved => has("cpu", &["/Code/diff.c/diff"]),
    }
}

#[test]
fn what_was_planted_is_named_first_in_198_of_200_pairs_on_a_busy_machine() {
    let planted =
        [Planted::Copy, Planted::Barrier, Planted::Blocking, Planted::Work, Planted::Moved];
    let missed = planted.map(|planted| PAIRS - right(planted, Known::Measured, (Noise::BUSY, 5)));
    assert!(missed.iter().all(|missed| *missed <= 2), "{planted:?}: missed {missed:?}");
}

#[test]
fn few_samples_in_each_run_tell_where_it_computes_more() {
    let named = right(Planted::Copy, Known::Sampled, (Noise::BUSY, 5));
    assert!(named >= 198, "{named}");
}

#[test]
fn equals_are_told_apart_in_one_pair_of_100_at_most() {
    let noises = [Noise::BUSY, Noise::CROWDED];
    for known in [Known::Measured, Known::Sampled] {
        let told = noises.map(|noise| PAIRS - right(Planted::None, known, (noise, 5)));
        assert!(told.iter().all(|told| *told <= 2), "{known:?}, {noises:?}: {told:?}");
    }
}

#[test]
fn a_process_that_is_slower_at_the_same_calls_needs_ten_trials() {
    let named =
        [5, 10].map(|trials| right(Planted::SlowSweep, Known::Measured, (Noise::BUSY, trials)));
    assert!(named[0] >= 150 && named[1] >= 190, "{named:?}");
}

#[test]
fn calls_tell_which_process_does_more_on_a_crowded_machine() {
    let named = right(Planted::Work, Known::Measured, (Noise::CROWDED, 5));
    assert!(named >= 198, "{named}");
}
