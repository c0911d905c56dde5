//! One call of a wrapped MPI function, except those that complete requests: the work before the real function, and after
//! it.

use core::ffi::c_int;
use core::mem::MaybeUninit;

use whyperf_layout::Moved;
use whyperf_runtime::{ObjectId, event, peers, tracing};

use super::call::{Act, Derivation, Direction, MpiFunction};
use super::communicator::{self, Communicator};
use super::dialect::Dialect;
use super::request::{self, Awaited, PendingOperation, Transfer};
use super::status::{self, StatusRoom};
use super::words::{Answered, ArgumentWords};
use super::{file, messages, setup, traced, window};

/// A call between its begin and its end.
#[derive(Debug)]
pub(crate) struct Visit {
    dialect: Option<&'static Dialect>,
    on: bool,
    awaited: Awaited,
    /// A handle that the call may overwrite, as it was before.
    before: usize,
    /// The message that a probe has found and the call receives.
    found: Transfer,
    /// Ticks when it began, where it is measured.
    began: u64,
    status: StatusRoom,
}

impl Visit {
    /// Begins the call. `words` may be changed: where the program wants no status, it gets ours.
    ///
    /// # Safety
    /// The program must be making this call with these words.
    #[inline(never)]
    pub(crate) unsafe fn begin<'a>(
        place: &'a mut MaybeUninit<Self>,
        call: &'static MpiFunction,
        words: &mut [usize],
        site: u64,
    ) -> &'a mut Self {
        let status = StatusRoom::EMPTY;
        let Some(dialect) = setup::dialect() else {
            return place.write(Self {
                dialect: None,
                on: false,
                awaited: Awaited::NOTHING,
                before: 0,
                found: Transfer::None,
                began: 0,
                status,
            });
        };
        // SAFETY: the caller's promise.
        let all = unsafe { ArgumentWords::of(call, words, dialect) };
        let (awaited, before) = (awaited(&all), operand(&all));
        let ignored = wants_status(call) && all.word(call.at.status) == dialect.ignore;
        let found = found(&all, before);
        let dialect = Some(dialect);
        let visit =
            place.write(Self { dialect, on: false, awaited, before, found, began: 0, status });
        if ignored && let Some(word) = words.get_mut(call.at.status.index()) {
            *word = (&raw mut visit.status) as usize;
        }
        visit.forget_what_goes(call);
        visit.on = event::begin(&call.region, site, awaited.object);
        if visit.on && call.act.moves_messages() {
            visit.began = peers::last_event();
        }
        visit
    }

    /// Whether it is recorded.
    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        self.on
    }

    /// Ends the call.
    ///
    /// # Safety
    /// It must be the call that was begun, and have returned `result`.
    #[inline(never)]
    pub(crate) unsafe fn end(
        &mut self,
        call: &'static MpiFunction,
        words: &[usize],
        result: c_int,
    ) {
        let Some(dialect) = self.dialect else { return };
        // SAFETY: the caller's promise.
        let all = unsafe { ArgumentWords::of(call, words, dialect) };
        // SAFETY: the call succeeded.
        let answered = (result == 0).then(|| unsafe { Answered::new(all) });
        let moved = answered.as_ref().map_or_else(Moved::default, moved);
        if self.on && tracing::is_on() {
            self.trace(answered.as_ref(), moved);
        }
        if self.on {
            event::end(&call.region, charged(call.act, moved));
        }
        if let Some(answered) = answered {
            if self.on && call.act.moves_messages() {
                let ticks = peers::last_event().wrapping_sub(self.began);
                // SAFETY: it succeeded, so its status is filled.
                unsafe { messages::count(&answered, self.found, moved, ticks) };
            }
            self.note(&answered, moved);
        }
    }

    /// Says in the trace what the call did.
    #[cold]
    fn trace(&self, answered: Option<&Answered<'_>>, moved: Moved) {
        let Some(all) = answered else { return };
        // SAFETY: the call succeeded.
        unsafe { traced::say(all, self.found, moved) };
        match all.act() {
            Act::Start => {
                for index in 0..all.requests() {
                    // SAFETY: the index is below their number; persistent requests keep their handle.
                    traced::say_request(Act::Start, unsafe { all.request(index) });
                }
            }
            Act::Release => traced::say_request(Act::Release, self.before),
            // SAFETY: the MPI runs.
            Act::Initialize => unsafe { traced::made(all.dialect(), all.dialect().comm_world()) },
            _ => {}
        }
    }

    /// A handle is forgotten before it is given back, when no other thread can have it again yet.
    fn forget_what_goes(&self, call: &MpiFunction) {
        match call.act {
            Act::FreeCommunicator => communicator::forget(self.before),
            Act::FreeWindow => window::forget(self.before),
            Act::CloseFile => file::closed(self.before),
            Act::Release | Act::ReceiveFound | Act::PostFound => request::forget(self.before),
            _ => {}
        }
    }

    /// Remembers what later calls will need.
    fn note(&self, all: &Answered<'_>, moved: Moved) {
        let at = all.at();
        let dialect = all.dialect();
        match all.act() {
            Act::PostMessage(direction) => self.post(all, direction.receives(), false, moved),
            Act::PostFound => self.post(all, true, false, moved),
            Act::PrepareMessage(direction) => self.post(all, direction.receives(), true, moved),
            Act::PostCollective(_) | Act::PostWindow(_) => self.post(all, false, false, moved),
            Act::PrepareCollective(_) => self.post(all, false, true, moved),
            Act::PostFile(direction) => self.post(all, direction.receives(), false, moved),
            Act::Probe => self.found(all),
            Act::MakeCommunicator(derivation) => self.made(all, derivation),
            Act::NameCommunicator => {
                // SAFETY: the name is a C string.
                communicator::named(dialect, all.handle(at.comm), unsafe { all.text(at.name) });
            }
            Act::MakeWindow => {
                let over = communicator::find(dialect, all.handle(at.comm));
                // SAFETY: the call wrote the window to this address.
                window::made(unsafe { all.handle_behind(at.window) }, over, all.handle(at.comm));
            }
            Act::NameWindow => {
                // SAFETY: the name is a C string.
                window::named(all.handle(at.window), unsafe { all.text(at.name) });
            }
            Act::OpenFile => {
                // SAFETY: the call wrote the file to this address.
                file::opened(unsafe { all.file_behind(at.file) }, self.awaited.object);
            }
            // SAFETY: the call has returned, so MPI is initialized.
            Act::Initialize => unsafe { setup::initialized(dialect) },
            _ => {}
        }
        if at.comm.is_present() && self.awaited == Awaited::NOTHING {
            self.learn(all);
        }
    }

    /// A communicator that was made unseen has an object from its second use on.
    #[cold]
    fn learn(&self, all: &Answered<'_>) {
        if !matches!(all.act(), Act::FreeCommunicator | Act::Plain) {
            // SAFETY: the call succeeded with this communicator.
            unsafe { communicator::learn(all.dialect(), all.handle(all.at().comm)) };
        }
    }

    fn post(&self, all: &Answered<'_>, by_status: bool, persistent: bool, moved: Moved) {
        // SAFETY: the call wrote the request to this address.
        let handle = unsafe { all.handle_behind(all.at().request) };
        if handle != all.dialect().request_null() {
            let awaited = self.awaited;
            let transfer = match all.act() {
                Act::PostFound => self.found,
                // SAFETY: it is one of those that post or prepare something.
                _ => unsafe { messages::transfer(all) },
            };
            let operation = PendingOperation { awaited, by_status, persistent, moved, transfer };
            request::remember(handle, &operation);
        }
    }

    /// A message that `MPI_Mprobe` has found is received by its own handle.
    fn found(&self, all: &Answered<'_>) {
        let at = all.at();
        if at.message.is_present() && all.is_flagged() {
            let (awaited, moved) = (self.awaited, Moved::default());
            let transfer = Transfer::Received { comm: all.handle(at.comm) };
            let operation =
                PendingOperation { awaited, by_status: false, persistent: false, moved, transfer };
            // SAFETY: the call wrote the message to this address.
            request::remember(unsafe { all.handle_behind(at.message) }, &operation);
        }
    }

    fn made(&self, all: &Answered<'_>, derivation: Derivation) {
        let at = all.at();
        let parent = communicator::find(all.dialect(), all.handle(at.comm));
        // SAFETY: the call wrote the communicator to this address; it or its request is valid.
        unsafe {
            let made = all.handle_behind(at.made);
            communicator::made(all.dialect(), parent, made, &all.call().operation, derivation);
            if tracing::is_on() {
                traced::made(all.dialect(), made);
            }
        }
        if at.request.is_present() {
            self.post(all, false, false, Moved::default());
        }
    }
}

