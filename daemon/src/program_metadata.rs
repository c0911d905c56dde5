//! What programs say of themselves: values under keys, by process.

use std::collections::BTreeMap;

use crate::daemon::Daemon;
use crate::profile::number;

/// What one process said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessMetadata {
    /// Its rank, or its process id outside MPI.
    pub process: u32,
    /// Values by key.
    pub values: BTreeMap<String, String>,
}

impl Daemon {
    /// What each process said of itself, those that said something, sorted.
    #[must_use]
    pub fn program_metadata(&self) -> Vec<ProcessMetadata> {
        let mut all: BTreeMap<u32, ProcessMetadata> = BTreeMap::new();
        for process in &self.processes {
            let said = process.catalogue.tables.metadata.iter().filter(|row| !row.key.is_empty());
            let mut said = said.map(|row| (row.key.clone(), row.value.clone())).peekable();
            if said.peek().is_some() {
                let process = number(process);
                let one = all.entry(process).or_default();
                one.process = process;
                one.values.extend(said);
            }
        }
        all.into_values().collect()
    }
}
