//! How many bytes a call moves, from its arguments.
//!
//! | operation | sent | received |
//! |---|---|---|
//! | message | count × size | what arrived, by the status |
//! | broadcast, scatter | by the root | by the others; by all |
//! | reduce, gather | by the others; by all | by the root |
//! | all to all | count × size × ranks | the same |
//!
//! Asked only after the call succeeded, so that every handle in it was valid.

use whyperf_layout::Moved;

use super::call::{Arguments, Call, Direction, Position};
use super::communicator::{self, Facts};
use super::datatype;
use super::dialect::{Dialect, Family};
use super::flow::{Flow, Times, Who, in_place};
use super::real::{self, Neighbours, Topologies};

/// The arguments of one call of one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    /// The function.
    pub(crate) call: &'static Call,
    /// Its arguments, each a machine word.
    pub(crate) words: &'a [usize],
    /// How the MPI represents them.
    pub(crate) dialect: &'static Dialect,
}

use Times::{
    List, MemberList, Members, NeighbourEach, NeighbourList, NeighbourTypedList, Never, Once, Own,
    Ranks, TypedList,
};
use Who::{All, Root};

/// Arguments of one side of a call.
struct Side<'a> {
    all: Words<'a>,
    count: Position,
    datatype: Position,
    facts: Facts,
    neighbours: Neighbours,
}