/// What the call waits for or works on.
#[inline]
fn awaited(all: &ArgumentWords<'_>) -> Awaited {
    let (at, dialect) = (all.at(), all.dialect());
    let comm = || communicator::find(dialect, all.handle(at.comm));
    let alone = |object| Awaited { object, parent: ObjectId::NONE };
    match all.act() {
        Act::Message(direction) | Act::PostMessage(direction) | Act::PrepareMessage(direction) => {
            let tag = if direction.receives() { at.receive_tag } else { at.send_tag };
            comm().map_or(Awaited::NOTHING, |comm| comm.tag(dialect, all.int(tag)))
        }
        Act::Probe => {
            comm().map_or(Awaited::NOTHING, |comm| comm.tag(dialect, all.int(at.receive_tag)))
        }
        Act::ReceiveFound | Act::PostFound | Act::Start | Act::Release | Act::Touch => {
            request_awaited(all)
        }
        Act::Collective(_)
        | Act::PostCollective(_)
        | Act::PrepareCollective(_)
        | Act::MakeCommunicator(_)
        | Act::MakeWindow
        | Act::OpenFile => collective(all, comm()),
        Act::FreeCommunicator => {
            // SAFETY: the program passes the address of the communicator.
            collective(all, communicator::used(unsafe { all.handle_behind(at.comm) }))
        }
        Act::Finish => {
            let world = communicator::find(dialect, dialect.comm_world());
            alone(world.map_or(ObjectId::NONE, |world| world.collective(&communicator::BARRIER)))
        }
        Act::Window(_) | Act::PostWindow(_) => alone(window::find(all.handle(at.window))),
        // SAFETY: the program passes the address of the window.
        Act::FreeWindow => alone(window::find(unsafe { all.handle_behind(at.window) })),
        Act::File(_) | Act::PostFile(_) => alone(file::find(all.word(at.file))),
        // SAFETY: the program passes the address of the file.
        Act::CloseFile => alone(file::find(unsafe { all.file_behind(at.file) })),
        _ => Awaited::NOTHING,
    }
}

