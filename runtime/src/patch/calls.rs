//! The calls of instrumented functions that a thread has open, innermost last.
//!
//! Each call keeps on the program's own stack, in one word, what was current when it began and which
//! node is its own. This list, in the thread's private memory, repeats that word beside the address
//! it lies at: whoever is about to leave calls without returning from them (a long jump, another
//! context) learns here what to end, and never has to read a stack that may be gone.
//!
//! ```text
//!   word   | listed : 1 | tag : 31 | node before : 16 | own node : 16 |
//! ```
//! The tag says whose word it is: another thread's (the call began there and migrated), a forked
//! parent's, or, when 0, that of a call that was not recorded.

use crate::thread::{self, Private};
use crate::thread_local::{Thread, thread};
use crate::view::is_node;
use crate::{clock, process, slow};
use core::sync::atomic::{AtomicU32, Ordering};
use whyperf_layout::geometry::{node_index, node_offset};
use whyperf_layout::slot;

/// Open calls that a thread's list holds; deeper ones are not in it.
const LISTED: usize = 4096;
/// Set in the word of a call that is in the list.
pub(super) const IN_LIST: u64 = 1 << 63;
const TAG: u32 = u32::MAX >> 1;
/// Entries of the cache of a thread's callees.
const CALLEES: usize = 4096;

/// One open call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Call {
    /// Where its word lies.
    pub(super) frame: u64,
    /// The word.
    pub(super) word: u64,
}

/// What a thread keeps for the functions that it calls; behind [`Private`] in the same mapping.
#[derive(Debug)]
#[repr(C, align(4096))]
pub(crate) struct Calls {
    /// Where the next call is listed.
    pub(super) top: *mut Call,
    /// Behind the last place.
    pub(super) end: *mut Call,
    /// Marks the words of this thread's calls.
    pub(super) tag: u32,
    /// The tag of the thread that forked this process, 0 in others.
    inherited: u32,
    /// Open calls that found the list full.
    pub(super) unlisted: u32,
    /// Node of this key in the low half: (node before, region), both halves of 16 bits.
    pub(super) callees: [u64; CALLEES],
    list: [Call; LISTED],
    /// Region of each listed call that `compiled` listed.
    pub(super) functions: [u16; LISTED],
}

/// The tag given last.
static TAGS: AtomicU32 = AtomicU32::new(0);

impl Calls {
    /// Makes fresh memory the list of a new thread.
    pub(crate) fn prepare(&mut self) {
        self.top = self.list.as_mut_ptr();
        self.end = self.top.wrapping_add(LISTED);
        let mut tag = 0;
        while tag == 0 {
            tag = TAGS.fetch_add(1, Ordering::Relaxed).wrapping_add(1) & TAG;
        }
        self.tag = tag;
    }

    /// The mark of this thread's calls.
    pub(crate) const fn tag(&self) -> u32 {
        self.tag
    }

    /// Calls with this tag were open when the thread was forked; 0 for none.
    pub(crate) fn inherit(&mut self, tag: u32) {
        self.inherited = tag;
    }

    /// Where in the cache the callee of this key is.
    #[inline(always)]
    pub(super) const fn callee_index(key: u32) -> usize {
        (key.wrapping_mul(0x9e37_79b1) >> (32 - CALLEES.trailing_zeros())) as usize
    }

    /// Keeps to which node a call of the region leads from `current`.
    pub(crate) fn remember_callee(&mut self, current: u32, region: u32, next: u32) {
        let key = key(current, region);
        if let Some(place) = self.callees.get_mut(Self::callee_index(key)) {
            *place = u64::from(key) << 32 | u64::from(next);
        }
    }

    /// Empties that place.
    pub(crate) fn forget_callee(&mut self, current: u32, region: u32) {
        if let Some(place) = self.callees.get_mut(Self::callee_index(key(current, region))) {
            *place = 0;
        }
    }

    /// Lists a call; answers its word, marked when it found room.
    #[inline(always)]
    pub(super) fn list(&mut self, frame: u64, word: u64) -> u64 {
        let place = self.top;
        if place == self.end {
            self.unlisted = self.unlisted.wrapping_add(1);
            return word;
        }
        // A handler that comes in between lists its calls behind this place: volatile, for the
        // compiler must keep the order.
        // SAFETY: a word of this structure, and a place below the end that `prepare` set.
        unsafe {
            (&raw mut self.top).write_volatile(place.wrapping_add(1));
            place.write_volatile(Call { frame, word: word | IN_LIST });
        }
        word | IN_LIST
    }

    /// The innermost call.
    pub(super) fn innermost(&self) -> Option<Call> {
        let first = self.list.as_ptr();
        // SAFETY: above the first place, so the one below the top was written.
        (self.top.cast_const() > first).then(|| unsafe { self.top.wrapping_sub(1).read() })
    }

    /// Whether the call with its word there is the innermost.
    #[inline(always)]
    pub(super) fn is_innermost(&self, frame: u64) -> bool {
        // Below the first place lie the callees: no address.
        // SAFETY: inside this structure, as `prepare` set it.
        unsafe { (*self.top.wrapping_sub(1)).frame == frame }
    }

