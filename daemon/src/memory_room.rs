//! The memory that the numbers of measured processes may take: per process and in all.
//!
//! A region has room for thousands of threads with 65,536 nodes each, and a process may fill it with anything. What is beyond
//! the room is not read, and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Nodes that may still be read.
#[derive(Clone, Debug)]
pub(crate) struct NodeRoom {
    of_process: Arc<AtomicUsize>,
    of_all: Arc<AtomicUsize>,
}

/// A process of 64 threads has some thousand nodes in each, as a rule fewer.
const NODES_OF_PROCESS: usize = 1 << 18;
/// A node takes some 150 bytes, and what it means some more where no other node means the same.
const NODES_OF_ALL: usize = 1 << 20;
/// Nodes that a process has room for when others have taken that of all: a build of a hundred thousand short processes is measured to its end.
const NODES_OF_EACH: usize = 64;
/// Bytes of the names that one process gives.
const NAMES: usize = 16 << 20;

impl Default for NodeRoom {
    fn default() -> Self {
        let room = |nodes| Arc::new(AtomicUsize::new(nodes));
        Self { of_process: room(NODES_OF_PROCESS), of_all: room(NODES_OF_ALL) }
    }
}

impl NodeRoom {
    /// That of another process.
    pub(crate) fn of_another_process(&self) -> Self {
        Self { of_all: Arc::clone(&self.of_all), ..Self::default() }
    }

    /// Takes room for as many of these nodes as there is; answers for how many.
    pub(crate) fn take(&self, wanted: usize) -> usize {
        let left = |room: &AtomicUsize| room.load(Ordering::Relaxed);
        let (own, all) = (left(&self.of_process), left(&self.of_all));
        let ensured = NODES_OF_EACH.saturating_sub(NODES_OF_PROCESS - own);
        let taken = wanted.min(own).min(all.max(ensured));
        self.of_process.fetch_sub(taken, Ordering::Relaxed);
        self.of_all.fetch_sub(taken.min(all), Ordering::Relaxed);
        taken
    }
}

/// Bytes for names that one process may still give.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameRoom {
    left: usize,
    /// Names that found none.
    pub(crate) refused: u64,
}

impl Default for NameRoom {
    fn default() -> Self {
        Self { left: NAMES, refused: 0 }
    }
}

impl NameRoom {
    /// Takes room for so many bytes; whether there was.
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let Some(left) = self.left.checked_sub(bytes) else {
            self.refused += 1;
            return false;
        };
        self.left = left;
        true
    }

    /// Gives back what a name took that is not kept any more.
    pub(crate) fn give_back(&mut self, bytes: usize) {
        self.left = (self.left + bytes).min(NAMES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_process_takes_more_than_its_own_and_all_hardly_more_than_theirs() {
        let first = NodeRoom::default();
        assert_eq!(first.take(1000), 1000);
        assert_eq!(first.take(usize::MAX), NODES_OF_PROCESS - 1000);
        assert_eq!(first.take(1), 0);
        let others = (0..8).map(|_| first.of_another_process().take(usize::MAX)).sum::<usize>();
        assert_eq!(others, NODES_OF_ALL - NODES_OF_PROCESS + 5 * NODES_OF_EACH);
    }

    #[test]
    fn names_that_are_given_up_make_room() {
        let mut room = NameRoom::default();
        assert!(room.take(NAMES) && !room.take(1));
        room.give_back(10);
        assert!(room.take(10) && !room.take(1));
        assert_eq!(room.refused, 2);
    }
}
