//! Connections to the server: so many at once, and none over which nothing moves for long.
//!
//! Other users of a machine reach the port. They can hold connections, as can browsers that have stopped reading; neither may take more than
//! its part of the memory, nor keep the user's own browser waiting for good.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// So many are open at once; others wait in the kernel.
pub(crate) const MOST: usize = 64;
/// A connection over which nothing moved for so long is closed. Streams of events send something four times as often.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A listener that hands out so many connections at once.
pub(crate) struct Connections<L> {
    listener: L,
    places: Arc<Semaphore>,
}

impl<L> Connections<L> {
    /// That of a listener.
    pub(crate) fn of(listener: L, most: usize) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(most)) }
    }
}

impl<L: Listener> Listener for Connections<L> {
    type Io = Connection<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        // Nobody closes the semaphore, so a place comes sooner or later.
        let place = Arc::clone(&self.places).acquire_owned().await.ok();
        let (io, address) = self.listener.accept().await;
        (Connection { io, idle: Box::pin(sleep(PATIENCE)), _place: place }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A connection, with its place among those that are open.
pub(crate) struct Connection<I> {
    io: I,
    /// Ends when nothing moved for too long.
    idle: Pin<Box<Sleep>>,
    _place: Option<OwnedSemaphorePermit>,
}

impl<I> Connection<I> {
    /// Passes on what came of moving bytes: what moved begins the patience anew, and what has to wait does so for no longer.
    fn moved<T>(
        &mut self,
        context: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if moved.is_ready() {
            self.idle.as_mut().reset(Instant::now() + PATIENCE);
            return moved;
        }
        ready!(self.idle.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Connection<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        self.moved(context, read)
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for Connection<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(context, bytes);
        self.moved(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::*;

    /// Somebody connects whenever there is room, and does nothing; the other ends are kept.
    struct Crowd(Vec<DuplexStream>);

    impl Listener for Crowd {
        type Io = DuplexStream;
        type Addr = ();

        async fn accept(&mut self) -> (DuplexStream, ()) {
            let (ours, theirs) = duplex(64);
            self.0.push(theirs);
            (ours, ())
        }

        fn local_addr(&self) -> io::Result<()> {
            Ok(())
        }
    }

    /// Runs with a clock that jumps to the next moment at which something happens.
    fn timed<T>(test: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(test)
    }

    #[test]
    fn one_more_connection_waits_until_another_is_closed() {
        let waited = timed(async {
            let mut connections = Connections::of(Crowd(Vec::new()), 2);
            let open = [connections.accept().await, connections.accept().await];
            let refused = timeout(PATIENCE * 9, connections.accept()).await.is_err();
            drop(open);
            (refused, timeout(PATIENCE, connections.accept()).await.is_ok())
        });
        assert_eq!(waited, (true, true));
    }

    #[test]
    fn a_browser_that_neither_reads_nor_asks_is_left() {
        let ended = timed(async {
            let mut connections = Connections::of(Crowd(Vec::new()), 2);
            let (mut asks, ()) = connections.accept().await;
            let (mut reads, ()) = connections.accept().await;
            let asked = asks.read_u8().await.map_err(|error| error.kind());
            let written = reads.write_all(&[0; 1000]).await.map_err(|error| error.kind());
            (asked, written)
        });
        assert_eq!(ended, (Err(io::ErrorKind::TimedOut), Err(io::ErrorKind::TimedOut)));
    }

    #[test]
    fn a_connection_over_which_something_moves_stays() {
        let stayed = timed(async {
            let mut connections = Connections::of(Crowd(Vec::new()), 1);
            let (mut reads, ()) = connections.accept().await;
            for _ in 0..9 {
                sleep(PATIENCE / 2).await;
                connections.listener.0[0].write_u8(7).await?;
                reads.read_u8().await?;
            }
            reads.write_all(&[0; 64]).await
        });
        assert!(stayed.is_ok(), "{stayed:?}");
    }
}
