//! What a trace has of a rank, by the entries of its thread.

use whyperf_daemon::TracedRegion;
use whyperf_extrapolate::TraceHead;

use super::*;
use crate::tracing::communicators::Communicators;
use crate::tracing::tables::CallSites;

/// The nodes of `main`, of its call, and of what the MPI calls in that.
const MAIN: u32 = 8;
const CALL: u32 = 16;
const PROGRESS: u32 = 24;
/// Where the call returns to: it stands in `inner`.
const RETURN: u64 = 0x40;

fn inner() -> Resource {
    Resource::parse("/Code/a.c/inner").expect("a path")
}

/// Regions of a program that calls a receive, and of a function that the MPI calls in it.
fn regions() -> [TracedRegion; 4] {
    let named = [
        ("", Category::Root),
        ("main", Category::Function),
        ("MPI_Recv", Category::Receive),
        ("progress", Category::Function),
    ];
    named.map(|(name, category)| TracedRegion { name: name.to_owned(), category, code: None })
}

/// What rank 1 says of a receive from rank 0: `main` computes for 100 ns and receives for 100 ns, of which the MPI's own function has 40.
fn entries(site: Option<u64>) -> Vec<Traced> {
    let node = |node, parent, region| Traced::Node { node, parent, region, object: 0 };
    let current = |node, ticks| Traced::Current { node, ticks };
    let act = MessageAct::Receive;
    let call = node(CALL, MAIN, 2);
    let called = site.map(|address| Traced::Site { address });
    let before = [node(MAIN, 0, 1), call];
    let rest = [
        node(PROGRESS, CALL, 3),
        current(MAIN, 0),
        current(CALL, 100),
        current(PROGRESS, 110),
        current(CALL, 150),
        Traced::Message { act, peer: 0, comm: 0, bytes: 0 },
        Traced::Envelope { tag: Some(7), request: 0 },
        current(MAIN, 200),
        Traced::Ended { ticks: 230 },
    ];
    before.into_iter().chain(called).chain(rest).collect()
}

/// What is read of a rank: its events, with their regions by name and how many nanoseconds each took; whether its receive is of `inner`; and the
/// call that it is in at the end.
#[derive(Debug, PartialEq)]
struct ReadEntries {
    events: Vec<(String, f64)>,
    is_of_inner: bool,
    open_call: Option<String>,
}

fn read(entries: &[Traced]) -> ReadEntries {
    let named = regions();
    let mut head = TraceHead::new(2);
    let numbers: Vec<RegionId> = named.iter().map(|one| head.name_region(&one.name)).collect();
    let site = (head.name_region("inner"), inner());
    let tables = LocationTables {
        clock: &|ticks| ticks,
        named: &named,
        objects: &[],
        number: 0,
        communicators: &Communicators::default(),
        head: &head,
        regions: &numbers,
        sites: &CallSites::from([((0, RETURN), site.clone())]),
        main: numbers[1],
        rank: Rank(1),
        ranks: 2,
        barriers: BTreeMap::new(),
        started_by: None,
        joined_by: None,
        joins: Vec::new(),
        cancels: false,
        zero: 0,
    };
    let mut location = Location::new(&tables, VecDeque::new(), 0);
    entries.iter().for_each(|said| location.see(*said));
    let open_call = location.open_call().map(str::to_owned);
    let events = location.finish().into_iter().map(|(event, took)| {
        let what = match event {
            Event::Compute { region, .. } => head.region(region),
            Event::Recv(_) => "receive".to_owned(),
            other => format!("{other:?}"),
        };
        (what, took.as_nanos())
    });
    let events = events.collect();
    let paths = location.resources().paths;
    let is_of_inner = paths.regions(Inside::Calls, &inner()) == Some([site.0].into());
    ReadEntries { events, is_of_inner, open_call }
}

fn told(events: &[(&str, f64)]) -> Vec<(String, f64)> {
    events.iter().map(|(what, took)| ((*what).to_owned(), *took)).collect()
}

#[test]
fn what_the_mpi_calls_in_a_call_is_a_part_of_it() {
    let read = read(&entries(None));
    assert_eq!(read.events, told(&[("main", 100.0), ("receive", 100.0), ("main", 30.0)]));
}

#[test]
fn a_call_belongs_to_the_function_that_makes_it() {
    let events = [("main", 100.0), ("inner", 0.0), ("receive", 100.0), ("main", 30.0)];
    let expected = ReadEntries { events: told(&events), is_of_inner: true, open_call: None };
    assert_eq!(read(&entries(Some(RETURN))), expected);
}

#[test]
fn a_call_that_came_to_no_end_is_known() {
    let all = entries(None);
    let read = read(&all[..all.len() - 2]);
    assert_eq!(read.open_call.as_deref(), Some("MPI_Recv"));
}
