//! A trace as GOAL, the schedules that LogGOPSim simulates: computing, sends, receives, and what requires what.
//!
//! GOAL has no collective calls, so each is written as the messages of one way to do it: barriers by dissemination, broadcasts and sums by binomial
//! trees, the rest among neighbours or with the root. Their tags lie above those of the program.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};

use whyperf_extrapolate::{
    Bytes, CollectiveKind, CommId, Event, Expected, Rank, RequestId, Tag, TraceHead,
};

use super::{TextTraceError, TraceFile};

/// Why a trace cannot be written so.
fn unfit(trace: &TraceFile, what: String) -> TextTraceError {
    TextTraceError::Archive { file: trace.path().display().to_string(), what }
}

/// Writes a trace so.
///
/// # Errors
/// When it cannot be written, or has what GOAL has not: wildcards whose match is not known, accesses to remote memory.
pub fn export_goal(
    trace: &TraceFile,
    out: &mut dyn Write,
) -> Result<io::Result<()>, TextTraceError> {
    let sizes = sizes(trace);
    let ranks = trace.head().ranks();
    if let Err(error) = writeln!(out, "num_ranks {ranks}\n") {
        return Ok(Err(error));
    }
    for rank in trace.head().all_ranks() {
        let mut schedule = Schedule::new(trace.head(), rank, &sizes);
        for event in trace.rank(rank) {
            schedule.event(&event).map_err(|what| unfit(trace, what))?;
        }
        if let Err(error) = out.write_all(schedule.text().as_bytes()) {
            return Ok(Err(error));
        }
    }
    trace.sound()?;
    Ok(Ok(()))
}

type Envelope = (Rank, Rank, CommId, Tag);

/// How long messages are, in the order in which they are sent: receives do not say it.
fn sizes(trace: &TraceFile) -> BTreeMap<Envelope, Vec<u64>> {
    let mut all: BTreeMap<Envelope, Vec<u64>> = BTreeMap::new();
    for rank in trace.head().all_ranks() {
        for event in trace.rank(rank) {
            if let Event::Send(one) | Event::Isend(one, _) = event {
                let key = (rank, one.to, one.comm, one.tag);
                all.entry(key).or_default().push(one.bytes.0);
            }
        }
    }
    all
}

struct Schedule<'t> {
    head: &'t TraceHead,
    rank: Rank,
    sizes: &'t BTreeMap<Envelope, Vec<u64>>,
    taken: BTreeMap<Envelope, usize>,
    lines: Vec<String>,
    labels: u64,
    /// What the next operation requires.
    before: Vec<u64>,
    /// Operations that were started, by request.
    open: BTreeMap<RequestId, VecDeque<u64>>,
    /// Collective calls so far, by communicator.
    calls: BTreeMap<CommId, i64>,
}

impl<'t> Schedule<'t> {
    fn new(head: &'t TraceHead, rank: Rank, sizes: &'t BTreeMap<Envelope, Vec<u64>>) -> Self {
        Self {
            head,
            rank,
            sizes,
            taken: BTreeMap::new(),
            lines: Vec::new(),
            labels: 0,
            before: Vec::new(),
            open: BTreeMap::new(),
            calls: BTreeMap::new(),
        }
    }

    fn text(&self) -> String {
        format!("rank {} {{\n{}\n}}\n\n", self.rank.0, self.lines.join("\n"))
    }

    fn event(&mut self, event: &Event) -> Result<(), String> {
        match event {
            Event::Compute { span, .. } => {
                let nanos = span.as_nanos().round();
                if nanos > 0.0 {
                    self.blocking(&format!("calc {nanos}"));
                }
            }
            Event::Send(one) => {
                let send = send(one.bytes, one.to, tag(one.comm, one.tag));
                self.blocking(&send);
            }
            Event::Isend(one, request) => {
                let label = self.operation(&send(one.bytes, one.to, tag(one.comm, one.tag)));
                self.open.entry(*request).or_default().push_back(label);
            }
            Event::Recv(expected) => {
                let receive = self.receive(expected)?;
                self.blocking(&receive);
            }
            Event::Irecv(expected, request) => {
                let receive = self.receive(expected)?;
                let label = self.operation(&receive);
                self.open.entry(*request).or_default().push_back(label);
            }
            Event::Wait(request) => {
                if let Some(label) = self.open.get_mut(request).and_then(VecDeque::pop_front) {
                    self.before.push(label);
                }
            }
            Event::Barrier(comm) => self.collective(None, *comm, self.rank, Bytes(0)),
            Event::Collective(one) => {
                self.collective(Some(one.kind), one.comm, one.root, one.bytes)
            }
            Event::Get(_) | Event::Put(_) => {
                return Err(format!(
                    "{} accesses the memory of another rank, which GOAL cannot say",
                    self.rank
                ));
            }
        }
        Ok(())
    }

