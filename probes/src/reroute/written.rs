//! The relocation slots that hold a wrapper of ours, with the address that each held before.

use core::sync::atomic::{AtomicUsize, Ordering};

use whyperf_runtime::own_memory::{self, PageAccess};

/// One slot: its address, odd where it is sealed, what it holds, and what it gets back.
struct WrittenSlot {
    address: AtomicUsize,
    ours: AtomicUsize,
    real: AtomicUsize,
}

impl WrittenSlot {
    /// The word's address, and whether its page is sealed.
    fn place(&self) -> (usize, bool) {
        let marked = self.address.load(Ordering::Relaxed);
        (marked & !1, marked & 1 != 0)
    }

    /// Where the word still holds ours.
    fn give_back(&self) {
        let (address, is_sealed) = self.place();
        if own_memory::word(address) == Some(self.ours.load(Ordering::Relaxed)) {
            // SAFETY: it was a slot when `write` took it, and it holds what only a slot holds: the address of one of
            // our wrappers.
            unsafe { store(address, self.real.load(Ordering::Relaxed), is_sealed) };
        }
    }
}

static ALL: [WrittenSlot; MOST] = [const {
    WrittenSlot {
        address: AtomicUsize::new(0),
        ours: AtomicUsize::new(0),
        real: AtomicUsize::new(0),
    }
}; MOST];
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Far more than programs have: each object has at most one or two for a function.
const MOST: usize = 1 << 14;
const PAGE: usize = 4096;

/// Makes a slot hold `ours`; it will get `real` back. Nothing is written that cannot be taken back.
///
/// # Safety
/// `address` is a slot of a loaded object, `ours` and `real` are functions of the type that is called through it, and
/// `is_sealed` says whether the linker has made its page read-only.
pub(super) unsafe fn write(address: usize, ours: usize, real: usize, is_sealed: bool) {
    let count = COUNT.load(Ordering::Relaxed);
    let Some(place) = ALL.get(count) else { return };
    // One that can be written though it should be sealed is of an object just being loaded.
    if is_sealed && own_memory::is_writable(address / PAGE * PAGE) {
        return;
    }
    place.address.store(address | usize::from(is_sealed), Ordering::Relaxed);
    place.ours.store(ours, Ordering::Relaxed);
    place.real.store(real, Ordering::Relaxed);
    // SAFETY: the caller's promise.
    if unsafe { store(address, ours, is_sealed) } {
        COUNT.store(count + 1, Ordering::Relaxed);
    }
}

/// Gives all of them back what they held. Objects may be gone, and another one there.
pub(super) fn take_back() {
    let count = COUNT.swap(0, Ordering::Relaxed);
    ALL.iter().take(count).for_each(WrittenSlot::give_back);
}

/// One store, so that a thread that calls through the slot at this moment finds the one or the other.
///
/// # Safety
/// That of [`write`]; `value` is what it calls `ours` or `real`.
unsafe fn store(address: usize, value: usize, is_sealed: bool) -> bool {
    let page = address / PAGE * PAGE;
    // SAFETY: the page was sealed when its object was loaded, so no other thread writes to it; it is sealed again below.
    if is_sealed && !unsafe { own_memory::set_access(page, PAGE, PageAccess::Writable) } {
        return false;
    }
    // SAFETY: an aligned word that the dynamic linker uses in the same way.
    unsafe { &*(address as *const AtomicUsize) }.store(value, Ordering::Relaxed);
    if is_sealed {
        // SAFETY: as it was.
        unsafe { own_memory::set_access(page, PAGE, PageAccess::ReadOnly) };
    }
    true
}
