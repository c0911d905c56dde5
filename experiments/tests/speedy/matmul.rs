//! MatMul: the product of two matrices, distributed in each dimension in one of three ways.
//!
//! Every thread computes the elements of the product that it owns. For that it reads the rest of its rows of the first matrix and of its
//! columns of the second, all that one owner has of them at once and the next owner first; when all have, they multiply. What it has read goes
//! to where it belongs in whole rows and columns, which takes as many pieces as the distribution has torn it into: each contiguous piece costs some instructions.
//! A distribution in both dimensions needs a square of threads; the others that there are have no part of the matrices, and wait.

use std::fmt;
use std::ops::Range;

use whyperf_extrapolate::Event;

use crate::target::{PROCESSORS, barrier, operations, read, seconds};

/// The order of the matrices.
pub(crate) const ORDER: u32 = 256;

/// Operations that take as long as storing a contiguous piece where it belongs, beside its bytes.
const PIECE: f64 = 8.0;

/// How one dimension is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    Block,
    Cyclic,
    Whole,
}

/// A distribution: rows, and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Distribution(pub(crate) Division, pub(crate) Division);

impl Distribution {
    /// All nine.
    pub(crate) fn all() -> Vec<Self> {
        let each = [Division::Block, Division::Cyclic, Division::Whole];
        each.into_iter().flat_map(|rows| each.map(|columns| Self(rows, columns))).collect()
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |division| match division {
            Division::Block => "BLOCK",
            Division::Cyclic => "CYCLIC",
            Division::Whole => "WHOLE",
        };
        write!(out, "({},{})", name(self.0), name(self.1))
    }
}

/// The indices that one of `parts` has.
fn indices(division: Division, part: u32, parts: u32) -> Vec<u32> {
    let length = ORDER.div_ceil(parts);
    let block =
        |part: u32| -> Range<u32> { (part * length).min(ORDER)..((part + 1) * length).min(ORDER) };
    match division {
        Division::Block => block(part).collect(),
        Division::Cyclic => (part..ORDER).step_by(parts as usize).collect(),
        Division::Whole => (0..ORDER).collect(),
    }
}

/// Threads in each dimension.
fn grid(Distribution(rows, columns): Distribution, threads: u32) -> [u32; 2] {
    match (rows, columns) {
        (Division::Whole, Division::Whole) => [1, 1],
        (_, Division::Whole) => [threads, 1],
        (Division::Whole, _) => [1, threads],
        _ => [threads.isqrt(); 2],
    }
}

/// What each thread does.
pub(crate) fn threads(distribution: Distribution, count: u32) -> Vec<Vec<Event>> {
    let [across, along] = grid(distribution, count);
    let one = |thread: u32| {
        let mut events = vec![barrier()];
        let has_part = thread < across * along;
        if has_part {
            gather(distribution, [across, along], thread, &mut events);
        }
        // The owners of what is read answer while they wait: nobody multiplies before all have read.
        events.push(barrier());
        if has_part {
            events.push(multiply(distribution, [across, along], thread));
        }
        events.push(barrier());
        events
    };
    (0..count).map(one).collect()
}

fn gather(
    Distribution(rows, columns): Distribution,
    [across, along]: [u32; 2],
    thread: u32,
    events: &mut Vec<Event>,
) {
    let (row, column) = (thread / along, thread % along);
    let size = |division, part, parts| indices(division, part, parts).len() as u32;
    let (own_rows, own_columns) = (size(rows, row, across), size(columns, column, along));
    // Columns of the first matrix, from the threads with the same rows. Theirs stand between those of others in each row.
    for other in (1..along).map(|step| (column + step) % along) {
        let width = size(columns, other, along);
        let pieces = if columns == Division::Block { own_rows } else { own_rows * width };
        fetch(events, row * along + other, own_rows * width, pieces);
    }
    // Rows of the second one, from the threads with the same columns: a block of rows is one piece.
    for other in (1..across).map(|step| (row + step) % across) {
        let height = size(rows, other, across);
        let pieces = if rows == Division::Block { 1 } else { height };
        fetch(events, other * along + column, height * own_columns, pieces);
    }
}

fn multiply(
    Distribution(rows, columns): Distribution,
    [across, along]: [u32; 2],
    thread: u32,
) -> Event {
    let own_rows = indices(rows, thread / along, across).len() as f64;
    let own_columns = indices(columns, thread % along, along).len() as f64;
    operations(2.0 * own_rows * own_columns * f64::from(ORDER))
}

fn fetch(events: &mut Vec<Event>, owner: u32, numbers: u32, pieces: u32) {
    if numbers > 0 {
        events.push(read(owner, numbers));
        events.push(operations(PIECE * f64::from(pieces)));
    }
}

/// How much longer than the best distribution one takes, on so many processors.
fn excess(of: Distribution, processors: u32) -> f64 {
    let time = |of| seconds(&threads(of, processors));
    let best = Distribution::all().into_iter().map(time).fold(f64::INFINITY, f64::min);
    time(of) / best - 1.0
}

#[test]
fn blocks_of_rows_are_best_but_for_squares() {
    let rows = Distribution(Division::Block, Division::Whole);
    let squares = Distribution(Division::Block, Division::Block);
    // Cyclic distributions of the same shape are as good to a hundredth.
    for processors in PROCESSORS {
        let [rows, squares] = [rows, squares].map(|of| excess(of, processors));
        match processors {
            1 => assert!(rows < 1e-9 && squares < 1e-9, "all are the same program"),
            4 | 16 => {
                assert!(squares < 0.01 && squares < rows, "{processors}: {squares} and {rows}")
            }
            _ => assert!(rows < 0.01 && rows < squares, "{processors}: {rows} and {squares}"),
        }
    }
}

#[test]
fn a_matrix_of_one_thread_is_not_faster_with_more() {
    let whole = Distribution(Division::Whole, Division::Whole);
    let [one, most] = [1, 32].map(|processors| seconds(&threads(whole, processors)));
    assert!(most >= one, "{one} and {most}");
}
