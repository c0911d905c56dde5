//! The objects, files and processes that findings name beside their function, in words.

use std::collections::{BTreeMap, BTreeSet};

use crate::output::terminal::readable;

/// What the foci of some findings name.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// Tags by communicator.
    messages: BTreeMap<String, BTreeSet<String>>,
    /// Collectives, locks and files, in the order of finding.
    others: Vec<String>,
    processes: BTreeSet<String>,
    /// How many ranks there are, where that is known: to name all of them says nothing.
    ranks: Option<usize>,
}

impl Objects {
    /// None yet, of a job of so many ranks.
    pub(super) fn of(ranks: Option<usize>) -> Self {
        Self { ranks, ..Self::default() }
    }

    /// Takes in a part of a focus.
    pub(super) fn take(&mut self, part: &str) {
        let all = part.trim_matches(['(', ')']).split(',').map(str::trim);
        for one in all {
            if let Some(process) = one.strip_prefix("/Process/") {
                self.processes.insert(readable(process));
            } else if let Some(file) = one.strip_prefix("/File/") {
                self.name(format!("file /{}", readable(file)));
            } else if let Some(object) = one.strip_prefix("/SyncObject/") {
                self.take_object(object);
            }
        }
    }

    fn take_object(&mut self, object: &str) {
        let mut names = object.splitn(3, '/');
        match (names.next(), names.next().map(readable), names.next().map(readable)) {
            (Some("Message"), Some(communicator), tag) => {
                self.messages.entry(communicator).or_default().extend(tag);
            }
            (Some("Collective"), Some(name), Some(rest)) => self.name(format!("{name} of {rest}")),
            (Some("Collective"), Some(name), None) => self.name(name),
            (Some(kind), Some(name), rest) => {
                let kind =
                    KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, said)| said);
                let rest = rest.map_or(String::new(), |rest| format!("/{rest}"));
                self.name(format!("{kind}{name}{rest}"));
            }
            _ => {}
        }
    }

    /// The more special name holds the other one: a file its folder, a collective of a communicator the collective.
    fn name(&mut self, name: String) {
        let holds = |long: &str, short: &str| {
            let rest = long.strip_prefix(short);
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('/') || rest.starts_with(" of ")
            })
        };
        if !self.others.iter().any(|other| holds(other, &name)) {
            self.others.retain(|other| !holds(&name, other));
            self.others.push(name);
        }
    }

    /// All of it: `messages with tags 3 and 4 of MPI_COMM_WORLD`, `most of all in processes 0 and 1`.
    pub(super) fn told(&self) -> Vec<String> {
        let messages = self.messages.iter().map(|(communicator, tags)| {
            let tags = listed("with tag", "with tags", tags);
            format!("messages{tags} of {communicator}")
        });
        let mut told: Vec<String> = messages.chain(self.others.iter().cloned()).collect();
        if !self.processes.is_empty() && self.ranks != Some(self.processes.len()) {
            let who = listed("in process", "in processes", &self.processes);
            told.push(format!("most of all{who}"));
        }
        told
    }
}

/// ` with tags 0, 1 and 2`; nothing of nothing.
fn listed(one: &str, many: &str, names: &BTreeSet<String>) -> String {
    let mut names: Vec<(Option<u64>, &str)> =
        names.iter().map(|name| (name.parse().ok(), &**name)).collect();
    // As numbers where they are some.
    names.sort_unstable();
    let names: Vec<&str> = names.into_iter().map(|(_, name)| name).collect();
    match names[..] {
        [] => String::new(),
        [only] => format!(" {one} {only}"),
        [ref all @ .., _] if names.len() > MOST => {
            let more = names.len() - MOST;
            format!(" {many} {} and {more} more", all[..MOST].join(", "))
        }
        [ref all @ .., last] => format!(" {many} {} and {last}", all.join(", ")),
    }
}

/// What objects are called before their name.
const KINDS: [(&str, &str); 6] = [
    ("Barrier", "barriers of "),
    ("Mutex", "lock "),
    ("RwLock", "lock "),
    ("CondVar", "condition "),
    ("Semaphore", "semaphore "),
    ("Window", "window "),
];
/// Names of a kind that are listed.
const MOST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(parts: &[&str]) -> Vec<String> {
        let mut objects = Objects::default();
        parts.iter().for_each(|part| objects.take(part));
        objects.told()
    }

    #[test]
    fn parts_of_foci_are_said_in_words() {
        let message = "/SyncObject/Message/MPI_COMM_WORLD";
        let tag = |number: u32| format!("{message}/{number}");
        assert_eq!(told(&[message]), ["messages of MPI_COMM_WORLD"]);
        let both = [message, &tag(14), &tag(3), "(/Process/0,/Process/1)", "/Code/a.c/f"];
        let said =
            ["messages with tags 3 and 14 of MPI_COMM_WORLD", "most of all in processes 0 and 1"];
        assert_eq!(told(&both), said);
        assert_eq!(told(&["/SyncObject/Collective/MPI_Allreduce"]), ["MPI_Allreduce"]);
        assert_eq!(
            told(&["/File/data/out.nc", "/Process/2"]),
            ["file /data/out.nc", "most of all in process 2"]
        );
        assert_eq!(told(&["/File/data", "/File/data/out.nc", "/File/data"]), ["file /data/out.nc"]);
        let lock = ["/SyncObject/Mutex/a.c:59", "/SyncObject/Barrier/MPI_COMM_WORLD"];
        assert_eq!(told(&lock), ["lock a.c:59", "barriers of MPI_COMM_WORLD"]);
        assert_eq!(told(&["/SyncObject", "/Code", "/Machine"]), [] as [&str; 0]);
    }

    #[test]
    fn of_many_some_are_named() {
        let processes: Vec<String> = (0..12).map(|number| format!("/Process/{number}")).collect();
        let parts: Vec<&str> = processes.iter().map(|one| &**one).collect();
        assert_eq!(told(&parts), ["most of all in processes 0, 1, 2, 3 and 8 more"]);
    }
}