fn collective(all: &ArgumentWords<'_>, comm: Option<Communicator>) -> Awaited {
    let object = if all.act() == Act::OpenFile {
        // SAFETY: the argument is the path, a C string.
        unsafe { file::of_path(all.word(all.at().name)) }
    } else {
        comm.map_or(ObjectId::NONE, |comm| comm.collective(&all.call().operation))
    };
    Awaited { object, parent: ObjectId::NONE }
}

fn request_awaited(all: &ArgumentWords<'_>) -> Awaited {
    if all.act() == Act::Start {
        return (0..all.requests())
            // SAFETY: the index is below their number.
            .filter_map(|index| request::look(unsafe { all.request(index) }))
            .map(|operation| operation.awaited)
            .reduce(Awaited::with)
            .unwrap_or(Awaited::NOTHING);
    }
    request::look(operand(all)).map_or(Awaited::NOTHING, |operation| operation.awaited)
}

/// The message that a probe has found and the call receives.
fn found(all: &ArgumentWords<'_>, handle: usize) -> Transfer {
    if !matches!(all.act(), Act::ReceiveFound | Act::PostFound) {
        return Transfer::None;
    }
    request::look(handle).map_or(Transfer::None, |operation| operation.transfer)
}

/// The one handle that a call works on and may overwrite, 0 where there is none.
fn operand(all: &ArgumentWords<'_>) -> usize {
    let at = all.at();
    // SAFETY: these functions take the address of what they work on.
    let behind = |at| unsafe { all.handle_behind(at) };
    match all.act() {
        Act::FreeCommunicator => behind(at.comm),
        Act::FreeWindow => behind(at.window),
        // SAFETY: the program passes the address of the file.
        Act::CloseFile => unsafe { all.file_behind(at.file) },
        Act::ReceiveFound | Act::PostFound => behind(at.message),
        Act::Release | Act::Touch | Act::Start if at.request.is_present() => behind(at.request),
        Act::Touch | Act::Start => all.handle(at.handle),
        _ => 0,
    }
}

