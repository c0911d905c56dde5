//! A second simulator, written for nothing but to be plain: it looks at every rank for the earliest thing that can happen, again and
//! again, and finds out by looking whether what a rank waits for is there. It shares no code with the first one.

use proptest::prelude::*;
use whyperf_extrapolate::{
    Algorithm, Barrier, CollectiveKind, Event, LogGops, Machine, SimTime, SizeRange,
};

use crate::programs::{choose, figures, machine, run};
use crate::traces::{events, programs};

/// A call of a rank, with collective calls written out as messages of a context of their own.
#[derive(Clone, Copy, Debug)]
enum PlainCall {
    Compute(f64),
    Send { to: usize, bytes: u64, context: usize, request: Option<u32> },
    Receive { from: usize, context: usize, request: Option<u32> },
    Wait(u32),
}

/// Of the messages of a collective call, which are no requests of the program.
const OWN: u32 = u32::MAX;

fn written_out([rank, ranks]: [usize; 2], barrier: Barrier, events: &[Event]) -> Vec<PlainCall> {
    let mut calls = Vec::new();
    let mut context = 0;
    for event in events {
        match *event {
            Event::Compute { span, .. } => calls.push(PlainCall::Compute(span.as_nanos())),
            Event::Send(sent) => calls.push(PlainCall::Send {
                to: sent.to.0 as usize,
                bytes: sent.bytes.0,
                context: 0,
                request: None,
            }),
            Event::Isend(sent, request) => calls.push(PlainCall::Send {
                to: sent.to.0 as usize,
                bytes: sent.bytes.0,
                context: 0,
                request: Some(request.0),
            }),
            Event::Recv(expected) => {
                let from = expected.from.expect("no wildcards here").0 as usize;
                calls.push(PlainCall::Receive { from, context: 0, request: None });
            }
            Event::Irecv(expected, request) => {
                let from = expected.from.expect("no wildcards here").0 as usize;
                calls.push(PlainCall::Receive { from, context: 0, request: Some(request.0) });
            }
            Event::Wait(request) => calls.push(PlainCall::Wait(request.0)),
            Event::Barrier(_) if barrier == Barrier::Tree => {
                context += 1;
                up(&mut calls, context, [rank, ranks]);
                broadcast(&mut calls, context, 0, [rank, ranks]);
            }
            Event::Barrier(_) => {
                context += 1;
                exchanges(&mut calls, context, 0, |round| {
                    let distance = 1 << round;
                    let around =
                        ((rank + distance) % ranks, (rank + ranks - distance % ranks) % ranks);
                    (distance < ranks).then_some(around)
                });
            }
            Event::Collective(collective) if collective.kind == CollectiveKind::Alltoall => {
                context += 1;
                exchanges(&mut calls, context, collective.bytes.0, |round| {
                    let distance = round + 1;
                    let around =
                        ((rank + distance) % ranks, (rank + ranks - distance % ranks) % ranks);
                    (distance < ranks).then_some(around)
                });
            }
            Event::Collective(collective) => {
                context += 1;
                broadcast(&mut calls, context, collective.bytes.0, [rank, ranks]);
            }
            Event::Get(_) | Event::Put(_) => unreachable!("random programs have no such calls"),
        }
    }
    calls
}

fn exchanges(
    calls: &mut Vec<PlainCall>,
    context: usize,
    bytes: u64,
    partners: impl Fn(usize) -> Option<(usize, usize)>,
) {
    for (to, from) in (0..).map_while(partners) {
        calls.push(PlainCall::Send { to, bytes, context, request: Some(OWN) });
        calls.push(PlainCall::Receive { from, context, request: None });
        calls.push(PlainCall::Wait(OWN));
    }
}

/// From all whose number has one bit more below the lowest of its own, and then to the one without that.
fn up(calls: &mut Vec<PlainCall>, context: usize, [rank, ranks]: [usize; 2]) {
    let mut mask = 1;
    while mask < ranks {
        if rank & mask != 0 {
            let to = rank - mask;
            calls.push(PlainCall::Send { to, bytes: 0, context, request: None });
            return;
        }
        if rank + mask < ranks {
            calls.push(PlainCall::Receive { from: rank + mask, context, request: None });
        }
        mask <<= 1;
    }
}

