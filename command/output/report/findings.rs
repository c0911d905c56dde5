//! The findings of a run as a reader counts them: what the search concluded of one fact in ten steps (hypothesis, module, function, tag, process)
//! is one finding with its attributes.
//!
//! ```text
//!   bottlenecks ──► kinds: waiting, input and output, computing, ... ──► in each kind the functions where it is most
//!                                                                       ──► of each: objects, processes, cause, advice
//! ```

use whyperf_consultant::ValueUnit;
use whyperf_model::TimeUse;

use super::advice::advice;
use super::objects::{Objects, is_address};
use super::placement::Placement;
use super::tree::parts;
use super::wording::{self, Kind};
use super::{Report, ReportedBottleneck, ReportedHotCode, TimeShares};
use crate::output::terminal::readable;

/// One fact about the run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// `exchng1 (oned.c:23)`, or nothing where it is the whole program.
    pub(super) place: Option<String>,
    /// `waits for messages`.
    pub(super) does: String,
    /// How much of the run, or how its value compares.
    pub(super) worth: String,
    /// In which objects, files and processes, most of all.
    pub(super) attributes: Vec<String>,
    /// Because of what, as the end of a sentence that begins with "because".
    pub(super) because: Option<String>,
    /// What curing it would save, where a trace tells it.
    pub(super) saves: Option<String>,
    /// What to try.
    pub(super) advice: String,
    /// The bottleneck that stands for it.
    pub(super) lead: (String, String),
}

/// The findings of a report, the leading one first.
pub(super) fn findings(report: &Report) -> Vec<Finding> {
    let Report { bottlenecks, placement, hot_code, processes, time, .. } = report;
    let known = Known {
        bottlenecks,
        placement: placement.as_ref(),
        hot_code,
        is_alone: *processes == 1,
        room: Room::of(report),
        unknown: time.as_ref().map_or(0.0, TimeShares::unknown_of_available),
    };
    let mut kinds: Vec<(Kind, Vec<usize>)> = Vec::new();
    for at in 0..bottlenecks.len() {
        let kind = kind_of(bottlenecks, at);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, members)) => members.push(at),
            None => kinds.push((kind, vec![at])),
        }
    }
    join_causes(&mut kinds);
    put_little_lack_behind(&mut kinds, bottlenecks);
    kinds.iter().flat_map(|(kind, members)| known.of_kind(*kind, members)).collect()
}

/// What kind of fact it is part of: that of the first question it was refined from.
fn kind_of(bottlenecks: &[ReportedBottleneck], mut at: usize) -> Kind {
    while let Some(parent) = bottlenecks[at].parent.filter(|parent| *parent < at) {
        at = parent;
    }
    Kind::of(&bottlenecks[at].hypothesis, at)
}

/// That ranks lack processors, and poll, is why they wait: one fact, where both were found.
fn join_causes(kinds: &mut Vec<(Kind, Vec<usize>)>) {
    let Some(waits) = kinds.iter().position(|(kind, _)| *kind == Kind::Waiting) else { return };
    let Some(causes) = kinds.iter().position(|(kind, _)| *kind == Kind::WaitingCause) else {
        return;
    };
    let (_, joined) = kinds.remove(causes.max(waits));
    kinds[causes.min(waits)].0 = Kind::Waiting;
    kinds[causes.min(waits)].1.extend(joined);
}

/// A lack of processors leads where it is a good part of what else is lost, for the rest may change with it. Where it is little beside that,
/// it follows.
fn put_little_lack_behind(kinds: &mut [(Kind, Vec<usize>)], bottlenecks: &[ReportedBottleneck]) {
    let largest = |members: &[usize], amount: fn(&ReportedBottleneck) -> f64| {
        let all = members.iter().map(|at| &bottlenecks[*at]);
        let of_all = all.filter(|one| is_share(one) && !names_processes(one));
        of_all.map(amount).fold(0.0, f64::max)
    };
    let Some(at) = kinds.iter().position(|(kind, _)| *kind == Kind::Processors) else { return };
    let own = largest(&kinds[at].1, |one| one.value);
    let exceeds = |(kind, members): &(Kind, Vec<usize>)| {
        let lack = own + largest(members, caused_by_lack);
        *kind != Kind::Computing && largest(members, |one| one.value) > MUCH_MORE * lack
    };
    if let Some(behind) = kinds.iter().rposition(exceeds).filter(|behind| *behind > at) {
        kinds[at..=behind].rotate_left(1);
    }
}

