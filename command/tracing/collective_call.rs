//! A collective call of a trace: its name, and the bytes that this rank sent and received, as what the simulation knows.

use whyperf_extrapolate::{Bytes, Collective, CollectiveKind, CommId, Event, Rank};

/// What a call of this name does; none where no model has it.
pub(crate) fn event(
    name: &str,
    (comm, members): (CommId, &[Rank]),
    root: Option<u32>,
    (out, r#in): (u64, u64),
) -> Option<Event> {
    let name = operation(name);
    if is_meeting(name) {
        return Some(Event::Barrier(comm));
    }
    let size = (members.len() as u64).max(1);
    let (kind, bytes) = match name {
        "bcast" => (CollectiveKind::Broadcast, out.max(r#in)),
        "reduce" => (CollectiveKind::Reduce, out.max(r#in)),
        "allreduce" => (CollectiveKind::Allreduce, out),
        "gather" | "gatherv" => (CollectiveKind::Gather, out),
        "scatter" | "scatterv" => (CollectiveKind::Scatter, r#in),
        "allgather" | "allgatherv" => (CollectiveKind::Allgather, out),
        "alltoall" | "alltoallv" | "alltoallw" => (CollectiveKind::Alltoall, out / size),
        "reduce_scatter" | "reduce_scatter_block" => (CollectiveKind::ReduceScatter, out),
        "scan" | "exscan" => (CollectiveKind::Scan, out),
        _ => return None,
    };
    // A rank of the communicator that is not there is a mistake of the program, which MPI would have told.
    let root = root.and_then(|root| members.get(root as usize)).or_else(|| members.first());
    Some(Event::Collective(Collective { kind, comm, root: *root?, bytes: Bytes(bytes) }))
}

/// `allreduce` of `MPI_Iallreduce_c`.
fn operation(name: &str) -> &str {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    let name = name.strip_suffix("_c").unwrap_or(name);
    let known = |name: &str| {
        let all = KNOWN.iter().chain(MEETINGS);
        all.copied().find(|known| known.eq_ignore_ascii_case(name))
    };
    known(name).or_else(|| known(name.strip_prefix('I')?)).unwrap_or("")
}

fn is_meeting(name: &str) -> bool {
    MEETINGS.contains(&name)
}

const KNOWN: &[&str] = &[
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
];

/// Calls in which all members meet, and no more.
const MEETINGS: &[&str] = &[
    "barrier",
    "finalize",
    "win_fence",
    "win_create",
    "win_allocate",
    "win_allocate_shared",
    "win_create_dynamic",
    "comm_dup",
    "comm_dup_with_info",
    "comm_idup",
    "comm_split",
    "comm_split_type",
    "comm_create",
    "cart_create",
    "cart_sub",
    "graph_create",
    "dist_graph_create",
    "dist_graph_create_adjacent",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_call_is_the_same_event() {
        let members = [Rank(4), Rank(7)];
        let of = |name| event(name, (CommId(3), &members), Some(1), (80, 40));
        let expected = |kind, bytes| {
            Some(Event::Collective(Collective {
                kind,
                comm: CommId(3),
                root: Rank(7),
                bytes: Bytes(bytes),
            }))
        };
        for name in ["MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_c"] {
            assert_eq!(of(name), expected(CollectiveKind::Broadcast, 80));
        }
        assert_eq!(of("MPI_Alltoall"), expected(CollectiveKind::Alltoall, 40));
        assert_eq!(of("MPI_Scatterv"), expected(CollectiveKind::Scatter, 40));
        assert_eq!(of("MPI_Ibarrier"), Some(Event::Barrier(CommId(3))));
        assert_eq!(of("MPI_Win_fence"), Some(Event::Barrier(CommId(3))));
        assert_eq!(of("MPI_Neighbor_alltoall"), None);
    }
}
