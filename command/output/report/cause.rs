//! The cause of a wait, as a report tells it: what one rank did longer than the ranks that wait for it, what a thread did that held a lock, or that
//! all ranks lack processors.

use serde::Serialize;
use whyperf_model::matching::{CausedBy, CausedWait, WaitPattern};
use whyperf_model::{Focus, Hierarchy, TimeUse};

use super::{rounded, share};

/// A part of what is waited at a bottleneck, and what one rank did meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Cause {
    /// What it did: a name as in `time`.
    pub(crate) state: &'static str,
    /// In what way others waited because of it: `rank`, `lock holder`, `thread` that alone goes on, or `processors` where all ranks lack them.
    pub(crate) by: &'static str,
    /// Who, and in which code or on what it did most of it.
    pub(crate) focus: String,
    /// In what way others wait most because of it, as Scalasca calls it: `late sender` and its like.
    pub(crate) pattern: Option<&'static str>,
    /// Of all that is waited at the bottleneck.
    pub(crate) share: f64,
    /// The same as words.
    #[serde(skip)]
    pub(crate) words: String,
    /// What to try.
    #[serde(skip)]
    pub(crate) advice: &'static str,
}

impl Cause {
    /// A cause that is worth telling.
    pub(crate) fn of(caused: &CausedWait) -> Option<Self> {
        let CausedWait { spent, by, focus, pattern, share } = caused;
        let (words, advice) = match (by, told(*spent)) {
            (CausedBy::TooFewProcessors, _) => (TOO_FEW.to_owned(), MORE_PROCESSORS),
            (CausedBy::Rank, (does, advice)) => {
                let way = pattern.map_or(String::new(), |pattern| format!(" ({})", pattern.name()));
                let is_order = *pattern == Some(WaitPattern::WrongOrder);
                (words(does, focus) + &way, if is_order { OTHER_ORDER } else { advice })
            }
            (CausedBy::LockHolder, _) => {
                let (does, advice) = held(*spent);
                (words(&format!("holds the lock and {does}"), focus), advice)
            }
            (CausedBy::Thread, (does, _)) => {
                (words(&format!("alone {does}"), focus), alone(*spent))
            }
            (CausedBy::OtherEnd, (does, _)) => {
                (words(&format!("{does} at the other end of a pipe"), focus), other_end(*spent))
            }
        };
        (*share >= LEAST).then(|| Self {
            state: spent.name(),
            by: by.name(),
            pattern: pattern.map(WaitPattern::name),
            focus: focus.to_string(),
            share: rounded(*share),
            words,
            advice,
        })
    }

    /// Whether it alone explains most of the waiting.
    pub(crate) fn is_most(&self) -> bool {
        self.share > MOST
    }

    /// The cause as a sentence without its end.
    pub(crate) fn sentence(&self) -> String {
        format!("{} of the waiting is for {}", share(self.share), self.words)
    }
}

/// A smaller part of the waiting is not told.
const LEAST: f64 = 0.01;
/// A larger part is most of it.
const MOST: f64 = 0.5;

/// The cause that no single rank is.
const TOO_FEW: &str = "processors, of which there are too few";
const MORE_PROCESSORS: &str = "Ranks have no processor while others wait for them: start no more of them than there are processors, and run where nothing else does.";

/// What helps who waits for a message while another one is there.
const OTHER_ORDER: &str = "Another message is there while this one is waited for: receive in the order in which they come, with MPI_Waitany, MPI_Waitsome or MPI_ANY_SOURCE.";

/// Who does what, and where.
fn words(does: &str, focus: &Focus) -> String {
    let who = focus.part(Hierarchy::Process).iter().map(ToString::to_string);
    let who = who.collect::<Vec<_>>().join(", ");
    let known = [Hierarchy::Code, Hierarchy::File, Hierarchy::SyncObject];
    let place = known.into_iter().find(|hierarchy| !focus.is_root(*hierarchy));
    let place = place.and_then(|hierarchy| focus.part(hierarchy).first());
    let place = place.map_or(String::new(), |place| format!(", mostly at {place}"));
    format!("{who} while it {does}{place}")
}

/// What a rank does, as words, and what helps those that wait for it.
const fn told(spent: TimeUse) -> (&'static str, &'static str) {
    match spent {
        TimeUse::Computing => (
            "computes",
            "One process computes longer, and the others wait for it: give it less of the work, or make its code faster.",
        ),
        TimeUse::Io => (
            "reads and writes",
            "One process reads and writes while the others wait for it: let more of them share that, or let it \
             happen while all compute.",
        ),
        TimeUse::Processor => (
            "waits for a processor",
            "One process has no processor while the others wait for it: give each its own, start fewer, or run where nothing else does.",
        ),
        TimeUse::Throttled => (
            "is throttled by a quota",
            "One process is throttled while the others wait for it: raise the quota of its control group, or start fewer threads.",
        ),
        TimeUse::Paging => (
            "waits for memory",
            "One process waits for memory that is not there while the others wait for it: use less, or give it more.",
        ),
        TimeUse::Blocked => (
            "is blocked elsewhere",
            "One process waits for something else while the others wait for it: look at what it waits for.",
        ),
        TimeUse::Waiting => (
            "waits for its own threads",
            "One process waits for its own threads while the others wait for it: look at its locks.",
        ),
        TimeUse::Idle => (
            "waits for its threads or children to end",
            "One process waits for its threads or children while the others wait for it: divide that work evenly.",
        ),
        TimeUse::Unknown => (
            "does something of its own",
            "One process does something of its own longer, and the others wait for it: give it less of the work.",
        ),
    }
}

