//! What the processes of a run say of themselves, those together that say the same.

use std::collections::BTreeMap;

use serde::Serialize;
use whyperf_daemon::ProcessMetadata;

use crate::output::terminal::plain;

/// A value under a key, and who says it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedMetadata {
    pub(crate) key: String,
    pub(crate) value: String,
    /// Ranks, or process ids outside MPI.
    pub(crate) processes: Vec<u32>,
}

impl ReportedMetadata {
    /// All that was said, by key and value.
    pub(crate) fn all(said: &[ProcessMetadata]) -> Vec<Self> {
        let mut all: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
        for ProcessMetadata { process, values } in said {
            for (key, value) in values {
                all.entry((key, value)).or_default().push(*process);
            }
        }
        let one = |((key, value), processes): ((&str, &str), Vec<u32>)| Self {
            key: key.to_owned(),
            value: value.to_owned(),
            processes,
        };
        all.into_iter().map(one).collect()
    }

    /// `mesh = fine`, and who says it where those are not all of so many processes.
    pub(super) fn line(&self, processes: usize) -> String {
        let (key, value) = (plain(&self.key), plain(&self.value));
        if self.processes.len() == processes {
            return format!("  {key} = {value}");
        }
        let shown = self.processes.iter().take(MOST_SHOWN).map(u32::to_string);
        let mut shown = shown.collect::<Vec<_>>().join(", ");
        if self.processes.len() > MOST_SHOWN {
            shown += &format!(" and {} more", self.processes.len() - MOST_SHOWN);
        }
        let who = if self.processes.len() == 1 { "process" } else { "processes" };
        format!("  {key} = {value} ({who} {shown})")
    }
}

/// Processes that a line names.
const MOST_SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_say_the_same_are_named_together_and_hostile_text_is_harmless() {
        let said = |process, value: &str| ProcessMetadata {
            process,
            values: BTreeMap::from([("mesh\u{1b}[31m".to_owned(), value.to_owned())]),
        };
        let all = ReportedMetadata::all(&[said(0, "fine"), said(1, "coarse\n"), said(2, "fine")]);
        let lines: Vec<String> = all.iter().map(|one| one.line(3)).collect();
        let harmless = lines.iter().all(|line| !line.contains(['\u{1b}', '\n']));
        assert!(
            harmless
                && lines[0].ends_with("(process 1)")
                && lines[1].ends_with("= fine (processes 0, 2)"),
            "{lines:?}"
        );
    }
}
