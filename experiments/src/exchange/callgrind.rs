//! What valgrind's callgrind writes: events in each function itself, and what its calls cost.
//!
//! A call's cost is that of all that is below, and not of the function alone; so functions are known by themselves and with what they call, and
//! callpaths are not made up.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue};

/// A function: what it is called, and the file that it is in.
type FunctionKey = (String, String);

/// What is known of a function.
#[derive(Clone, Debug, Default)]
struct FunctionCost {
    calls: f64,
    /// By event: in it alone, and of its calls.
    own: Vec<f64>,
    below: Vec<f64>,
}

/// The state of the reader: where the next line belongs.
#[derive(Debug, Default)]
struct Reader {
    events: Vec<String>,
    positions: usize,
    /// Names that were given a number, by the kind of name.
    names: BTreeMap<(&'static str, String), String>,
    file: String,
    function: FunctionKey,
    callee: FunctionKey,
    /// The file of the next callee, where one is named.
    callee_file: Option<String>,
    functions: BTreeMap<FunctionKey, FunctionCost>,
    next: NextLine,
}

/// What the next line with numbers is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum NextLine {
    /// Cost of the function itself.
    #[default]
    Own,
    /// Cost of calls.
    Calls,
    /// The place of a jump.
    Jump,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// At the first line that makes no sense, or where there is no cost.
pub fn callgrind(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let mut reader = Reader { positions: 1, ..Reader::default() };
    for (line, words) in (1..).zip(text.lines()) {
        let wrong = |problem| ExchangeError::Line { path: path.to_owned(), line, problem };
        reader.take(words.trim()).map_err(wrong)?;
    }
    if reader.functions.is_empty() || reader.events.is_empty() {
        let what = "no costs of callgrind";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    Ok(reader.profile())
}

impl Reader {
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if let Some(events) = line.strip_prefix("events:") {
            self.events = events.split_whitespace().map(str::to_owned).collect();
            return Ok(());
        }
        if let Some(positions) = line.strip_prefix("positions:") {
            self.positions = positions.split_whitespace().count().max(1);
            return Ok(());
        }
        if line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            return self.cost(line);
        }
        match line.split_once('=') {
            Some((key, value)) if !key.contains(':') => self.assign(key, value),
            // A line of the head.
            _ if line.contains(':') => Ok(()),
            _ => Err("expected a name, a cost or a line of the head"),
        }
    }

    fn assign(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        match key {
            "fl" | "fi" | "fe" => self.file = self.name("file", value)?,
            "fn" => self.function = (self.name("function", value)?, self.file.clone()),
            "cfi" | "cfl" => self.callee_file = Some(self.name("file", value)?),
            "cfn" => {
                let file = self.callee_file.take().unwrap_or_else(|| self.file.clone());
                self.callee = (self.name("function", value)?, file);
            }
            "calls" => {
                let number = value.split_whitespace().next().and_then(|word| word.parse().ok());
                let calls: f64 = number.ok_or("expected a number of calls")?;
                self.functions.entry(self.callee.clone()).or_default().calls += calls;
                self.next = NextLine::Calls;
            }
            "jump" | "jcnd" => self.next = NextLine::Jump,
            // Objects, and what later versions add.
            _ => {}
        }
        Ok(())
    }

    /// `(7) name` gives a number to a name, which `(7)` means from then on.
    fn name(&mut self, kind: &'static str, value: &str) -> Result<String, &'static str> {
        let Some(rest) = value.strip_prefix('(') else { return Ok(value.to_owned()) };
        let (number, name) = rest.split_once(')').ok_or("expected a number in parentheses")?;
        let key = (kind, number.to_owned());
        let name = name.trim();
        if !name.is_empty() {
            self.names.insert(key.clone(), name.to_owned());
        }
        self.names.get(&key).cloned().ok_or("a name's number was not given before")
    }

    fn cost(&mut self, line: &str) -> Result<(), &'static str> {
        let next = std::mem::take(&mut self.next);
        if next == NextLine::Jump {
            return Ok(());
        }
        let function = self.functions.entry(self.function.clone()).or_default();
        let sums = if next == NextLine::Calls { &mut function.below } else { &mut function.own };
        sums.resize(self.events.len(), 0.0);
        for (sum, word) in sums.iter_mut().zip(line.split_whitespace().skip(self.positions)) {
            *sum += word.parse::<f64>().map_err(|_| "expected numbers of events")?;
        }
        Ok(())
    }

    fn profile(self) -> ForeignProfile {
        let count = self.events.len();
        let timer = |((name, file), cost): (FunctionKey, FunctionCost)| {
            let of = |sums: &[f64], at: usize| sums.get(at).copied().unwrap_or_default();
            let value = |at| TimerValue {
                exclusive: of(&cost.own, at),
                inclusive: of(&cost.own, at) + of(&cost.below, at),
            };
            let known = !file.is_empty() && file != "???";
            let name = if known { format!("{name} [{{{file}}}]") } else { name };
            let groups = vec!["TAU_DEFAULT".to_owned()];
            let values = (0..count).map(value).collect();
            Timer { name, groups, calls: cost.calls, values, ..Timer::default() }
        };
        let timers = self.functions.into_iter().map(timer).collect();
        let metrics = self.events.into_iter().map(|name| ForeignMetric { name }).collect();
        let note = "callgrind tells what calls cost with all below: functions are kept, and callpaths are not";
        let threads = vec![ForeignThread { timers, ..ForeignThread::default() }];
        ForeignProfile { metrics, threads, notes: vec![note.into()] }
    }
}