/// What of it is for somebody who has no processor.
fn caused_by_lack(one: &ReportedBottleneck) -> f64 {
    let causes = one.causes.iter().filter(|cause| cause.state == TimeUse::Processor.name());
    one.value * causes.map(|cause| cause.share).sum::<f64>()
}

/// What the findings are about.
#[derive(Clone, Copy)]
struct Known<'a> {
    bottlenecks: &'a [ReportedBottleneck],
    placement: Option<&'a Placement>,
    hot_code: &'a [ReportedHotCode],
    /// Of a run of one process, which needs no name.
    is_alone: bool,
    room: Room,
    /// The part of the time with a processor in which threads may have computed or not.
    unknown: f64,
}

/// How many threads there are for the processors, and whether these are always to be had.
#[derive(Clone, Copy, Debug, Default)]
struct Room {
    is_one_thread: bool,
    is_enough: bool,
    is_lacking: bool,
}

impl Room {
    fn of(report: &Report) -> Self {
        let lacking = report
            .time
            .as_ref()
            .map_or(0.0, |time| time.share(TimeUse::Processor) + time.share(TimeUse::Throttled));
        Self {
            is_one_thread: report.threads == 1,
            is_enough: report.threads > 0 && report.threads <= report.processors,
            is_lacking: lacking >= CLEARLY_LACKING,
        }
    }

    /// What helps this program, where what helps in general does not.
    fn advice(self, hypothesis: &str) -> Option<&'static str> {
        match hypothesis {
            "CPUbound" if self.is_one_thread => Some(ONE_THREAD),
            "WaitingForProcessors" if self.is_enough => Some(TAKEN),
            _ => None,
        }
    }
}

const ONE_THREAD: &str =
    "This is the work itself: make the named code faster, or share it among several threads.";
const TAKEN: &str = "There are processors enough for its threads: look at what else runs, and at what they are bound to; the code itself is not to blame.";

