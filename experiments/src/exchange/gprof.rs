//! What GNU gprof prints: a flat profile, and a call graph of who called whom.
//!
//! The call graph tells of each caller how much of a function's time is its share, so callpaths have two names. Where those shares do not add up
//! to the function's own time, as in cycles of calls, the function is known by itself alone.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue};

/// What is known of a function.
#[derive(Clone, Copy, Debug, Default)]
struct FunctionSum {
    calls: f64,
    /// Seconds in it alone, and with what it called.
    own: f64,
    all: f64,
}

/// A function in another: how often, and for how long.
type Arcs = BTreeMap<(String, String), FunctionSum>;

/// Reads a text that came from `path`.
///
/// # Errors
/// Where it has neither of the two tables.
pub fn gprof(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let mut functions = flat(text);
    let mut arcs = Arcs::new();
    for block in graph_blocks(text) {
        take_block(&block, &mut functions, &mut arcs);
    }
    if functions.is_empty() {
        let what = "neither a flat profile nor a call graph of gprof";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    let mut own: BTreeMap<&str, f64> = BTreeMap::new();
    for ((_, callee), sum) in &arcs {
        *own.entry(callee).or_default() += sum.own;
    }
    // Each number is rounded to a hundredth.
    let rounding = 0.01 * arcs.len() as f64 + 0.01;
    let adds_up = |callee: &str| {
        let function = functions.get(callee).copied().unwrap_or_default();
        let told = own.get(callee).copied().unwrap_or_default();
        (function.own - told).abs() <= rounding.min(0.01 + 0.02 * function.own)
    };
    let known = arcs.iter().filter(|((_, callee), _)| adds_up(callee));
    let paths = known
        .map(|((caller, callee), sum)| timer(format!("{caller}{}{callee}", Timer::ARROW), sum));
    let alone = functions.iter().map(|(name, sum)| timer(name.clone(), sum));
    let timers = alone.chain(paths).collect();
    let note = "gprof tells of callers how much they used of a function on the average, by samples: callpaths have two names";
    Ok(ForeignProfile {
        metrics: vec![ForeignMetric { name: "TIME".into() }],
        threads: vec![ForeignThread { timers, ..ForeignThread::default() }],
        notes: vec![note.into()],
    })
}

fn timer(name: String, sum: &FunctionSum) -> Timer {
    let values = vec![TimerValue { exclusive: sum.own * 1e6, inclusive: sum.all * 1e6 }];
    let group = if name.contains(Timer::ARROW) { Timer::CALLPATH } else { "TAU_SAMPLE" };
    Timer { name, groups: vec![group.into()], calls: sum.calls, values, ..Timer::default() }
}

/// `time cumulative self [calls self total] name`, a line for each function.
fn flat(text: &str) -> BTreeMap<String, FunctionSum> {
    let mut functions = BTreeMap::new();
    let lines = text.lines().skip_while(|line| !line.trim_end().ends_with("name"));
    for line in lines.skip(1).take_while(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words.get(at).and_then(|word| word.parse::<f64>().ok());
        let (Some(_), Some(_), Some(own)) = (number(0), number(1), number(2)) else { break };
        let (calls, from) = match (number(3), number(4), number(5)) {
            (Some(calls), Some(_), Some(_)) => (calls, 6),
            _ => (0.0, 3),
        };
        let name = words.get(from..).unwrap_or_default().join(" ");
        if !name.is_empty() {
            functions.insert(name, FunctionSum { calls, own, all: own });
        }
    }
    functions
}

/// The entries of the call graph: lines between rules.
fn graph_blocks(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().skip_while(|line| !line.starts_with("index % time"));
    let table: Vec<&str> =
        lines.skip(1).take_while(|line| !line.trim().is_empty() && *line != "\u{c}").collect();
    let blocks = table.split(|line| line.starts_with("-----"));
    blocks.filter(|block| !block.is_empty()).map(<[&str]>::to_vec).collect()
}

fn take_block(lines: &[&str], functions: &mut BTreeMap<String, FunctionSum>, arcs: &mut Arcs) {
    let Some(at) = lines.iter().position(|line| line.starts_with('[')) else { return };
    let Some((primary, sum)) = primary(lines[at]) else { return };
    let known = functions.entry(primary.clone()).or_default();
    known.all = sum.all;
    known.calls = known.calls.max(sum.calls);
    for (caller, sum) in lines[..at].iter().filter_map(|line| relative(line)) {
        arcs.insert((caller, primary.clone()), sum);
    }
}

/// `[3]  90.9  0.00  0.09  1  work [3]`; what stands for a cycle as a whole is no function.
fn primary(line: &str) -> Option<(String, FunctionSum)> {
    let (_, rest) = line.split_once(']')?;
    let (_, rest) = rest.trim_start().split_once(' ')?;
    relative(rest).filter(|(name, _)| !name.starts_with("<cycle"))
}

/// `self children called name [index]`; in a cycle the times may be missing, and of the outermost the calls.
fn relative(line: &str) -> Option<(String, FunctionSum)> {
    let (names, _) = line.trim_end().rsplit_once(" [")?;
    let words: Vec<&str> = names.split_whitespace().collect();
    let time = |word: &&str| word.parse::<f64>().ok().filter(|_| word.contains('.'));
    let (own, below) = (words.first().and_then(time)?, words.get(1).and_then(time)?);
    let called = words.get(2)?;
    let digits = called.split(['/', '+']).next().and_then(|number| number.parse::<f64>().ok());
    let from = if digits.is_some() { 3 } else { 2 };
    let name = words.get(from..)?.join(" ");
    let name = name.split_once(" <cycle").map_or(name.as_str(), |(name, _)| name).to_owned();
    let sum = FunctionSum { calls: digits.unwrap_or_default(), own, all: own + below };
    (!name.is_empty()).then_some((name, sum))
}
