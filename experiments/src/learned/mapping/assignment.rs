//! The assignment problem: it gives each row one column, at the least cost in all.
//!
//! Rows are taken in one after the other; each finds the cheapest chain of changes that makes room for it (the Hungarian
//! method with potentials, cubic in the larger side). Source: Kuhn 1955, in the form of Jonker and Volgenant's shortest paths.

/// For each row the column it is given, so that the sum of costs is least; rows beyond the columns are given none.
///
/// Costs are finite, and every row has one for each of the `columns`.
pub(super) fn assign(costs: &[Vec<f64>], columns: usize) -> Vec<Option<usize>> {
    let size = costs.len().max(columns);
    // Square it with columns or rows that cost the same for all.
    let cost = |row: usize, column: usize| {
        costs.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0)
    };
    let mut state =
        AssignmentState { row_of: vec![None; size], up: vec![0.0; size], down: vec![0.0; size] };
    for row in 0..size {
        state.take_in(row, &cost);
    }
    let mut columns_of = vec![None; costs.len()];
    for (column, row) in state.row_of.iter().enumerate().take(columns) {
        if let Some(place) = row.and_then(|row| columns_of.get_mut(row)) {
            *place = Some(column);
        }
    }
    columns_of
}

/// The same, of some pairs with their costs: the cheapest first, each row and column once. Cheap, and not always least in all.
pub(super) fn assign_near(
    mut pairs: Vec<(f64, usize, usize)>,
    rows: usize,
    columns: usize,
) -> Vec<Option<usize>> {
    pairs.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let (mut columns_of, mut taken) = (vec![None; rows], vec![false; columns]);
    for (_, row, column) in pairs {
        if columns_of[row].is_none() && !taken[column] {
            columns_of[row] = Some(column);
            taken[column] = true;
        }
    }
    columns_of
}

/// What is assigned so far, and the potentials that make every assigned pair cost nothing and no pair less.
struct AssignmentState {
    row_of: Vec<Option<usize>>,
    up: Vec<f64>,
    down: Vec<f64>,
}

impl AssignmentState {
    fn take_in(&mut self, first: usize, cost: &impl Fn(usize, usize) -> f64) {
        let size = self.row_of.len();
        let (mut least, mut from) = (vec![f64::INFINITY; size], vec![None; size]);
        let mut done = vec![false; size];
        let (mut row, mut reached) = (first, None);
        let end = loop {
            let mut nearest: Option<usize> = None;
            for column in (0..size).filter(|column| !done[*column]) {
                let reduced = cost(row, column) - self.up[row] - self.down[column];
                if reduced < least[column] {
                    least[column] = reduced;
                    from[column] = reached;
                }
                if nearest.is_none_or(|best| least[column] < least[best]) {
                    nearest = Some(column);
                }
            }
            // As many columns as rows: one is always free.
            let Some(column) = nearest else { return };
            self.shift(first, least[column], &done, &mut least);
            done[column] = true;
            reached = Some(column);
            match self.row_of[column] {
                Some(next) => row = next,
                None => break column,
            }
        };
        let mut column = end;
        while let Some(before) = from[column] {
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[column] = Some(first);
    }

    /// Makes the way to the nearest column cost nothing.
    fn shift(&mut self, first: usize, by: f64, done: &[bool], least: &mut [f64]) {
        self.up[first] += by;
        for column in 0..done.len() {
            if !done[column] {
                least[column] -= by;
                continue;
            }
            self.down[column] -= by;
            if let Some(row) = self.row_of[column] {
                self.up[row] += by;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least sum, by trying everything.
    fn least(costs: &[Vec<f64>], free: &mut Vec<usize>) -> f64 {
        let Some((row, rest)) = costs.split_first() else { return 0.0 };
        if free.is_empty() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for at in 0..free.len() {
            let column = free.swap_remove(at);
            best = best.min(row[column] + least(rest, free));
            free.push(column);
            let last = free.len() - 1;
            free.swap(at, last);
        }
        best
    }

    #[test]
    fn no_other_assignment_costs_less() {
        let mut seed = 7u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f64 / f64::from(1u32 << 24)
        };
        for size in [1, 2, 3, 5, 6] {
            for _ in 0..50 {
                let costs: Vec<Vec<f64>> =
                    (0..size).map(|_| (0..size).map(|_| next()).collect()).collect();
                let assigned = assign(&costs, size);
                let mut columns: Vec<usize> = assigned.iter().copied().flatten().collect();
                let sum: f64 = assigned
                    .iter()
                    .enumerate()
                    .map(|(row, column)| costs[row][column.expect("square")])
                    .sum();
                assert!((sum - least(&costs, &mut (0..size).collect())).abs() < 1e-9, "{costs:?}");
                columns.sort_unstable();
                assert_eq!(columns, (0..size).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn more_of_one_side_leaves_some_alone() {
        let two = vec![vec![0.9, 0.1, 0.5], vec![0.2, 0.1, 0.5]];
        assert_eq!(assign(&two, 3), [Some(1), Some(0)]);
        let three = vec![vec![0.9], vec![0.1], vec![0.5]];
        assert_eq!(assign(&three, 1), [None, Some(0), None]);
        assert_eq!(assign(&[], 4), []);
    }
}
