//! Measures how long something takes, by the clock and by the processor.

use std::time::{Duration, Instant};

use whyperf_experiments::StoreError;

/// Best of five, since a cold cache is measured by the first; and the processor's time, which other work does not lengthen.
pub(crate) fn timed<T>(
    what: &str,
    work: impl Fn() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut times = Vec::new();
    let mut took = Vec::new();
    for last in [false, false, false, false, true] {
        let (before, used) = (Instant::now(), used());
        let answer = work()?;
        took.push(self::used() - used);
        times.push(before.elapsed());
        if last {
            let [first, best] = [times[0], times.iter().min().copied().unwrap_or_default()];
            let least = took.iter().min().copied().unwrap_or_default();
            let [first, best, least] = [first, best, least].map(ms);
            println!(
                "{what:<22} first {first:>8.2} ms, best {best:>8.2} ms, of that computing {least:>8.2} ms"
            );
            return Ok(answer);
        }
    }
    unreachable!("the last one returns")
}

/// The time for which this thread has had a processor.
fn used() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
