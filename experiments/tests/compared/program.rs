//! Four ranks of a solver, with at most one planted regression, and the experiments that a machine makes of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use whyperf_experiments::{Operand, StatedResults};

use crate::machine::{Chance, Noise};

/// What differs from the program as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    /// Nothing.
    None,
    /// The exchange copies its block: it computes for a third of what the program did.
    Copy,
    /// A barrier before each exchange.
    Barrier,
    /// Twice as many calls for the same messages.
    Blocking,
    /// The last rank sweeps a fifth more often.
    Work,
    /// The last rank takes a fifth longer for each sweep.
    SlowSweep,
    /// A tenth of what the sweep took is taken by the difference.
    Moved,
}

const RANKS: usize = 4;

/// Calls of the sweep and of the exchange in each rank.
const STEPS: f64 = 800.0;

/// How the time of functions is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    /// They were measured for a part of the time.
    Measured,
    /// By ten to a hundred stack samples in each run, a third of which come in pairs.
    Sampled,
}

/// The trials of the program on a machine.
pub(crate) fn experiment(
    planted: Planted,
    known: Known,
    (noise, trials): (Noise, usize),
    chance: &mut Chance,
) -> Operand {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for _ in 0..trials {
        for (pair, value) in trial(planted, known, noise, chance) {
            values.entry(pair).or_default().push(value);
        }
    }
    let mut text = "whyperf results 1\n".to_owned();
    for (pair, values) in values {
        writeln!(text, "{pair} {}", values.join(", ")).expect("a string takes everything");
    }
    let results = StatedResults::parse(&text).expect("well formed");
    Operand::stated("simulated".to_owned(), results)
}

/// What one run comes to.
fn trial(
    planted: Planted,
    known: Known,
    noise: Noise,
    chance: &mut Chance,
) -> Vec<(String, String)> {
    let machine = noise.circumstances(chance, RANKS);
    let is_last = |rank: usize| rank == RANKS - 1;
    let mut all = Vec::new();
    let mut add = |pair: String, value: String| all.push((pair, value));
    let seconds = |value: f64| format!("{value:.9} s");
    let (moved, copied) = match planted {
        Planted::Moved => (0.06, 0.0),
        Planted::Copy => (0.0, 0.2),
        _ => (0.0, 0.0),
    };
    let (mut of_sweep, mut of_exchange, mut of_difference) = (0.0, 0.0, 0.0);
    for rank in 0..RANKS {
        let slow = machine.of_run * machine.of_process[rank];
        let more = match planted {
            Planted::Work | Planted::SlowSweep if is_last(rank) => 1.2,
            _ => 1.0,
        };
        let sweep = slow * (0.58 * more - moved);
        let exchange = slow * (0.007 + copied);
        let difference = slow * (0.006 + moved);
        add(format!("cpu </Process/{rank}>"), seconds(sweep + exchange + difference));
        of_sweep += sweep;
        of_exchange += exchange;
        of_difference += difference;
        let calls = if planted == Planted::Work { STEPS * more } else { STEPS };
        for (function, calls) in [("sweep.c/sweep", calls), ("planted.c/exchng1", STEPS)] {
            let counted = calls * machine.of_run * chance.factor(0.004);
            add(format!("calls </Code/{function},/Process/{rank}>"), format!("{counted:.0}"));
        }
    }
    let sum = of_sweep + of_exchange + of_difference;
    add("cpu <>".to_owned(), seconds(sum));
    let names = ["sweep.c/sweep", "planted.c/exchng1", "diff.c/diff", "planted.c/main"];
    let values = match known {
        Known::Measured => {
            let times = [of_sweep, of_exchange, of_difference, sum];
            let deviations = [0.03, 0.2, 0.2, 0.05];
            let measured = |(time, deviation)| seconds(time * chance.factor(deviation));
            times.into_iter().zip(deviations).map(measured).collect()
        }
        Known::Sampled => {
            samples(&[of_sweep / sum, of_exchange / sum, of_difference / sum], chance)
        }
    };
    for (function, value) in names.iter().zip(values) {
        add(format!("cpu </Code/{function}>"), value);
    }
    all.extend(calls_of_messages(planted, sum, chance));
    all
}

/// How many of the samples of a run are in each of these functions.
fn samples(shares: &[f64], chance: &mut Chance) -> Vec<String> {
    let all = 10 + (chance.share() * 90.0) as usize;
    let mut counts = vec![0; shares.len()];
    let mut left = all;
    while left > 0 {
        let at = chance.share();
        let mut end = 0.0;
        let found = shares.iter().position(|share| {
            end += share;
            at < end
        });
        // A third of the samples have one beside them.
        let together = if chance.share() < 1.0 / 3.0 { 2.min(left) } else { 1 };
        counts[found.unwrap_or(shares.len() - 1)] += together;
        left -= together;
    }
    counts.into_iter().map(|inside| format!("{inside}/{all}")).collect()
}

/// The messages, which do not vary, and the waiting for them, which varies with everything.
fn calls_of_messages(planted: Planted, cpu: f64, chance: &mut Chance) -> Vec<(String, String)> {
    let ranks = RANKS as f64;
    let calls = STEPS * ranks;
    let barriers = if planted == Planted::Barrier { calls } else { 0.0 };
    let at_messages = if planted == Planted::Blocking { 2.0 * calls } else { calls };
    let waited = 0.4 * cpu * chance.factor(0.3);
    let at_barriers =
        if planted == Planted::Barrier { 0.2 * cpu * chance.factor(0.3) } else { 0.0 };
    let mut all = Vec::new();
    let mut at = |focus: &str, [ops, wait]: [f64; 2]| {
        all.push((format!("sync_ops <{focus}>"), format!("{ops:.0}")));
        all.push((format!("sync_wait <{focus}>"), format!("{wait:.9} s")));
    };
    for code in ["", "/Code/planted.c", "/Code/planted.c/exchng1"] {
        let within = |object: &str| {
            let parts = [code, object].into_iter().filter(|part| !part.is_empty());
            parts.collect::<Vec<_>>().join(",")
        };
        at(&within(""), [at_messages + barriers, waited + at_barriers]);
        at(&within("/SyncObject/Message"), [at_messages, waited]);
        at(&within("/SyncObject/Barrier"), [barriers, at_barriers]);
    }
    all.push(("wall <>".to_owned(), format!("{:.9} s", cpu + waited + at_barriers)));
    all
}
