//! Random events, and a folder for their files.

use std::path::PathBuf;

use proptest::prelude::*;
use whyperf_experiments::{TraceAbout, TraceError, TraceFile, TraceWriter};
use whyperf_extrapolate::{
    Bytes, Collective, CollectiveKind, CommId, Event, Expected, Rank, RegionId, RemoteAccess,
    RequestId, Sent, SimTime, Tag, TraceHead,
};

/// The tables of all traces here: three regions and a communicator beside that of all ranks.
pub(crate) fn head(ranks: u32) -> TraceHead {
    let mut head = TraceHead::new(ranks);
    ["main", "solve {lambda()#1}", "exchange"].iter().for_each(|name| {
        head.name_region(name);
    });
    head.add_communicator((0..ranks).rev().map(Rank).collect());
    head
}

pub(crate) fn about() -> TraceAbout {
    let facts = vec![("host".to_owned(), "a machine".to_owned())];
    TraceAbout { name: "a program (BLOCK,WHOLE)".to_owned(), facts }
}

/// Any event of a trace of so many ranks.
pub(crate) fn event(ranks: u32) -> impl Strategy<Value = Event> {
    let rank = (0..ranks).prop_map(Rank);
    let comm = (0_u32..2).prop_map(CommId);
    let bytes = prop_oneof![0..200_u64, any::<u64>()].prop_map(Bytes);
    let tag = any::<i32>().prop_map(Tag);
    let request = any::<u32>().prop_map(RequestId);
    let sent = (rank.clone(), tag.clone(), comm.clone(), bytes.clone())
        .prop_map(|(to, tag, comm, bytes)| Sent { to, tag, comm, bytes });
    let expected = (proptest::option::of(rank.clone()), proptest::option::of(tag), comm.clone())
        .prop_map(|(from, tag, comm)| Expected { from, tag, comm });
    let kind = proptest::sample::select(CollectiveKind::ALL.to_vec());
    let collective = (kind, comm.clone(), rank.clone(), bytes.clone())
        .prop_map(|(kind, comm, root, bytes)| Collective { kind, comm, root, bytes });
    let access = (rank, bytes).prop_map(|(owner, bytes)| RemoteAccess { owner, bytes });
    // Whole nanoseconds and quarters of them: they are the same as picoseconds, and as text.
    let span = (0..1_u64 << 40).prop_map(|quarters| SimTime::nanos(quarters as f64 / 4.0));
    let region = (0_u32..3).prop_map(RegionId);
    prop_oneof![
        (region, span).prop_map(|(region, span)| Event::Compute { region, span }),
        sent.clone().prop_map(Event::Send),
        (sent, request.clone()).prop_map(|(sent, request)| Event::Isend(sent, request)),
        expected.clone().prop_map(Event::Recv),
        (expected, request.clone()).prop_map(|(of, request)| Event::Irecv(of, request)),
        request.prop_map(Event::Wait),
        collective.prop_map(Event::Collective),
        comm.prop_map(Event::Barrier),
        access.clone().prop_map(Event::Get),
        access.prop_map(Event::Put),
    ]
}

/// Some ranks, and events of them in the order in which they come.
pub(crate) fn traces() -> impl Strategy<Value = (u32, Vec<(u32, Event)>)> {
    (1_u32..5).prop_flat_map(|ranks| {
        let events = proptest::collection::vec((0..ranks, event(ranks)), 0..1500);
        (Just(ranks), events)
    })
}

/// The events of each rank.
pub(crate) fn by_rank(ranks: u32, events: &[(u32, Event)]) -> Vec<Vec<Event>> {
    let of =
        |rank| events.iter().filter(|(one, _)| *one == rank).map(|(_, event)| *event).collect();
    (0..ranks).map(of).collect()
}

/// A file that goes away with the value.
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("whyperf-trace-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    pub(crate) fn write(&self, ranks: u32, events: &[(u32, Event)]) {
        let mut writer = TraceWriter::create(&self.0, ranks).expect("writable");
        for (rank, event) in events {
            writer.event(Rank(*rank), *event).expect("writable");
        }
        writer.finish(about(), &head(ranks)).expect("writable");
    }

    /// All events, or what is wrong.
    pub(crate) fn read(&self) -> Result<Vec<Vec<Event>>, TraceError> {
        let trace = TraceFile::open(&self.0)?;
        let all = trace.all_ranks().into_iter().map(Iterator::collect).collect();
        trace.sound()?;
        Ok(all)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
