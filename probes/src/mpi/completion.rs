//! Calls that complete requests: all of `MPI_Wait*` and `MPI_Test*`.
//!
//! The requests are overwritten when they are complete, so they are copied before; and only their statuses tell what
//! arrived, so where the program wants none, the call gets statuses of ours.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use whyperf_layout::{Messages, Moved, ObjectKind, Peer};
use whyperf_runtime::call_cost::CallCost;
use whyperf_runtime::{ObjectId, event, guard, losses, object, peers, tracing};

use super::call::{Act, Completion, MpiFunction};
use super::dialect::Dialect;
use super::request::{self, Awaited, Transfer};
use super::room::Room;
use super::words::{Answered, ArgumentWords};
use super::{messages, setup, status, traced};

/// Runs one such call.
///
/// # Safety
/// The program must be making this call with these words, and `real` must be the rest of it.
#[inline(always)]
pub(crate) unsafe fn run<const N: usize>(
    call: &'static MpiFunction,
    mut words: [usize; N],
    real: impl FnOnce([usize; N]) -> c_int,
) -> c_int {
    let mut cost = CallCost::enter();
    let Some(site) = guard::enter() else { return real(words) };
    let mut place = MaybeUninit::<RequestBatch>::uninit();
    // SAFETY: the caller's promise.
    let batch = unsafe { RequestBatch::begin(&mut place, call, &mut words, site.0) };
    if batch.on {
        cost.begun();
    }
    let result = real(words);
    // SAFETY: the same call, with the words that it was made with.
    unsafe { batch.end(call, &words, result) };
    guard::leave();
    cost.leave();
    result
}

/// The requests of one call.
pub(crate) struct RequestBatch {
    dialect: Option<&'static Dialect>,
    on: bool,
    /// Ticks when it began, where it is measured.
    began: u64,
    /// How many there are, and how many of them are remembered here.
    kept: usize,
    room: Room,
}

