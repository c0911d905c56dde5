//! Measures the simulation: events a second and memory, with 1,024 ranks of 100,000 events each, and what was in flight at most.

use std::time::Instant;

use whyperf_extrapolate::{
    Bytes, Collective, CollectiveKind, CommId, Event, Expected, LogGops, Machine, Rank, RegionId,
    RequestId, Sent, SimTime, SizeRange, Tag, TraceHead, simulate,
};

const RANKS: u32 = 1024;

/// A rank of a program that computes, exchanges with both neighbours of a ring, and now and then agrees with all.
#[derive(Clone, Copy)]
struct Ring {
    rank: u32,
    at: u32,
    events: u32,
    pattern: Pattern,
}

/// What the ranks do after computing.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// A blocking send and receive.
    Shift,
    /// Four messages at once, with their waits.
    Halo,
    /// The same, and after 100 events of each rank a sum over all.
    HaloAndSums,
}

impl Iterator for Ring {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        self.at += 1;
        (self.at <= self.events).then(|| match self.pattern {
            Pattern::Shift => self.shift(),
            Pattern::HaloAndSums if self.at % 100 == 1 => Event::Collective(Collective {
                kind: CollectiveKind::Allreduce,
                comm: CommId::WORLD,
                root: Rank(0),
                bytes: Bytes(8),
            }),
            _ => self.halo(),
        })
    }
}

impl Ring {
    fn shift(&self) -> Event {
        match self.at % 3 {
            1 => self.compute(),
            2 => Event::Send(self.sent(1)),
            _ => Event::Recv(self.expected(RANKS - 1)),
        }
    }

    fn halo(&self) -> Event {
        let request = |number| RequestId(number);
        match self.at % 10 {
            1 => self.compute(),
            2 => Event::Irecv(self.expected(1), request(0)),
            3 => Event::Irecv(self.expected(RANKS - 1), request(1)),
            4 => Event::Isend(self.sent(1), request(2)),
            5 => Event::Isend(self.sent(RANKS - 1), request(3)),
            6 => self.compute(),
            7 => Event::Wait(request(0)),
            8 => Event::Wait(request(1)),
            9 => Event::Wait(request(2)),
            _ => Event::Wait(request(3)),
        }
    }

    /// Between 5 and 15 µs, different for each rank and time.
    fn compute(&self) -> Event {
        let mixed = (self.rank.wrapping_mul(0x9e37_79b9) ^ self.at).wrapping_mul(0x85eb_ca6b);
        let span = SimTime::micros(5.0 + f64::from(mixed >> 22) / 102.4);
        Event::Compute { region: RegionId(0), span }
    }

    fn sent(&self, ahead: u32) -> Sent {
        let to = Rank((self.rank + ahead) % RANKS);
        Sent { to, tag: Tag(1), comm: CommId::WORLD, bytes: Bytes(1024) }
    }

    fn expected(&self, ahead: u32) -> Expected {
        let from = Some(Rank((self.rank + ahead) % RANKS));
        Expected { from, tag: Some(Tag(1)), comm: CommId::WORLD }
    }
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let events: u32 = if is_test { 300 } else { 100_000 };
    let mut head = TraceHead::new(RANKS);
    head.name_region("step");
    let figures = SizeRange {
        latency: SimTime::micros(2.5),
        send_overhead: SimTime::micros(0.5),
        receive_overhead: SimTime::micros(0.5),
        gap: SimTime::micros(0.2),
        gap_per_byte: SimTime::nanos(0.1),
        ..SizeRange::default()
    };
    let mut machine = Machine::ideal();
    machine.network.between = LogGops::of(figures, Some(Bytes(65_536)));
    for pattern in [Pattern::Shift, Pattern::Halo, Pattern::HaloAndSums] {
        let rank = |Rank(rank)| Ring { rank, at: 0, events, pattern };
        let streams: Vec<Ring> = head.all_ranks().map(rank).collect();
        let before = Instant::now();
        let outcome = simulate(&head, streams, &machine, &mut ());
        let took = before.elapsed().as_secs_f64();
        assert!(outcome.is_complete(), "{:?}", outcome.complaints.first());
        println!(
            "{pattern:?}: {} events in {took:.2} s, {:.2} million a second; {} messages, at most {} in one place; {} simulated",
            outcome.events,
            outcome.events as f64 / took / 1e6,
            outcome.messages,
            outcome.most_in_flight,
            outcome.elapsed
        );
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("memory at most: {}", most.unwrap_or("not known here"));
}
