//! Leaving the processes that were watched: each is asked to restore its code, and what stays is named.

use std::time::{Duration, Instant};

use crate::measuring::event::WatchEvent;
use crate::measuring::event_queue::Events;
use crate::measuring::watch::Watch;
use crate::output::terminal::Screen;

/// Leaves all processes, and names what could not be restored within this time; answers how much that is. Another
/// interruption ends the waiting.
pub(crate) fn leave(
    watch: &mut Watch,
    events: &Events,
    screen: &mut Screen,
    patience: Duration,
) -> usize {
    let end = Instant::now() + patience;
    watch.leave(patience);
    while !watch.is_left() && Instant::now() < end {
        if let Some(WatchEvent::Interrupted) = events.next_before(end.min(Instant::now() + LOOK)) {
            break;
        }
    }
    watch.name_what_stays(screen)
}

/// How often it is looked whether a process has gone on alone.
pub(crate) const LOOK: Duration = Duration::from_millis(5);
