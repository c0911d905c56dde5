//! What `perf script` prints: a sample for each event, with the stack from the inside out.
//!
//! ```text
//!   work  1141/1142  891.077562:     250000 cpu-clock:
//!               117c step+0x33 (/home/me/work)
//! ```
//! The kernel's clocks count nanoseconds, so samples of them are times on a processor; of other events they are numbers of events.

use std::collections::BTreeMap;
use std::path::Path;

use super::callpath_sums::{CallpathSums, ThreadPlace};
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// The head of a sample.
struct Head<'a> {
    process: Option<u32>,
    thread: u32,
    event: &'a str,
    /// Events since the sample before; one where perf was told not to print it.
    period: f64,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// At the first line that is neither the head of a sample nor a part of its stack, or where there is no sample.
pub fn perf_script(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let (mut sums, mut events) = (CallpathSums::default(), Vec::<String>::new());
    let mut open: Option<(Head<'_>, Vec<String>)> = None;
    let mut names: BTreeMap<u32, u32> = BTreeMap::new();
    let mut knows_processes = true;
    let mut close = |open: Option<(Head<'_>, Vec<String>)>| {
        let Some((head, mut stack)) = open else { return };
        stack.reverse();
        if stack.is_empty() {
            stack.push("[no stack]".into());
        }
        knows_processes &= head.process.is_some();
        let metric = events.iter().position(|event| event == head.event).unwrap_or_else(|| {
            events.push(head.event.to_owned());
            events.len() - 1
        });
        let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
        let thread = *names.entry(head.thread).or_insert(next);
        let place: ThreadPlace = (head.process.unwrap_or(0), 0, thread);
        let scale = if is_clock(head.event) { 1e-3 } else { 1.0 };
        sums.add(place, &stack, metric, head.period * scale);
    };
    for (line, words) in (1..).zip(text.lines()) {
        let wrong = |problem| ExchangeError::Line { path: path.to_owned(), line, problem };
        if words.trim().is_empty() {
            close(open.take());
        } else if words.starts_with([' ', '\t']) && open.is_some() {
            let frame = frame(words).ok_or_else(|| wrong("expected an address and a symbol"))?;
            open.iter_mut().for_each(|(_, stack)| stack.push(frame.clone()));
        } else if !words.starts_with('#') {
            close(open.take());
            let head = head(words).ok_or_else(|| wrong("expected the head of a sample"))?;
            open = Some((head, Vec::new()));
        }
    }
    close(open.take());
    finished(path, sums, &events, knows_processes)
}

fn finished(
    path: &Path,
    sums: CallpathSums,
    events: &[String],
    knows_processes: bool,
) -> Result<ForeignProfile, ExchangeError> {
    if sums.is_empty() {
        let what = "no sample of perf script";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    let mut notes = vec!["samples tell no calls".to_owned()];
    if !knows_processes {
        notes.push(
            "of which process a thread is was not printed; it is by perf script -F +pid".into(),
        );
    }
    let clock = events.iter().position(|event| is_clock(event));
    if clock.is_some() {
        notes.push("times are those on a processor, by samples: waiting is not in them".into());
    }
    let name = |(at, event): (usize, &String)| {
        let is_time = clock == Some(at);
        ForeignMetric { name: if is_time { "TIME".into() } else { event.clone() } }
    };
    let metrics: Vec<ForeignMetric> = events.iter().enumerate().map(name).collect();
    let threads = sums.threads(metrics.len());
    Ok(ForeignProfile { metrics, threads, notes })
}

/// Whether an event counts nanoseconds.
fn is_clock(event: &str) -> bool {
    matches!(event.split(':').next(), Some("cpu-clock" | "task-clock"))
}

/// `command  pid/tid [processor] time: period event:`; the command may have blanks in it.
fn head(line: &str) -> Option<Head<'_>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let time = words.iter().position(|word| {
        word.strip_suffix(':').is_some_and(|word| word.contains('.') && word.parse::<f64>().is_ok())
    })?;
    let mut before = words[..time].iter().rev().skip_while(|word| word.starts_with('['));
    let ids = before.next()?;
    let (process, thread) = match ids.split_once('/') {
        Some((process, thread)) => (Some(process.parse().ok()?), thread.parse().ok()?),
        None => (None, ids.parse().ok()?),
    };
    let mut after = words[time + 1..].iter();
    let first = after.next()?;
    let (period, event) = match first.parse::<f64>() {
        Ok(period) => (period, *after.next()?),
        Err(_) => (1.0, *first),
    };
    Some(Head { process, thread, event: event.trim_end_matches(':'), period })
}

/// `117c step+0x33 (/home/me/work)`: the name, or where there is none the file.
fn frame(line: &str) -> Option<String> {
    let (address, rest) = line.trim().split_once(' ')?;
    if !address.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let (symbol, object) = match rest.rsplit_once(" (") {
        Some((symbol, object)) => (symbol.trim(), object.trim_end_matches(')')),
        None => (rest.trim(), ""),
    };
    let name = symbol.rsplit_once("+0x").map_or(symbol, |(name, _)| name);
    if name != "[unknown]" {
        return Some(name.to_owned());
    }
    Some(format!("[{}]", object.rsplit('/').next().unwrap_or("unknown").trim_matches(['[', ']'])))
}