impl RequestBatch {
    /// Begins the call. `words` may be changed: where the program wants no status, it gets ours.
    ///
    /// # Safety
    /// The program must be making this call with these words, and it must complete requests.
    #[inline(never)]
    unsafe fn begin<'a>(
        place: &'a mut MaybeUninit<Self>,
        call: &'static MpiFunction,
        words: &mut [usize],
        site: u64,
    ) -> &'a mut Self {
        let batch = Self::start(place);
        batch.dialect = setup::dialect();
        let Some(dialect) = batch.dialect else { return batch };
        // SAFETY: the caller's promise.
        let all = unsafe { ArgumentWords::of(call, words, dialect) };
        let length = all.requests();
        batch.kept = batch.room.reserve(length);
        // SAFETY: there is room for no more than there are.
        let RequestStatus { awaited, by_status } = unsafe { batch.copy(&all) };
        if batch.kept < length {
            losses::count(|losses| &losses.requests);
            // SAFETY: so many there are.
            unsafe { batch.complete_rest(&all, length) };
        }
        let whole = batch.kept == length && by_status;
        if whole && all.word(call.at.status) == dialect.ignore {
            let statuses = batch.room.statuses();
            if let Some(word) = words.get_mut(call.at.status.index()) {
                *word = statuses;
            }
        }
        batch.on = event::begin(&call.region, site, awaited);
        if batch.on {
            batch.began = peers::last_event();
        }
        batch
    }

    /// Ends the call.
    ///
    /// # Safety
    /// It must be the call that was begun, and have returned `result`.
    #[inline(never)]
    unsafe fn end(&mut self, call: &'static MpiFunction, words: &[usize], result: c_int) {
        let Some(dialect) = self.dialect else { return };
        // SAFETY: the caller's promise.
        let all = unsafe { ArgumentWords::of(call, words, dialect) };
        let mut received = 0;
        let mut waited = WaitedFor::Nothing;
        let is_in_status =
            dialect.is_in_status(result) && all.word(call.at.status) != dialect.ignore;
        if result == 0 || is_in_status {
            // SAFETY: the call succeeded, or the statuses tell what did not.
            let all = unsafe { Answered::new(all) };
            // SAFETY: it completes requests.
            unsafe {
                self.completed(&all, |handle, status| {
                    // SAFETY: the call answered that it filled the errors of all statuses.
                    let error = if is_in_status { status::error(dialect, status) } else { 0 };
                    if error == 0 {
                        // SAFETY: the request is complete and its status filled.
                        let done = finish(&all, handle, status);
                        received += done.bytes;
                        if self.on && tracing::is_on() {
                            done.trace(dialect, handle, status);
                        }
                        if self.on {
                            done.count();
                            waited = waited.with(done.transfer);
                        }
                    } else if !dialect.is_pending(error) {
                        fail(handle);
                    }
                });
            }
        } else {
            // SAFETY: there are as many as before the call.
            unsafe { self.forget_given_back(&all) };
        }
        if self.on {
            event::end(&call.region, Moved { out: 0, r#in: received });
            waited.count(peers::last_event().wrapping_sub(self.began));
        }
        self.room.release();
    }

    /// An empty batch; the large arrays stay as they are.
    fn start(place: &mut MaybeUninit<Self>) -> &mut Self {
        let batch = place.as_mut_ptr();
        // SAFETY: `place` is ours; each field is written, and the room is its own initializer.
        unsafe {
            (&raw mut (*batch).dialect).write(None);
            (&raw mut (*batch).on).write(false);
            (&raw mut (*batch).began).write(0);
            (&raw mut (*batch).kept).write(0);
            Room::start(&raw mut (*batch).room);
            &mut *batch
        }
    }

    /// Copies the handles and says what they are waited for together.
    ///
    /// # Safety
    /// The call must have as many requests as are kept.
    unsafe fn copy(&mut self, all: &ArgumentWords<'_>) -> RequestStatus {
        let mut by_status = false;
        let mut common: Option<Awaited> = None;
        for index in 0..self.kept {
            // SAFETY: the caller's promise.
            let handle = unsafe { all.request(index) };
            self.room.set_handle(index, handle);
            if handle == all.dialect().request_null() {
                continue;
            }
            let Some(operation) = request::look(handle) else { continue };
            by_status |= operation.by_status;
            let awaited = operation.awaited;
            common = Some(common.map_or(awaited, |common| common.with(awaited)));
        }
        let awaited = match common {
            Some(common) if common.object != ObjectId::NONE => common.object,
            _ => any_message(),
        };
        RequestStatus { awaited, by_status }
    }

    /// What there is no room for is not known any more after the call, so the requests that will
    /// all be complete then are forgotten before; their bytes are lost.
    ///
    /// # Safety
    /// The call must have `length` requests.
    #[cold]
    unsafe fn complete_rest(&self, all: &ArgumentWords<'_>, length: usize) {
        if all.act() != Act::Complete(Completion::All) || all.at().flag.is_present() {
            return;
        }
        for index in self.kept..length {
            // SAFETY: the caller's promise.
            let handle = unsafe { all.request(index) };
            if handle != all.dialect().request_null() {
                request::complete(handle);
            }
        }
    }

    /// Calls `each` with every request that the call completed, and the status of it.
    ///
    /// # Safety
    /// The call must be one that completes requests.
    unsafe fn completed(&self, all: &Answered<'_>, mut each: impl FnMut(usize, usize)) {
        let at = all.at();
        if !all.is_flagged() {
            return;
        }
        let statuses = all.word(at.status);
        let status = |index: usize| {
            if statuses == all.dialect().ignore {
                0
            } else {
                statuses + index * all.dialect().status_size
            }
        };
        match all.act() {
            Act::Complete(Completion::One | Completion::All) => {
                (0..self.kept).for_each(|index| each(self.room.handle(index), status(index)));
            }
            Act::Complete(Completion::Any) => {
                // SAFETY: such a call writes one index.
                let index = unsafe { all.written(at.index, 0) };
                if let Ok(index) = usize::try_from(index) {
                    each(self.room.handle(index), status(0));
                }
            }
            Act::Complete(Completion::Some) => {
                // SAFETY: such a call writes how many there are.
                let count = unsafe { all.written(at.index, 0) };
                for order in 0..usize::try_from(count).unwrap_or(0) {
                    // SAFETY: it wrote that many indices.
                    let index = unsafe { all.written(at.indices, order) };
                    let index = usize::try_from(index).unwrap_or(usize::MAX);
                    each(self.room.handle(index), status(order));
                }
            }
            _ => {}
        }
    }

    /// After an error: what became null was given back, the rest is still open.
    ///
    /// # Safety
    /// The call must have as many requests as are kept.
    unsafe fn forget_given_back(&self, all: &ArgumentWords<'_>) {
        for index in 0..self.kept {
            // SAFETY: the caller's promise.
            let now = unsafe { all.request(index) };
            let before = self.room.handle(index);
            if now == all.dialect().request_null() && before != now {
                request::forget(before);
            }
        }
    }
}

/// What the requests of a call have in common.
struct RequestStatus {
    awaited: ObjectId,
    by_status: bool,
}

/// A request that is complete.
struct Completed {
    /// Bytes that arrived.
    bytes: u64,
    transfer: Transferred,
}

/// The message that a completed request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transferred {
    /// It was none.
    None,
    /// It was sent to this rank, and counted then.
    Sent(Peer),
    /// It was received from this rank.
    Received(Peer),
    /// Nothing is known of it: it was none, or from nobody.
    Nobody,
    /// It was to be received, and nothing was.
    Cancelled,
}