impl<'a> Words<'a> {
    /// Positions of the arguments.
    #[inline(always)]
    pub(crate) fn at(&self) -> &'static Arguments {
        &self.call.at
    }

    /// An argument as it came, 0 when the function has none.
    #[inline(always)]
    pub(crate) fn word(&self, at: Position) -> usize {
        self.words.get(at.index()).copied().unwrap_or(0)
    }

    /// An argument of type `int`.
    #[inline(always)]
    pub(crate) fn int(&self, at: Position) -> i32 {
        self.word(at) as i32
    }

    /// A handle.
    #[inline(always)]
    pub(crate) fn handle(&self, at: Position) -> usize {
        self.dialect.handle(self.word(at))
    }

    /// A count, `int` or `MPI_Count` as the function has it; negative ones count as none.
    #[inline(always)]
    fn count(&self, at: Position) -> u64 {
        let word = self.word(at);
        // The count of a partitioned message is wide without saying so in its name.
        let is_wide = self.call.wide || self.at().partitions.is_present();
        let count = if is_wide { word as i64 } else { i64::from(word as i32) };
        u64::try_from(count).unwrap_or(0)
    }

    /// Bytes that the call sends as a message, a put or a write.
    #[inline]
    pub(crate) fn sent(&self, direction: Direction) -> u64 {
        let at = self.at();
        let to_null = at.dest.is_present() && self.int(at.dest) == self.dialect.proc_null;
        // What goes with an operation that does nothing is ignored by the MPI.
        let ignored = at.op.is_present() && self.handle(at.op) == self.dialect.no_op();
        if !direction.sends() || to_null || ignored || !at.out_type.is_present() {
            return 0;
        }
        let parts =
            if at.partitions.is_present() { self.int(at.partitions).max(0) as u64 } else { 1 };
        parts * self.elements(at.out_count, self.handle(at.out_type))
    }

    /// Bytes that the call gets from a window.
    pub(crate) fn got(&self, direction: Direction) -> u64 {
        let at = self.at();
        if !direction.receives() || self.int(at.dest) == self.dialect.proc_null {
            return 0;
        }
        self.elements(at.in_count, self.handle(at.in_type))
    }

    /// Bytes of so many elements, of one where the function has no count.
    fn elements(&self, count: Position, datatype: usize) -> u64 {
        let count = if count.is_present() { self.count(count) } else { 1 };
        self.bytes(count, datatype)
    }

    /// The same. With no element to move a program may pass any datatype, also one that an MPI
    /// would end the program for if it were asked.
    fn bytes(&self, count: u64, datatype: usize) -> u64 {
        if count == 0 || datatype == self.dialect.datatype_null() {
            return 0;
        }
        count.saturating_mul(datatype::size(datatype))
    }

    /// Bytes that a collective operation sends and receives at this rank.
    pub(crate) fn collective(&self, flow: Flow) -> Moved {
        if flow == Flow::NOTHING {
            return Moved::default();
        }
        let at = self.at();
        let facts = communicator::facts(self.dialect, self.handle(at.comm));
        let (sources, targets) = match flow.r#in.1 {
            NeighbourEach | NeighbourList | NeighbourTypedList => {
                real::neighbours(self.handle(at.comm), topologies(self.dialect))
            }
            _ => Default::default(),
        };
        let (count, datatype) = (at.out_count, at.out_type);
        let out = Side { all: *self, count, datatype, facts, neighbours: targets };
        let (count, datatype) = (at.in_count, at.in_type);
        let r#in = Side { all: *self, count, datatype, facts, neighbours: sources };
        // One count and datatype for both directions mean the same in place.
        let is_here = |buffer: Position| {
            buffer.is_present()
                && at.out_count != at.in_count
                && self.word(buffer) == self.dialect.in_place
        };
        // A rank that takes no part in one direction may leave its count and datatype undefined.
        let sent = if !self.takes_part(flow.out.0, facts) {
            0
        } else if is_here(at.send_buffer) {
            r#in.bytes(in_place(flow.out.1, flow.r#in.1))
        } else {
            out.bytes(flow.out.1)
        };
        let received = if !self.takes_part(flow.r#in.0, facts) {
            0
        } else if is_here(at.receive_buffer) {
            out.bytes(in_place(flow.r#in.1, flow.out.1))
        } else {
            r#in.bytes(flow.r#in.1)
        };
        Moved { out: sent, r#in: received }
    }

    fn takes_part(&self, who: Who, facts: Facts) -> bool {
        let at = self.at();
        if !at.root.is_present() {
            return true;
        }
        let root = self.int(at.root);
        if facts.remote == 0 {
            return who == All || (who == Root) == (root == facts.rank);
        }
        // Between two groups the root says so and everyone else of its group stays out.
        if root == self.dialect.proc_null {
            false
        } else {
            (who == Root) == (root == self.dialect.root)
        }
    }
}

impl Side<'_> {
    fn bytes(&self, times: Times) -> u64 {
        let ranks = if self.facts.remote == 0 { self.facts.size } else { self.facts.remote };
        let ranks = u64::from(ranks);
        match times {
            Never => 0,
            Once => self.each(),
            Ranks => self.each() * ranks,
            Members => self.each() * u64::from(self.facts.size),
            NeighbourEach => self.each() * self.neighbours.number(),
            Own => self.times_size(self.listed(self.facts.rank.max(0) as u64)),
            List => self.times_size(self.sum(ranks)),
            MemberList => self.times_size(self.sum(u64::from(self.facts.size))),
            NeighbourList => self.times_size(self.neighbour_sum()),
            TypedList => self.typed_sum(ranks, |_| true),
            NeighbourTypedList => {
                self.typed_sum(self.neighbours.listed, |entry| self.neighbours.is_there(entry))
            }
        }
    }

    fn each(&self) -> u64 {
        self.all.elements(self.count, self.all.handle(self.datatype))
    }

    fn times_size(&self, count: u64) -> u64 {
        self.all.bytes(count, self.all.handle(self.datatype))
    }

    fn sum(&self, length: u64) -> u64 {
        (0..length).map(|index| self.listed(index)).sum()
    }

    fn neighbour_sum(&self) -> u64 {
        let entries = (0..self.neighbours.listed).filter(|entry| self.neighbours.is_there(*entry));
        entries.map(|entry| self.listed(entry)).sum()
    }

    fn typed_sum(&self, length: u64, counts: impl Fn(u64) -> bool) -> u64 {
        let types = self.all.word(self.datatype);
        (0..length)
            .filter(|index| counts(*index))
            .map(|index| (index, self.listed(index)))
            .filter(|(_, count)| *count > 0)
            .map(|(index, count)| {
                // SAFETY: the call succeeded, so it had a datatype for each count.
                let datatype = unsafe { self.all.dialect.handle_at(types, index as usize) };
                self.all.bytes(count, datatype)
            })
            .sum()
    }

    /// Entry of the list of counts.
    fn listed(&self, index: u64) -> u64 {
        let list = self.all.word(self.count);
        let count = if self.all.call.wide {
            // SAFETY: the call succeeded, so its list has an entry for each rank or neighbour.
            unsafe { *(list as *const i64).add(index as usize) }
        } else {
            // SAFETY: the same.
            i64::from(unsafe { *(list as *const i32).add(index as usize) })
        };
        u64::try_from(count).unwrap_or(0)
    }
}

fn topologies(dialect: &Dialect) -> &'static Topologies {
    match dialect.family {
        Family::OpenMpi => &Topologies { cart: 1, graph: 2, dist_graph: 3 },
        Family::Mpich => &Topologies { cart: 2, graph: 1, dist_graph: 3 },
        Family::Standard => &Topologies { cart: 211, graph: 212, dist_graph: 213 },
    }
}
