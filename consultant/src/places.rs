//! The placement of processes: which machine each process runs on, as far as the data source has told.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Resource;

/// Processes and their machines.
#[derive(Debug, Default)]
pub(crate) struct ProcessPlacement {
    machine_of: BTreeMap<Resource, Resource>,
    on: BTreeMap<Resource, BTreeSet<Resource>>,
}

impl ProcessPlacement {
    /// A process runs on a machine, and no longer where it ran before.
    pub(crate) fn place(&mut self, process: &Resource, machine: &Resource) {
        self.remove(process);
        self.machine_of.insert(process.clone(), machine.clone());
        self.on.entry(machine.clone()).or_default().insert(process.clone());
    }

    /// A process is gone.
    pub(crate) fn remove(&mut self, process: &Resource) {
        if let Some(machine) = self.machine_of.remove(process)
            && let Some(there) = self.on.get_mut(&machine)
        {
            there.remove(process);
            if there.is_empty() {
                self.on.remove(&machine);
            }
        }
    }

    /// The processes of some machines; none when it is not known of all of them.
    pub(crate) fn on(&self, machines: &[Resource]) -> Option<Vec<Resource>> {
        let of_one = |machine| self.on.get(machine).map(|there| there.iter().cloned());
        let all: Option<Vec<_>> = machines.iter().map(of_one).collect();
        all.map(|all| all.into_iter().flatten().collect())
    }

    /// Whether no machine has two processes, and none of so many processes is left out.
    pub(crate) fn is_one_each(&self, processes: usize) -> bool {
        self.machine_of.len() == processes && self.on.len() == processes
    }

    /// Of how many processes the machine is known.
    pub(crate) fn count(&self) -> usize {
        self.machine_of.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_in_one_place_and_a_machine_that_was_not_named_is_not_empty() {
        let resource = |text: &str| Resource::parse(text).expect("well formed");
        let [a, b] = ["/Machine/a", "/Machine/b"].map(resource);
        let [zero, one] = ["/Process/0", "/Process/1"].map(resource);
        let mut places = ProcessPlacement::default();
        places.place(&zero, &a);
        places.place(&one, &a);
        assert_eq!(places.on(std::slice::from_ref(&a)), Some(vec![zero.clone(), one.clone()]));
        assert_eq!(places.on(&[a.clone(), b.clone()]), None);
        assert!(!places.is_one_each(2));
        places.place(&one, &b);
        assert_eq!(places.on(std::slice::from_ref(&b)), Some(vec![one.clone()]));
        assert!(places.is_one_each(2) && !places.is_one_each(3));
        places.remove(&one);
        assert_eq!((places.on(&[b]), places.count()), (None, 1));
    }
}
