//! What would be different in a run without one of its bottlenecks, as its trace can say it.
//!
//! Of a wait for messages it is that they are there when they are wanted; of a barrier or collective call, that it is left out, for all of its
//! members; of computing, files and locks, that they take no time; of computing that is divided unevenly, that it is divided evenly.
//!
//! A function that is no region, or was one for a part of the run, has its share of computing from the report, and that share is taken from all
//! computing alike. So have single files their share of the time in files, and single locks theirs of the waits for locks; and so has what a trace
//! counts as computing because nothing was called meanwhile: being blocked, and lacking a processor or memory.

use std::collections::BTreeSet;

use whyperf_consultant::Split;
use whyperf_extrapolate::{Edit, EventKind, LeftOut, Rank, RegionId};
use whyperf_model::{Focus, Hierarchy, Resource};

use super::awaited::Awaited;
use super::code_paths::Inside;
use super::cured_run::{CuredRun, LockWaits, Work};
use super::meetings::whole_meetings;
use crate::output::report::ReportedBottleneck;

/// What is different, and how that is said.
pub(super) struct Cure {
    pub(super) name: &'static str,
    pub(super) edit: Edit,
    /// The same for the least and the greatest value that the bottleneck may have.
    pub(super) ends: Option<[Edit; 2]>,
    pub(super) lock_waits: LockWaits,
}

/// Where a bottleneck is.
struct Place {
    code: Resource,
    object: Resource,
    file: Resource,
    ranks: BTreeSet<Rank>,
    /// It names no processes.
    is_everywhere: bool,
}

impl Place {
    /// None where several are named but processes, or ranks that are not in the trace.
    fn of(one: &ReportedBottleneck, run: &CuredRun<'_>) -> Option<Self> {
        let focus: Focus = one.focus.parse().ok()?;
        let single = |hierarchy| match focus.part(hierarchy) {
            [part] => Some(part.clone()),
            _ => None,
        };
        Some(Self {
            code: single(Hierarchy::Code)?,
            object: single(Hierarchy::SyncObject)?,
            file: single(Hierarchy::File)?,
            ranks: run.resources.ranks(focus.part(Hierarchy::Process))?,
            is_everywhere: focus.is_root(Hierarchy::Process),
        })
    }

    /// Whether it says nothing of what is done.
    fn is_of_all_code(&self) -> bool {
        self.code.is_root() && self.object.is_root() && self.file.is_root()
    }

    /// Its ranks, where it names some.
    fn named_ranks(&self) -> Option<BTreeSet<Rank>> {
        (!self.is_everywhere).then(|| self.ranks.clone())
    }

    fn is_of_lock(&self) -> bool {
        matches!(self.object.components().nth(1), Some("Mutex" | "RwLock"))
    }
}

impl Cure {
    /// What would be different without a bottleneck; none where a trace cannot say.
    pub(super) fn of(one: &ReportedBottleneck, run: &CuredRun<'_>) -> Option<Self> {
        let place = Place::of(one, run)?;
        let by_share = |name, work| Self::by_share((name, work), one, &place, run);
        match one.hypothesis.as_str() {
            "ExcessiveLoadImbalance" => Self::even(run),
            "WaitsCausedByProcessors" | "PollingWhileOthersWait" => {
                let all = run.trace.head().all_ranks().collect();
                Self::with_processors(ALL_PROCESSORS, (&all, 1.0), run)
            }
            "WaitingForProcessors" if place.is_of_all_code() => {
                Self::with_processors(PROCESSORS, (&place.ranks, 1.0), run)
            }
            "TooManyThreads" | "OtherPrograms" | "PinnedTogether" | "ThrottledByCgroup"
            | "StolenByHost" => {
                // Its value is a part of the time without a processor.
                let part = place.is_of_all_code().then_some(one.value)?;
                Self::with_processors(REASON, (&place.ranks, part), run)
            }
            "WaitingForProcessors" => by_share(PROCESSORS, Work::Computing),
            "BlockedElsewhere" => by_share(BLOCKED, Work::Computing),
            "Paging" => by_share(MEMORY, Work::Computing),
            "WaitsCausedByIO" => Some(Self::without_files(run)),
            FILES if !place.file.is_root() => by_share(SOME_FILES, Work::Files),
            LOCKS if place.object.is_root() => by_share(SOME_LOCKS, Work::Locks),
            _ if place.is_of_lock() => by_share(SOME_LOCKS, Work::Locks),
            _ if !place.file.is_root() => None,
            "CPUbound" if !place.code.is_root() && !run.resources.own.contains(&place.code) => {
                by_share(FUNCTION, Work::Computing)
            }
            "CPUbound" => Self::without_work(COMPUTING, Work::Computing, &place, run),
            FILES => Self::without_work(ALL_FILES, Work::Files, &place, run),
            _ => Self::without_calls(one, &place, run),
        }
    }