impl Known<'_> {
    /// The functions where a kind of fact is most, as far as they can be told apart; else the whole of it.
    fn of_kind(self, kind: Kind, members: &[usize]) -> Vec<Finding> {
        let bottlenecks = self.bottlenecks;
        let all: Vec<&ReportedBottleneck> = members.iter().map(|at| &bottlenecks[*at]).collect();
        let whole = all.iter().filter(|one| is_share(one)).map(|one| one.value).fold(0.0, f64::max);
        let mut places: Vec<&ReportedBottleneck> = Vec::new();
        for one in innermost(members, bottlenecks) {
            let code = function_of(&one.focus);
            // What is said of all processes comes first: of one it is a share of its time alone.
            let rank = |one: &ReportedBottleneck| (!names_processes(one), one.value);
            match places.iter_mut().find(|known| function_of(&known.focus) == code) {
                Some(known) if rank(one) > rank(known) => *known = one,
                Some(_) => {}
                None => places.push(one),
            }
        }
        // Of functions that compute, the one that does it itself comes before those that call it.
        let own = |one: &ReportedBottleneck| match kind {
            Kind::Computing => self.own_code(function_of(&one.focus)),
            _ => 0.0,
        };
        places.sort_by(|one, other| {
            own(other).total_cmp(&own(one)).then(other.value.total_cmp(&one.value))
        });
        let mut told = 0.0;
        // Functions that call each other hold the same time: together they are no more than all of it.
        places.retain(|one| {
            let fits = told == 0.0 || told + one.value <= whole * SAME;
            told += if fits { one.value } else { 0.0 };
            fits
        });
        if places.is_empty() {
            let plain = all.iter().find(|one| wording::is_plain(&one.hypothesis));
            places.extend(plain.or_else(|| all.first()).copied());
        }
        let mut told: Vec<Finding> =
            places.into_iter().map(|lead| self.finding(kind, lead, &all)).collect();
        if let (Kind::Computing, Some(first)) = (kind, told.first_mut()) {
            let hottest = self.hottest(function_of(&first.lead.1));
            hottest.into_iter().for_each(|hottest| first.attributes.insert(0, hottest));
        }
        told
    }

    /// The function that computes most by itself, where it is another one than this: what calls it was found, and says little.
    fn hottest(self, other_than: Option<&str>) -> Option<String> {
        let hottest = self.hot_code.first().filter(|one| one.share >= LEAST_HOT)?;
        let is_other = other_than != Some(&hottest.function);
        let share = 100.0 * hottest.share;
        let place = place(&hottest.function, None);
        is_other.then(|| format!("{share:.0} % of all computing is in {place} itself"))
    }

    /// The part of all computing that is in a function's own code.
    fn own_code(self, function: Option<&str>) -> f64 {
        let found = self.hot_code.iter().find(|one| Some(&*one.function) == function);
        found.map_or(0.0, |one| one.share)
    }

    /// What else the search found out about it: on which objects and files it is, and which processes differ.
    fn attributes(self, here: &[&ReportedBottleneck]) -> Vec<String> {
        let mut objects =
            Objects::of(self.placement.map(|placement| placement.ranks), self.is_alone);
        for one in here {
            parts(&one.focus).into_iter().for_each(|part| objects.take(part));
        }
        objects.told()
    }

    fn finding(
        self,
        kind: Kind,
        lead: &ReportedBottleneck,
        all: &[&ReportedBottleneck],
    ) -> Finding {
        let function = function_of(&lead.focus);
        let here: Vec<&ReportedBottleneck> = { all.iter().copied() }
            .filter(|one| function.is_none() || function_of(&one.focus) == function)
            .collect();
        let source = here.iter().find_map(|one| one.source.as_deref());
        let place = function.map(|code| place(code, source));
        let known = function.filter(|_| kind == Kind::Waiting).and_then(wording::known_function);
        let (because, cause) = self.because(&here, all).unzip();
        let mut those = here.iter().chain(all).copied();
        let advised = those.clone().find(|one| one.causes.iter().any(|cause| cause.is_most()));
        let advised = advised
            .or_else(|| cause.flatten())
            .or_else(|| those.find(|one| wording::is_refined(&one.hypothesis)))
            .unwrap_or_else(|| closest(lead, &here));
        let special = known.map(|known| known.advice);
        let special = special.or_else(|| self.room.advice(&advised.hypothesis));
        let does =
            known.map_or_else(|| wording::does(kind, lead, &here), |known| known.does.into());
        Finding {
            place,
            does,
            worth: worth(lead, self.room, if kind == Kind::Computing { self.unknown } else { 0.0 }),
            // Those of a language's own locks say nothing.
            attributes: known.map_or_else(|| self.attributes(&here), |_| Vec::new()),
            because,
            saves: lead.worth.as_ref().map(ToString::to_string),
            advice: special.map_or_else(|| advice(advised), str::to_owned),
            lead: (lead.hypothesis.clone(), lead.focus.clone()),
        }
    }

    /// Because of what it is so, and the finding that says what helps against that, where it is one of its own: that ranks lack processors
    /// is known of the run even where little of the waiting can be told to be for them.
    fn because<'f>(
        self,
        here: &[&'f ReportedBottleneck],
        all: &[&'f ReportedBottleneck],
    ) -> Option<(String, Option<&'f ReportedBottleneck>)> {
        let cause = here.iter().chain(all).find_map(|one| one.causes.first());
        if let Some(cause) = cause.filter(|cause| cause.share >= LEAST_CAUSE) {
            return Some((wording::because(cause, self.placement, self.is_alone), None));
        }
        let lack = all.iter().copied().find(|one| !wording::is_plain(&one.hypothesis))?;
        Some((wording::shared_processors(self.placement?)?, Some(lack)))
    }
}

