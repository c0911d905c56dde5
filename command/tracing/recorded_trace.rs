//! Makes a trace file of what was recorded of a run: one rank a process of the MPI, or one a thread where there is none.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

use anyhow::{Result, bail};
use whyperf_daemon::{CollectedTrace, Traced};
use whyperf_experiments::{MEASURED, MISSING, TraceAbout, TraceError, TraceWriter, clock_steps};
use whyperf_extrapolate::{CommId, Event, Rank, RegionId, SimTime, TraceHead};
use whyperf_model::{Category, Hierarchy, Resource};

use super::communicators::{Communicators, MemberCollector};
use super::counts::Counts;
use super::location::Location;
use super::tables::{CallSites, LocationTables};
use super::thread_facts::ThreadFacts;
use super::trace_resources::TraceResources;

/// A trace that was made.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// Its ranks.
    pub(crate) ranks: u32,
    /// Its events.
    pub(crate) events: u64,
    /// What is missing in it, in sentences.
    pub(crate) notes: Vec<String>,
}

/// Writes what was recorded, under this name and with these facts.
pub(crate) fn write(
    trace: &mut CollectedTrace,
    to: &Path,
    name: &str,
    mut facts: Vec<(String, String)>,
) -> Result<Recorded> {
    let FirstLook { mut threads, members, returns } = FirstLook::at(trace);
    let locations = ranks(trace, &threads);
    if locations.iter().flatten().next().is_none() {
        bail!(
            "nothing was recorded: the program had no call of MPI and no thread that was measured"
        );
    }
    let ranks = u32::try_from(locations.len()).unwrap_or(u32::MAX);
    let mut head = TraceHead::new(ranks);
    let regions = name_regions(trace, &mut head);
    let sites = name_sites(trace, returns, &mut head);
    let trace = &*trace;
    let communicators = members.told(&mut head);
    let silent = silent(&locations, &threads);
    let family = Family::of(trace, &mut threads, &locations, &mut head);
    let main = head.name_region(MAIN);
    let all = AllTables {
        trace,
        threads: &threads,
        communicators,
        head: &head,
        regions,
        sites,
        main,
        family,
    };
    let (zero, cut) = all.bounds(&locations);
    let mut writer = TraceWriter::create(to, ranks)?;
    let (mut counts, mut events, mut steps) = (Counts::default(), 0, Vec::new());
    let mut resources = all.resources();
    let mut open: BTreeMap<String, Vec<Rank>> = BTreeMap::new();
    for (rank, at) in (0..).zip(&locations) {
        let Some(at) = at else { continue };
        resources.threads.insert(Rank(rank), all.thread(*at));
        let mut put = |event, took| {
            events += 1;
            writer.measured(Rank(rank), event, took)
        };
        let read = all.location((Rank(rank), *at), (zero, cut), &mut put)?;
        steps.extend(clock_steps(Rank(rank), read.counts.clock_steps));
        counts.add(&read.counts);
        resources.extend(read.resources);
        if let Some(call) = read.open_call {
            open.entry(call).or_default().push(Rank(rank));
        }
    }
    facts.push((MEASURED.to_owned(), "yes".to_owned()));
    facts.extend(ran(&counts));
    let mut notes = notes(trace, &locations, &counts, cut);
    notes.extend(steps.into_iter().chain(silent).chain(open.iter().map(still_in)));
    facts.extend(notes.iter().map(|note| (MISSING.to_owned(), note.clone())));
    facts.extend(resources.facts());
    writer.finish(TraceAbout { name: name.to_owned(), facts }, &head)?;
    Ok(Recorded { ranks, events, notes })
}

/// What has to be known of all entries before any is read.
struct FirstLook {
    threads: Vec<ThreadFacts>,
    members: MemberCollector,
    /// Return addresses of calls, by process.
    returns: BTreeSet<(usize, u64)>,
}

impl FirstLook {
    fn at(trace: &CollectedTrace) -> Self {
        let (mut members, mut returns) = (MemberCollector::default(), BTreeSet::new());
        let threads = ThreadFacts::of(trace, |process, said| {
            members.see(process, said);
            if let Traced::Site { address } = said {
                returns.insert((process, *address));
            }
        });
        Self { threads, members, returns }
    }
}

/// What all ranks are read with.
struct AllTables<'t> {
    trace: &'t CollectedTrace,
    threads: &'t [ThreadFacts],
    communicators: Communicators,
    head: &'t TraceHead,
    /// By process.
    regions: Vec<Vec<RegionId>>,
    sites: CallSites,
    main: RegionId,
    family: Family,
}

