//! Tells on which machine each new process runs, for questions of a search about single machines.

use whyperf_model::{Hierarchy, Resource};

use crate::daemon::Daemon;

impl Daemon {
    /// Where processes run that are among these resources, which are sorted.
    pub(crate) fn placed(&self, appeared: &[Resource]) -> Vec<(Resource, Resource)> {
        if !appeared.iter().any(|one| one.hierarchy() == Hierarchy::Process) {
            return Vec::new();
        }
        let name = |id| self.state.resources.resource(id);
        let new = self.processes.iter().map(|process| (name(process.resource), process.machine));
        new.filter(|(process, _)| appeared.binary_search(process).is_ok())
            .map(|(process, machine)| (process.clone(), name(machine).clone()))
            .collect()
    }
}
