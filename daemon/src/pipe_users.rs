//! Joins the two ends of pipes: which thread reads from one, which writes to it, and what each does now.
//!
//! ```text
//!   process 7   ████ write ████ write ████      ─► pipe 17 ─►      ▒▒▒▒ read ▒▒▒▒ read   process 8
//!               tells in each pass what it does                    waits for the only one that writes
//! ```
//! Who is at an end is told by the calls that it made there. Where several threads write to a pipe, or read from one, it is not known for which of
//! them somebody waits at its other end. Processes are read one after the other, so what one is told may be a pass old.

use ahash::AHashMap;
use whyperf_model::Category;
use whyperf_model::matching::{AwaitedThread, ClassId, Classes, ResourceId};

use crate::object_name::pipe;
use crate::tables::ProcessTables;
use crate::thread::NodeState;

/// One of the two ends of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipeEnd {
    /// Its number, as the system counts pipes.
    pub(crate) pipe: u64,
    pub(crate) side: PipeSide,
}

/// What is done at an end of a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PipeSide {
    Reads,
    Writes,
}

/// An end of a pipe at which a thread made calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsedEnd {
    pub(crate) end: PipeEnd,
    /// As its process numbers it.
    pub(crate) object: u32,
}

/// What the threads at the ends of all pipes do.
#[derive(Debug, Default)]
pub(crate) struct PipeUsers {
    users: AHashMap<PipeEnd, Vec<PipeUser>>,
    pass: u64,
}

/// What a thread did that has an end of a pipe.
#[derive(Debug)]
struct PipeUser {
    thread: ResourceId,
    /// What it does, or the one that it waits for; `None` where that is not known.
    does: Option<AwaitedThread>,
    /// The pass in which it was told.
    pass: u64,
}

impl PipeUsers {
    /// Forgets what was not told in the pass before.
    pub(crate) fn begin_pass(&mut self) {
        let before = self.pass;
        self.pass += 1;
        self.users.retain(|_, users| {
            users.retain(|user| user.pass >= before);
            !users.is_empty()
        });
    }

    /// A thread that uses this end does that now.
    pub(crate) fn tell(&mut self, end: PipeEnd, thread: ResourceId, does: Option<AwaitedThread>) {
        let user = PipeUser { thread, does, pass: self.pass };
        let users = self.users.entry(end).or_default();
        match users.iter_mut().find(|user| user.thread == thread) {
            Some(known) => *known = user,
            None => users.push(user),
        }
    }

    /// For whom a thread waits at this end, and what that one does; `None` where nobody or several are known at the other one, or where that one waits for this thread.
    pub(crate) fn awaited(&self, end: PipeEnd, thread: ResourceId) -> Option<&AwaitedThread> {
        let users = self.users.get(&end.opposite())?;
        let mut others = users.iter().filter(|user| user.thread != thread);
        let only = others.next()?.does.as_ref().filter(|does| does.who != thread)?;
        others.next().is_none().then_some(only)
    }
}

impl PipeEnd {
    const fn opposite(self) -> Self {
        let side = match self.side {
            PipeSide::Reads => PipeSide::Writes,
            PipeSide::Writes => PipeSide::Reads,
        };
        Self { side, ..self }
    }

    /// The end of a pipe at which the calls of a node are.
    pub(crate) fn of(node: &NodeState, tables: &ProcessTables, classes: &Classes) -> Option<Self> {
        if node.class == ClassId::UNSET {
            return None;
        }
        let side = match classes.category(node.class) {
            Category::Read => PipeSide::Reads,
            Category::Write => PipeSide::Writes,
            _ => return None,
        };
        let (_, pipe) = pipe(tables.object(node.object)?)?;
        Some(Self { pipe, side })
    }
}

/// Adds the ends that the nodes from `from` on are at.
pub(crate) fn learn_ends(
    known: &mut Vec<UsedEnd>,
    (nodes, from): (&[NodeState], usize),
    tables: &ProcessTables,
    classes: &Classes,
) {
    for node in nodes.iter().skip(from) {
        if let Some(end) = PipeEnd::of(node, tables, classes)
            && known.iter().all(|used| used.end != end)
        {
            known.push(UsedEnd { end, object: node.object });
        }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::matching::Resources;
    use whyperf_model::{Resource, TimeUse};

    use super::*;

    const READS: PipeEnd = PipeEnd { pipe: 17, side: PipeSide::Reads };
    const WRITES: PipeEnd = PipeEnd { pipe: 17, side: PipeSide::Writes };

    fn thread(resources: &mut Resources, process: u32) -> ResourceId {
        let name = format!("/Process/{process}/0");
        resources.id(&Resource::parse(&name).expect("well formed"))
    }

    fn computes(who: ResourceId) -> AwaitedThread {
        AwaitedThread { who, code: None, spent: vec![(TimeUse::Computing, 1.0)] }
    }

    #[test]
    fn who_reads_waits_for_the_only_one_that_writes_and_the_other_way_round() {
        let (mut users, mut resources) = (PipeUsers::default(), Resources::default());
        let [reader, writer, other] = [1, 2, 3].map(|process| thread(&mut resources, process));
        users.begin_pass();
        assert_eq!(users.awaited(READS, reader), None, "nobody was seen to write");
        users.tell(WRITES, writer, Some(computes(writer)));
        users.tell(READS, reader, Some(computes(reader)));
        assert_eq!(users.awaited(READS, reader), Some(&computes(writer)));
        assert_eq!(users.awaited(WRITES, writer), Some(&computes(reader)));
        users.tell(WRITES, other, Some(computes(other)));
        assert_eq!(users.awaited(READS, reader), None, "either may write next");
        assert_eq!(users.awaited(PipeEnd { pipe: 18, ..READS }, reader), None);
    }

    #[test]
    fn who_ends_is_forgotten_after_a_pass() {
        let (mut users, mut resources) = (PipeUsers::default(), Resources::default());
        let [reader, writer] = [1, 2].map(|process| thread(&mut resources, process));
        users.begin_pass();
        users.tell(WRITES, writer, Some(computes(writer)));
        users.begin_pass();
        assert!(users.awaited(READS, reader).is_some(), "it may be read later in this pass");
        users.begin_pass();
        assert_eq!(users.awaited(READS, reader), None);
    }

    #[test]
    fn one_that_waits_itself_stands_for_whom_it_waits_for_and_nobody_for_himself() {
        let (mut users, mut resources) = (PipeUsers::default(), Resources::default());
        let [reader, between, slow] = [1, 2, 3].map(|process| thread(&mut resources, process));
        users.begin_pass();
        users.tell(WRITES, between, Some(computes(slow)));
        assert_eq!(users.awaited(READS, reader), Some(&computes(slow)));
        users.tell(WRITES, between, Some(computes(reader)));
        assert_eq!(users.awaited(READS, reader), None, "they wait for each other");
        assert_eq!(users.awaited(READS, between), None, "its own pipe");
        users.tell(WRITES, between, None);
        assert_eq!(users.awaited(READS, reader), None, "for whom that one waits is not known");
    }
}