    /// Takes the innermost call from the list.
    #[inline(always)]
    pub(super) fn drop_innermost(&mut self) {
        self.top = self.top.wrapping_sub(1);
    }

    /// Takes a call that returns from the list, and what is still listed inside it.
    pub(super) fn unlist(&mut self, frame: u64) {
        let place = self.list.iter().take(self.depth());
        // A coroutine may have taken the place meanwhile; then there is nothing to take back.
        if let Some(at) = place.rev().position(|call| call.frame == frame) {
            self.top = self.top.wrapping_sub(at + 1);
            self.unlisted = 0;
        }
    }

    /// Calls that are listed.
    #[inline(always)]
    pub(super) fn depth(&self) -> usize {
        (self.top as usize - self.list.as_ptr() as usize) / size_of::<Call>()
    }

    /// Makes so many the listed ones: those of a context that is current again.
    pub(super) fn restore(&mut self, depth: usize) {
        if depth <= LISTED {
            self.top = self.list.as_mut_ptr().wrapping_add(depth);
            self.unlisted = 0;
        }
    }

    /// Whether the forking thread may have had calls open.
    pub(super) const fn has_inherited(&self) -> bool {
        self.inherited != 0
    }

    /// Whether a word is of a call that the forking thread had open.
    pub(super) fn is_inherited(&self, word: u64) -> bool {
        self.inherited != 0 && tag_of(word) == self.inherited
    }
}

/// The list of the thread with this block, null when it has none.
#[inline(always)]
pub(super) fn of(block: *mut Thread) -> *mut Calls {
    // SAFETY: the calling thread's own block.
    unsafe { (*block).cache.cast::<u8>().wrapping_add(thread::CALLS_AT).cast() }
}

/// The word of a call.
#[inline(always)]
pub(super) const fn word_of(tag: u32, before: u32, own: u32) -> u64 {
    (tag as u64) << 32 | place(before) << 16 | place(own)
}

/// What tells a callee in the cache from others.
#[inline(always)]
pub(super) const fn key(current: u32, region: u32) -> u32 {
    (place(current) << 16) as u32 | region
}

/// Number of the node at an offset that [`is_node`].
#[inline(always)]
pub(super) const fn place(offset: u32) -> u64 {
    (offset.wrapping_sub(node_offset(0)) >> 6) as u64 & 0xffff
}

/// Whose call it is.
#[inline(always)]
pub(super) const fn tag_of(word: u64) -> u32 {
    (word >> 32) as u32 & TAG
}

/// The node of the call itself.
#[inline(always)]
pub(super) const fn own_of(word: u64) -> u32 {
    node_offset((word & 0xffff) as usize)
}

/// The node that was current before.
#[inline(always)]
pub(super) const fn before_of(word: u64) -> u32 {
    node_offset((word >> 16 & 0xffff) as usize)
}

/// Ends one open call: its node is made current if it is not, and what was before it thereafter.
pub(super) fn close(private: &mut Private, word: u64, now: u64) {
    let (own, before) = (own_of(word), before_of(word));
    if !exists(private, own) || !exists(private, before) {
        return;
    }
    let slot = private.slot;
    let head = slot.head();
    let current = current(private);
    if current != own && is_node(current) {
        slot::begin(head, slot.node(current), slot.stamp(current), own, now);
    }
    let node = slot.node(own);
    let visits = slot::end_unmoved(head, node, slot.stamp(own), before, now);
    slow::judge_if_due(private, own, visits, now);
}

/// The calling thread's part and list, when its events can be recorded now.
pub(super) fn quiet() -> Option<(&'static mut Private, &'static mut Calls)> {
    if !process::is_measured() || !thread::is_registered() {
        return None;
    }
    let private = thread::private(thread())?;
    if !slow::is_quiet(private) {
        return None;
    }
    let calls = private.calls();
    Some((private, calls))
}

/// The calling thread's current node.
pub(super) fn current(private: &Private) -> u32 {
    slot::node_of(private.slot.head().word.load(Ordering::Relaxed))
}

/// Whether the offset is that of a node in use.
pub(super) fn exists(private: &Private, node: u32) -> bool {
    let count = private.slot.head().nodes.load(Ordering::Relaxed) as usize;
    node_index(node).is_some_and(|index| index > 0 && index < count)
}

/// Ends the innermost calls as long as their frames are left.
pub(super) fn leave(is_left: impl Fn(u64) -> bool) {
    let Some((private, calls)) = quiet() else { return };
    while let Some(call) = calls.innermost().filter(|call| is_left(call.frame)) {
        calls.unlisted = 0;
        calls.drop_innermost();
        if tag_of(call.word) == calls.tag {
            close(private, call.word, clock::now());
        }
    }
}

/// An exception leaves the innermost call.
pub(super) fn leave_innermost() {
    let Some((private, calls)) = quiet() else { return };
    if calls.unlisted > 0 {
        calls.unlisted -= 1;
        return;
    }
    if let Some(call) = calls.innermost() {
        calls.drop_innermost();
        if tag_of(call.word) == calls.tag {
            close(private, call.word, clock::now());
        }
    }
}