/// `exchng1 (oned.c:23)`; code without a name has only its file: `libz.so.1 (0x4a10)`.
fn place(code: &str, source: Option<&str>) -> String {
    let name = readable(code.rsplit('/').next().unwrap_or(code));
    let module = code.rsplit('/').nth(1).map(readable);
    match source.map(str::to_owned).or(module) {
        Some(place) if is_address(&name) => format!("{place} ({name})"),
        Some(place) => format!("{name} ({place})"),
        None => name,
    }
}

/// Of waiting the finding that says what is waited for, so that the advice is about that; else the leading one.
fn closest<'f>(
    lead: &'f ReportedBottleneck,
    here: &[&'f ReportedBottleneck],
) -> &'f ReportedBottleneck {
    if !wording::is_any_waiting(&lead.hypothesis, &lead.focus) {
        return lead;
    }
    let is_closer = |one: &ReportedBottleneck| {
        wording::is_waiting_for(&one.hypothesis, &one.focus) && !names_processes(one)
    };
    here.iter().copied().find(|one| is_closer(one)).unwrap_or(lead)
}

/// Those about functions, of which none was refined into another function.
fn innermost<'a>(
    members: &'a [usize],
    bottlenecks: &'a [ReportedBottleneck],
) -> impl Iterator<Item = &'a ReportedBottleneck> {
    let is_outer = move |at: usize| {
        let own = function_of(&bottlenecks[at].focus);
        let inner = |other: usize| {
            let code = function_of(&bottlenecks[other].focus);
            code.is_some() && code != own && is_below(bottlenecks, other, at)
        };
        members.iter().any(|other| inner(*other))
    };
    let about = members.iter().copied().filter(move |at| {
        function_of(&bottlenecks[*at].focus).is_some() && is_share(&bottlenecks[*at])
    });
    about.filter(move |at| !is_outer(*at)).map(move |at| &bottlenecks[at])
}

fn is_below(bottlenecks: &[ReportedBottleneck], mut at: usize, above: usize) -> bool {
    while let Some(parent) = bottlenecks[at].parent.filter(|parent| *parent < at) {
        if parent == above {
            return true;
        }
        at = parent;
    }
    false
}

/// `66 % of the run`, or `70 to 91 %` where so much of it is not known; else its value against its threshold.
fn worth(lead: &ReportedBottleneck, room: Room, unknown: f64) -> String {
    if !is_share(lead) {
        return lead.comparison().trim().to_owned();
    }
    let error = lead.plus_minus.filter(|error| *error >= 0.005);
    let error = error.map(|error| format!(" (give or take {:.0} %)", 100.0 * error));
    let of = if names_processes(lead) {
        "of the time of some processes".to_owned()
    } else if lead.is_partial {
        format!("of the time from {:.1} to {:.1} s", lead.from_s, lead.to_s)
    } else if lead.hypothesis == "CPUbound" && room.is_lacking {
        // Of what the processors have left for it.
        "of the time that it has a processor".to_owned()
    } else {
        "of the run".to_owned()
    };
    let [least, most] = [lead.value - unknown, lead.value].map(|part| 100.0 * part.max(0.0));
    let least = (unknown >= LEAST_UNKNOWN).then(|| format!("{least:.0} to "));
    format!("{}{most:.0} %{} {of}", least.unwrap_or_default(), error.unwrap_or_default())
}

/// The function that a focus names.
pub(super) fn function_of(focus: &str) -> Option<&str> {
    let code = parts(focus).into_iter().find(|part| part.starts_with("/Code/"))?;
    (code.matches('/').count() > 2).then_some(code)
}

/// Whether it is about some processes, and not about all.
fn names_processes(one: &ReportedBottleneck) -> bool {
    parts(&one.focus).iter().any(|part| part.contains("/Process/"))
}

/// Whether its value is a part of the run's time.
fn is_share(one: &ReportedBottleneck) -> bool {
    one.scale.unit == ValueUnit::Share && !wording::is_ratio(&one.hypothesis)
}