/// What a successful call moved or, if it has a request, what will have moved in the end.
fn moved(all: &Answered<'_>) -> Moved {
    let by_status = || {
        // SAFETY: the call succeeded and filled the status; it is the program's or ours.
        unsafe { status::received(all.dialect(), all.word(all.at().status)) }
    };
    // SAFETY: the direction is that of the act.
    let sent = |direction| unsafe { all.sent(direction) };
    match all.act() {
        Act::Message(direction) => {
            Moved { out: sent(direction), r#in: if direction.receives() { by_status() } else { 0 } }
        }
        Act::ReceiveFound => Moved { out: 0, r#in: by_status() },
        Act::PostMessage(direction) | Act::PrepareMessage(direction) | Act::PostFile(direction) => {
            Moved { out: sent(direction), r#in: 0 }
        }
        Act::Collective(flow) | Act::PostCollective(flow) | Act::PrepareCollective(flow) => {
            // SAFETY: the flow is that of the act.
            unsafe { all.collective(flow) }
        }
        Act::Window(direction) | Act::PostWindow(direction) => {
            // SAFETY: the direction is that of the act.
            Moved { out: sent(direction), r#in: unsafe { all.got(direction) } }
        }
        Act::File(Direction::In) if wants_status(all.call()) => Moved { out: 0, r#in: by_status() },
        Act::File(Direction::Out) if wants_status(all.call()) => {
            Moved { out: by_status(), r#in: 0 }
        }
        Act::Start => started(all),
        _ => Moved::default(),
    }
}

/// The part of it that belongs to this call and not to the one that completes the request.
fn charged(act: Act, moved: Moved) -> Moved {
    match act {
        Act::PostCollective(_) => Moved { out: moved.out, r#in: 0 },
        Act::PrepareMessage(_) | Act::PrepareCollective(_) => Moved::default(),
        Act::PostWindow(_) => Moved { out: moved.out, r#in: 0 },
        _ => moved,
    }
}

fn started(all: &Answered<'_>) -> Moved {
    let out = (0..all.requests())
        // SAFETY: the index is below their number; persistent requests keep their handle.
        .filter_map(|index| request::look(unsafe { all.request(index) }))
        .map(|operation| operation.moved.out)
        .sum();
    Moved { out, r#in: 0 }
}

/// Whether the bytes of a call are known from its status only.
fn wants_status(call: &MpiFunction) -> bool {
    let moves = match call.act {
        Act::Message(direction) => direction.receives(),
        Act::File(direction) => direction != Direction::None,
        Act::ReceiveFound => true,
        _ => false,
    };
    moves && call.at.status.is_present()
}
