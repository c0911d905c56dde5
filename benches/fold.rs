//! Measures the cost of a histogram: 1,000,000 adds, with the folds that they need.

use std::hint::black_box;
use std::time::Instant;

use whyperf_model::{Histogram, Interval, Nanos, Time};

fn main() {
    let adds: u64 =
        if std::env::args().any(|argument| argument == "--test") { 10_000 } else { 1_000_000 };
    for (what, length) in [("intervals of 50 ms", 50_000_000), ("intervals of 1 ms", 1_000_000)] {
        let mut histogram = Histogram::default();
        let before = Instant::now();
        for at in 0..adds {
            let start = Time(Nanos(at * length));
            histogram.add(Interval::new(start, start + Nanos(length)), black_box(1000));
        }
        let took = before.elapsed();
        assert_eq!(histogram.whole().amount, i128::from(adds) * 1000, "no amount is lost");
        let folds = (histogram.width().0 / Histogram::DEFAULT_WIDTH.0).ilog2();
        println!(
            "{adds} adds, {what}: {:.1} ms, {:.1} ns each, {folds} folds",
            took.as_secs_f64() * 1000.0,
            took.as_nanos() as f64 / adds as f64
        );
    }
}