/// A smaller part of the time that is not known is not told.
const LEAST_UNKNOWN: f64 = 0.01;
/// A smaller part of the waiting is not why.
const LEAST_CAUSE: f64 = 0.2;
/// From this part of the time on a program lacks processors.
const CLEARLY_LACKING: f64 = 0.02;
/// A smaller part of all computing is not told.
const LEAST_HOT: f64 = 0.2;
/// So many times a lack of processors is much more than it.
const MUCH_MORE: f64 = 3.0;
/// By how much the parts of a whole may be more than that.
const SAME: f64 = 1.05;

#[cfg(test)]
mod tests {
    use whyperf_daemon::RankBinding;
    use whyperf_model::{Nanos, TimeDivision, TimeUse};

    use super::*;
    use crate::output::report::{Cause, TimeShares, Worth};

    fn found(
        hypothesis: &str,
        focus: &str,
        value: f64,
        parent: Option<usize>,
    ) -> ReportedBottleneck {
        ReportedBottleneck {
            hypothesis: hypothesis.to_owned(),
            focus: focus.to_owned(),
            value,
            parent,
            ..ReportedBottleneck::default()
        }
    }

    fn of(bottlenecks: &[ReportedBottleneck]) -> Report {
        Report { bottlenecks: bottlenecks.to_vec(), ..Report::default() }
    }

    const WAIT: &str = "ExcessiveSyncWaitingTime";

    #[test]
    fn the_steps_of_a_search_are_one_finding_with_its_attributes() {
        let focus = |code: &str, object: &str| format!("<{code},/Machine,/Process,{object}>");
        let message = "/SyncObject/Message/MPI_COMM_WORLD";
        let found = [
            found("WaitsCausedByProcessors", &focus("/Code", "/SyncObject"), 0.4, None),
            found(WAIT, &focus("/Code", "/SyncObject"), 0.68, None),
            found(WAIT, &focus("/Code/oned.c", "/SyncObject"), 0.67, Some(1)),
            found(WAIT, &focus("/Code/oned.c/exchng1", "/SyncObject"), 0.66, Some(2)),
            found(WAIT, &focus("/Code/oned.c/exchng1", &format!("{message}/4")), 0.35, Some(3)),
            found("CPUbound", &focus("/Code", "/SyncObject"), 0.31, None),
            found("CPUbound", &focus("/Code/sweep.c/sweep", "/SyncObject"), 0.3, Some(5)),
        ];
        let told = findings(&of(&found));
        let places: Vec<_> = told.iter().map(|one| (one.place.as_deref(), &*one.does)).collect();
        assert_eq!(
            places,
            [
                (Some("exchng1 (oned.c)"), "waits for messages"),
                (Some("sweep (sweep.c)"), "computes")
            ]
        );
        assert_eq!(told[0].worth, "66 % of the run");
        assert_eq!(told[0].attributes, ["messages with tag 4 of MPI_COMM_WORLD"]);
    }

    #[test]
    fn what_a_finding_is_worth_is_said_with_it() {
        let mut one = found(WAIT, "</Code/a.c/agree,/Machine,/Process,/SyncObject>", 0.5, None);
        one.worth = Some(Worth {
            saved_s: 1.25,
            plus_minus_s: Some(0.5),
            cure: "without these calls".to_owned(),
        });
        let told = findings(&of(&[one]));
        let saves = told[0].saves.as_deref();
        assert_eq!(saves, Some("worth 1.250 ± 0.500 s of the run: without these calls"));
    }

