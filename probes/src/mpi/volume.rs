//! Computes how many bytes a call moves, from its arguments.
//!
//! | operation | sent | received |
//! |---|---|---|
//! | message | count × size | what arrived, by the status |
//! | broadcast, scatter | by the root | by the others; by all |
//! | reduce, gather | by the others; by all | by the root |
//! | all to all | count × size × ranks | the same |
//!
//! It is computed only after the call succeeded, so that every handle in it was valid.

use whyperf_layout::Moved;

use super::call::{Direction, Position};
use super::communicator::{self, Facts};
use super::datatype;
use super::dialect::{Dialect, Family};
use super::flow::{MessageFlow, Times, Who, in_place};
use super::real::{self, Neighbours, Topologies};
use super::words::Answered;

use Times::{
    List, MemberList, Members, NeighbourEach, NeighbourList, NeighbourTypedList, Never, Once, Own,
    Ranks, TypedList,
};
use Who::{All, Root};

/// Arguments of one side of a call.
struct CallSide<'a> {
    all: Answered<'a>,
    count: Position,
    datatype: Position,
    facts: Facts,
    neighbours: Neighbours,
}

impl Answered<'_> {
    /// Bytes that the call sends as a message, a put or a write.
    ///
    /// # Safety
    /// The call must have succeeded, with bytes that go this way.
    #[inline]
    pub(crate) unsafe fn sent(&self, direction: Direction) -> u64 {
        let at = self.at();
        let to_null = at.dest.is_present() && self.int(at.dest) == self.dialect().proc_null;
        // What goes with an operation that does nothing is ignored by the MPI.
        let ignored = at.op.is_present() && self.handle(at.op) == self.dialect().no_op();
        if !direction.sends() || to_null || ignored || !at.out_type.is_present() {
            return 0;
        }
        let parts =
            if at.partitions.is_present() { self.int(at.partitions).max(0) as u64 } else { 1 };
        // SAFETY: the call succeeded with it, and it is no neutral operation.
        parts * unsafe { self.elements(at.out_count, self.handle(at.out_type)) }
    }

    /// Bytes that the call gets from a window.
    ///
    /// # Safety
    /// The call must have succeeded, with bytes that go this way.
    pub(crate) unsafe fn got(&self, direction: Direction) -> u64 {
        let at = self.at();
        if !direction.receives() || self.int(at.dest) == self.dialect().proc_null {
            return 0;
        }
        // SAFETY: the call succeeded with it.
        unsafe { self.elements(at.in_count, self.handle(at.in_type)) }
    }

    /// Bytes of so many elements, of one where the function has no count.
    ///
    /// # Safety
    /// The datatype must be valid if there are elements.
    unsafe fn elements(&self, count: Position, datatype: usize) -> u64 {
        let count = if count.is_present() { self.count(count) } else { 1 };
        // SAFETY: the caller's promise.
        unsafe { self.bytes(count, datatype) }
    }

    /// The same. With no element to move a program may pass any datatype, also one that an MPI
    /// would end the program for if it were asked.
    ///
    /// # Safety
    /// The datatype must be valid if there are elements.
    unsafe fn bytes(&self, count: u64, datatype: usize) -> u64 {
        if count == 0 || datatype == self.dialect().datatype_null() {
            return 0;
        }
        // SAFETY: the caller's promise.
        count.saturating_mul(unsafe { datatype::size(datatype) })
    }

    /// Bytes that a collective operation sends and receives at this rank.
    ///
    /// # Safety
    /// The call must have succeeded, and the flow must be the one of its operation.
    pub(crate) unsafe fn collective(&self, flow: MessageFlow) -> Moved {
        if flow == MessageFlow::NOTHING {
            return Moved::default();
        }
        let at = self.at();
        // SAFETY: the call succeeded on this communicator.
        let facts = unsafe { communicator::facts(self.dialect(), self.handle(at.comm)) };
        let (sources, targets) = match flow.r#in.1 {
            NeighbourEach | NeighbourList | NeighbourTypedList => {
                // SAFETY: the same.
                unsafe { real::neighbours(self.handle(at.comm), topologies(self.dialect())) }
            }
            _ => Default::default(),
        };
        let (count, datatype) = (at.out_count, at.out_type);
        let out = CallSide { all: *self, count, datatype, facts, neighbours: targets };
        let (count, datatype) = (at.in_count, at.in_type);
        let r#in = CallSide { all: *self, count, datatype, facts, neighbours: sources };
        // One count and datatype for both directions mean the same in place.
        let is_here = |buffer: Position| {
            buffer.is_present()
                && at.out_count != at.in_count
                && self.word(buffer) == self.dialect().in_place
        };
        // A rank that takes no part in one direction may leave its count and datatype undefined.
        let sent = if !self.takes_part(flow.out.0, facts) {
            0
        } else if is_here(at.send_buffer) {
            // SAFETY: this rank sends what it would have received elsewhere.
            unsafe { r#in.bytes(in_place(flow.out.1, flow.r#in.1)) }
        } else {
            // SAFETY: this rank sends by this flow.
            unsafe { out.bytes(flow.out.1) }
        };
        let received = if !self.takes_part(flow.r#in.0, facts) {
            0
        } else if is_here(at.receive_buffer) {
            // SAFETY: this rank receives where it would have sent from elsewhere.
            unsafe { out.bytes(in_place(flow.r#in.1, flow.out.1)) }
        } else {
            // SAFETY: this rank receives by this flow.
            unsafe { r#in.bytes(flow.r#in.1) }
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
        if root == self.dialect().proc_null {
            false
        } else {
            (who == Root) == (root == self.dialect().root)
        }
    }
}

impl CallSide<'_> {
    /// Bytes of this side, whose count counts so often.
    ///
    /// # Safety
    /// The call must have succeeded, and this rank must take part in this side of it in this way.
    unsafe fn bytes(&self, times: Times) -> u64 {
        let ranks = if self.facts.remote == 0 { self.facts.size } else { self.facts.remote };
        let (ranks, members) = (u64::from(ranks), u64::from(self.facts.size));
        let neighbours = self.neighbours;
        let is_there = |entry: &u64| neighbours.is_there(*entry);
        // SAFETY: the caller's promise: the one count, or a list with an entry for each rank or
        // neighbour, is what the call succeeded with.
        unsafe {
            match times {
                Never => 0,
                Once => self.each(),
                Ranks => self.each() * ranks,
                Members => self.each() * members,
                NeighbourEach => self.each() * neighbours.number(),
                Own => self.times_size(self.listed(self.facts.rank.max(0) as u64)),
                List => self.times_size(self.sum(0..ranks)),
                MemberList => self.times_size(self.sum(0..members)),
                NeighbourList => self.times_size(self.sum((0..neighbours.listed).filter(is_there))),
                TypedList => self.typed_sum(0..ranks),
                NeighbourTypedList => self.typed_sum((0..neighbours.listed).filter(is_there)),
            }
        }
    }

    /// Bytes of the one count.
    ///
    /// # Safety
    /// Count and datatype must be no lists.
    unsafe fn each(&self) -> u64 {
        // SAFETY: the caller's promise; the call succeeded with this datatype.
        unsafe { self.all.elements(self.count, self.all.handle(self.datatype)) }
    }

    /// Bytes of so many elements.
    ///
    /// # Safety
    /// The datatype must be no list.
    unsafe fn times_size(&self, count: u64) -> u64 {
        // SAFETY: the caller's promise; the call succeeded with this datatype.
        unsafe { self.all.bytes(count, self.all.handle(self.datatype)) }
    }

    /// The sum of these entries of the list of counts.
    ///
    /// # Safety
    /// The count must be a list that has them.
    unsafe fn sum(&self, entries: impl Iterator<Item = u64>) -> u64 {
        // SAFETY: the caller's promise.
        entries.map(|entry| unsafe { self.listed(entry) }).sum()
    }

    /// Bytes of these entries of the lists of counts and datatypes.
    ///
    /// # Safety
    /// Count and datatype must be lists that have them.
    unsafe fn typed_sum(&self, entries: impl Iterator<Item = u64>) -> u64 {
        let types = self.all.word(self.datatype);
        let bytes = |entry| {
            // SAFETY: the caller's promise.
            let count = unsafe { self.listed(entry) };
            if count == 0 {
                return 0;
            }
            // SAFETY: the same; the call succeeded with this datatype.
            unsafe { self.all.bytes(count, self.all.dialect().handle_at(types, entry as usize)) }
        };
        entries.map(bytes).sum()
    }

    /// An entry of the list of counts.
    ///
    /// # Safety
    /// The count must be a list that has it.
    unsafe fn listed(&self, entry: u64) -> u64 {
        let list = self.all.word(self.count);
        let count = if self.all.call().wide {
            // SAFETY: the caller's promise.
            unsafe { *(list as *const i64).add(entry as usize) }
        } else {
            // SAFETY: the same.
            i64::from(unsafe { *(list as *const i32).add(entry as usize) })
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