/// As in MPICH: receives from where the lowest bit is taken away, then sends with ever smaller bits.
fn broadcast(calls: &mut Vec<PlainCall>, context: usize, bytes: u64, [rank, ranks]: [usize; 2]) {
    let mut mask = 1;
    while mask < ranks {
        if rank & mask != 0 {
            calls.push(PlainCall::Receive { from: rank - mask, context, request: None });
            break;
        }
        mask <<= 1;
    }
    mask >>= 1;
    while mask > 0 {
        if rank + mask < ranks {
            let to = rank + mask;
            calls.push(PlainCall::Send { to, bytes, context, request: None });
        }
        mask >>= 1;
    }
}

/// A message that was posted.
#[derive(Debug)]
struct PlainMessage {
    from: usize,
    to: usize,
    context: usize,
    bytes: u64,
    /// Which request of its sender, if it is one.
    request: Option<u32>,
    /// When its announcement is there, as long as its data has not left.
    announced: Option<f64>,
    /// When it left, when the receiver's port began to take it, and when it was there.
    flight: Option<[f64; 3]>,
    receive: Option<usize>,
    is_waited_for: bool,
}

/// A receive that was posted.
#[derive(Debug)]
struct PlainReceive {
    rank: usize,
    from: usize,
    context: usize,
    request: Option<u32>,
    posted: f64,
    message: Option<usize>,
    is_waited_for: bool,
}

/// Where a rank stands in its call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PlainState {
    Begins,
    /// The overhead of a send is paid.
    Posts,
    /// It waits for a message that it receives, or for one that it sends.
    Receives(usize),
    Sends(usize),
}

struct PlainSimulation<'a> {
    figures: SizeRange,
    eager: Option<u64>,
    calls: &'a [Vec<PlainCall>],
    at: Vec<usize>,
    time: Vec<f64>,
    state: Vec<PlainState>,
    sends: Vec<f64>,
    receives: Vec<f64>,
    messages: Vec<PlainMessage>,
    posted: Vec<PlainReceive>,
    /// The messages that have a receive, in the order in which they got it.
    pairs: Vec<usize>,
}

