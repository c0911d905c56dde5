//! speedscope's JSON: stacks with weights, or the times at which frames are opened and closed; after `file-format-spec.ts`.

use std::path::Path;

use serde_json::Value;

use super::callpath_sums::{CallpathSums, ThreadPlace};
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// Reads a text that came from `path`.
///
/// # Errors
/// Where it is no such JSON, or names a frame that is not there.
pub fn speedscope(path: &Path, text: &str) -> Result<ForeignProfile, ExchangeError> {
    let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
    let file: Value = serde_json::from_str(text).map_err(|_| refused("no JSON"))?;
    let frames = file["shared"]["frames"].as_array().ok_or_else(|| refused("no frames"))?;
    let names: Vec<String> = frames.iter().map(name).collect();
    let profiles = file["profiles"].as_array().ok_or_else(|| refused("no profiles"))?;
    let (mut sums, mut units) = (CallpathSums::default(), Vec::new());
    for (at, profile) in (0..).zip(profiles) {
        let unit = profile["unit"].as_str().unwrap_or("none");
        let (metric, scale) = metric_of(unit);
        let number = units.iter().position(|known| known == metric).unwrap_or_else(|| {
            units.push(metric.to_owned());
            units.len() - 1
        });
        let place = place(profile["name"].as_str().unwrap_or_default(), at);
        let stacks = if profile["type"] == "evented" { evented(profile) } else { sampled(profile) };
        for (stack, weight) in stacks.ok_or_else(|| refused("a profile that makes no sense"))? {
            let path: Option<Vec<String>> =
                stack.into_iter().map(|frame| names.get(frame).cloned()).collect();
            let path = path.ok_or_else(|| refused("a stack with a frame that is not there"))?;
            sums.add(place, &path, number, weight * scale);
        }
    }
    if sums.is_empty() {
        return Err(refused("no stacks"));
    }
    let threads = sums.threads(units.len());
    let metrics = units.into_iter().map(|name| ForeignMetric { name }).collect();
    Ok(ForeignProfile { metrics, threads, notes: vec!["speedscope's files tell no calls".into()] })
}

/// What values of a unit are, and how many microseconds one is.
fn metric_of(unit: &str) -> (&str, f64) {
    match unit {
        "nanoseconds" => ("TIME", 1e-3),
        "microseconds" => ("TIME", 1.0),
        "milliseconds" => ("TIME", 1e3),
        "seconds" => ("TIME", 1e6),
        "none" => ("SAMPLES", 1.0),
        other => (other, 1.0),
    }
}

/// A function may have a frame for each of its lines: these are one.
fn name(frame: &Value) -> String {
    let name = frame["name"].as_str().unwrap_or("?");
    frame["file"].as_str().map_or_else(|| name.to_owned(), |file| format!("{name} [{{{file}}}]"))
}

/// `process 3 thread 1`, as whyperf names them; all others are threads by their order.
fn place(name: &str, at: u32) -> ThreadPlace {
    let words: Vec<&str> = name.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let number = |kind: &str| {
        let found = words.windows(2).find(|pair| pair[0] == kind)?;
        found[1].parse::<u32>().ok()
    };
    number("process")
        .zip(number("thread"))
        .map_or((0, 0, at), |(process, thread)| (process, 0, thread))
}

/// Frames from the outside in, and how much was counted there.
type Stacks = Vec<(Vec<usize>, f64)>;

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

fn sampled(profile: &Value) -> Option<Stacks> {
    let (samples, weights) = (profile["samples"].as_array()?, profile["weights"].as_array()?);
    if samples.len() != weights.len() {
        return None;
    }
    let stack =
        |sample: &Value| -> Option<Vec<usize>> { sample.as_array()?.iter().map(index).collect() };
    samples
        .iter()
        .zip(weights)
        .map(|(sample, weight)| Some((stack(sample)?, weight.as_f64()?)))
        .collect()
}

/// Between two events the frames that are open pass the time.
fn evented(profile: &Value) -> Option<Stacks> {
    let (mut stacks, mut open) = (Stacks::new(), Vec::new());
    let mut since = profile["startValue"].as_f64()?;
    for event in profile["events"].as_array()? {
        let at = event["at"].as_f64()?;
        if at < since {
            return None;
        }
        if at > since && !open.is_empty() {
            stacks.push((open.clone(), at - since));
        }
        since = at;
        match event["type"].as_str()? {
            "O" => open.push(index(&event["frame"])?),
            _ if open.last() == Some(&index(&event["frame"])?) => drop(open.pop()),
            _ => return None,
        }
    }
    Some(stacks)
}
