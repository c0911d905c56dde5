//! The findings of a run as a reader counts them: what the search concluded of one fact in ten steps (hypothesis, module, function, tag, process)
//! is one finding with its attributes.
//!
//! ```text
//!   bottlenecks ──► kinds: waiting, input and output, computing, ... ──► in each kind the functions where it is most
//!                                                                       ──► of each: objects, processes, cause, advice
//! ```

use whyperf_consultant::ValueUnit;

use super::advice::advice;
use super::objects::Objects;
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
    let Report { bottlenecks, placement, hot_code, time, .. } = report;
    let unknown = time.as_ref().map_or(0.0, TimeShares::unknown_of_available);
    let known = Known { bottlenecks, placement: placement.as_ref(), hot_code, unknown };
    let mut kinds: Vec<(Kind, Vec<usize>)> = Vec::new();
    for at in 0..bottlenecks.len() {
        let kind = kind_of(bottlenecks, at);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, members)) => members.push(at),
            None => kinds.push((kind, vec![at])),
        }
    }
    join_causes(&mut kinds);
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

/// What the findings are about.
#[derive(Clone, Copy)]
struct Known<'a> {
    bottlenecks: &'a [ReportedBottleneck],
    placement: Option<&'a Placement>,
    hot_code: &'a [ReportedHotCode],
    /// The part of the time with a processor in which threads may have computed or not.
    unknown: f64,
}

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
            let lead = all.iter().find(|one| wording::is_plain(&one.hypothesis)).unwrap_or(&all[0]);
            return vec![self.finding(kind, lead, &all)];
        }
        places.into_iter().map(|lead| self.finding(kind, lead, &all)).collect()
    }
    /// The part of all computing that is in a function's own code.
    fn own_code(self, function: Option<&str>) -> f64 {
        let found = self.hot_code.iter().find(|one| Some(&*one.function) == function);
        found.map_or(0.0, |one| one.share)
    }

    /// What else the search found out about it: on which objects and files it is, and which processes differ.
    fn attributes(self, here: &[&ReportedBottleneck]) -> Vec<String> {
        let mut objects = Objects::of(self.placement.map(|placement| placement.ranks));
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
        let place = function.map(|code| {
            let name = readable(code.rsplit('/').next().unwrap_or(code));
            let module = code.rsplit('/').nth(1).map(readable);
            match source.map(str::to_owned).or(module) {
                Some(place) => format!("{name} ({place})"),
                None => name,
            }
        });
        let refined = here.iter().chain(all).find(|one| wording::is_refined(&one.hypothesis));
        let cause = here.iter().chain(all).find_map(|one| one.causes.first());
        let cause = cause.filter(|cause| cause.share >= LEAST_CAUSE);
        let advised =
            here.iter().chain(all).find(|one| one.causes.iter().any(|cause| cause.is_most()));
        Finding {
            place,
            does: wording::does(kind, lead, &here),
            worth: worth(lead, if kind == Kind::Computing { self.unknown } else { 0.0 }),
            attributes: self.attributes(&here),
            because: cause.map(|cause| wording::because(cause, self.placement)),
            saves: lead.worth.as_ref().map(ToString::to_string),
            advice: advice(advised.or(refined).unwrap_or(&lead)),
            lead: (lead.hypothesis.clone(), lead.focus.clone()),
        }
    }
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
fn worth(lead: &ReportedBottleneck, unknown: f64) -> String {
    if !is_share(lead) {
        return lead.comparison().trim().to_owned();
    }
    let error = lead.plus_minus.filter(|error| *error >= 0.005);
    let error = error.map(|error| format!(" (give or take {:.0} %)", 100.0 * error));
    let of = if names_processes(lead) {
        "of the time of some processes".to_owned()
    } else if lead.is_partial {
        format!("from {:.1} to {:.1} s", lead.from_s, lead.to_s)
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
/// By how much the parts of a whole may be more than that.
const SAME: f64 = 1.05;

#[cfg(test)]
mod tests {
    use whyperf_model::{Nanos, TimeDivision, TimeUse};

    use super::*;
    use crate::output::report::Worth;

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