impl PlainSimulation<'_> {
    /// When the last rank ends.
    fn run(mut self) -> f64 {
        loop {
            // Of two that leave at one time, the pair that was complete first comes first.
            let transfers = (0..self.pairs.len())
                .filter_map(|at| Some((self.transfer(self.pairs[at])?, 0, at)));
            let ranks = (0..self.calls.len()).filter_map(|rank| Some((self.next(rank)?, 1, rank)));
            let all = transfers.chain(ranks);
            let Some((time, kind, which)) =
                all.min_by(|one, other| one.partial_cmp(other).expect("times are numbers"))
            else {
                let is_over = |rank: usize| self.at[rank] == self.calls[rank].len();
                assert!((0..self.calls.len()).all(is_over), "the plain simulation is stuck");
                return self.time.iter().copied().fold(0.0, f64::max);
            };
            match kind {
                0 => self.leave(self.pairs[which], time),
                _ => self.step(which, time),
            }
        }
    }

    /// When the data of an announced message leaves.
    fn transfer(&self, at: usize) -> Option<f64> {
        let message = &self.messages[at];
        let posted = self.posted[message.receive?].posted;
        Some(message.announced?.max(posted) + self.figures.latency.as_nanos())
    }

    /// When a rank can go on.
    fn next(&self, rank: usize) -> Option<f64> {
        match self.state[rank] {
            PlainState::Begins => match self.calls[rank].get(self.at[rank])? {
                PlainCall::Wait(request) => self.waited(rank, *request),
                _ => Some(self.time[rank]),
            },
            PlainState::Posts => Some(self.time[rank]),
            PlainState::Receives(receive) => Some(self.received(receive)?.max(self.time[rank])),
            PlainState::Sends(message) => Some(self.messages[message].flight?[0]),
        }
    }

    fn request_of(&self, rank: usize, request: u32) -> (Option<usize>, Option<usize>) {
        let receive = self.posted.iter().position(|receive| {
            receive.rank == rank && receive.request == Some(request) && !receive.is_waited_for
        });
        let message = self.messages.iter().position(|message| {
            message.from == rank && message.request == Some(request) && !message.is_waited_for
        });
        (receive, message)
    }

    fn waited(&self, rank: usize, request: u32) -> Option<f64> {
        let done = match self.request_of(rank, request) {
            (Some(receive), _) => self.received(receive)?,
            (None, message) => {
                let message = &self.messages[message.expect("it was started")];
                if self.is_long(message.bytes) { message.flight?[0] } else { self.time[rank] }
            }
        };
        Some(done.max(self.time[rank]))
    }

    fn is_long(&self, bytes: u64) -> bool {
        self.eager.is_some_and(|most| bytes > most)
    }

    /// When the message of a receive is there.
    fn received(&self, receive: usize) -> Option<f64> {
        let receive = &self.posted[receive];
        let message = &self.messages[receive.message?];
        let [_, began, arrived] = message.flight?;
        let posted = if self.is_long(message.bytes) { began } else { receive.posted };
        let body = (message.bytes.max(1) - 1) as f64;
        Some(arrived.max(posted.max(began) + self.figures.overhead_per_byte.as_nanos() * body))
    }

    /// Takes both ports for a message.
    fn leave(&mut self, message: usize, time: f64) {
        let PlainMessage { from, to, bytes, .. } = self.messages[message];
        let body = self.figures.gap_per_byte.as_nanos() * (bytes.max(1) - 1) as f64;
        let head = time.max(self.sends[from]);
        self.sends[from] = head + self.figures.gap.as_nanos() + body;
        let began = (head + self.figures.latency.as_nanos()).max(self.receives[to]);
        self.receives[to] = began + self.figures.gap.as_nanos() + body;
        self.messages[message].announced = None;
        self.messages[message].flight = Some([head + body, began, began + body]);
    }

    fn step(&mut self, rank: usize, time: f64) {
        self.time[rank] = time;
        let overhead = self.figures.receive_overhead.as_nanos();
        match (self.state[rank], self.calls[rank][self.at[rank]]) {
            (PlainState::Begins, PlainCall::Compute(span)) => self.go_on(rank, span),
            (PlainState::Begins, PlainCall::Send { .. }) => {
                self.time[rank] += self.figures.send_overhead.as_nanos();
                self.state[rank] = PlainState::Posts;
            }
            (_, PlainCall::Send { to, bytes, context, request }) => {
                if let PlainState::Sends(_) = self.state[rank] {
                    return self.go_on(rank, 0.0);
                }
                let message = self.post([rank, to, context], bytes, request);
                if self.is_long(bytes) {
                    match request {
                        None => self.state[rank] = PlainState::Sends(message),
                        Some(_) => self.go_on(rank, 0.0),
                    }
                } else {
                    let copied =
                        self.figures.overhead_per_byte.as_nanos() * (bytes.max(1) - 1) as f64;
                    self.go_on(rank, copied);
                }
            }
            (PlainState::Receives(_), _) => self.go_on(rank, overhead),
            (_, PlainCall::Receive { from, context, request }) => {
                let receive = self.expect([rank, from, context], request);
                match request {
                    None => self.state[rank] = PlainState::Receives(receive),
                    Some(_) => self.go_on(rank, 0.0),
                }
            }
            (_, PlainCall::Wait(request)) => match self.request_of(rank, request) {
                (Some(receive), _) => {
                    self.posted[receive].is_waited_for = true;
                    self.go_on(rank, overhead);
                }
                (None, message) => {
                    self.messages[message.expect("it was started")].is_waited_for = true;
                    self.go_on(rank, 0.0);
                }
            },
            (state, call) => unreachable!("{state:?} in {call:?}"),
        }
    }

    fn go_on(&mut self, rank: usize, span: f64) {
        self.time[rank] += span;
        self.at[rank] += 1;
        self.state[rank] = PlainState::Begins;
    }

    fn post(&mut self, [from, to, context]: [usize; 3], bytes: u64, request: Option<u32>) -> usize {
        let number = self.messages.len();
        let receive = self.posted.iter().position(|receive| {
            (receive.rank, receive.from, receive.context) == (to, from, context)
                && receive.message.is_none()
        });
        if let Some(receive) = receive {
            self.posted[receive].message = Some(number);
            self.pairs.push(number);
        }
        let time = self.time[from];
        let announced = self.is_long(bytes).then(|| time + self.figures.latency.as_nanos());
        let (flight, is_waited_for) = (None, false);
        self.messages.push(PlainMessage {
            from,
            to,
            context,
            bytes,
            request,
            announced,
            flight,
            receive,
            is_waited_for,
        });
        if announced.is_none() {
            self.leave(number, time);
        }
        number
    }

    fn expect(&mut self, [rank, from, context]: [usize; 3], request: Option<u32>) -> usize {
        let number = self.posted.len();
        let message = self.messages.iter().position(|message| {
            (message.from, message.to, message.context) == (from, rank, context)
                && message.receive.is_none()
        });
        if let Some(message) = message {
            self.messages[message].receive = Some(number);
            self.pairs.push(message);
        }
        let (posted, is_waited_for) = (self.time[rank], false);
        self.posted.push(PlainReceive {
            rank,
            from,
            context,
            request,
            posted,
            message,
            is_waited_for,
        });
        number
    }
}

