//! What changes, as server-sent events. A stream asks what is new when the browser has read what was before, so a browser that reads
//! slowly gets fewer and larger changes, and one that stops reading costs nothing.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tokio::sync::watch;

use crate::viewed_run::ViewedRun;

/// More browsers than this get no stream.
const MOST: usize = 32;
/// Proxies give up a stream in which nothing comes for longer.
const ALIVE: Duration = Duration::from_secs(15);
/// Changes that come more quickly are told together.
const PACE: Duration = Duration::from_millis(200);

/// One of the streams that there may be at once.
pub(crate) struct Place(Arc<AtomicUsize>);

impl Place {
    /// A place; none where all are taken.
    pub(crate) fn take(taken: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(taken));
        (taken.fetch_add(1, Ordering::Relaxed) < MOST).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Reader {
    run: Arc<ViewedRun>,
    changed: watch::Receiver<u64>,
    seen: u64,
    _place: Place,
}

/// The changes of a run after one of them, for as long as the browser reads.
pub(crate) fn stream(
    run: Arc<ViewedRun>,
    since: u64,
    place: Place,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changed = run.changed();
    let reader = Reader { run, changed, seen: since, _place: place };
    let events = stream::unfold(reader, |mut reader| async move {
        let event = reader.next().await?;
        Some((Ok(event), reader))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE))
}

impl Reader {
    /// Waits for a change; none when there will be no more.
    async fn next(&mut self) -> Option<Event> {
        let seen = self.seen;
        if self.changed.wait_for(|now| *now > seen).await.is_err() {
            return None;
        }
        tokio::time::sleep(PACE).await;
        let run = Arc::clone(&self.run);
        let change = tokio::task::spawn_blocking(move || {
            let change = run.since(seen);
            (change.as_of, serde_json::to_string(&change))
        });
        let (as_of, text) = change.await.ok()?;
        self.seen = as_of;
        Some(Event::default().event("change").id(as_of.to_string()).data(text.ok()?))
    }
}
