//! What holds for every trace: time is conserved, nothing is there before it was sent, and the same input gives the same bits.

use proptest::prelude::*;
use whyperf_extrapolate::{
    Activity, Barrier, Bytes, Event, Interconnect, LinearBarrier, Machine, MessageFlight,
    MessageUse, Noise, Observer, Outcome, Segment, ServicePolicy, SimTime, simulate,
};

use crate::programs::{get, head_of, machine};
use crate::traces::{events, programs};

/// All that a simulation told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    segments: Vec<Segment>,
    messages: Vec<MessageFlight>,
}

impl Observer for Told {
    fn segment(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    fn message(&mut self, message: MessageFlight) {
        self.messages.push(message);
    }
}

fn told(machine: &Machine, ranks: &[Vec<Event>]) -> (Outcome, Told) {
    let mut told = Told::default();
    let streams = ranks.iter().map(|events| events.iter().copied()).collect();
    let outcome = simulate(&head_of(ranks.len()), streams, machine, &mut told);
    (outcome, told)
}

/// Each way to meet.
fn barriers() -> impl Strategy<Value = Barrier> {
    let nanos = SimTime::nanos;
    let linear = |messages| {
        Barrier::Linear(LinearBarrier {
            entry: nanos(51.0),
            exit: nanos(60.0),
            check: nanos(21.0),
            exit_check: nanos(34.0),
            model: nanos(102.0),
            messages,
            size: Bytes(16),
        })
    };
    prop_oneof![
        Just(Barrier::default()),
        Just(Barrier::Hardware { time: nanos(400.0) }),
        Just(Barrier::Tree),
        Just(Barrier::Dissemination),
        Just(linear(MessageUse::None)),
        Just(linear(MessageUse::Messages)),
    ]
}

fn machines() -> impl Strategy<Value = Machine> {
    let service = prop_oneof![
        Just(ServicePolicy::NoInterrupt),
        Just(ServicePolicy::Interrupt),
        (50.0..5000.0).prop_map(|chunk| ServicePolicy::Poll {
            chunk: SimTime::nanos(chunk),
            cost: SimTime::nanos(3.0)
        }),
    ];
    let eager = prop_oneof![Just(None), Just(Some(0)), Just(Some(1000))];
    let count = prop_oneof![Just(None), (1_u32..5).prop_map(Some)];
    (service, eager, count, 1_u32..4, any::<bool>(), any::<bool>(), barriers()).prop_map(
        |(service, eager, count, per_node, is_noisy, has_links, barrier)| {
            let mut machine = machine(eager);
            machine.processors.service = service;
            machine.processors.count = count;
            machine.processors.per_node = per_node;
            machine.barrier = barrier;
            if is_noisy {
                let (period, length) = (SimTime::nanos(700.0), SimTime::nanos(30.0));
                machine.noise = Noise { period, length, seed: 1 };
            }
            if has_links {
                let (per_byte, per_hop) = (SimTime::nanos(0.3), SimTime::nanos(11.0));
                machine.interconnect = Interconnect::Torus { sides: vec![3, 3], per_byte, per_hop };
            }
            machine
        },
    )
}

/// Random programs in which ranks read the memory of others as well.
fn traces() -> impl Strategy<Value = Vec<Vec<Event>>> {
    let reads = proptest::collection::vec((0_usize..8, 0_u32..8, 0_u64..5000), 0..20);
    (programs(), reads).prop_map(|((ranks, steps), reads)| {
        let mut all = events(ranks, &steps);
        for (rank, owner, bytes) in reads {
            let events = &mut all[rank % ranks as usize];
            let at = (bytes as usize) % (events.len() + 1);
            events.insert(at, get(owner % ranks, bytes));
        }
        all
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_rank_s_time_is_divided_without_remainder(machine in machines(), trace in traces()) {
        let (outcome, told) = told(&machine, &trace);
        prop_assert!(outcome.complaints.is_empty(), "{:?}", outcome.complaints);
        for (rank, of) in (0..).zip(&outcome.ranks) {
            let total: SimTime = Activity::ALL.iter().map(|activity| of.total()[*activity]).sum();
            let error = (total.as_nanos() - of.end.as_nanos()).abs();
            prop_assert!(error <= 1e-9 * of.end.as_nanos(), "{total} of {}", of.end);
            let own = told.segments.iter().filter(|segment| segment.rank.0 == rank);
            let mut at = SimTime::ZERO;
            for segment in own {
                prop_assert!(segment.start == at && segment.end > at, "{segment:?} after {at}");
                at = segment.end;
            }
            prop_assert_eq!(at, of.end);
        }
    }

    #[test]
    fn no_message_is_there_before_its_latency(machine in machines(), trace in traces()) {
        let (outcome, told) = told(&machine, &trace);
        prop_assert_eq!(told.messages.len() as u64, outcome.messages);
        let latency = machine.network.between.ranges[0].latency.as_nanos();
        for message in &told.messages {
            let took = message.arrived.as_nanos() - message.sent.as_nanos();
            prop_assert!(took >= latency * (1.0 - 1e-12) - 1e-6, "{message:?}");
        }
        let mut sent = SimTime::ZERO;
        for message in &told.messages {
            prop_assert!(message.sent >= sent, "{message:?} after {sent}");
            sent = message.sent;
        }
    }

    #[test]
    fn the_same_input_gives_the_same_bits(machine in machines(), trace in traces()) {
        prop_assert_eq!(told(&machine, &trace), told(&machine, &trace));
    }

    #[test]
    fn a_rank_computes_for_what_its_trace_says(machine in machines(), trace in traces()) {
        let (outcome, _) = told(&Machine { noise: Noise::default(), ..machine.clone() }, &trace);
        let computes = |event: &Event| match event {
            Event::Compute { span, .. } => Some(span.as_nanos()),
            _ => None,
        };
        for (events, of) in trace.iter().zip(&outcome.ranks) {
            let spans: f64 = events.iter().filter_map(computes).sum();
            let found = of.total()[Activity::Compute].as_nanos();
            let polls = match machine.processors.service {
                ServicePolicy::Poll { chunk, cost } => {
                    let looks = |span: f64| (span / chunk.as_nanos()).ceil();
                    events.iter().filter_map(computes).map(looks).sum::<f64>() * cost.as_nanos()
                }
                _ => 0.0,
            };
            prop_assert!((found - spans - polls).abs() <= 1e-9 * (1.0 + spans), "{found} of {spans}");
        }
    }

    #[test]
    fn faster_processors_without_messages_end_in_proportion(trace in traces(), ratio in 0.1_f64..10.0) {
        let ideal = Machine::ideal();
        let mut faster = Machine::ideal();
        faster.processors.cpu_ratio = ratio;
        let [one, other] = [&ideal, &faster].map(|machine| told(machine, &trace).0.elapsed.as_nanos());
        prop_assert!((one / ratio - other).abs() <= 1e-9 * one, "{one} and {other}");
    }
}
