//! Room for the requests and statuses of one call: on the stack for a few, else from a fixed pool.

use core::cell::UnsafeCell;

use super::status;
use crate::claim::Claim;

/// Requests that fit on the stack.
const FEW: usize = 64;
/// Requests that fit in a pool.
const MANY: usize = 1 << 14;
/// Pools: threads that may complete many requests at the same time.
const POOLS: usize = 4;

/// Handles and statuses.
pub(crate) struct Room {
    pool: Option<&'static Pool>,
    kept: usize,
    handles: [usize; FEW],
    statuses: [status::StatusRoom; FEW],
}

struct Pool {
    claim: Claim,
    handles: UnsafeCell<[usize; MANY]>,
    statuses: UnsafeCell<[status::StatusRoom; MANY]>,
}

// SAFETY: the cells are used only by the thread that holds the claim.
unsafe impl Sync for Pool {}

/// Zero until used, so that they cost address space only.
static ROOMS: [Pool; POOLS] = [const {
    Pool {
        claim: Claim::new(),
        handles: UnsafeCell::new([0; MANY]),
        statuses: UnsafeCell::new([status::StatusRoom::EMPTY; MANY]),
    }
}; POOLS];

impl Room {
    /// Makes room for few at `place`, without touching the arrays.
    ///
    /// # Safety
    /// `place` is writable memory of the caller.
    pub(crate) unsafe fn start(place: *mut Self) {
        // SAFETY: the caller's promise; the arrays are plain numbers of any value.
        unsafe {
            (&raw mut (*place).pool).write(None);
            (&raw mut (*place).kept).write(0);
        }
    }

    /// Makes room for `length` requests; answers for how many there is room.
    #[inline]
    pub(crate) fn reserve(&mut self, length: usize) -> usize {
        self.kept = if length <= FEW { length } else { self.reserve_many(length) };
        self.kept
    }

    #[cold]
    fn reserve_many(&mut self, length: usize) -> usize {
        self.pool = ROOMS.iter().find(|pool| pool.claim.take());
        if self.pool.is_some() { length.min(MANY) } else { FEW }
    }

    /// Gives the room back.
    #[inline]
    pub(crate) fn release(&mut self) {
        if let Some(pool) = self.pool.take() {
            pool.claim.give();
        }
    }

    /// Keeps a handle.
    #[inline(always)]
    pub(crate) fn set_handle(&mut self, index: usize, handle: usize) {
        let place = match self.pool {
            // SAFETY: the pool is ours until it is released, and no other reference to it lives.
            Some(pool) => unsafe { (*pool.handles.get()).get_mut(index) },
            None => self.handles.get_mut(index),
        };
        if let Some(place) = place {
            *place = handle;
        }
    }

    /// A handle that was kept, 0 where none was.
    #[inline(always)]
    pub(crate) fn handle(&self, index: usize) -> usize {
        if index >= self.kept {
            return 0;
        }
        let place = match self.pool {
            // SAFETY: the pool is ours until it is released.
            Some(pool) => unsafe { (*pool.handles.get()).get(index) },
            None => self.handles.get(index),
        };
        place.copied().unwrap_or(0)
    }

    /// Address of an array of empty statuses, as long as the requests.
    pub(crate) fn statuses(&mut self) -> usize {
        let all: &mut [status::StatusRoom] = match self.pool {
            // SAFETY: the pool is ours until it is released.
            Some(pool) => unsafe { &mut *pool.statuses.get() },
            None => &mut self.statuses,
        };
        all.iter_mut().take(self.kept).for_each(|status| *status = status::StatusRoom::EMPTY);
        all.as_mut_ptr() as usize
    }
}
