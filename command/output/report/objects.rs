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
    /// Threads by process.
    threads: BTreeMap<String, BTreeSet<String>>,
    /// Of a run of one process, which needs no name.
    is_alone: bool,
    /// How many ranks there are, where that is known: to name all of them says nothing.
    ranks: Option<usize>,
}

impl Objects {
    /// None yet, of a job of so many ranks, or of a process alone.
    pub(super) fn of(ranks: Option<usize>, is_alone: bool) -> Self {
        Self { ranks, is_alone, ..Self::default() }
    }

    /// Takes in a part of a focus.
    pub(super) fn take(&mut self, part: &str) {
        let all = part.trim_matches(['(', ')']).split(',').map(str::trim);
        for one in all {
            if let Some(process) = one.strip_prefix("/Process/") {
                self.take_process(process);
            } else if let Some(file) = one.strip_prefix("/File/") {
                self.name(format!("file /{}", readable(file)));
            } else if let Some(object) = one.strip_prefix("/SyncObject/") {
                self.take_object(object);
            }
        }
    }

    fn take_process(&mut self, name: &str) {
        match name.split_once('/') {
            Some((process, thread)) => {
                self.threads.entry(readable(process)).or_default().insert(readable(thread));
            }
            None => {
                self.processes.insert(readable(name));
            }
        }
    }

    fn take_object(&mut self, object: &str) {
        // What has no name but where it was made says nothing.
        if object.rsplit('/').next().is_some_and(is_address) {
            return;
        }
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
        told.extend(self.most_of_all());
        told
    }

    /// In which threads or processes it is most; a thread says more than its process.
    fn most_of_all(&self) -> Option<String> {
        let mut processes = self.processes.clone();
        processes.extend(self.threads.keys().cloned());
        if let (Some((process, threads)), 1) = (self.threads.iter().next(), processes.len()) {
            let threads = listed("in thread", "in threads", threads);
            let of = if self.is_alone { String::new() } else { format!(" of process {process}") };
            return Some(format!("most of all{threads}{of}"));
        }
        let says = !self.is_alone && !processes.is_empty() && self.ranks != Some(processes.len());
        says.then(|| format!("most of all{}", listed("in process", "in processes", &processes)))
    }
}

/// Whether it is the place of something without a name.
pub(super) fn is_address(name: &str) -> bool {
    let digits = name.strip_prefix("0x").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
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
const KINDS: [(&str, &str); 8] = [
    ("Barrier", "barriers of "),
    ("Mutex", "lock "),
    ("RwLock", "lock "),
    ("CondVar", "condition "),
    ("Semaphore", "semaphore "),
    ("Socket", "socket "),
    ("Pipe", "pipe of "),
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
        assert_eq!(told(&["/SyncObject/CondVar/0xbd30"]), [] as [&str; 0]);
        assert_eq!(told(&["/SyncObject/Socket/10.0.0.7:5432"]), ["socket 10.0.0.7:5432"]);
        let lock = ["/SyncObject/Mutex/a.c:59", "/SyncObject/Barrier/MPI_COMM_WORLD"];
        assert_eq!(told(&lock), ["lock a.c:59", "barriers of MPI_COMM_WORLD"]);
        assert_eq!(told(&["/SyncObject", "/Code", "/Machine"]), [] as [&str; 0]);
    }

    #[test]
    fn a_thread_is_named_with_its_process_where_there_are_several() {
        let parts = ["/Process/7", "/Process/7/2", "/Process/7/3"];
        assert_eq!(told(&parts), ["most of all in threads 2 and 3 of process 7"]);
        let mut alone = Objects::of(None, true);
        alone.take("/Process/7/2");
        assert_eq!(alone.told(), ["most of all in thread 2"]);
        assert_eq!(told(&["/Process/7/2", "/Process/8"]), ["most of all in processes 7 and 8"]);
    }

    #[test]
    fn of_many_some_are_named() {
        let processes: Vec<String> = (0..12).map(|number| format!("/Process/{number}")).collect();
        let parts: Vec<&str> = processes.iter().map(|one| &**one).collect();
        assert_eq!(told(&parts), ["most of all in processes 0, 1, 2, 3 and 8 more"]);
    }
}
