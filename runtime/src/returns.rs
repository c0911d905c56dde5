//! The ways back out of open visits that the thread's tree does not contain: visits of "other", and of a node of a folded
//! path.

use crate::kernel;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering, compiler_fence};

/// Ways back that the tree does not know: out of "other", and out of a node of a folded path.
#[derive(Debug)]
pub(crate) struct Returns {
    /// Of each the region in the upper half and the node in the lower.
    entries: AtomicPtr<AtomicU64>,
    used: AtomicUsize,
}

impl Returns {
    /// Deepest nesting that is kept.
    const CAPACITY: usize = 1 << 20;
    /// Bytes of all entries.
    const SIZE: usize = Self::CAPACITY * size_of::<AtomicU64>();

    /// None yet; memory is taken at the first use.
    pub(crate) const fn new() -> Self {
        Self { entries: AtomicPtr::new(core::ptr::null_mut()), used: AtomicUsize::new(0) }
    }

    /// Forgets all: another measurement begins.
    pub(crate) fn clear(&self) {
        self.used.store(0, Ordering::Relaxed);
    }

    /// The entries; `None` when there is no memory.
    fn entries(&self) -> Option<&[AtomicU64]> {
        let known = self.entries.load(Ordering::Relaxed);
        let entries = if known.is_null() { self.make_entries()? } else { known };
        // SAFETY: so many zeros were mapped there, and they stay until the thread ends.
        Some(unsafe { core::slice::from_raw_parts(entries, Self::CAPACITY) })
    }

    #[cold]
    fn make_entries(&self) -> Option<*mut AtomicU64> {
        let memory = kernel::private_memory(Self::SIZE)?;
        let (made, null) = (memory.cast(), core::ptr::null_mut());
        let before =
            self.entries.compare_exchange(null, made, Ordering::Relaxed, Ordering::Relaxed);
        let Err(handlers) = before else { return Some(made) };
        // SAFETY: mapped just now, and not published: a handler came first.
        unsafe { kernel::unmap(memory, Self::SIZE) };
        Some(handlers)
    }

    /// Remembers that the end of `region` leads back to `node`; false when there is no room.
    pub(crate) fn push(&self, region: u32, node: u32) -> bool {
        let Some(entries) = self.entries() else { return false };
        let used = self.used.load(Ordering::Relaxed);
        let Some(place) = entries.get(used) else { return false };
        // Taken before it is written: a handler in between puts its own entries above it.
        self.used.store(used + 1, Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst); // SYNC returns with Returns::peek
        place.store(u64::from(region) << 32 | u64::from(node), Ordering::Relaxed);
        true
    }

    /// The entry `depth` steps below the newest. A handler has taken its own back when it returns.
    pub(crate) fn peek(&self, depth: usize) -> Option<(u32, u32)> {
        // SYNC returns with Returns::push
        let at = self.used.load(Ordering::Relaxed).checked_sub(depth + 1)?;
        let entry = self.entries()?.get(at)?.load(Ordering::Relaxed);
        Some(((entry >> 32) as u32, entry as u32))
    }

    /// Takes the newest entry away.
    pub(crate) fn pop(&self) {
        let used = self.used.load(Ordering::Relaxed);
        self.used.store(used.saturating_sub(1), Ordering::Relaxed);
    }

    /// Gives the memory back, at the thread's end.
    ///
    /// # Safety
    /// Nothing on this thread's stack uses the entries, and nothing will.
    pub(crate) unsafe fn release(&self) {
        let entries = self.entries.load(Ordering::Relaxed);
        if !entries.is_null() {
            // SAFETY: made by `make_entries` in this size; the caller promises that it is not used any more.
            unsafe { kernel::unmap(entries.cast(), Self::SIZE) };
        }
    }
}