    #[test]
    fn ranks_that_share_processors_wait_because_of_that_and_are_told_so() {
        let exchange = "</Code/a.c/exchange,/Machine,/Process,/SyncObject>";
        let message = exchange.replace("/SyncObject", "/SyncObject/Message");
        let waits = [
            found(WAIT, "</Code,/Machine,/Process,/SyncObject>", 0.8, None),
            found(WAIT, exchange, 0.8, Some(0)),
            found(WAIT, &message, 0.8, Some(1)),
        ];
        let lead = |report: &Report| findings(report).remove(0);
        let alone = lead(&of(&waits));
        assert_eq!((&alone.because, &*alone.does), (&None, "waits for messages"));
        assert!(alone.advice.starts_with("Processes wait for each other's messages"), "{alone:?}");
        let lack = ReportedBottleneck {
            advice: "give each rank a processor".to_owned(),
            ..found("WaitsCausedByProcessors", "</Code,/Machine,/Process>", 0.11, None)
        };
        let mut report = of(&[&[lack][..], &shifted(&waits)].concat());
        let binding = RankBinding { ranks: (0..8).collect(), processors: vec![0, 1] };
        report.placement = Placement::of(vec![binding], 2);
        let shared = lead(&report);
        assert_eq!(shared.because.as_deref(), Some("8 ranks share 2 processors"));
        assert_eq!(shared.advice, "Give each rank a processor.");
    }

    /// The same behind another one.
    fn shifted(all: &[ReportedBottleneck]) -> Vec<ReportedBottleneck> {
        let moved = |one: &ReportedBottleneck| ReportedBottleneck {
            parent: one.parent.map(|parent| parent + 1),
            ..one.clone()
        };
        all.iter().map(moved).collect()
    }

    #[test]
    fn a_little_lack_of_processors_follows_what_is_much_more() {
        let lock = "</Code/a.c/add,/Machine,/Process,/SyncObject/Mutex>";
        let lacks = |value| found("WaitingForProcessors", "</Code,/Machine,/Process>", value, None);
        let first = |lack: f64, wait: ReportedBottleneck| {
            let computes = found("CPUbound", "</Code/a.c/add,/Machine,/Process>", 0.9, None);
            findings(&of(&[lacks(lack), wait, computes])).remove(0).does
        };
        let waits = || found(WAIT, lock, 0.6, None);
        assert_eq!(first(0.15, waits()), "waits for a lock");
        assert_eq!(first(0.25, waits()), "waits for a processor");
        let cause = Cause {
            state: TimeUse::Processor.name(),
            share: 0.3,
            by: "lock holder",
            ..Cause::default()
        };
        let caused = ReportedBottleneck { causes: vec![cause], ..waits() };
        assert_eq!(first(0.15, caused), "waits for a processor", "a third of the wait is for one");
        let computes = found("CPUbound", "</Code/a.c/add,/Machine,/Process>", 0.9, None);
        let told = findings(&of(&[lacks(0.15), computes]));
        assert_eq!(told[0].does, "waits for a processor", "computing is the work");
    }

    #[test]
    fn what_a_language_waits_in_is_told_in_its_words() {
        let gil = "</Code/ceval_gil.h/take_gil,/Machine,/Process,/SyncObject/CondVar>";
        let told = findings(&of(&[found(WAIT, gil, 0.6, None)])).remove(0);
        assert_eq!(told.does, "waits for the lock of Python's interpreter");
        assert!(told.advice.contains("use processes"), "{told:?}");
    }

    #[test]
    fn code_without_a_name_is_told_by_its_file() {
        let code = "</Code/libz.so.1/0x4a10,/Machine,/Process,/SyncObject>";
        let told = findings(&of(&[found("CPUbound", code, 0.6, None)])).remove(0);
        assert_eq!(told.place.as_deref(), Some("libz.so.1 (0x4a10)"));
    }

    #[test]
    fn what_computes_by_itself_is_told_with_what_calls_it() {
        let code = |name: &str| format!("</Code/libz.so.1/{name},/Machine,/Process>");
        let found = [found("CPUbound", &code("0x4a10"), 0.97, None)];
        let hot = |function: &str| ReportedHotCode {
            function: format!("/Code/libz.so.1/{function}"),
            share: 0.7,
            ..ReportedHotCode::default()
        };
        let told = |function: &str| {
            findings(&Report { hot_code: vec![hot(function)], ..of(&found) }).remove(0).attributes
        };
        assert_eq!(told("inflate"), ["70 % of all computing is in inflate (libz.so.1) itself"]);
        assert_eq!(told("0x4a10"), [] as [&str; 0]);
    }

