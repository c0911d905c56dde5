//! Processes by their role and hosts by their ranks: names of both differ from run to run, what they do in the job stays.

use whyperf_model::{Hierarchy, Resource};

use super::Mapped;
use super::assignment::assign;
use super::comparison::RunComparison;
use super::evidence::{Ground, MatchEvidence};
use super::side::divided;
use crate::learned::EarlierRun;

/// The processes of a run that are called otherwise in a run with more of them. The first stays the first; those from the last on backwards keep their
/// distance from it; what is between does what its neighbours do, and keeps its name. Where there are as many, or fewer, names stay: a rank that
/// gave its name away would be taken for another one.
pub(super) fn processes(first: &EarlierRun, second: &EarlierRun) -> Vec<Mapped> {
    match (first.ranks(), second.ranks()) {
        (0, _) | (_, 0) => numbered(first, second),
        (before, now) => by_role(before, now),
    }
}

/// Ranks that keep their distance from the last.
pub(in super::super) fn by_role(before: usize, now: usize) -> Vec<Mapped> {
    if before < 2 || now <= before {
        return Vec::new();
    }
    let name = |rank: usize| Resource::root(Hierarchy::Process).child(&rank.to_string());
    let mut mapped = Vec::new();
    for from_last in 0..before / 2 {
        let (from, to) = (before - 1 - from_last, now - 1 - from_last);
        // The name of another rank of the same run leads on from there.
        if to < before {
            break;
        }
        let role = match from_last {
            0 => "the last".to_owned(),
            nth => format!("number {} from the last", nth + 1),
        };
        let words = format!("{role} of {before} processes, and of {now}");
        let evidence = vec![MatchEvidence { ground: Ground::Position, similarity: LIKELY, words }];
        mapped.push(Mapped { from: name(from), to: name(to), confidence: LIKELY, evidence });
    }
    mapped
}

/// Processes that have no rank: the nth to the nth, where there are as many.
fn numbered(first: &EarlierRun, second: &EarlierRun) -> Vec<Mapped> {
    let all = |run: &EarlierRun| {
        let mut all: Vec<Resource> = run.processes().cloned().collect();
        all.sort_by(|one, other| counted(one).cmp(&counted(other)));
        all
    };
    let (left, right) = (all(first), all(second));
    let pairs = left.iter().enumerate().filter(|(_, one)| !right.contains(one));
    let pairs = pairs.filter_map(|(at, one)| {
        let other = right.get(at).filter(|other| !left.contains(other))?;
        by_order((one, other), (at, left.len()), right.len())
    });
    pairs.collect()
}

impl RunComparison {
    /// Hosts by the ranks that ran there, else by their order.
    pub(super) fn hosts(&self) -> Vec<Mapped> {
        let root = Resource::root(Hierarchy::Machine);
        let names = [self.first.names(&root), self.second.names(&root)];
        let [_, mut rows, mut columns] = divided(&names[0], &names[1]);
        rows.sort_by_key(|one| counted(one));
        columns.sort_by_key(|one| counted(one));
        let pair = |row: usize, column: usize| {
            let (one, other) = (rows[row], columns[column]);
            self.by_ranks(one, other).or_else(|| {
                let is_nth = row == column;
                is_nth.then(|| by_order((one, other), (row, rows.len()), columns.len()))?
            })
        };
        let assigned = if rows.len().max(columns.len()) <= MOST_ASSIGNED {
            let cost = |row, column| pair(row, column).map_or(1.0, |one| 1.0 - one.confidence);
            let costs: Vec<Vec<f64>> = (0..rows.len())
                .map(|row| (0..columns.len()).map(|column| cost(row, column)).collect())
                .collect();
            assign(&costs, columns.len())
        } else {
            (0..rows.len()).map(|row| (row < columns.len()).then_some(row)).collect()
        };
        let found = assigned.into_iter().enumerate().filter_map(|(row, column)| pair(row, column?));
        found.filter(|one| one.confidence >= Mapped::LEAST).collect()
    }

    fn by_ranks(&self, one: &Resource, other: &Resource) -> Option<Mapped> {
        let (left, right) = (self.first.ranks(one)?, self.second.ranks(other)?);
        let common = left.intersection(right).count();
        let similarity = common as f64 / left.union(right).count() as f64;
        let words = format!("{common} of their {} ranks the same", left.union(right).count());
        let evidence = vec![MatchEvidence { ground: Ground::Ranks, similarity, words }];
        let (from, to) = (one.clone(), other.clone());
        Some(Mapped { from, to, confidence: SAME_RANKS * similarity, evidence })
    }
}

/// The nth of so many belongs to the nth of as many; where the numbers differ nothing is likely.
fn by_order(
    (one, other): (&Resource, &Resource),
    (at, before): (usize, usize),
    now: usize,
) -> Option<Mapped> {
    let confidence = match (before == now, before) {
        (true, 1) => ALONE,
        (true, _) => IN_ORDER,
        (false, _) => OUT_OF_ORDER,
    };
    let words = match (before, now) {
        (1, 1) => "the only one".to_owned(),
        _ => format!("number {} of {before}, and of {now}", at + 1),
    };
    let evidence = vec![MatchEvidence { ground: Ground::Position, similarity: confidence, words }];
    Some(Mapped { from: one.clone(), to: other.clone(), confidence, evidence })
}

/// A name in the order of people: `node9` before `node10`.
pub(super) fn counted(resource: &Resource) -> (&str, u64, &str) {
    let name = resource.name();
    let text = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    (text, name[text.len()..].parse().unwrap_or_default(), name)
}

/// With more hosts than this their order alone counts.
const MOST_ASSIGNED: usize = 256;
/// How sure things are that have their role in common alone.
const LIKELY: f64 = 0.7;
const ALONE: f64 = 0.95;
const IN_ORDER: f64 = 0.7;
const OUT_OF_ORDER: f64 = 0.5;
const SAME_RANKS: f64 = 0.95;
