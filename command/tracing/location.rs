//! One rank of a trace, from what was recorded of its thread: stretches of computing, and calls with what they did.
//!
//! ```text
//!   current main │ current MPI_Isend │ message, envelope │ current main │ ...
//!   └ computing ─┘└──────────── a call, which took so long ─────────────┘└ computing ...
//! ```
//! Time in a call of the MPI is no computing, whatever the MPI calls in it, and neither is waiting for threads; time in other calls, as of files, is
//! computing of a region of that name. A call belongs to the region of the program's own around it, or else to the function that makes it. Where threads took turns, computing is scaled to what the thread ran on a processor in its turn: the rest is what others took.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use whyperf_daemon::{MessageAct, NO_ONE, Traced};
use whyperf_extrapolate::{
    Bytes, CommId, Event, Expected, Rank, RegionId, RemoteAccess, Sent, SimTime, Tag,
};
use whyperf_model::{Category, Resource};

use super::code_paths::Inside;
use super::collective_call;
use super::counts::Counts;
use super::requests::{Pending, Requests};
use super::tables::LocationTables;
use super::trace_resources::TraceResources;

/// What a trace keeps of an event: it, and how long it took.
pub(crate) type Measured = (Event, SimTime);

/// A rank while its entries go by.
pub(crate) struct Location<'t> {
    tables: &'t LocationTables<'t>,
    nodes: BTreeMap<u32, TracedNode>,
    /// The node that was made last.
    newest: u32,
    current: Place,
    /// The region of what was emitted last.
    told: Option<RegionId>,
    /// Nanoseconds since which it is current.
    since: u64,
    /// When something became current last.
    latest: u64,
    /// Computing since the last call.
    computed: Vec<(RegionId, f64)>,
    turn: Turn,
    said: Vec<Traced>,
    requests: Requests<Message>,
    /// Threads that this one started, by when, and not yet told.
    births: VecDeque<(u64, Rank)>,
    out: Outbox,
    /// Communicators by what they are called, and the nodes of calls that told it.
    communicators: BTreeMap<String, BTreeSet<CommId>>,
    named: BTreeSet<u32>,
    pub(crate) counts: Counts,
}

/// Where a thread is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// It computes.
    Computes(RegionId),
    /// It is in this call of the MPI.
    Calls(Call),
    /// It waits for other threads in this call.
    Waits(Call),
}

/// A call that works together with others.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Call {
    /// Its node.
    node: u32,
    /// The number of its region.
    region: u16,
    /// The number of what it waits for or works on.
    object: u16,
    /// The region of the trace that it belongs to.
    within: RegionId,
}

impl Place {
    const fn call(self) -> Option<Call> {
        match self {
            Self::Computes(_) => None,
            Self::Calls(call) | Self::Waits(call) => Some(call),
        }
    }
}

/// What is known of a node.
#[derive(Clone, Debug)]
struct TracedNode {
    place: Place,
    /// The innermost region of the program's own around it.
    user: Option<RegionId>,
    /// All code on the way to it.
    path: BTreeSet<Resource>,
}

/// What is known of a turn: the computing before it, and how long the thread had run when it began.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    from: usize,
    ran: Option<u64>,
}

/// A message of a call.
#[derive(Clone, Copy, Debug)]
struct Message {
    act: MessageAct,
    peer: Option<Rank>,
    comm: CommId,
    bytes: Bytes,
    tag: Option<Tag>,
}

/// Events that wait for a receive before them to be told what it matched.
#[derive(Debug, Default)]
struct Outbox {
    waiting: VecDeque<(Measured, bool)>,
    /// The number of the first that waits.
    first: u64,
}

impl Outbox {
    fn push(&mut self, event: Measured, is_open: bool) -> u64 {
        self.waiting.push_back((event, is_open));
        self.first + self.waiting.len() as u64 - 1
    }

    /// The receive of this number matched a message of this rank and tag.
    fn resolve(&mut self, number: u64, match_of: Option<(Rank, Tag)>) {
        let Some(((event, _), is_open)) = self.at(number) else { return };
        *is_open = false;
        if let (Event::Irecv(expected, _), Some((from, tag))) = (event, match_of) {
            (expected.from, expected.tag) = (Some(from), Some(tag));
        }
    }

    /// The receive of this number received nothing: it is as if it had not been posted.
    fn cancel(&mut self, number: u64, region: RegionId) {
        self.resolve(number, None);
        if let Some(((event, _), _)) = self.at(number) {
            *event = Event::Compute { region, span: SimTime::ZERO };
        }
    }

