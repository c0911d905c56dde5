//! A function of a Rust program takes the time.
//!
//! build: rustc -O hot_crate.rs -o hot_crate
//! run: hot_crate [seconds]
//! hypothesis: CPUbound
//! function: /Code/hot_crate.rs/hot_crate::grind
//! object: none

use std::time::{Duration, Instant};

#[inline(never)]
fn grind(mut x: f64) -> f64 {
    for _ in 0..40_000 {
        x = x * 0.999 + 1.0 / (1.0 + x * x);
    }
    x
}

#[inline(never)]
fn sift(mut x: f64) -> f64 {
    for _ in 0..500 {
        x = x * 0.99 + 0.01;
    }
    x
}

fn main() {
    let word = std::env::args().nth(1);
    let length = word.and_then(|word| word.parse().ok()).unwrap_or(10.0);
    let end = Instant::now() + Duration::from_secs_f64(length);
    let mut x = 0.5;
    while Instant::now() < end {
        x = grind(sift(x));
    }
    println!("hot_crate: {x:.3}");
}
