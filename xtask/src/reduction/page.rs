//! The page that the study leaves.

use std::fmt::Write as _;
use std::time::Duration;

use super::ReductionOptions;
use super::bench::{Found, Measured, RULE, Way};
use crate::spread::Spread;
use crate::written_on::written_on;

/// The parts whose time the program knows, as the functions are called.
const PARTS: [&str; 4] = ["main", "kth_largest_qs", "select_kth_largest", "setup"];
/// After the rule the program is to take no more than this part longer.
const PROMISE: f64 = 0.02;

/// The whole page.
pub(super) fn written(found: &Measured, options: ReductionOptions, took: Duration) -> String {
    let mut text = opening(options, took);
    text += &own_times(found);
    text += &told_times(found);
    text += &functions(found);
    text
}

fn opening(options: ReductionOptions, took: Duration) -> String {
    let written = written_on(took);
    format!(
        "# Reduction: measuring all functions, and those that are worth it\n\n\
        Malony, Shende and others show with the k-th largest of many numbers, found by quicksort and by selection, how measuring every function distorts a program, and what a rule saves \
        (\"Advances in the TAU Performance System\", Figure 2). `cargo xtask study reduction` does the same with `tests/programs/reduction/kth_largest.c`: {} numbers, five times; the functions of \
        its file are all measured by name, however much that costs (`--cost-limit 99`), then those that `whyperf reduce` leaves by the rule of ParaProf, TAU's viewer, `{RULE}`, with `--filter`; the paper's own rule names the same three on its machine of 1.2 GHz, and here, in a try with 300,000 numbers, `quicksort` alone. \
        Each figure is the middle of {} runs, with the least and the greatest; the ways took turns. {written}.\n",
        options.elements, options.runs,
    )
}

fn spread(found: &Measured, way: Way, of: impl Fn(&Found) -> Option<f64>) -> Option<Spread> {
    let values: Option<Vec<f64>> = found.runs.get(&way)?.iter().map(of).collect();
    values.filter(|values| !values.is_empty()).map(Spread::of)
}

fn shown(spread: Option<Spread>) -> String {
    spread.map_or_else(|| "not measured".to_owned(), |spread| spread.shown(1e3))
}

fn off(spread: Option<Spread>, alone: Option<Spread>) -> String {
    let both = spread.zip(alone);
    let part = |(one, alone): (Spread, Spread)| {
        let middle = 100.0 * (one.middle / alone.middle - 1.0);
        let least = 100.0 * (one.least / alone.least - 1.0);
        format!("{middle:+.1} % ({least:+.1} %)")
    };
    both.map_or_else(|| "not known".to_owned(), part)
}

/// How much longer the program takes, by its own clock.
fn own_times(found: &Measured) -> String {
    let mut text = "\n## How long the program takes\n\nBy its own clock, ms; in parentheses behind a share that of the least of both.\n\n\
        | part | alone | all functions | longer by | after the rule | longer by |\n|---|---|---|---|---|---|\n"
        .to_owned();
    let of = |way, part: &str| spread(found, way, |run| run.own.get(part).copied());
    let mut most: Option<(f64, &str)> = None;
    for part in PARTS {
        let [alone, all, reduced] = [Way::Alone, Way::All, Way::Reduced].map(|way| of(way, part));
        let _ = writeln!(
            text,
            "| `{part}` | {} | {} | {} | {} | {} |",
            shown(alone),
            shown(all),
            off(all, alone),
            shown(reduced),
            off(reduced, alone),
        );
        if let Some((reduced, alone)) = reduced.zip(alone) {
            let off = (reduced.middle / alone.middle - 1.0).abs();
            if most.is_none_or(|(most, _)| off > most) {
                most = Some((off, part));
            }
        }
    }
    match most {
        Some((most, part)) if most <= PROMISE => {
            text + &format!(
                "\nAfter the rule no part is off by more than {:.1} %, which is `{part}`.\n",
                100.0 * most
            )
        }
        Some((most, part)) => {
            text + &format!("\n**After the rule `{part}` is off by {:.1} %.**\n", 100.0 * most)
        }
        None => text + "\nWhat the rule saves is not known.\n",
    }
}

/// What whyperf says of the parts, against what they take alone.
fn told_times(found: &Measured) -> String {
    let mut text = "\n## What is said of it\n\nInclusive times of functions as whyperf gives them out, ms, and by how much they are off from what the program takes alone.\n\n\
        | function | without compensation | off by | with compensation | off by | after the rule | off by |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for part in PARTS {
        let alone = spread(found, Way::Alone, |run| run.own.get(part).copied());
        let _ = write!(text, "| `{part}` |");
        for way in [Way::AllRaw, Way::All, Way::Reduced] {
            let told = spread(found, way, |run| run.told.get(part).map(|times| times.inclusive));
            let _ = write!(text, " {} | {} |", shown(told), off(told, alone));
        }
        text.push('\n');
    }
    text
}

/// The paper's figure: all functions of a run, with those marked that the rule leaves out.
fn functions(found: &Measured) -> String {
    let mut text = "\n## All functions\n\nOf the first run with all functions and compensation, and of the first after the rule; (*) is left out by the rule.\n\n\
        | function | calls | calls made | exclusive, ms | inclusive, ms | exclusive after the rule, ms | inclusive, ms |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    let first = |way| found.runs.get(&way).and_then(|runs| runs.first());
    let (Some(all), Some(reduced)) = (first(Way::All), first(Way::Reduced)) else { return text };
    let mut rows: Vec<_> = all.told.iter().collect();
    rows.sort_by(|(_, one), (_, other)| other.inclusive.total_cmp(&one.inclusive));
    for (name, times) in rows {
        let is_left_out = found.filter.lines().any(|line| line.ends_with(&format!("/{name}")));
        let mark = if is_left_out { " (*)" } else { "" };
        let [exclusive, inclusive] = [times.exclusive, times.inclusive].map(|time| 1e3 * time);
        let (calls, made) = (times.calls, times.subcalls);
        let after = reduced.told.get(name).map_or_else(
            || "| | |".to_owned(),
            |times| format!("| {:.2} | {:.2} |", 1e3 * times.exclusive, 1e3 * times.inclusive),
        );
        let _ = writeln!(
            text,
            "| `{name}`{mark} | {calls:.0} | {made:.0} | {exclusive:.2} | {inclusive:.2} {after}"
        );
    }
    text
}
