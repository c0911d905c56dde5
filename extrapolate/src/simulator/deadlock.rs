//! What went wrong when nothing can happen any more and ranks still wait: cycles by name, and waits for what never comes.

use crate::complaint::{Complaint, Wait, Waiting};
use crate::event::Event;
use crate::identity::{CommId, Rank};
use crate::observer::Observer;

use super::Simulation;
use super::mailbox::{Handle, Receive};
use super::rank_state::{Blocked, Status};

impl<S: Iterator<Item = Event>, O: Observer> Simulation<'_, S, O> {
    /// One complaint for each cycle, and one for each rank that waits for something that never comes.
    pub(super) fn explain_waits(&mut self) {
        let waits: Vec<Option<Wait>> = self.head.all_ranks().map(|rank| self.wait(rank)).collect();
        let next = |rank: Rank| waits[rank.index()].and_then(|wait| awaited(&wait));
        let mut found = vec![Trail::New; waits.len()];
        let mut ends: Vec<(Rank, u64)> = Vec::new();
        for start in self.head.all_ranks().filter(|rank| waits[rank.index()].is_some()) {
            let mut path: Vec<Rank> = Vec::new();
            let mut at = start;
            let end = loop {
                match found[at.index()] {
                    Trail::Walked(end) => break end,
                    Trail::OnPath => {
                        let from = path.iter().position(|rank| *rank == at).unwrap_or(0);
                        self.complain_of_cycle(&path[from..], &waits);
                        break None;
                    }
                    Trail::New => {}
                }
                found[at.index()] = Trail::OnPath;
                path.push(at);
                match next(at).filter(|next| waits[next.index()].is_some()) {
                    Some(next) => at = next,
                    None => {
                        let is_same = |(end, _): &(Rank, u64)| is_same(&waits, *end, at);
                        let known = ends.iter().position(is_same);
                        break known.or_else(|| {
                            ends.push((at, 0));
                            Some(ends.len() - 1)
                        });
                    }
                }
            };
            if let Some(end) = end {
                ends[end].1 += path.len() as u64;
            }
            path.iter().for_each(|rank| found[rank.index()] = Trail::Walked(end));
        }
        for (rank, waiting) in ends {
            if let Some(wait) = waits[rank.index()] {
                let behind = waiting - 1;
                let waiting = self.waiting(rank, wait);
                self.complain(Complaint::Stuck { waiting, behind });
            }
        }
    }

    fn complain_of_cycle(&mut self, cycle: &[Rank], waits: &[Option<Wait>]) {
        let lowest = cycle.iter().enumerate().min_by_key(|(_, rank)| **rank);
        let first = lowest.map_or(0, |(at, _)| at);
        let around = cycle[first..].iter().chain(&cycle[..first]);
        let of = |rank: &Rank| Some(self.waiting(*rank, waits[rank.index()]?));
        let cycle = around.filter_map(of).collect();
        self.complain(Complaint::Deadlock { cycle });
    }

    fn waiting(&self, rank: Rank, wait: Wait) -> Waiting {
        let region = self.head.region(self.ranks[rank.index()].region);
        Waiting { rank, region, wait }
    }

    /// What a rank waits for; none if it ended.
    fn wait(&self, rank: Rank) -> Option<Wait> {
        let state = &self.ranks[rank.index()];
        let Status::Blocked(blocked) = state.status else { return None };
        let received = |handle: Handle| state.mailbox.receive_of(handle).map(of_receive);
        Some(match blocked {
            Blocked::Receive => received(Handle::Call)?,
            Blocked::Send(to) => Wait::Send { to },
            Blocked::Answer(owner) => Wait::Answer { owner },
            Blocked::Meeting(comm, call) => {
                let members = self.head.communicator(comm)?.members();
                let is_missing = |member: &&Rank| {
                    self.ranks.get(member.index()).is_none_or(|state| state.calls_of(comm) < call)
                };
                Wait::Members { comm, missing: *members.iter().find(is_missing)? }
            }
            Blocked::Request(handle) => {
                let sent_to = || {
                    let request = state.requests.iter().find(|request| request.handle == handle);
                    request.and_then(|request| Some(Wait::Send { to: request.to? }))
                };
                received(handle).or_else(sent_to)?
            }
        })
    }

    /// Says how many messages nobody received, unless that is because ranks are stuck.
    pub(super) fn explain_messages(&mut self) {
        if !self.outcome.is_complete() {
            return;
        }
        let sent = |(to, rank): (Rank, &super::RankState)| {
            let messages = rank.mailbox.messages();
            let own = messages.iter().find(|message| message.context.call == 0)?;
            Some((messages.len() as u64, own.from, to, own.tag))
        };
        let left: Vec<_> = self.head.all_ranks().zip(&self.ranks).filter_map(sent).collect();
        let messages = left.iter().map(|(count, ..)| count).sum();
        if let Some(&(_, from, to, tag)) = left.first() {
            self.complain(Complaint::NeverReceived { messages, from, to, tag });
        }
    }
}

/// How far the walk along waits has come.
#[derive(Clone, Copy)]
enum Trail {
    New,
    OnPath,
    /// To which of the ends it leads; none for a cycle.
    Walked(Option<usize>),
}

/// Whether two wait for the same member to come to the same call.
fn is_same(waits: &[Option<Wait>], one: Rank, other: Rank) -> bool {
    let [one, other] = [one, other].map(|rank| waits[rank.index()]);
    matches!(one, Some(Wait::Members { .. })) && one == other
}

fn of_receive(receive: &Receive) -> Wait {
    match receive.context.call {
        0 => Wait::Receive { from: receive.from, tag: receive.tag },
        _ => Wait::Collective { comm: CommId(receive.context.comm), from: receive.from },
    }
}

/// Who could end a wait; none where it could be anybody.
fn awaited(wait: &Wait) -> Option<Rank> {
    match *wait {
        Wait::Receive { from, .. } | Wait::Collective { from, .. } => from,
        Wait::Send { to } => Some(to),
        Wait::Members { missing, .. } => Some(missing),
        Wait::Answer { owner } => Some(owner),
    }
}