impl Completed {
    /// Says in the trace that it is complete.
    #[cold]
    fn trace(&self, dialect: &Dialect, handle: usize, status: usize) {
        if handle == dialect.request_null() {
            return;
        }
        let source = match self.transfer {
            Transferred::Received(peer) => peer.rank(),
            Transferred::Cancelled => return traced::cancelled(handle),
            _ => None,
        };
        // SAFETY: a source is known from the status alone, which was filled then.
        unsafe { traced::completed(dialect, handle, source, status) };
    }

    /// Counts what was received; what was sent counted when it was.
    fn count(&self) {
        if let Transferred::Received(peer) = self.transfer {
            peers::received(peer, Messages { number: 1, bytes: self.bytes, ticks: 0 });
        }
    }
}

/// Whom a call waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitedFor {
    /// Nothing was completed.
    Nothing,
    /// Requests that are no messages.
    Others,
    /// That a rank took what was sent to it.
    Receiver(Peer),
    /// Messages of a rank.
    Sender(Peer),
}

impl WaitedFor {
    /// The same and one request more. Of several ranks it cannot be told which one the call waited for.
    fn with(self, transfer: Transferred) -> Self {
        match (self, transfer) {
            (_, Transferred::Nobody | Transferred::Cancelled) => self,
            (Self::Nothing, Transferred::Sent(peer)) => Self::Receiver(peer),
            (Self::Nothing, Transferred::Received(peer)) => Self::Sender(peer),
            (Self::Receiver(one), Transferred::Sent(other)) if one == other => self,
            (Self::Sender(one), Transferred::Received(other)) if one == other => self,
            (Self::Nothing | Self::Others, Transferred::None) => Self::Others,
            _ => Self::Sender(Peer::UNKNOWN),
        }
    }

    fn count(self, ticks: u64) {
        let waited = Messages { number: 0, bytes: 0, ticks };
        match self {
            Self::Nothing | Self::Others => {}
            Self::Receiver(peer) => peers::sent(peer, waited),
            Self::Sender(peer) => peers::received(peer, waited),
        }
    }
}

/// Forgets a completed request, unless it is persistent; answers what arrived.
///
/// # Safety
/// The status must be null, or one that the call has filled for this request.
unsafe fn finish(all: &Answered<'_>, handle: usize, status: usize) -> Completed {
    let Some(operation) = request::complete(handle) else {
        return Completed { bytes: 0, transfer: Transferred::Nobody };
    };
    let mut completed = Completed {
        bytes: operation.moved.r#in,
        transfer: match operation.transfer {
            Transfer::None => Transferred::None,
            Transfer::Sent(peer) => Transferred::Sent(peer),
            Transfer::Received { .. } | Transfer::Several => Transferred::Received(Peer::UNKNOWN),
        },
    };
    if operation.by_status && status != 0 {
        // SAFETY: the caller's promise.
        if unsafe { status::was_cancelled(all.dialect(), status) } {
            return Completed { bytes: 0, transfer: Transferred::Cancelled };
        }
        // SAFETY: the same.
        completed.bytes = unsafe { status::received(all.dialect(), status) };
        if let Transfer::Received { comm } = operation.transfer {
            // SAFETY: the same; the request received by this communicator.
            let source = unsafe { messages::source(all, comm, status) };
            completed.transfer = source.map_or(Transferred::Nobody, Transferred::Received);
        }
    }
    completed
}

/// Forgets a request that failed, unless it is persistent.
fn fail(handle: usize) {
    request::complete(handle);
}

fn any_message() -> ObjectId {
    object::find(ObjectKind::AnyMessage, ObjectId::NONE, 0)
        .unwrap_or_else(|| object::intern(ObjectKind::AnyMessage, ObjectId::NONE, 0, b"", 0))
}
