//! Measures how a search scales: a hundred thousand processes, a thousand functions, fifty bottlenecks.
//!
//! `cargo bench -p whyperf-consultant --bench scale [PROCESSES]`

mod vast;

use std::time::{Duration, Instant};

use vast::Vast;
use whyperf_consultant::{DataSource, Event, Hypotheses, Question, Search, Settings, Truth};
use whyperf_model::{Focus, Nanos};

/// What one sample may cost.
const ALLOWED: Duration = Duration::from_micros(10);

fn main() {
    let asked = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let processes = asked.unwrap_or(100_000);
    let before = resident();
    let mut source = Vast::new(processes, 50, Nanos::from_secs(120));
    let planted = source.bottlenecks();
    let source_takes = resident() - before;
    let mut search = Search::new(Hypotheses::built_in(), Settings::default());
    let (mut samples, mut resources, mut arriving) = (0_u32, 0_u32, Duration::ZERO);
    let (mut searching, mut moment, mut slowest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut left: Vec<(&str, Focus)> = planted.clone();
    let mut done = None;
    loop {
        let begun = Instant::now();
        let requests: Vec<_> = std::iter::from_fn(|| search.poll_request()).collect();
        let steps: Vec<_> = std::iter::from_fn(|| search.poll_step()).collect();
        moment += begun.elapsed();
        for step in steps {
            let Some(one) = step.finding() else { continue };
            left.retain(|(name, focus)| {
                *name != one.subject.hypothesis || *focus != one.subject.focus
            });
            if left.is_empty() && done.is_none() {
                done = Some(step.time);
            }
        }
        requests.into_iter().for_each(|request| source.carry_out(request));
        let Some(event) = source.next() else { break };
        samples += u32::from(matches!(event, Event::Sample(..)));
        let is_arrival = matches!(event, Event::Resource(..));
        resources += u32::from(is_arrival);
        let is_tick = matches!(event, Event::Cost(..));
        let begun = Instant::now();
        search.handle(event);
        moment += begun.elapsed();
        if is_arrival {
            arriving += std::mem::take(&mut moment);
        } else if is_tick {
            slowest = slowest.max(moment);
            searching += std::mem::take(&mut moment);
        }
    }
    let counts = search.report().counts;
    let of_search = (resident() - before).saturating_sub(source_takes);
    let each = searching / samples.max(1);
    println!(
        "{processes} processes, {} planted, {} not found, the last at {done:?}",
        planted.len(),
        left.len()
    );
    println!("{samples} samples in {searching:?}: {each:?} each; slowest moment {slowest:?}");
    println!("{resources} resources in {arriving:?}: {:?} each", arriving / resources.max(1));
    println!(
        "{counts:?}, memory {} MiB (the data source {} MiB)",
        of_search >> 20,
        source_takes >> 20
    );
    let wrong = wrong(&search);
    assert!(left.is_empty(), "not found: {left:?}");
    assert_eq!(wrong, 0, "true below the threshold");
    assert!(each <= ALLOWED, "a sample costs {each:?}");
}

/// How many are true below their thresholds.
fn wrong(search: &Search) -> usize {
    let is_wrong = |one: &Question| one.truth == Truth::True && one.value < Some(one.threshold);
    search.questions().filter(is_wrong).count()
}

/// Bytes of this process that are in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize =
        text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    pages * 4096
}
