//! Chrome's trace events, as Perfetto and others write them: what begins and ends in each thread, by microseconds.
//!
//! Events `B` and `E`, and `X` with its length. When something happened is not kept: a run that came from elsewhere is a profile.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::callpath_sums::{CallpathSums, ThreadPlace};
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// Something that took time in a thread.
#[derive(Clone, Debug)]
struct Span {
    name: String,
    from: f64,
    to: f64,
}

/// A thread that events name.
#[derive(Debug, Default)]
struct TracedThread {
    spans: Vec<Span>,
    open: Vec<(String, f64)>,
    last: f64,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// Where it is no such JSON, or has no event that takes time.
pub fn chrome_trace(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let file: Value = serde_json::from_str(text).map_err(|_| refused("no JSON"))?;
    let events = file.as_array().or_else(|| file["traceEvents"].as_array());
    let events = events.ok_or_else(|| refused("no trace events"))?;
    let mut threads: BTreeMap<(u64, u64), TracedThread> = BTreeMap::new();
    let mut strays = 0u64;
    for event in in_order(events) {
        let id = |member: &str| event[member].as_u64().unwrap_or_default();
        let thread = threads.entry((id("pid"), id("tid"))).or_default();
        strays += u64::from(!thread.take(event));
    }
    let mut sums = CallpathSums::default();
    let mut numbers: BTreeMap<u64, u32> = BTreeMap::new();
    for ((process, _), thread) in threads {
        let number = numbers.entry(process).or_default();
        let place = (u32::try_from(process).unwrap_or(u32::MAX), 0, *number);
        *number += 1;
        strays += thread.open.len() as u64;
        thread.add_to(&mut sums, place);
    }
    if sums.is_empty() {
        return Err(refused("no event that takes time"));
    }
    let mut notes = vec!["when something happened is not kept".to_owned()];
    if strays > 0 {
        notes.push(format!("{strays} events have no beginning or no end, and are left out"));
    }
    let metrics = vec![ForeignMetric { name: "TIME".into() }];
    Ok(ForeignProfile { metrics, threads: sums.threads(1), notes })
}

/// By time; those of one moment stay as they are written.
fn in_order(events: &[Value]) -> Vec<&Value> {
    let mut timed: Vec<&Value> = events
        .iter()
        .filter(|event| matches!(event["ph"].as_str(), Some("B" | "E" | "X")))
        .collect();
    timed.sort_by(|one, other| {
        let at = |event: &Value| event["ts"].as_f64().unwrap_or_default();
        at(one).total_cmp(&at(other))
    });
    timed
}

impl TracedThread {
    /// Takes in the next event; false for one that has no beginning, or makes no sense.
    fn take(&mut self, event: &Value) -> bool {
        let Some(at) = event["ts"].as_f64() else { return false };
        let name = || event["name"].as_str().unwrap_or("?").to_owned();
        self.last = self.last.max(at);
        match event["ph"].as_str() {
            Some("B") => self.open.push((name(), at)),
            Some("E") => {
                let Some((name, from)) = self.open.pop() else { return false };
                self.spans.push(Span { name, from, to: at });
            }
            _ => {
                let Some(length) = event["dur"].as_f64().filter(|length| *length >= 0.0) else {
                    return false;
                };
                self.spans.push(Span { name: name(), from: at, to: at + length });
            }
        }
        true
    }

    /// What holds another is longer; so the outer ones come first.
    fn add_to(mut self, sums: &mut CallpathSums, place: ThreadPlace) {
        // Of spans that are alike the outer one ended later, and stands later.
        self.spans.reverse();
        self.spans.sort_by(|one, other| {
            one.from.total_cmp(&other.from).then(other.to.total_cmp(&one.to))
        });
        let (mut names, mut ends): (Vec<String>, Vec<f64>) = (Vec::new(), Vec::new());
        for span in self.spans {
            while ends.last().is_some_and(|end| *end <= span.from && *end < span.to) {
                ends.pop();
                names.pop();
            }
            let length = span.to - span.from;
            if !names.is_empty() {
                let inside = span.to.min(*ends.last().expect("as many as names")) - span.from;
                sums.add(place, &names, 0, -inside.max(0.0));
            }
            names.push(span.name);
            ends.push(span.to);
            sums.called(place, &names, 1.0);
            sums.add(place, &names, 0, length);
        }
    }
}
