//! The open calls of a thread's instrumented functions, innermost last.
//!
//! Each call keeps on the program's own stack, in one word, what was current when it began and which node is its own. This
//! list, in the thread's private memory, repeats that word beside the address it lies at: code that is about to leave calls
//! without returning from them (a long jump, another context) finds here what to end, and never has to read a stack that
//! may be gone.
//!
//! ```text
//!   word   | listed : 1 | tag : 31 | node before : 16 | own node : 16 |
//! ```
//! A handler may list and drop calls of its own between any two steps here, which all go through shared
//! references: every word is an atomic, loaded and stored relaxed.
//!
//! The tag says whose word it is: another thread's (the call began there and migrated), a forked
//! parent's, or, when 0, that of a call that was not recorded.

use core::sync::atomic::{AtomicPtr, AtomicU16, AtomicU32, AtomicU64, Ordering, compiler_fence};
use whyperf_layout::geometry::node_offset;

/// Open calls that a thread's list holds; deeper ones are not in it.
const LISTED: usize = 4096;
/// From so many open calls on, one of a function that is open already keeps nothing on the program's stack.
const DEEP: usize = 128;
/// Set in the word of a call that is in the list.
pub(crate) const IN_LIST: u64 = 1 << 63;
const TAG: u32 = u32::MAX >> 1;
/// Entries of the cache of a thread's callees.
const CALLEES: usize = 4096;

/// One open call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenRegionCall {
    /// Where its word lies.
    pub(crate) frame: u64,
    /// The word.
    pub(crate) word: u64,
}

/// The same in the list.
#[derive(Debug)]
#[repr(C)]
struct ListedCall {
    frame: AtomicU64,
    word: AtomicU64,
}

/// What a thread keeps for the functions that it calls; behind its private part in the same mapping.
#[derive(Debug)]
#[repr(C, align(4096))]
pub(crate) struct CallList {
    /// Where the next call is listed.
    top: AtomicPtr<ListedCall>,
    /// Behind the last place.
    end: AtomicPtr<ListedCall>,
    /// Marks the words of this thread's calls.
    tag: AtomicU32,
    /// The tag of the thread that forked this process, 0 in others.
    inherited: AtomicU32,
    /// Open calls that found the list full.
    unlisted: AtomicU32,
    /// Node of this key in the low half: (node before, region), both halves of 16 bits.
    pub(crate) callees: [AtomicU64; CALLEES],
    list: [ListedCall; LISTED],
    /// Region of each listed call that `compiled` listed.
    pub(crate) functions: [AtomicU16; LISTED],
}

/// The tag given last.
static TAGS: AtomicU32 = AtomicU32::new(0);

impl CallList {
    /// Makes zeros, or the list of an earlier measurement, the list of a new thread.
    pub(crate) fn prepare(&self) {
        self.callees.iter().for_each(|place| place.store(0, Ordering::Relaxed));
        self.unlisted.store(0, Ordering::Relaxed);
        self.inherited.store(0, Ordering::Relaxed);
        self.end.store(self.first().wrapping_add(LISTED), Ordering::Relaxed);
        self.top.store(self.first(), Ordering::Relaxed);
        let mut tag = 0;
        while tag == 0 {
            tag = TAGS.fetch_add(1, Ordering::Relaxed).wrapping_add(1) & TAG;
        }
        self.tag.store(tag, Ordering::Relaxed);
    }

    /// The outermost place of the list, with all of this structure in reach.
    fn first(&self) -> *mut ListedCall {
        let start = core::ptr::from_ref(self).cast_mut().cast::<u8>();
        start.wrapping_add(core::mem::offset_of!(Self, list)).cast()
    }

    /// The mark of this thread's calls.
    #[inline(always)]
    pub(crate) fn tag(&self) -> u32 {
        self.tag.load(Ordering::Relaxed)
    }

    /// Calls with this tag were open when the thread was forked; 0 for none.
    pub(crate) fn inherit(&self, tag: u32) {
        self.inherited.store(tag, Ordering::Relaxed);
    }

    /// Where in the cache the callee of this key is.
    #[inline(always)]
    pub(crate) const fn callee_index(key: u32) -> usize {
        (key.wrapping_mul(0x9e37_79b1) >> (32 - CALLEES.trailing_zeros())) as usize
    }

    /// Keeps to which node a call of the region leads from `current`.
    pub(crate) fn remember_callee(&self, current: u32, region: u32, next: u32) {
        let key = key(current, region);
        if let Some(place) = self.callees.get(Self::callee_index(key)) {
            place.store(u64::from(key) << 32 | u64::from(next), Ordering::Relaxed);
        }
    }

    /// Empties that place.
    pub(crate) fn forget_callee(&self, current: u32, region: u32) {
        if let Some(place) = self.callees.get(Self::callee_index(key(current, region))) {
            place.store(0, Ordering::Relaxed);
        }
    }

    /// Lists a call where [`Self::is_deep`] says no, so there is room; answers its word, marked.
    #[inline(always)]
    pub(crate) fn list_shallow(&self, frame: u64, word: u64) -> u64 {
        const {
            assert!(DEEP < LISTED);
        }
        self.list_at(self.top.load(Ordering::Relaxed), frame, word)
    }

