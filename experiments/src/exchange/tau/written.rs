//! A profile as TAU's files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::metadata;
use crate::exchange::error::ExchangeError;
use crate::foreign_profile::{ForeignProfile, ForeignThread, Timer};

impl ForeignProfile {
    /// Writes one file for each thread into a folder, or of several metrics into one folder for each below it. What is there stays, and
    /// files of the same names are replaced.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_tau(&self, folder: &Path) -> Result<(), ExchangeError> {
        for (position, metric) in self.metrics.iter().enumerate() {
            let folder = match self.metrics.len() {
                1 => folder.to_owned(),
                _ => folder.join(format!("MULTI__{}", folder_name(&metric.name))),
            };
            let failed = |source| ExchangeError::Write { path: folder.clone(), source };
            fs::create_dir_all(&folder).map_err(failed)?;
            for thread in &self.threads {
                let ForeignThread { node, context, thread: number, .. } = thread;
                let path = folder.join(format!("profile.{node}.{context}.{number}"));
                let text = text(thread, position, &metric.name);
                fs::write(&path, text).map_err(|source| ExchangeError::Write { path, source })?;
            }
        }
        Ok(())
    }
}

/// The name of a metric without what the names of folders cannot hold, as TAU writes it.
fn folder_name(metric: &str) -> String {
    metric.chars().map(|one| if "/\\?%*:|\"<>= ".contains(one) { '_' } else { one }).collect()
}

/// The file of one thread and metric.
fn text(thread: &ForeignThread, position: usize, metric: &str) -> String {
    let mut text = format!("{} templated_functions_MULTI_{metric}\n", thread.timers.len());
    let named = thread.metadata.iter().filter(|(name, _)| name != "Metric Name").cloned();
    let all: Vec<(String, String)> =
        [("Metric Name".to_owned(), metric.to_owned())].into_iter().chain(named).collect();
    let metadata = metadata::written(&all);
    let _ = writeln!(text, "# Name Calls Subrs Excl Incl ProfileCalls # {metadata}");
    for timer in &thread.timers {
        timer_line(&mut text, timer, position);
    }
    text.push_str("0 aggregates\n");
    if !thread.events.is_empty() {
        let _ = writeln!(text, "{} userevents", thread.events.len());
        text.push_str("# eventname numevents max min mean sumsqr\n");
    }
    for event in &thread.events {
        let name = one_line(&event.name);
        let (count, most, least) = (event.count, event.most, event.least);
        let _ =
            writeln!(text, "\"{name}\" {count} {most} {least} {} {}", event.mean, event.squares);
    }
    text
}

fn timer_line(text: &mut String, timer: &Timer, position: usize) {
    let value = timer.values.get(position).copied().unwrap_or_default();
    let (name, groups) = (one_line(&timer.name), timer.groups.join("|"));
    let (calls, subcalls) = (timer.calls, timer.subcalls);
    let (exclusive, inclusive) = (value.exclusive, value.inclusive);
    let _ = writeln!(
        text,
        "\"{name}\" {calls} {subcalls} {exclusive} {inclusive} 0 GROUP=\"{groups}\" "
    );
}

/// A name that ends no line.
fn one_line(name: &str) -> String {
    name.chars().map(|one| if one.is_control() { ' ' } else { one }).collect()
}
