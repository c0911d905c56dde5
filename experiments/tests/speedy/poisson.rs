//! A fast Poisson solver: sine transforms of the rows, and cyclic reduction along the columns.
//!
//! The grid is distributed by blocks of rows. A sine transform needs one row and no other thread. Cyclic reduction solves a tridiagonal
//! system along each column, all columns at once: in each of log n steps every second row that is left is eliminated, with its
//! neighbours at a distance that doubles, and then the rows are found again in the reverse order. Neighbours of other threads are read.

use whyperf_extrapolate::Event;

use crate::target::{PROCESSORS, barrier, operations, read, seconds};

/// Rows and columns inside of the boundary, which are one less than a power of two.
pub(crate) const SIZE: u32 = 127;

/// The parts of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Sine,
    Reduction,
    Whole,
}

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Sine, Self::Reduction, Self::Whole];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sine => "sine transforms",
            Self::Reduction => "cyclic reduction",
            Self::Whole => "whole solver",
        }
    }
}

/// What each thread does.
pub(crate) fn threads(part: Part, count: u32) -> Vec<Vec<Event>> {
    let one = |thread: u32| {
        let mut events = vec![barrier()];
        if part != Part::Reduction {
            transforms(thread, count, &mut events);
        }
        if part != Part::Sine {
            reduction(thread, count, &mut events);
        }
        if part != Part::Reduction {
            transforms(thread, count, &mut events);
        }
        events
    };
    (0..count).map(one).collect()
}

/// The owner of a row; rows are numbered from 1.
fn owner(row: u32, count: u32) -> u32 {
    (row - 1) * count / SIZE
}

fn is_own(row: u32, thread: u32, count: u32) -> bool {
    (1..=SIZE).contains(&row) && owner(row, count) == thread
}

/// A sine transform of each own row, by a Fourier transform of twice the length: 5 n log n operations.
fn transforms(thread: u32, count: u32, events: &mut Vec<Event>) {
    let length = f64::from(2 * (SIZE + 1));
    let rows = (1..=SIZE).filter(|row| is_own(*row, thread, count));
    events.extend(rows.map(|_| operations(5.0 * length * length.log2())));
    events.push(barrier());
}

/// Operations on each number of a row that is eliminated or found: two sums, a product and a difference or quotient.
const PER_NUMBER: f64 = 4.0;

fn reduction(thread: u32, count: u32, events: &mut Vec<Event>) {
    let steps = (SIZE + 1).ilog2();
    // Rows that are multiples of twice the distance stay.
    for distance in (0..steps - 1).map(|step| 1 << step) {
        solve(thread, count, (2 * distance, 2 * distance), distance, events);
    }
    // Those that were eliminated are found from their neighbours.
    for distance in (0..steps).rev().map(|step| 1 << step) {
        solve(thread, count, (distance, 2 * distance), distance, events);
    }
}

/// Computes own rows from the first one on, each so far behind the one before, with the neighbours at a distance.
fn solve(
    thread: u32,
    count: u32,
    (first, apart): (u32, u32),
    distance: u32,
    events: &mut Vec<Event>,
) {
    let rows = (first..=SIZE).step_by(apart as usize).filter(|row| is_own(*row, thread, count));
    for row in rows {
        for neighbour in [row - distance, row + distance] {
            if (1..=SIZE).contains(&neighbour) && owner(neighbour, count) != thread {
                events.push(read(owner(neighbour, count), SIZE));
            }
        }
        events.push(operations(PER_NUMBER * f64::from(SIZE)));
    }
    events.push(barrier());
}

/// The speed-up of a part on each number of processors.
pub(crate) fn speedups(part: Part) -> [f64; PROCESSORS.len()] {
    let all = PROCESSORS.map(|processors| seconds(&threads(part, processors)));
    all.map(|one| all[0] / one)
}

#[test]
fn sine_transforms_scale_and_cyclic_reduction_does_not() {
    let [sine, reduction, whole] = Part::ALL.map(speedups);
    assert!(sine[5] > 28.0, "{sine:?}");
    // The paper's flattens after 16 processors: twice as many gain less than a tenth.
    assert!(reduction[3] > 1.5 * reduction[2], "{reduction:?}");
    assert!(reduction[5] < 1.1 * reduction[4], "{reduction:?}");
    for at in 1..PROCESSORS.len() {
        assert!(
            reduction[at] < whole[at] && whole[at] < sine[at],
            "{reduction:?} {whole:?} {sine:?}"
        );
    }
}