    fn at(&mut self, number: u64) -> Option<&mut (Measured, bool)> {
        let place = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok())?;
        self.waiting.get_mut(place)
    }

    fn ready(&mut self, is_over: bool) -> Option<Measured> {
        let (_, is_open) = self.waiting.front()?;
        if *is_open && !is_over {
            return None;
        }
        self.first += 1;
        self.waiting.pop_front().map(|(event, _)| event)
    }
}

impl<'t> Location<'t> {
    /// A rank that begins at this time of the trace.
    pub(crate) fn new(
        tables: &'t LocationTables<'t>,
        births: VecDeque<(u64, Rank)>,
        begins: u64,
    ) -> Self {
        let mut location = Self {
            tables,
            nodes: BTreeMap::new(),
            newest: 0,
            current: Place::Computes(tables.main),
            told: None,
            since: begins,
            latest: begins,
            computed: Vec::new(),
            turn: Turn::default(),
            said: Vec::new(),
            requests: Requests::default(),
            births,
            out: Outbox::default(),
            communicators: BTreeMap::new(),
            named: BTreeSet::new(),
            counts: Counts::default(),
        };
        let before = SimTime::nanos(begins as f64);
        if begins > 0 {
            let nothing = Event::Compute { region: tables.main, span: SimTime::ZERO };
            location.out.push((nothing, before), false);
        }
        if let Some(parent) = tables.started_by {
            location
                .emit(Event::Recv(tables.thread_message(parent, Tag(tables.rank.0.cast_signed()))));
        }
        location
    }

    /// The next event that is whole.
    pub(crate) fn next_ready(&mut self) -> Option<Measured> {
        self.out.ready(false)
    }

    /// All that is left when the thread is over.
    pub(crate) fn finish(&mut self) -> Vec<Measured> {
        self.end_segment(self.since);
        self.flush_computing();
        if let Some(joiner) = self.tables.joined_by {
            let tag = Tag(JOIN | self.tables.rank.0.cast_signed());
            self.emit(Event::Send(Sent { to: joiner, tag, comm: CommId::WORLD, bytes: Bytes(0) }));
        }
        std::iter::from_fn(|| self.out.ready(true)).collect()
    }

