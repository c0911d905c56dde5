//! The kernel's events that the calling thread opened, of whatever threads: stopped, and let go on, all at once.

/// None of them counts or samples any more.
pub fn stop_own_events() {
    // Where there are none, and where the kernel has no events, there is nothing to stop.
    let _ = rustix::process::configure_performance_counters(false);
}

/// All of them do again.
pub fn go_on_with_own_events() {
    let _ = rustix::process::configure_performance_counters(true);
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::needs;
    use crate::perf_event::{PerfEvent, SampleContent};

    /// Samples of a thread that computes until it is told to end, while a part of a second passes.
    fn samples(event: &mut PerfEvent) -> u32 {
        event.drain_places(|_| {});
        let mut seen = 0;
        for _ in 0..20_000_000_u32 {
            std::hint::black_box(seen);
        }
        event.drain_places(|_| seen += 1);
        seen
    }

    #[test]
    fn an_event_that_is_stopped_samples_nothing_until_it_goes_on() {
        let own = rustix::thread::gettid().as_raw_nonzero().get();
        let event = PerfEvent::open(own as u32, Duration::from_micros(200), SampleContent::Place);
        needs::is_met("sampling", event.is_ok());
        let mut event = event.expect("it is excused by nobody");
        stop_own_events();
        let stopped = samples(&mut event);
        go_on_with_own_events();
        let on = samples(&mut event);
        assert!(stopped == 0 && on > 0, "{stopped} while it was stopped, {on} after that");
    }
}
