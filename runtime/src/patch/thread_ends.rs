//! Threads at their end: the C library blocks every signal in them and then calls functions of its own, `madvise` for the stack and, of a
//! detached thread, `free` and `munmap`. A trap there would end the program.
//!
//! ```text
//!   last destructor ──enter──► blocked, in the C library ──► gone: the next change of code finds it so
//! ```
//! A thread cannot say that it is gone, so its number stays until the kernel does not know it any more.

use super::threads;
use crate::kernel;
use crate::lock::Held;
use core::sync::atomic::{AtomicU32, Ordering};

/// Threads that end at the same time; what is more is not waited for.
const MOST: usize = 64;
static ENDING: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];

/// The calling thread is about to end. A change of code holds the lock: it is waited for.
pub(crate) fn enter(_: &Held) {
    let own = kernel::thread_id();
    let take = |place: &&AtomicU32| place.load(Ordering::Relaxed) == 0;
    if let Some(place) = ENDING.iter().find(take).or_else(|| ENDING.iter().find(is_over)) {
        place.store(own, Ordering::Relaxed);
    }
}

/// Whether all that began to end are gone.
pub(super) fn are_over(_: &Held) -> bool {
    let mut over = true;
    for place in ENDING.iter().filter(|place| place.load(Ordering::Relaxed) != 0) {
        if is_over(&place) {
            place.store(0, Ordering::Relaxed);
        } else {
            over = false;
        }
    }
    over
}

fn is_over(place: &&AtomicU32) -> bool {
    threads::is_over(place.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_thread_that_ends_is_waited_for_until_it_is_gone() {
        let ((told, hears), (go, waits)) = (mpsc::channel(), mpsc::channel::<()>());
        let thread = std::thread::spawn(move || {
            let held = Held::take();
            enter(&held);
            drop(held);
            told.send(()).unwrap();
            waits.recv().unwrap();
        });
        hears.recv().unwrap();
        let held = Held::take();
        assert!(!are_over(&held));
        drop(held);
        go.send(()).unwrap();
        thread.join().unwrap();
        // The kernel wakes who joins a little before it forgets the number.
        let is_over = || are_over(&Held::take());
        while !is_over() {
            std::thread::yield_now();
        }
    }
}
