//! A method that is called through a trait object takes the time.
//!
//! build: rustc -O hot_trait.rs -o hot_trait
//! run: hot_trait [seconds]
//! hypothesis: CPUbound
//! function: /Code/hot_trait.rs/<hot_trait::Mill as hot_trait::Tool>::turn
//! object: none

use std::time::{Duration, Instant};

trait Tool {
    fn turn(&mut self, x: f64) -> f64;
}

struct Mill(u32);
struct Sieve(u32);

impl Tool for Mill {
    #[inline(never)]
    fn turn(&mut self, mut x: f64) -> f64 {
        self.0 = self.0.wrapping_add(1);
        for _ in 0..40_000 {
            x = x * 0.999 + 1.0 / (1.0 + x * x);
        }
        x
    }
}

impl Tool for Sieve {
    #[inline(never)]
    fn turn(&mut self, x: f64) -> f64 {
        self.0 = self.0.wrapping_add(2);
        (0..500).fold(x, |x, _| x * 0.99 + 0.01)
    }
}

#[inline(never)]
fn round(tools: &mut [Box<dyn Tool>], x: f64) -> f64 {
    tools.iter_mut().fold(x, |x, tool| tool.turn(x))
}

fn main() {
    let word = std::env::args().nth(1);
    let length = word.and_then(|word| word.parse().ok()).unwrap_or(10.0);
    let end = Instant::now() + Duration::from_secs_f64(length);
    let mut tools: Vec<Box<dyn Tool>> = vec![Box::new(Sieve(0)), Box::new(Mill(0))];
    let mut x = 0.5;
    while Instant::now() < end {
        x = round(&mut tools, x);
    }
    println!("hot_trait: {x:.3}");
}