    const fn exact(name: &'static str, edit: Edit) -> Self {
        Self { name, edit, ends: None, lock_waits: LockWaits::Over }
    }

    /// All ranks compute as long.
    fn even(run: &CuredRun<'_>) -> Option<Self> {
        let seconds = |rank| run.seconds(rank, Work::Computing);
        let all: Vec<f64> = run.trace.head().all_ranks().map(seconds).collect();
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let has_all = all.iter().all(|seconds| *seconds > 0.0);
        let edit = || run.scaled(Work::Computing, |rank| mean / seconds(rank));
        has_all.then(|| Self::exact("if all ranks computed as long", edit()))
    }

    /// Ranks have a processor for this part of the time in which they had none.
    fn with_processors(
        name: &'static str,
        (ranks, part): (&BTreeSet<Rank>, f64),
        run: &CuredRun<'_>,
    ) -> Option<Self> {
        if ranks.iter().any(|rank| run.without_processor(*rank).is_none()) {
            return None;
        }
        let lacking = |rank| match ranks.contains(&rank) {
            true => run.without_processor(rank).unwrap_or(0.0) * part.clamp(0.0, 1.0),
            false => 0.0,
        };
        Some(Self::exact(name, run.scaled(Work::Computing, |rank| 1.0 - lacking(rank))))
    }

