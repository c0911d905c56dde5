//! Selects the pairs that are worth comparing, out of thousands: things that stand near each other in some order, or beside
//! the same things.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Resource;

use super::comparison::{ComparedResource, RunComparison};
use super::side::Side;

/// Rows and columns.
type CandidatePairs = BTreeSet<(usize, usize)>;

/// With how many neighbours to each side a thing is compared.
const REACH: usize = 8;
/// What more than this many have tells none of them from the others.
const COMMON: usize = 64;

/// In the order of their names, from either end.
pub(super) fn by_name(
    left: &[ComparedResource<'_>],
    right: &[ComparedResource<'_>],
) -> CandidatePairs {
    let names = |all: &[ComparedResource<'_>]| all.iter().map(|one| one.letters.clone()).collect();
    let [mut one, mut other]: [Vec<Vec<char>>; 2] = [names(left), names(right)];
    let mut pairs = neighbours(&one, &other);
    one.iter_mut().chain(&mut other).for_each(|name| name.reverse());
    pairs.extend(neighbours(&one, &other));
    pairs
}

/// In the order of the largest share that was found there.
pub(super) fn by_value(
    comparison: &RunComparison,
    rows: &[&Resource],
    columns: &[&Resource],
) -> CandidatePairs {
    let most = |side: &Side, of: &Resource| {
        let values = side.judged(of).into_iter().flat_map(BTreeMap::values);
        // As digits that sort like numbers.
        format!("{:030.9}", values.fold(0.0_f64, |most, one| one.max(most)))
    };
    let left: Vec<String> = rows.iter().map(|row| most(&comparison.first, row)).collect();
    let right: Vec<String> = columns.iter().map(|one| most(&comparison.second, one)).collect();
    neighbours(&left, &right)
}

/// Called by what belongs together, calling it, or making the same wrapped calls.
pub(super) fn by_structure(
    comparison: &RunComparison,
    rows: &[&Resource],
    columns: &[&Resource],
) -> CandidatePairs {
    let (first, second) = (&comparison.first.structure, &comparison.second.structure);
    let new = |one: &Resource| comparison.known.to(one).map(ToString::to_string);
    let mut places: BTreeMap<(u8, String), Vec<usize>> = BTreeMap::new();
    for (column, function) in columns.iter().enumerate() {
        let names = second.callers(function).into_iter().flatten().map(|one| (0, one.to_string()));
        let names = names
            .chain(second.callees(function).into_iter().flatten().map(|one| (1, one.to_string())));
        let calls = second.wrapped(function).into_iter().flatten().map(|call| (2, call.clone()));
        for name in names.chain(calls) {
            places.entry(name).or_default().push(column);
        }
    }
    let mut pairs = CandidatePairs::new();
    for (row, function) in rows.iter().enumerate() {
        let callers = first.callers(function).into_iter().flatten();
        let callers = callers.filter_map(|one| Some((0, new(one)?)));
        let callees = first.callees(function).into_iter().flatten();
        let callees = callees.filter_map(|one| Some((1, new(one)?)));
        let calls = first.wrapped(function).into_iter().flatten().map(|call| (2, call.clone()));
        for name in callers.chain(callees).chain(calls) {
            let there = places.get(&name).into_iter().flatten();
            if places.get(&name).is_some_and(|there| there.len() <= COMMON) {
                pairs.extend(there.map(|column| (row, *column)));
            }
        }
    }
    pairs
}

fn neighbours<K: Ord>(left: &[K], right: &[K]) -> CandidatePairs {
    let mut order: Vec<(&K, usize)> = right.iter().zip(0..).collect();
    order.sort();
    let mut pairs = CandidatePairs::new();
    for (row, wanted) in left.iter().enumerate() {
        let at = order.partition_point(|(known, _)| *known < wanted);
        let around = at.saturating_sub(REACH)..(at + REACH).min(order.len());
        pairs.extend(order[around].iter().map(|(_, column)| (row, *column)));
    }
    pairs
}
