//! Who the members of communicators are: those that duplicate others have the same, and those that split them have them by colour and key.
//!
//! DUMPI numbers communicators by rank, and says what each rank called. All members of a communicator make new ones out of it in the same order, so
//! that the calls of all ranks are gone through together, each when all members of the old one have come to it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_extrapolate::{CommId, Rank, TraceHead};

use super::call::Call;

/// The calls of all ranks that make communicators.
#[derive(Debug)]
pub(super) struct MadeCommunicators {
    /// Of each rank, in their order.
    by_rank: Vec<Vec<Derivation>>,
    /// Ranks that communicate with themselves.
    alone: BTreeSet<Rank>,
}

/// The communicators of a rank.
#[derive(Clone, Debug, Default)]
pub(super) struct RankCommunicators {
    /// By the numbers that it begins with.
    pub(super) known: BTreeMap<i64, CommId>,
    /// What its calls make, in their order.
    pub(super) made: VecDeque<Made>,
}

/// A call that makes a communicator out of another one.
#[derive(Clone, Copy, Debug)]
struct Derivation {
    from: i64,
    to: i64,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    /// With the same members.
    Whole,
    /// With those of the same colour, by their keys.
    Part { color: i64, key: i64 },
    /// In a way that does not say who is in it.
    Otherwise,
}

/// What a call made: none where its members are not known, or the rank is none of them.
pub(super) type Made = Option<CommId>;

impl MadeCommunicators {
    pub(super) fn new(ranks: u32) -> Self {
        Self { by_rank: vec![Vec::new(); ranks as usize], alone: BTreeSet::new() }
    }

    /// Takes in a call of a rank.
    pub(super) fn see(&mut self, rank: Rank, call: &Call<'_>) -> Result<(), String> {
        if ["comm", "oldcomm"].iter().any(|name| call.number(name) == Ok(OWN)) {
            self.alone.insert(rank);
        }
        self.by_rank[rank.0 as usize].extend(makes(call)?);
        Ok(())
    }

    /// The communicators of each rank.
    pub(super) fn resolve(self, head: &mut TraceHead) -> Vec<RankCommunicators> {
        let mut of_rank = |rank: Rank| {
            let own = self.alone.contains(&rank).then(|| (OWN, head.add_communicator(vec![rank])));
            [(WORLD, CommId::WORLD)].into_iter().chain(own).collect()
        };
        let known: Vec<BTreeMap<i64, CommId>> =
            (0..).take(self.by_rank.len()).map(|rank| of_rank(Rank(rank))).collect();
        let made = vec![Vec::new(); known.len()];
        let mut resolution = Resolution { calls: self.by_rank, known: known.clone(), made };
        while resolution.go_on(head) {}
        let one = |(known, made): (_, Vec<Made>)| RankCommunicators { known, made: made.into() };
        known.into_iter().zip(resolution.made).map(one).collect()
    }
}

/// Calls while they are gone through.
struct Resolution {
    calls: Vec<Vec<Derivation>>,
    /// The communicators of each rank by its number.
    known: Vec<BTreeMap<i64, CommId>>,
    /// What was made so far.
    made: Vec<Vec<Made>>,
}

impl Resolution {
    /// The next call of a rank, and the communicator that it derives another one from.
    fn next(&self, rank: Rank) -> Option<(Derivation, Option<CommId>)> {
        let at = rank.0 as usize;
        let call = self.calls.get(at)?.get(self.made[at].len())?;
        Some((*call, self.known[at].get(&call.from).copied()))
    }

    /// Goes through a call that all of its members have come to; false where there is none.
    fn go_on(&mut self, head: &mut TraceHead) -> bool {
        let come = head.all_ranks().find_map(|rank| {
            let (_, comm) = self.next(rank)?;
            // Of one that is not known, its members are not either.
            let all = comm.map_or_else(|| vec![rank], |comm| members(head, comm));
            let has_come = |member: &Rank| {
                let theirs = self.next(*member).and_then(|(_, theirs)| theirs);
                comm.is_none() || theirs == comm
            };
            all.iter().all(has_come).then_some((comm, all))
        });
        let Some((comm, all)) = come else { return false };
        let calls: Vec<(Rank, Derivation)> =
            all.iter().filter_map(|member| Some((*member, self.next(*member)?.0))).collect();
        let groups = if comm.is_some() { divided(&calls) } else { Vec::new() };
        let mut of_member = BTreeMap::new();
        for group in groups {
            let comm = head.add_communicator(group.clone());
            of_member.extend(group.into_iter().map(|member| (member, comm)));
        }
        for (member, call) in calls {
            let (at, found) = (member.0 as usize, of_member.get(&member).copied());
            match found {
                Some(comm) => self.known[at].insert(call.to, comm),
                None => self.known[at].remove(&call.to),
            };
            self.made[at].push(found);
        }
        true
    }
}

fn members(head: &TraceHead, comm: CommId) -> Vec<Rank> {
    let known = head.communicators().get(comm.0 as usize);
    known.map_or_else(Vec::new, |comm| comm.members().to_vec())
}

/// The members of each communicator that is made, in their order.
fn divided(calls: &[(Rank, Derivation)]) -> Vec<Vec<Rank>> {
    let mut groups: BTreeMap<i64, Vec<(i64, usize, Rank)>> = BTreeMap::new();
    let called = calls.iter().enumerate().filter(|(_, (_, call))| call.to != NOTHING);
    for (place, (rank, call)) in called {
        match call.how {
            How::Whole => groups.entry(0).or_default().push((0, place, *rank)),
            // Who is in none has no colour.
            How::Part { color, key } if color >= 0 => {
                groups.entry(color).or_default().push((key, place, *rank));
            }
            How::Part { .. } => {}
            How::Otherwise => return Vec::new(),
        }
    }
    let ordered = |mut group: Vec<(i64, usize, Rank)>| {
        group.sort_unstable();
        group.into_iter().map(|(.., rank)| rank).collect()
    };
    groups.into_values().map(ordered).collect()
}

/// What a call makes, if it makes a communicator.
fn makes(call: &Call<'_>) -> Result<Option<Derivation>, String> {
    let (from, how) = match call.name {
        "MPI_Comm_dup" => ("oldcomm", How::Whole),
        "MPI_Comm_split" => {
            let (color, key) = (call.number("color")?, call.number("key")?);
            ("oldcomm", How::Part { color, key })
        }
        // A grid that has all of them in their order.
        "MPI_Cart_create" if call.number("reorder")? == 0 => ("oldcomm", How::Whole),
        "MPI_Comm_create" | "MPI_Cart_create" | "MPI_Cart_sub" | "MPI_Graph_create" => {
            ("oldcomm", How::Otherwise)
        }
        _ => return Ok(None),
    };
    Ok(Some(Derivation { from: call.number(from)?, to: call.number("newcomm")?, how }))
}

/// Whether a call makes a communicator.
pub(super) fn is_derivation(name: &str) -> bool {
    matches!(
        name,
        "MPI_Comm_dup"
            | "MPI_Comm_split"
            | "MPI_Comm_create"
            | "MPI_Cart_create"
            | "MPI_Cart_sub"
            | "MPI_Graph_create"
    )
}

/// The numbers of what is none, of the communicator of all ranks, and of that of a rank alone.
const NOTHING: i64 = 1;
const WORLD: i64 = 2;
const OWN: i64 = 3;