    /// The call that it is in, where it came to no end: what it was to do there is told when it returns.
    pub(crate) fn open_call(&self) -> Option<&'t str> {
        self.current.call().map(|call| self.tables.name(call.region))
    }

    /// Takes in an entry.
    pub(crate) fn see(&mut self, said: Traced) {
        match said {
            Traced::Node { node, parent, region, object } => {
                let made = self.node(node, parent, region, object);
                self.nodes.insert(node, made);
                self.newest = node;
            }
            Traced::Site { address } => self.called_from(address),
            Traced::Current { node, ticks } => {
                let now = self.tables.nanos(ticks);
                // Clocks of processors may differ by less.
                self.counts.clock_steps += u64::from(now + CLOCK_STEP < self.latest);
                self.latest = now;
                self.become_current(node, now);
            }
            Traced::Ended { ticks } => self.end_segment(self.tables.nanos(ticks)),
            Traced::Resumed { ticks } => self.since = self.tables.nanos(ticks).max(self.since),
            Traced::Ran { nanos } => self.ran(nanos),
            Traced::Began { .. } | Traced::Communicator { .. } | Traced::Members { .. } => {}
            said => self.said.push(said),
        }
    }

    fn node(&self, node: u32, parent: u32, region: u16, object: u16) -> TracedNode {
        let root = || TracedNode {
            place: Place::Computes(self.tables.main),
            user: None,
            path: BTreeSet::new(),
        };
        let mut made = self.nodes.get(&parent).cloned().unwrap_or_else(root);
        let Place::Computes(around) = made.place else { return made };
        if let Some(code) = self.tables.code(region) {
            made.path.extend(code.parent().into_iter().chain([code.clone()]));
        }
        let call = Call { node, region, object, within: around };
        made.place = match self.tables.category(region) {
            category @ (Category::User | Category::Function) => {
                let own = self.tables.region(region);
                made.user = if category == Category::User { Some(own) } else { None };
                Place::Computes(own)
            }
            category if is_mpi(category) => Place::Calls(call),
            category if waits_for_threads(category) => Place::Waits(call),
            Category::Root | Category::Other => made.place,
            _ => Place::Computes(self.tables.region(region)),
        };
        made
    }

    /// The newest node is of calls that return to this address.
    fn called_from(&mut self, address: u64) {
        let Some((region, code)) = self.tables.site(address) else { return };
        let Some(node) = self.nodes.get_mut(&self.newest) else { return };
        let of_node = node.place.call().is_none_or(|call| call.node == self.newest);
        if !of_node {
            return;
        }
        node.path.extend(code.parent().into_iter().chain([code.clone()]));
        let within = node.user.unwrap_or(*region);
        if let Place::Calls(call) | Place::Waits(call) = &mut node.place {
            call.within = within;
        }
    }

    /// Which resources of the run are in the trace.
    pub(crate) fn resources(&self) -> TraceResources {
        let mut found = TraceResources {
            communicators: self.communicators.clone(),
            ..TraceResources::default()
        };
        for node in self.nodes.values() {
            match node.place {
                Place::Computes(region) => {
                    found.paths.add(Inside::Computing, region, &node.path);
                }
                Place::Calls(call) | Place::Waits(call) => {
                    found.paths.add(Inside::Calls, call.within, &node.path);
                }
            }
        }
        found
    }

    /// The call is of this communicator: its object says what that is called.
    fn name(&mut self, call: Call, comm: CommId) {
        if self.named.insert(call.node)
            && let Some(name) = self.tables.communicator_of(call.object)
        {
            self.communicators.entry(name).or_default().insert(comm);
        }
    }

    fn become_current(&mut self, node: u32, now: u64) {
        let next = self.nodes.get(&node).map_or(Place::Computes(self.tables.main), |one| one.place);
        let (place, since) = (self.current, self.since);
        // What the MPI calls in a call of it is a part of that call.
        let call = place.call();
        if call.is_some() && next.call().map(|call| call.node) == call.map(|call| call.node) {
            return;
        }
        self.end_segment(now);
        self.current = next;
        let took = SimTime::nanos(now.saturating_sub(since) as f64);
        match place {
            Place::Calls(call) => self.end_call(call, took),
            Place::Waits(call) => self.end_wait(call, took, now),
            Place::Computes(_) => {}
        }
    }

    /// What follows belongs to this region.
    fn belongs_to(&mut self, region: RegionId) {
        if self.told != Some(region) {
            self.told = Some(region);
            self.out.push((Event::Compute { region, span: SimTime::ZERO }, SimTime::ZERO), false);
        }
    }

    /// What was current was so until then.
    fn end_segment(&mut self, now: u64) {
        let now = now.max(self.since);
        while let Some((at, child)) = self.births.pop_front_if(|(at, _)| *at <= now) {
            // A thread may have its first event when the one that started it waits for it already.
            self.compute_until(at);
            self.flush_computing();
            let tag = Tag(child.0.cast_signed());
            self.emit(Event::Send(Sent { to: child, tag, comm: CommId::WORLD, bytes: Bytes(0) }));
        }
        self.compute_until(now);
        self.since = now;
    }

    /// What is current computes until then, if it computes.
    fn compute_until(&mut self, at: u64) {
        if let Place::Computes(region) = self.current {
            let until = at.max(self.since);
            self.compute(region, until - self.since);
            self.since = until;
        }
    }

    fn compute(&mut self, region: RegionId, nanos: u64) {
        let is_new = self.turn.from >= self.computed.len();
        match self.computed.last_mut().filter(|(last, _)| *last == region && !is_new) {
            Some((_, sum)) => *sum += nanos as f64,
            _ if nanos == 0 => {}
            _ => self.computed.push((region, nanos as f64)),
        }
    }

    /// The thread ran so long: when its turn begins, and when it ends.
    fn ran(&mut self, nanos: u64) {
        let Some(begin) = self.turn.ran.take() else {
            self.turn = Turn { from: self.computed.len(), ran: Some(nanos) };
            return;
        };
        let turn = self.turn.from.min(self.computed.len());
        let seen: f64 = self.computed[turn..].iter().map(|(_, nanos)| nanos).sum();
        let ran = nanos.saturating_sub(begin) as f64;
        self.counts.seen += seen;
        self.counts.ran += ran.min(seen);
        if seen > 0.0 && ran < seen {
            self.computed[turn..].iter_mut().for_each(|(_, nanos)| *nanos *= ran / seen);
        }
        self.turn.from = self.computed.len();
    }

    fn flush_computing(&mut self) {
        for (region, nanos) in std::mem::take(&mut self.computed) {
            let span = SimTime::nanos(nanos);
            self.told = Some(region);
            self.out.push((Event::Compute { region, span }, span), false);
        }
        self.turn.from = 0;
    }

    fn emit(&mut self, event: Event) -> u64 {
        self.out.push((event, SimTime::ZERO), false)
    }

    fn end_wait(&mut self, call: Call, took: SimTime, now: u64) {
        let region = call.region;
        self.flush_computing();
        self.belongs_to(call.within);
        match self.tables.category(region) {
            Category::ThreadBarrier if let Some(comm) = self.tables.barrier(call.object) => {
                self.name(call, comm);
                self.out.push((Event::Barrier(comm), took), false);
                return;
            }
            Category::Join => {
                let joined = self.tables.joined_at(now);
                for child in &joined {
                    let tag = Tag(JOIN | child.0.cast_signed());
                    self.emit(Event::Recv(self.tables.thread_message(*child, tag)));
                }
                if !joined.is_empty() {
                    self.say_time(took);
                    return;
                }
            }
            _ => self.counts.thread_waits += 1,
        }
        self.nothing(region, took);
    }

    /// A call that the simulation knows nothing of: it took so long, and is no computing.
    fn nothing(&mut self, region: u16, took: SimTime) {
        let is_of_window = self.tables.category(region) == Category::OneSided;
        self.counts.window_waits += u64::from(is_of_window && self.tables.name(region) != FREE);
        let region = self.tables.region(region);
        self.told = Some(region);
        self.out.push((Event::Compute { region, span: SimTime::ZERO }, took), false);
    }

    /// The event that came last took so long.
    fn say_time(&mut self, took: SimTime) {
        if let Some(((_, last), _)) = self.out.waiting.back_mut() {
            *last = took;
        }
    }

    fn end_call(&mut self, call: Call, took: SimTime) {
        let region = call.region;
        self.flush_computing();
        let said = std::mem::take(&mut self.said);
        if !said.is_empty() {
            self.belongs_to(call.within);
        }
        let before = self.out.first + self.out.waiting.len() as u64;
        let mut messages = Vec::new();
        let mut rest = said.iter().copied().peekable();
        while let Some(one) = rest.next() {
            let mut envelope = || match rest.peek() {
                Some(Traced::Envelope { tag, request }) => {
                    let found = (tag.map(Tag), *request);
                    rest.next();
                    found
                }
                _ => (None, 0),
            };
            match one {
                Traced::Message { act, peer, comm, bytes } => {
                    let (tag, request) = envelope();
                    let comm = self.tables.comm(comm).unwrap_or(CommId::WORLD);
                    self.name(call, comm);
                    let peer = Some(peer).filter(|peer| *peer < NO_ONE).map(Rank);
                    let message = Message { act, peer, comm, bytes: Bytes(bytes), tag };
                    messages.push((message, request));
                }
                Traced::Collective { comm, root, out } => {
                    let r#in = match rest.next() {
                        Some(Traced::Contributed { r#in }) => r#in,
                        _ => 0,
                    };
                    let request = match rest.next() {
                        Some(Traced::Envelope { request, .. }) => request,
                        _ => 0,
                    };
                    if let Some(comm) = self.tables.comm(comm) {
                        self.name(call, comm);
                    }
                    self.collective(region, comm, (root, out, r#in), request);
                }
                Traced::Access { puts, peer, bytes } => self.access(puts, peer, bytes),
                Traced::Completed { peer, tag, request } => self.completed(request, peer, Tag(tag)),
                Traced::Started { request } => {
                    for (at, message) in self.requests.started(request).into_iter().enumerate() {
                        self.start(message, request, at > 0);
                    }
                }
                Traced::Cancelled { request } => self.cancelled(request),
                Traced::Forgotten { request } => self.forgotten(request),
                _ => {}
            }
        }
        self.messages(&messages);
        if self.out.first + self.out.waiting.len() as u64 == before {
            self.nothing(region, took);
        } else {
            self.say_time(took);
        }
    }

    fn access(&mut self, puts: bool, peer: u32, bytes: u64) {
        let access = RemoteAccess { owner: Rank(peer), bytes: Bytes(bytes) };
        if peer < self.tables.ranks {
            self.emit(if puts { Event::Put(access) } else { Event::Get(access) });
        }
    }

    /// The messages of one call. A send and a receive in one do not wait for each other.
    fn messages(&mut self, messages: &[(Message, u64)]) {
        let is_exchange = messages.len() > 1
            && messages
                .iter()
                .all(|(one, _)| matches!(one.act, MessageAct::Send | MessageAct::Receive));
        let mut awaited = None;
        for (at, (message, request)) in messages.iter().enumerate() {
            match message.act {
                MessageAct::Send => {
                    let Some(sent) = message.sent(self.tables.ranks) else { continue };
                    if is_exchange {
                        let id = self.requests.new_id();
                        self.emit(Event::Isend(sent, id));
                        awaited = Some(id);
                    } else {
                        self.emit(Event::Send(sent));
                    }
                }
                MessageAct::Receive => {
                    self.emit(Event::Recv(message.expected()));
                }
                MessageAct::StartSend | MessageAct::StartReceive => {
                    self.start(*message, *request, at > 0);
                }
                MessageAct::PrepareSend | MessageAct::PrepareReceive => {
                    self.requests.prepare(*request, *message, at > 0);
                }
            }
        }
        if let Some(id) = awaited {
            self.emit(Event::Wait(id));
            self.requests.give_back(id);
        }
    }

    fn start(&mut self, message: Message, handle: u64, joins: bool) {
        let sends = matches!(message.act, MessageAct::StartSend | MessageAct::PrepareSend);
        if sends {
            let Some(sent) = message.sent(self.tables.ranks) else { return };
            let id = self.requests.new_id();
            self.emit(Event::Isend(sent, id));
            self.requests.open(handle, Pending::Message(id, None), joins);
        } else {
            let id = self.requests.new_id();
            let expected = message.expected();
            let is_wildcard = expected.from.is_none() || expected.tag.is_none();
            let is_open = is_wildcard || self.tables.cancels;
            let number = self.out.push((Event::Irecv(expected, id), SimTime::ZERO), is_open);
            let number = Some(number).filter(|_| is_open);
            self.requests.open(handle, Pending::Message(id, number), joins);
        }
    }

    fn completed(&mut self, handle: u64, peer: u32, tag: Tag) {
        for pending in self.requests.complete(handle) {
            match pending {
                Pending::Message(id, number) => {
                    if let Some(number) = number {
                        let matched = (peer < NO_ONE).then_some((Rank(peer), tag));
                        self.out.resolve(number, matched);
                    }
                    self.emit(Event::Wait(id));
                    self.requests.give_back(id);
                }
                Pending::Collective(event) => {
                    self.emit(event);
                }
            }
        }
    }

    /// What was received is not told any more.
    fn forgotten(&mut self, handle: u64) {
        for pending in self.requests.forget(handle) {
            if let Pending::Message(_, Some(number)) = pending {
                self.out.resolve(number, None);
            }
        }
    }

    fn cancelled(&mut self, handle: u64) {
        for pending in self.requests.complete(handle) {
            match pending {
                Pending::Message(id, Some(number)) => {
                    self.out.cancel(number, self.tables.main);
                    self.requests.give_back(id);
                }
                // What is sent may have been received.
                Pending::Message(id, None) => {
                    self.emit(Event::Wait(id));
                    self.requests.give_back(id);
                }
                Pending::Collective(event) => {
                    self.emit(event);
                }
            }
        }
    }

    fn collective(
        &mut self,
        region: u16,
        comm: u32,
        (root, out, r#in): (u32, u64, u64),
        request: u64,
    ) {
        let root = Some(root).filter(|root| *root < NO_ONE);
        let known = self.tables.comm(comm).map(|comm| (comm, self.tables.members(comm)));
        let event = known.and_then(|known| {
            collective_call::event(self.tables.name(region), known, root, (out, r#in))
        });
        match event {
            None => self.counts.unknown_calls += 1,
            Some(event) if request == 0 => {
                self.emit(event);
            }
            Some(event) => {
                self.counts.overlapped += 1;
                self.requests.open(request, Pending::Collective(event), false);
            }
        }
    }
}

impl Message {
    fn sent(&self, ranks: u32) -> Option<Sent> {
        let to = self.peer.filter(|to| to.0 < ranks)?;
        Some(Sent { to, tag: self.tag.unwrap_or_default(), comm: self.comm, bytes: self.bytes })
    }

    const fn expected(&self) -> Expected {
        Expected { from: self.peer, tag: self.tag, comm: self.comm }
    }
}

/// Nanoseconds that a clock goes back where it was set.
const CLOCK_STEP: u64 = 1_000;

/// Tags of what a thread tells the one that joins it; those of births are the numbers of ranks.
const JOIN: i32 = 1 << 30;

/// All members give a window back.
const FREE: &str = "MPI_Win_free";

const fn is_mpi(category: Category) -> bool {
    matches!(
        category,
        Category::Setup
            | Category::Send
            | Category::Receive
            | Category::Exchange
            | Category::Post
            | Category::Wait
            | Category::Collective
            | Category::Barrier
            | Category::OneSided
            | Category::MpiOther
    )
}

const fn waits_for_threads(category: Category) -> bool {
    matches!(
        category,
        Category::Mutex
            | Category::RwLock
            | Category::Condition
            | Category::ThreadBarrier
            | Category::Semaphore
            | Category::Join
            | Category::Spin
    )
}

#[cfg(test)]
mod tests;