    #[test]
    fn a_thread_alone_is_not_told_to_take_more_processors() {
        let solve = "</Code/a.c/solve,/Machine,/Process,/SyncObject>";
        let found = [
            found("WaitingForProcessors", "</Code,/Machine,/Process>", 0.14, None),
            found("CPUbound", solve, 0.99, None),
        ];
        let mut division = TimeDivision::default();
        division.add(TimeUse::Computing, Nanos::from_millis(860));
        division.add(TimeUse::Processor, Nanos::from_millis(140));
        let time = Some(TimeShares::of(&division));
        let mut report = Report { threads: 1, processors: 2, time, ..of(&found) };
        let told = findings(&report);
        assert!(told[0].advice.starts_with("There are processors enough"), "{told:?}");
        assert!(told[1].advice.ends_with("share it among several threads."), "{told:?}");
        assert_eq!(told[1].worth, "99 % of the time that it has a processor");
        (report.threads, report.time) = (4, None);
        let told = findings(&report);
        assert!(told.iter().all(|one| one.advice.is_empty()), "that of the table: {told:?}");
        assert_eq!(told[1].worth, "99 % of the run");
    }

    #[test]
    fn a_part_of_all_waiting_is_no_part_of_the_run() {
        let agree = "</Code/a.c/agree,/Machine,/Process,/SyncObject/Collective>";
        let found = [
            found(WAIT, "</Code,/Machine,/Process,/SyncObject>", 0.5, None),
            found(WAIT, agree, 0.48, Some(0)),
            found("LateArrivalAtCollectives", agree, 1.0, Some(1)),
            found(WAIT, &agree.replace("/Process", "/Process/1"), 0.97, Some(1)),
        ];
        let told = findings(&of(&found));
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0].worth, "48 % of the run");
        assert_eq!(told[0].attributes, ["most of all in process 1"]);
    }

    #[test]
    fn no_more_computing_is_told_than_is_known() {
        let whole = "</Code,/Machine,/Process,/SyncObject>";
        let told = |hypothesis: &str, unknown: u64| {
            let mut spent = TimeDivision::default();
            spent.add(TimeUse::Computing, Nanos::from_millis(700));
            spent.add(TimeUse::Unknown, Nanos::from_millis(unknown));
            spent.add(TimeUse::Idle, Nanos::from_millis(1000));
            let time = Some(TimeShares::of(&spent));
            let report = Report { time, ..of(&[found(hypothesis, whole, 0.91, None)]) };
            findings(&report)[0].worth.clone()
        };
        assert_eq!(told("CPUbound", 300), "61 to 91 % of the run");
        assert_eq!(told("CPUbound", 5), "91 % of the run");
        assert_eq!(told(WAIT, 300), "91 % of the run");
    }

    #[test]
    fn functions_that_call_each_other_are_not_told_twice() {
        let code = |name: &str| format!("</Code/a.c/{name},/Machine,/Process,/SyncObject>");
        let whole = "</Code,/Machine,/Process,/SyncObject>";
        let found = [
            found("CPUbound", whole, 0.9, None),
            found("CPUbound", &code("solve"), 0.85, Some(0)),
            found("CPUbound", &code("kernel"), 0.8, Some(0)),
            found("CPUbound", &code("print"), 0.05, Some(0)),
        ];
        let told = findings(&of(&found));
        let places: Vec<_> = told.iter().filter_map(|one| one.place.as_deref()).collect();
        assert_eq!(places, ["solve (a.c)", "print (a.c)"]);
        let hot = ReportedHotCode {
            function: "/Code/a.c/kernel".to_owned(),
            share: 0.9,
            ..ReportedHotCode::default()
        };
        let told = findings(&Report { hot_code: vec![hot], ..of(&found) });
        let places: Vec<_> = told.iter().filter_map(|one| one.place.as_deref()).collect();
        assert_eq!(places, ["kernel (a.c)", "print (a.c)"], "it computes in its own code");
    }
}