    /// Lists a call; answers its word, marked when it found room.
    #[inline(always)]
    pub(crate) fn list(&self, frame: u64, word: u64) -> u64 {
        let place = self.top.load(Ordering::Relaxed);
        if place == self.end.load(Ordering::Relaxed) {
            let unlisted = self.unlisted.load(Ordering::Relaxed);
            self.unlisted.store(unlisted.wrapping_add(1), Ordering::Relaxed);
            return word;
        }
        self.list_at(place, frame, word)
    }

    #[inline(always)]
    fn list_at(&self, place: *mut ListedCall, frame: u64, word: u64) -> u64 {
        // The place is taken first: a handler that comes in between lists its calls behind it.
        self.top.store(place.wrapping_add(1), Ordering::Relaxed);
        compiler_fence(Ordering::SeqCst); // SYNC listed with CallList::listed
        // SAFETY: a place below the end that `prepare` set, inside this structure.
        let place = unsafe { &*place };
        place.frame.store(frame, Ordering::Relaxed);
        place.word.store(word | IN_LIST, Ordering::Relaxed);
        word | IN_LIST
    }

    /// The call at this depth, as long as so many are listed. What a handler listed it has dropped
    /// again when it returns.
    pub(crate) fn listed(&self, depth: usize) -> Option<OpenRegionCall> {
        if depth >= self.depth() {
            return None;
        }
        let call = self.list.get(depth)?; // SYNC listed with CallList::list
        Some(OpenRegionCall {
            frame: call.frame.load(Ordering::Relaxed),
            word: call.word.load(Ordering::Relaxed),
        })
    }

    /// Forgets all open calls that found the list full.
    pub(crate) fn forget_all_unlisted(&self) {
        self.unlisted.store(0, Ordering::Relaxed);
    }

    /// Forgets one open call that found the list full; false when there is none.
    pub(crate) fn forget_unlisted(&self) -> bool {
        let unlisted = self.unlisted.load(Ordering::Relaxed);
        self.unlisted.store(unlisted.saturating_sub(1), Ordering::Relaxed);
        unlisted != 0
    }

    /// The innermost call.
    pub(crate) fn innermost(&self) -> Option<OpenRegionCall> {
        self.listed(self.depth().checked_sub(1)?)
    }

    /// Whether so many calls are open that one of a function that is open already would be one too many on the program's stack.
    #[inline(always)]
    pub(crate) fn is_deep(&self) -> bool {
        self.top.load(Ordering::Relaxed) >= self.first().wrapping_add(DEEP)
    }

    /// Whether the call with its word there is the innermost.
    #[inline(always)]
    pub(crate) fn is_innermost(&self, frame: u64) -> bool {
        let top = self.top.load(Ordering::Relaxed);
        // Below the first place lie the callees: no address.
        // SAFETY: inside this structure, as `prepare` set it.
        let innermost = unsafe { &*top.wrapping_sub(1) };
        innermost.frame.load(Ordering::Relaxed) == frame
    }

    /// Takes the innermost call from the list.
    #[inline(always)]
    pub(crate) fn drop_innermost(&self) {
        let top = self.top.load(Ordering::Relaxed);
        self.top.store(top.wrapping_sub(1), Ordering::Relaxed);
    }

    /// Takes a call that returns from the list, and what is still listed inside it.
    pub(crate) fn unlist(&self, frame: u64) {
        let mut depths = (0..self.depth()).rev();
        // A coroutine may have taken the place meanwhile; then there is nothing to take back.
        if let Some(at) = depths.find(|at| self.listed(*at).is_some_and(|call| call.frame == frame))
        {
            self.restore(at);
        }
    }

    /// Calls that are listed.
    #[inline(always)]
    pub(crate) fn depth(&self) -> usize {
        let top = self.top.load(Ordering::Relaxed) as usize;
        top.wrapping_sub(self.first() as usize) / size_of::<ListedCall>()
    }

    /// Makes so many the listed ones: those of a context that is current again.
    pub(crate) fn restore(&self, depth: usize) {
        if depth <= LISTED {
            self.top.store(self.first().wrapping_add(depth), Ordering::Relaxed);
            self.unlisted.store(0, Ordering::Relaxed);
        }
    }

    /// Whether the forking thread may have had calls open.
    pub(crate) fn has_inherited(&self) -> bool {
        self.inherited.load(Ordering::Relaxed) != 0
    }

    /// Whether a word is of a call that the forking thread had open.
    pub(crate) fn is_inherited(&self, word: u64) -> bool {
        self.has_inherited() && tag_of(word) == self.inherited.load(Ordering::Relaxed)
    }
}

/// The word of a call.
#[inline(always)]
pub(crate) const fn word_of(tag: u32, before: u32, own: u32) -> u64 {
    (tag as u64) << 32 | place(before) << 16 | place(own)
}

/// What tells a callee in the cache from others.
#[inline(always)]
pub(crate) const fn key(current: u32, region: u32) -> u32 {
    (place(current) << 16) as u32 | region
}

/// Number of the node at the offset of one.
#[inline(always)]
pub(crate) const fn place(offset: u32) -> u64 {
    (offset.wrapping_sub(node_offset(0)) >> 6) as u64 & 0xffff
}

/// Whose call it is.
#[inline(always)]
pub(crate) const fn tag_of(word: u64) -> u32 {
    (word >> 32) as u32 & TAG
}

/// The node of the call itself.
#[inline(always)]
pub(crate) const fn own_of(word: u64) -> u32 {
    node_offset((word & 0xffff) as usize)
}

/// The node that was current before.
#[inline(always)]
pub(crate) const fn before_of(word: u64) -> u32 {
    node_offset((word >> 16 & 0xffff) as usize)
}