    fn receive(&mut self, expected: &Expected) -> Result<String, String> {
        let (Some(from), Some(tag_of)) = (expected.from, expected.tag) else {
            return Err(format!(
                "a receive of {} takes any message, and it is not known which it took",
                self.rank
            ));
        };
        let key = (from, self.rank, expected.comm, tag_of);
        let at = self.taken.entry(key).or_default();
        let bytes = self.sizes.get(&key).and_then(|sizes| sizes.get(*at)).copied().unwrap_or(0);
        *at += 1;
        Ok(receive(Bytes(bytes), from, tag(expected.comm, tag_of)))
    }

    /// An operation after all that was waited for; what follows does not wait for it.
    fn operation(&mut self, what: &str) -> u64 {
        self.labels += 1;
        let label = self.labels;
        self.lines.push(format!("l{label}: {what}"));
        for before in &self.before {
            self.lines.push(format!("l{label} requires l{before}"));
        }
        label
    }

    /// An operation that all that follows waits for.
    fn blocking(&mut self, what: &str) {
        let label = self.operation(what);
        self.before = vec![label];
    }

    /// Operations at once, all of which are waited for.
    fn together(&mut self, all: &[String]) {
        let labels: Vec<u64> = all.iter().map(|what| self.operation(what)).collect();
        if !labels.is_empty() {
            self.before = labels;
        }
    }

    /// The messages of a collective call; none of a kind is a barrier.
    fn collective(&mut self, kind: Option<CollectiveKind>, comm: CommId, root: Rank, bytes: Bytes) {
        let Some(members) = self.head.communicators().get(comm.0 as usize) else { return };
        let members = members.members().to_vec();
        let at = |rank: Rank| members.iter().position(|member| *member == rank);
        let (Some(own), size) = (at(self.rank), members.len()) else { return };
        let root = at(root).unwrap_or(0);
        let call = self.calls.entry(comm).or_default();
        *call += 1;
        // As a rank receives them in order, calls of a communicator could share one; this way a mistake shows.
        let tag = COLLECTIVE_TAGS
            + i64::from(comm.0) * TAGS_OF_COMMUNICATOR
            + *call % TAGS_OF_COMMUNICATOR;
        for round in rounds(kind, own, root, size) {
            let peer = |place: usize| members[place % size];
            let sends =
                round.to.iter().map(|(to, share)| send(Bytes(bytes.0 * share), peer(*to), tag));
            let receives = round
                .from
                .iter()
                .map(|(from, share)| receive(Bytes(bytes.0 * share), peer(*from), tag));
            let all: Vec<String> = sends.chain(receives).collect();
            self.together(&all);
        }
    }
}

/// Messages that a member sends and receives at the same time: with whom, and how many times the bytes of the call.
#[derive(Debug, Default, PartialEq, Eq)]
struct Round {
    to: Vec<(usize, u64)>,
    from: Vec<(usize, u64)>,
}