    /// Without a part of some work, as large as the report says.
    fn by_share(
        (name, work): (&'static str, Work),
        one: &ReportedBottleneck,
        place: &Place,
        run: &CuredRun<'_>,
    ) -> Option<Self> {
        // Of some ranks that differ from the others the share of each is not known, and neither is that of a part of the run.
        if one.is_partial || (place.is_everywhere && one.split != Split::All) {
            return None;
        }
        let seconds: f64 = place.ranks.iter().map(|rank| run.seconds(*rank, work)).sum();
        let length = (one.to_s - one.from_s) * place.ranks.len() as f64;
        let edit = |value: f64| {
            let left = (1.0 - value * length / seconds).clamp(0.0, 1.0);
            run.scaled(work, |rank| if place.ranks.contains(&rank) { left } else { 1.0 })
        };
        let ends = one.plus_minus.map(|off| [edit(one.value - off), edit(one.value + off)]);
        let lock_waits = if work == Work::Locks { LockWaits::AsMeasured } else { LockWaits::Over };
        (seconds > 0.0).then(|| Self { name, edit: edit(one.value), ends, lock_waits })
    }

    /// Files take no time, whoever uses them.
    fn without_files(run: &CuredRun<'_>) -> Self {
        Self::exact(ALL_FILES, run.scaled(Work::Files, |_| 0.0))
    }

    /// Work of a place takes no time.
    fn without_work(
        name: &'static str,
        work: Work,
        place: &Place,
        run: &CuredRun<'_>,
    ) -> Option<Self> {
        let mut regions = run.regions(work);
        if let Some(inside) = inside(Inside::Computing, place, run)? {
            regions.retain(|region| inside.contains(region));
        }
        let out = LeftOut {
            regions: Some(regions),
            ranks: place.named_ranks(),
            ..LeftOut::all(EventKind::Computing)
        };
        Some(Self::exact(name, Edit { without: vec![out], ..Edit::default() }))
    }

    /// Calls in which ranks wait for each other are not there, or what is waited for is there when it is wanted.
    fn without_calls(one: &ReportedBottleneck, place: &Place, run: &CuredRun<'_>) -> Option<Self> {
        let (name, calls) = calls(one, place, run)?;
        let regions = inside(Inside::Calls, place, run)?;
        let left_out = |Awaited { what, comms, tag }| LeftOut {
            what,
            regions: regions.clone(),
            ranks: place.named_ranks(),
            comms,
            tag,
        };
        let mut without: Vec<LeftOut> = calls.into_iter().map(left_out).collect();
        let locks = run.regions(Work::Locks);
        let has_locks = name == EVERYTHING && place.code.is_root() && !locks.is_empty();
        if has_locks {
            without.push(LeftOut {
                regions: Some(locks),
                ranks: place.named_ranks(),
                ..LeftOut::all(EventKind::Computing)
            });
        }
        let edit = whole_meetings(Edit { without, ..Edit::default() }, run.trace);
        let lock_waits = if has_locks { LockWaits::AsMeasured } else { LockWaits::Over };
        Some(Self { lock_waits, ..Self::exact(name, edit) })
    }
}

/// The regions inside of the code of a place, if it names some; none where they are at times inside of it and at times not.
fn inside(inside: Inside, place: &Place, run: &CuredRun<'_>) -> Option<Option<BTreeSet<RegionId>>> {
    match place.code.is_root() {
        true => Some(None),
        false => Some(Some(run.resources.paths.regions(inside, &place.code)?)),
    }
}

/// The calls that are waited in, and how their cure is said.
fn calls(
    one: &ReportedBottleneck,
    place: &Place,
    run: &CuredRun<'_>,
) -> Option<(&'static str, Vec<Awaited>)> {
    if !place.object.is_root() {
        let awaited = Awaited::of(&place.object, |name| run.resources.called(name)).ok()?;
        let name = match awaited.what {
            EventKind::Barrier => "without these barriers",
            EventKind::Receives => MESSAGES,
            _ => "without these calls",
        };
        return Some((name, vec![awaited]));
    }
    let meetings = [EventKind::Barrier, EventKind::AnyCollective].map(Awaited::all);
    let messages = [EventKind::Receives].map(Awaited::all);
    match one.hypothesis.as_str() {
        "ExcessivePointToPointWaitingTime" => Some((MESSAGES, messages.into())),
        "ExcessiveCollectiveWaitingTime" | "LateArrivalAtCollectives" => {
            Some(("without these barriers and calls", meetings.into()))
        }
        "ExcessiveSyncWaitingTime" => {
            Some((EVERYTHING, meetings.into_iter().chain(messages).collect()))
        }
        _ => None,
    }
}

/// The bottlenecks of input and output, and of locks.
const FILES: &str = "ExcessiveIOBlockingTime";
const LOCKS: &str = "ExcessiveLockWaitingTime";

const MESSAGES: &str = "if these messages were there when they are wanted";
const EVERYTHING: &str = "if nothing had to be waited for";
const COMPUTING: &str = "if it computed in no time";
const FUNCTION: &str = "if it computed in no time, and is as much of all computing at any time";
const BLOCKED: &str = "if it was not blocked, which is as much of all computing at any time";
const MEMORY: &str = "if it did not wait for memory, which is as much of all computing at any time";
const PROCESSORS: &str = "if it had a processor whenever it could compute, and lacks one as much of all computing at any time";
const ALL_PROCESSORS: &str = "if all had a processor whenever they could compute, and lack one as much of all computing at any time";
const REASON: &str =
    "if it lacked no processor for this reason, which it does as much of all computing at any time";
const ALL_FILES: &str = "if files took no time";
const SOME_FILES: &str =
    "if these files took no time, and take as much of all time in files at any time";
const SOME_LOCKS: &str =
    "if these locks were free when they are wanted, and others are waited for as long as they were";