fn plain(machine: &Machine, events: &[Vec<Event>]) -> f64 {
    let LogGops { ranges, eager } = &machine.network.between;
    let count = events.len();
    let barrier = machine.barrier;
    let each = events.iter().enumerate();
    let calls: Vec<_> =
        each.map(|(rank, events)| written_out([rank, count], barrier, events)).collect();
    let simulation = PlainSimulation {
        figures: ranges[0],
        eager: eager.map(|bytes| bytes.0),
        calls: &calls,
        at: vec![0; count],
        time: vec![0.0; count],
        state: vec![PlainState::Begins; count],
        sends: vec![0.0; count],
        receives: vec![0.0; count],
        messages: Vec::new(),
        posted: Vec::new(),
        pairs: Vec::new(),
    };
    simulation.run()
}

/// In parts of 1/1024 ns, sums are exact in whatever order: two things that happen at one time do so in both simulators.
fn rounded(time: SimTime) -> SimTime {
    SimTime::nanos((time.as_nanos() * 1024.0).ceil() / 1024.0)
}

fn exact(range: SizeRange) -> SizeRange {
    SizeRange {
        up_to: None,
        latency: rounded(range.latency),
        send_overhead: rounded(range.send_overhead),
        receive_overhead: rounded(range.receive_overhead),
        gap: rounded(range.gap),
        gap_per_byte: rounded(range.gap_per_byte),
        overhead_per_byte: rounded(range.overhead_per_byte),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn both_simulators_agree_on_random_programs((ranks, steps) in programs(), eager in prop_oneof![Just(None), Just(Some(0)), Just(Some(1000))], barrier in prop_oneof![Just(Barrier::Dissemination), Just(Barrier::Tree)]) {
        let mut machine = machine(eager);
        machine.barrier = barrier;
        choose(&mut machine, CollectiveKind::Broadcast, Algorithm::Binomial);
        choose(&mut machine, CollectiveKind::Alltoall, Algorithm::Pairwise);
        machine.network.between.ranges = vec![exact(figures())];
        let mut events = events(ranks, &steps);
        for event in events.iter_mut().flatten() {
            if let Event::Compute { span, .. } = event {
                *span = rounded(*span);
            }
        }
        let outcome = run(&machine, &events);
        prop_assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
        let (found, plain) = (outcome.elapsed.as_nanos(), plain(&machine, &events));
        prop_assert!((found - plain).abs() <= 1e-9 * plain, "{} and {}", found, plain);
    }
}

#[test]
fn the_second_simulator_sees_a_wrong_figure() {
    let events = vec![vec![crate::programs::send(1, 1)], vec![crate::programs::recv(0)]];
    let mut other = machine(None);
    other.network.between.ranges[0].latency = figures().gap;
    assert_ne!(plain(&machine(None), &events), plain(&other, &events));
}