fn rounds(kind: Option<CollectiveKind>, own: usize, root: usize, size: usize) -> Vec<Round> {
    let distance = (own + size - root) % size;
    match kind {
        None => doublings(size)
            .map(|step| Round {
                to: vec![((own + step) % size, 1)],
                from: vec![((own + size - step) % size, 1)],
            })
            .collect(),
        Some(CollectiveKind::Broadcast) => down(distance, root, size),
        Some(CollectiveKind::Reduce) => up(distance, root, size),
        Some(CollectiveKind::Allreduce) => {
            let mut all = up(own, 0, size);
            all.extend(down(own, 0, size));
            all
        }
        Some(CollectiveKind::Gather | CollectiveKind::Scatter) => {
            let others = (1..size).map(|step| ((root + step) % size, 1));
            let with_root = if own == root { others.collect() } else { vec![(root, 1)] };
            let sends = (own == root) == (kind == Some(CollectiveKind::Scatter));
            let (to, from) = if sends { (with_root, Vec::new()) } else { (Vec::new(), with_root) };
            vec![Round { to, from }]
        }
        Some(CollectiveKind::Allgather) => (1..size)
            .map(|_| Round {
                to: vec![((own + 1) % size, 1)],
                from: vec![((own + size - 1) % size, 1)],
            })
            .collect(),
        Some(CollectiveKind::Alltoall | CollectiveKind::ReduceScatter) => (1..size)
            .map(|step| Round {
                to: vec![((own + step) % size, 1)],
                from: vec![((own + size - step) % size, 1)],
            })
            .collect(),
        Some(CollectiveKind::Scan) => {
            let from = own.checked_sub(1).map(|from| (from, 1));
            let to = Some((own + 1, 1)).filter(|(to, _)| *to < size);
            vec![
                Round { to: Vec::new(), from: from.into_iter().collect() },
                Round { to: to.into_iter().collect(), from: Vec::new() },
            ]
        }
    }
}

fn doublings(size: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |step| Some(step * 2)).take_while(move |step| *step < size)
}

/// From the root down a binomial tree, for the member at this distance from it.
fn down(distance: usize, root: usize, size: usize) -> Vec<Round> {
    let parent = distance.checked_ilog2().map(|bit| distance - (1 << bit));
    let mut all: Vec<Round> = parent
        .map(|parent| Round { to: Vec::new(), from: vec![((parent + root) % size, 1)] })
        .into_iter()
        .collect();
    all.extend(
        children(distance, size)
            .map(|child| Round { to: vec![((child + root) % size, 1)], from: Vec::new() }),
    );
    all
}

/// The same the other way.
fn up(distance: usize, root: usize, size: usize) -> Vec<Round> {
    let mut all = down(distance, root, size);
    all.reverse();
    all.iter_mut().for_each(|round| std::mem::swap(&mut round.to, &mut round.from));
    all
}

fn children(distance: usize, size: usize) -> impl Iterator<Item = usize> {
    doublings(size)
        .filter(move |step| *step > distance)
        .map(move |step| distance + step)
        .filter(move |child| *child < size)
}

const COLLECTIVE_TAGS: i64 = 1 << 40;
const TAGS_OF_COMMUNICATOR: i64 = 1 << 20;

/// Tags of different communicators do not meet.
fn tag(comm: CommId, tag: Tag) -> i64 {
    i64::from(comm.0) << 32 | i64::from(tag.0.cast_unsigned())
}

fn send(bytes: Bytes, to: Rank, tag: i64) -> String {
    format!("send {}b to {} tag {tag}", bytes.0, to.0)
}

fn receive(bytes: Bytes, from: Rank, tag: i64) -> String {
    format!("recv {}b from {} tag {tag}", bytes.0, from.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who sends to whom, in any order; equal on both sides when each message that is sent is received.
    fn messages(kind: Option<CollectiveKind>, size: usize) -> [Vec<(usize, usize, u64)>; 2] {
        let root = size / 2;
        let (mut sent, mut received) = (Vec::new(), Vec::new());
        for own in 0..size {
            for round in rounds(kind, own, root, size) {
                sent.extend(round.to.iter().map(|(to, share)| (own, *to, *share)));
                received.extend(round.from.iter().map(|(from, share)| (*from, own, *share)));
            }
        }
        sent.sort_unstable();
        received.sort_unstable();
        [sent, received]
    }

    #[test]
    fn what_is_sent_is_received() {
        let kinds = CollectiveKind::ALL.into_iter().map(Some).chain([None]);
        for kind in kinds {
            for size in 1..12 {
                let [sent, received] = messages(kind, size);
                assert_eq!(sent, received, "{kind:?} of {size}");
                assert!(size == 1 || sent.len() >= size - 1, "{kind:?} of {size} reaches all");
            }
        }
    }
}