/// What a holder of a lock does, as words, and what helps those that wait for the lock.
const fn held(spent: TimeUse) -> (&'static str, &'static str) {
    let (does, _) = told(spent);
    match spent {
        TimeUse::Computing => (
            does,
            "A thread computes while it holds the lock: hold it for less, split it, or give each thread its own data.",
        ),
        TimeUse::Io => (
            does,
            "A thread reads or writes while it holds the lock: do that before it is taken or after it was given back.",
        ),
        TimeUse::Processor | TimeUse::Throttled => (
            does,
            "A thread has no processor while it holds the lock: start no more threads than there are processors, or run where nothing else does.",
        ),
        TimeUse::Paging => {
            (does, "A thread waits for memory while it holds the lock: use less, or give it more.")
        }
        TimeUse::Waiting => (
            "waits for others",
            "A thread waits for other threads or ranks while it holds the lock: give the lock back before that.",
        ),
        TimeUse::Blocked | TimeUse::Idle => (
            does,
            "A thread waits for something else while it holds the lock: give the lock back before that.",
        ),
        TimeUse::Unknown => (
            "does something that is not known",
            "A thread holds the lock while the others wait for it: hold it for less.",
        ),
    }
}

/// What helps those that wait at a barrier, a condition or a semaphore for a thread that alone does this.
const fn alone(spent: TimeUse) -> &'static str {
    match spent {
        TimeUse::Computing => {
            "One thread computes while the others wait for it: divide that work evenly, or hand it over in pieces."
        }
        TimeUse::Io => {
            "One thread reads or writes while the others wait for it: let it do so ahead, or give the others something else to do."
        }
        TimeUse::Processor | TimeUse::Throttled => {
            "One thread has no processor while the others wait for it: start no more threads than there are processors, or run where nothing else does."
        }
        TimeUse::Paging => {
            "One thread waits for memory while the others wait for it: use less, or give it more."
        }
        TimeUse::Waiting | TimeUse::Blocked | TimeUse::Idle => {
            "One thread waits for something else while the others wait for it: look at what it waits for."
        }
        TimeUse::Unknown => {
            "One thread goes on while the others wait for it: divide its work evenly."
        }
    }
}

/// What helps those that wait at a pipe for a thread that does this.
const fn other_end(spent: TimeUse) -> &'static str {
    match spent {
        TimeUse::Computing => {
            "Who has the other end of the pipe computes longer: make that faster, or let several do it."
        }
        TimeUse::Io => {
            "Who has the other end of the pipe reads or writes meanwhile: let it do so ahead, or in larger pieces."
        }
        TimeUse::Processor | TimeUse::Throttled => {
            "Who has the other end of the pipe has no processor: start no more than there are processors, or run where nothing else does."
        }
        TimeUse::Paging => {
            "Who has the other end of the pipe waits for memory: use less, or give it more."
        }
        TimeUse::Waiting | TimeUse::Blocked | TimeUse::Idle => {
            "Who has the other end of the pipe waits for something else: look at what it waits for."
        }
        TimeUse::Unknown => "Who has the other end of the pipe is slower: make it faster.",
    }
}

#[cfg(test)]
mod tests {
    use whyperf_model::Resource;

    use super::*;

    fn caused(by: CausedBy, spent: TimeUse, share: f64, parts: &[&str]) -> CausedWait {
        let parts = parts.iter().map(|part| Resource::parse(part).expect("well formed"));
        let focus =
            parts.fold(Focus::whole_program(), |focus, part| focus.with(part.hierarchy(), part));
        let pattern = (by == CausedBy::Rank).then_some(WaitPattern::LateSender);
        CausedWait { spent, by, focus, pattern, share }
    }

    #[test]
    fn a_cause_says_who_does_what_and_where() {
        let all =
            |by, spent, parts: &[&str]| Cause::of(&caused(by, spent, 0.661, parts)).expect("large");
        let told = |spent, parts: &[&str]| all(CausedBy::Rank, spent, parts);
        let computes = told(TimeUse::Computing, &["/Process/0", "/Code/a.c/solve"]);
        assert_eq!(
            computes.sentence(),
            "66.1 % of the waiting is for /Process/0 while it computes, mostly at /Code/a.c/solve (late sender)"
        );
        assert!(computes.is_most() && computes.state == "computing");
        let delayed = told(TimeUse::Processor, &["/Process/3"]);
        assert_eq!(delayed.words, "/Process/3 while it waits for a processor (late sender)");
        let writes = told(TimeUse::Io, &["/Process/2", "/File/out.dat"]);
        assert!(
            writes.words.ends_with("mostly at /File/out.dat (late sender)"),
            "{}",
            writes.words
        );
        let parts = ["/Process/7/2", "/Code/a.c/flush"];
        let holds = all(CausedBy::LockHolder, TimeUse::Io, &parts);
        assert_eq!(
            holds.words,
            "/Process/7/2 while it holds the lock and reads and writes, mostly at /Code/a.c/flush"
        );
        let alone = all(CausedBy::Thread, TimeUse::Computing, &["/Process/7/2"]);
        assert_eq!(alone.words, "/Process/7/2 while it alone computes");
        let too_few = all(CausedBy::TooFewProcessors, TimeUse::Processor, &[]);
        assert_eq!(
            too_few.sentence(),
            "66.1 % of the waiting is for processors, of which there are too few"
        );
    }

    #[test]
    fn what_is_little_is_not_told() {
        assert_eq!(Cause::of(&caused(CausedBy::Rank, TimeUse::Io, 0.004, &["/Process/2"])), None);
        let some = Cause::of(&caused(CausedBy::Rank, TimeUse::Io, 0.4, &["/Process/2"]))
            .expect("worth telling");
        assert!(!some.is_most());
    }
}