impl AllTables<'_> {
    /// When the first rank begins, and when the trace ends for all of them because it was full; since the first one.
    fn bounds(&self, locations: &[Option<usize>]) -> (u64, Option<u64>) {
        let all = || locations.iter().flatten();
        let zero = all().filter_map(|at| self.threads[*at].first).min().unwrap_or(0);
        let full = all().filter(|at| self.trace.threads()[**at].left_out > 0);
        (zero, full.map(|at| self.threads[*at].last.saturating_sub(zero)).min())
    }

    /// What the thread of a rank is called among all resources.
    fn thread(&self, at: usize) -> Resource {
        let thread = &self.trace.threads()[at];
        let process = &self.trace.processes()[thread.process];
        let number = process.rank.unwrap_or(process.pid);
        let process = Resource::root(Hierarchy::Process).child(&number.to_string());
        process.child(&thread.number.to_string())
    }

    /// The regions that are calls of files and locks, and the program's own.
    fn resources(&self) -> TraceResources {
        let mut found = TraceResources::default();
        for (process, regions) in self.trace.processes().iter().zip(&self.regions) {
            for (region, number) in process.regions.iter().zip(regions) {
                match region.category {
                    Category::User => found.own.extend(region.code.clone()),
                    category if is_of_files(category) => {
                        found.files.insert(*number);
                    }
                    Category::Mutex | Category::RwLock | Category::Spin => {
                        found.locks.insert(*number);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Reads the entries of a rank's thread.
    fn location(
        &self,
        (rank, at): (Rank, usize),
        (zero, cut): (u64, Option<u64>),
        put: &mut dyn FnMut(Event, SimTime) -> Result<(), TraceError>,
    ) -> Result<ReadRank, TraceError> {
        let (family, thread) = (&self.family, &self.trace.threads()[at]);
        let process = &self.trace.processes()[thread.process];
        let tables = LocationTables {
            clock: &|ticks| self.trace.nanos(process, ticks),
            named: &process.regions,
            objects: &process.objects,
            number: thread.process,
            communicators: &self.communicators,
            head: self.head,
            regions: &self.regions[thread.process],
            sites: &self.sites,
            main: self.main,
            rank,
            ranks: self.head.ranks(),
            barriers: family.barriers.get(&thread.process).cloned().unwrap_or_default(),
            started_by: family.started_by.get(&at).copied(),
            joined_by: family.joined_by.get(&at).copied(),
            joins: relative(family.joins.get(&at), zero),
            cancels: self.threads[at].cancels > 0,
            zero,
        };
        let births: VecDeque<(u64, Rank)> = relative(family.births.get(&at), zero).into();
        let begins = self.threads[at].first.unwrap_or(zero) - zero;
        let mut location = Location::new(&tables, births, begins);
        for said in self.trace.entries(thread) {
            let is_after = |ticks| cut.is_some_and(|cut| tables.nanos(ticks) > cut);
            if matches!(said, Traced::Current { ticks, .. } if is_after(ticks)) {
                break;
            }
            location.see(said);
            while let Some((event, took)) = location.next_ready() {
                put(event, took)?;
            }
        }
        // Where the trace was cut, calls were, too.
        let open_call = location.open_call().filter(|_| cut.is_none()).map(str::to_owned);
        for (event, took) in location.finish() {
            put(event, took)?;
        }
        Ok(ReadRank { counts: location.counts, resources: location.resources(), open_call })
    }
}

/// What the entries of a rank said.
struct ReadRank {
    /// What could not be said of it.
    counts: Counts,
    /// Which resources of the run are in it.
    resources: TraceResources,
    /// A call that came to no end.
    open_call: Option<String>,
}

/// What is said of ranks that were in a call when the trace ended.
fn still_in((call, ranks): (&String, &Vec<Rank>)) -> String {
    let named = ranks.iter().take(MOST_NAMED).map(|rank| rank.0.to_string());
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match ranks.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (who, whom) = if ranks.len() == 1 { ("rank", "it waits") } else { ("ranks", "they wait") };
    format!("{who} {named}{more} came to no end of {call}: whom {whom} for is not in the trace")
}

/// Ranks that are named.
const MOST_NAMED: usize = 8;

const fn is_of_files(category: Category) -> bool {
    matches!(
        category,
        Category::MpiFile
            | Category::Open
            | Category::Read
            | Category::Write
            | Category::Seek
            | Category::Flush
            | Category::Close
            | Category::Metadata
    )
}

/// Code outside of every region.
const MAIN: &str = "main";

/// The thread of each rank; none where nothing of the rank was recorded.
fn ranks(trace: &CollectedTrace, threads: &[ThreadFacts]) -> Vec<Option<usize>> {
    let of_process = |number: usize| {
        let all = trace.threads().iter().enumerate().filter(move |(_, one)| one.process == number);
        all.max_by_key(|(at, one)| (threads[*at].communicates, std::cmp::Reverse(one.number)))
    };
    let known = |number: usize| trace.processes()[number].rank;
    let ranked: Vec<(u32, usize)> = (0..trace.processes().len())
        .filter_map(|number| Some((known(number)?, of_process(number)?.0)))
        .collect();
    if !ranked.is_empty() && threads.iter().any(|one| one.communicates > 0) {
        let most = ranked.iter().map(|(rank, _)| *rank).max().unwrap_or(0);
        let mut all = vec![None; most as usize + 1];
        // A process that became another one, as those that set a processor or a priority do, was the rank before it.
        for (rank, at) in ranked {
            let known = &mut all[rank as usize];
            let count = |at: usize| threads[at].communicates;
            if known.is_none_or(|known| count(known) < count(at)) {
                *known = Some(at);
            }
        }
        return all;
    }
    let mut all: Vec<usize> = (0..trace.threads().len()).collect();
    all.sort_by_key(|at| (trace.threads()[*at].process, trace.threads()[*at].number));
    all.into_iter().map(Some).collect()
}

/// What is said of ranks that did nothing that is recorded.
fn silent(locations: &[Option<usize>], threads: &[ThreadFacts]) -> Vec<String> {
    let is_silent = |at: usize| threads[at].first.is_none();
    let count = locations.iter().flatten().filter(|at| is_silent(**at)).count();
    let what = "ranks called nothing that is recorded: what they computed, and whom they waited for, is not known";
    if count > 0 { vec![format!("{count} {what}")] } else { Vec::new() }
}

/// The regions of each process as regions of the trace.
fn name_regions(trace: &CollectedTrace, head: &mut TraceHead) -> Vec<Vec<RegionId>> {
    let of = |head: &mut TraceHead, name: &str| {
        head.name_region(if name.is_empty() { MAIN } else { name })
    };
    trace
        .processes()
        .iter()
        .map(|process| process.regions.iter().map(|region| of(head, &region.name)).collect())
        .collect()
}

/// The functions that make calls, as regions of the trace.
fn name_sites(
    trace: &mut CollectedTrace,
    returns: BTreeSet<(usize, u64)>,
    head: &mut TraceHead,
) -> CallSites {
    let mut named = |(process, address)| {
        let code = trace.caller(process, address)?;
        Some(((process, address), (head.name_region(&code.label()), code)))
    };
    returns.into_iter().filter_map(&mut named).collect()
}

/// How the threads of processes without MPI belong together.
#[derive(Debug, Default)]
struct Family {
    /// By process and object.
    barriers: BTreeMap<usize, BTreeMap<u16, CommId>>,
    started_by: BTreeMap<usize, Rank>,
    joined_by: BTreeMap<usize, Rank>,
    births: BTreeMap<usize, Vec<(u64, Rank)>>,
    joins: BTreeMap<usize, Vec<(u64, Rank)>>,
}

impl Family {
    /// Without members where there is an MPI.
    fn of(
        trace: &CollectedTrace,
        threads: &mut [ThreadFacts],
        locations: &[Option<usize>],
        head: &mut TraceHead,
    ) -> Self {
        let mut family = Self::default();
        if threads.iter().any(|one| one.communicates > 0) {
            return family;
        }
        // Before a rank of the MPI has its first event it is none.
        threads.iter_mut().for_each(ThreadFacts::come_when_begun);
        let rank_of: BTreeMap<usize, Rank> =
            (0..).zip(locations).filter_map(|(rank, at)| Some(((*at)?, Rank(rank)))).collect();
        for process in 0..trace.processes().len() {
            let of_process: Vec<usize> = (0..trace.threads().len())
                .filter(|at| trace.threads()[*at].process == process)
                .collect();
            family.meet(process, &of_process, threads, &rank_of, head);
            let first = of_process.iter().copied().min_by_key(|at| trace.threads()[*at].number);
            for at in of_process.iter().copied().filter(|at| Some(*at) != first) {
                let (Some(parent), Some(born)) = (first, threads[at].first) else { continue };
                family.started_by.insert(at, rank_of[&parent]);
                family.births.entry(parent).or_default().push((born, rank_of[&at]));
            }
            family.join(&of_process, threads, &rank_of);
        }
        family.births.values_mut().for_each(|all| all.sort_unstable());
        family
    }

    /// Threads that meet at an object are a communicator.
    fn meet(
        &mut self,
        process: usize,
        of_process: &[usize],
        threads: &[ThreadFacts],
        rank_of: &BTreeMap<usize, Rank>,
        head: &mut TraceHead,
    ) {
        let mut objects: BTreeMap<u16, Vec<Rank>> = BTreeMap::new();
        for at in of_process {
            for object in &threads[*at].barriers {
                objects.entry(*object).or_default().push(rank_of[at]);
            }
        }
        for (object, mut members) in objects {
            members.sort_unstable();
            let comm = head.add_communicator(members);
            self.barriers.entry(process).or_default().insert(object, comm);
        }
    }

    /// A join waits for those that ended before it did and that no join before it had waited for.
    fn join(
        &mut self,
        of_process: &[usize],
        threads: &[ThreadFacts],
        rank_of: &BTreeMap<usize, Rank>,
    ) {
        let mut joins: Vec<(u64, usize)> = (of_process.iter())
            .flat_map(|at| threads[*at].joins.iter().map(|until| (*until, *at)))
            .collect();
        joins.sort_unstable();
        for (until, joiner) in joins {
            for at in of_process.iter().copied().filter(|at| *at != joiner) {
                let has_ended = threads[at].ended.is_some_and(|ended| ended <= until);
                if has_ended && !self.joined_by.contains_key(&at) {
                    self.joined_by.insert(at, rank_of[&joiner]);
                    self.joins.entry(joiner).or_default().push((until, rank_of[&at]));
                }
            }
        }
    }
}

/// The same moments since the first rank began.
fn relative(all: Option<&Vec<(u64, Rank)>>, zero: u64) -> Vec<(u64, Rank)> {
    all.into_iter().flatten().map(|(at, rank)| (at.saturating_sub(zero), *rank)).collect()
}

/// How much of the computing in turns the kernel says.
fn ran(counts: &Counts) -> Option<(String, String)> {
    let share = counts.ran / counts.seen * 100.0;
    let said = format!("{share:.1} % of the computing in turns, as the kernel says");
    (counts.seen > 0.0).then(|| ("ran".to_owned(), said))
}

/// What is missing, in sentences.
fn notes(
    trace: &CollectedTrace,
    locations: &[Option<usize>],
    counts: &Counts,
    cut: Option<u64>,
) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for (rank, at) in locations.iter().enumerate() {
        let Some(thread) = at.map(|at| &trace.threads()[at]) else {
            notes.push(format!("nothing was recorded of rank {rank}"));
            continue;
        };
        if thread.lost > 0 {
            notes.push(format!(
                "{} entries of rank {rank} were overwritten before they were read",
                thread.lost
            ));
        }
        if thread.left_out > 0 {
            notes.push(format!(
                "{} entries of rank {rank} came after the trace was full (--trace-limit)",
                thread.left_out
            ));
        }
        if thread.dropped > 0 {
            notes.push(format!(
                "{} events of signal handlers of rank {rank} came in the midst of another one",
                thread.dropped
            ));
        }
    }
    if let Some(cut) = cut {
        notes.push(format!(
            "the trace ends at {:.3} s for all ranks, when it was full",
            cut as f64 / 1e9
        ));
    }
    let others = trace.threads().len() - locations.iter().flatten().count();
    if others > 0 {
        notes.push(format!("{others} more threads were recorded, which are no ranks: their work is not in the trace"));
    }
    let mut say = |count: u64, what: &str| {
        if count > 0 {
            notes.push(format!("{count} {what}"));
        }
    };
    say(counts.unknown_calls, "collective calls have no model, and are left out");
    say(
        counts.overlapped,
        "collective calls went on beside computing: they are simulated where they were waited for",
    );
    say(counts.thread_waits, "waits for locks, conditions and semaphores are not simulated");
    say(
        counts.window_waits,
        "calls wait for a window by locks or groups: fences alone are simulated",
    );
    notes.extend(trace.unread.iter().map(|why| format!("not read: {why}")));
    notes
}
