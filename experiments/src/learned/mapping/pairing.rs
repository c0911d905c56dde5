//! Pairs the things that are left over on both sides, by solving one assignment problem.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Resource;

use super::Mapped;
use super::assignment::{assign, assign_near};
use super::comparison::{ComparedResource, RunComparison};
use super::evidence::{self, DOUBTED};
use super::near;

/// A pair that was found.
#[derive(Clone, Debug)]
pub(super) struct FoundPair {
    pub(super) from: Resource,
    pub(super) to: Resource,
    pub(super) confidence: f64,
}

impl RunComparison {
    /// The likeliest pairs of all that is left over, each thing once. A pair that is more unlike than like is left out; one beside which another
    /// fits about as well is not sure.
    pub(super) fn paired(&self, rows: &[&Resource], columns: &[&Resource]) -> Vec<FoundPair> {
        let left: Vec<ComparedResource<'_>> =
            rows.iter().map(|row| ComparedResource::of(row)).collect();
        let right: Vec<ComparedResource<'_>> =
            columns.iter().map(|column| ComparedResource::of(column)).collect();
        let cost = |row: usize, column: usize| {
            1.0 - evidence::confidence(&self.grounds(&left[row], &right[column]))
        };
        let costs = if rows.len().max(columns.len()) <= MOST_ASSIGNED {
            let all = (0..rows.len()).flat_map(|row| (0..columns.len()).map(move |at| (row, at)));
            Costs::of(all, cost)
        } else {
            let mut some = near::by_name(&left, &right);
            some.extend(near::by_value(self, rows, columns));
            some.extend(near::by_structure(self, rows, columns));
            Costs::of(some, cost)
        };
        let assigned = costs.assigned(rows.len(), columns.len());
        let holders = held(&assigned);
        let mut found = Vec::new();
        for (row, column) in assigned.iter().enumerate() {
            let Some(column) = *column else { continue };
            let Some(cost) = costs.at(row, column) else { continue };
            let mut confidence = 1.0 - cost;
            if confidence < Mapped::LEAST {
                continue;
            }
            match costs.lead(row, column, (&assigned, &holders)) {
                // It is there twice, and nobody knows which of them it is.
                lead if lead < EQUAL && rows[row].name() == columns[column].name() => continue,
                lead if lead < CLEAR => confidence = confidence.min(DOUBTED),
                _ => {}
            }
            let (from, to) = (rows[row].clone(), columns[column].clone());
            found.push(FoundPair { from, to, confidence });
        }
        found
    }
}

/// What each pair costs that may be made.
struct Costs {
    by_row: BTreeMap<usize, BTreeMap<usize, f64>>,
    by_column: BTreeMap<usize, BTreeSet<usize>>,
}

impl Costs {
    fn of(
        pairs: impl IntoIterator<Item = (usize, usize)>,
        cost: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let mut costs = Self { by_row: BTreeMap::new(), by_column: BTreeMap::new() };
        for (row, column) in pairs {
            let of_row = costs.by_row.entry(row).or_default();
            of_row.entry(column).or_insert_with(|| cost(row, column));
            costs.by_column.entry(column).or_default().insert(row);
        }
        costs
    }

    fn at(&self, row: usize, column: usize) -> Option<f64> {
        self.by_row.get(&row)?.get(&column).copied()
    }

    /// For each row its column: at the least cost in all, or, where there are too many, the cheapest pairs first.
    fn assigned(&self, rows: usize, columns: usize) -> Vec<Option<usize>> {
        if rows.max(columns) <= MOST_ASSIGNED {
            let row =
                |row| (0..columns).map(|column| self.at(row, column).unwrap_or(1.0)).collect();
            let costs: Vec<Vec<f64>> = (0..rows).map(row).collect();
            return assign(&costs, columns);
        }
        let pairs = self
            .by_row
            .iter()
            .flat_map(|(row, of_row)| of_row.iter().map(|(column, cost)| (*cost, *row, *column)));
        assign_near(pairs.collect(), rows, columns)
    }

    /// By how much the next best way to assign these two costs more.
    fn lead(
        &self,
        row: usize,
        column: usize,
        (assigned, holders): (&[Option<usize>], &BTreeMap<usize, usize>),
    ) -> f64 {
        let own = self.at(row, column).unwrap_or(1.0);
        let swapped = |other: usize, column_of_other: usize| {
            let now = own + self.at(other, column_of_other).unwrap_or(1.0);
            let then = self.at(row, column_of_other).unwrap_or(1.0)
                + self.at(other, column).unwrap_or(1.0);
            then - now
        };
        let columns = self.by_row.get(&row).into_iter().flatten();
        let by_column = columns.filter(|(other, _)| **other != column).map(|(other, cost)| {
            holders.get(other).map_or(cost - own, |holder| swapped(*holder, *other))
        });
        let rows = self.by_column.get(&column).into_iter().flatten();
        let by_row = rows.filter(|other| **other != row).map(|other| match assigned[*other] {
            Some(column_of_other) => swapped(*other, column_of_other),
            None => self.at(*other, column).unwrap_or(1.0) - own,
        });
        by_column.chain(by_row).fold(f64::INFINITY, f64::min)
    }
}

/// The row that each column was given to.
fn held(assigned: &[Option<usize>]) -> BTreeMap<usize, usize> {
    let given = assigned.iter().enumerate();
    given.filter_map(|(row, column)| Some(((*column)?, row))).collect()
}

/// With more than this on a side each is compared with some alone: the time grows with its cube.
const MOST_ASSIGNED: usize = 256;
/// A lead below this is none.
const EQUAL: f64 = 0.001;
/// A pair with a smaller lead is not sure.
const CLEAR: f64 = 0.05;
