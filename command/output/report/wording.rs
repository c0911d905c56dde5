//! The words of a finding: what a program does there, with what, and because of whom.

use super::ReportedBottleneck;
use super::cause::Cause;
use super::placement::Placement;
use crate::output::terminal::readable;

/// What kind of fact a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Threads or ranks wait for each other.
    Waiting,
    /// Why they do: they lack processors.
    WaitingCause,
    /// Threads wait for processors.
    Processors,
    /// Input and output.
    Files,
    Computing,
    /// A hypothesis of the user's: that of the finding at this place.
    Other(usize),
}

impl Kind {
    /// That of the finding at this place, which was refined from no other.
    pub(super) fn of(hypothesis: &str, at: usize) -> Self {
        match hypothesis {
            "WaitsCausedByProcessors" | "PollingWhileOthersWait" => Self::WaitingCause,
            "WaitingForProcessors" => Self::Processors,
            WAITING => Self::Waiting,
            "ExcessiveIOBlockingTime" => Self::Files,
            "CPUbound" => Self::Computing,
            _ => Self::Other(at),
        }
    }
}

/// Whether a finding speaks for its kind, and is not the reason of another one.
pub(super) fn is_plain(hypothesis: &str) -> bool {
    !matches!(Kind::of(hypothesis, 0), Kind::WaitingCause)
}

/// Whether its value is a part of something else than of the run: of all waiting, of all input and output, of all lack of processors.
pub(super) fn is_ratio(hypothesis: &str) -> bool {
    special(&PROCESSORS, |name| name == hypothesis).is_some() || RATIOS.contains(&hypothesis)
}

const RATIOS: [&str; 5] = [
    "ExcessiveFlushTime",
    "ExcessiveMetadataTime",
    "IOSerializedOnOneProcess",
    "LateArrivalAtCollectives",
    "PollingWhileOthersWait",
];

/// Whether it says more closely what the question above it asks, so that its advice is the better one.
pub(super) fn is_refined(hypothesis: &str) -> bool {
    [&PROCESSORS[..], &FILES].iter().any(|words| words.iter().any(|(name, _)| *name == hypothesis))
}

/// What is done, of the findings about one place; `lead` is the one that is told.
pub(super) fn does(kind: Kind, lead: &ReportedBottleneck, here: &[&ReportedBottleneck]) -> String {
    let has = |name: &str| here.iter().any(|one| one.hypothesis == name);
    let words = match kind {
        Kind::Waiting => waits(lead, here),
        // What the question was refined into says more.
        Kind::Processors => special(&PROCESSORS, has).unwrap_or("waits for a processor"),
        Kind::Files => special(&FILES, has).unwrap_or("reads and writes files"),
        Kind::Other(_) if lead.hypothesis == BLOCKED => is_blocked(lead, here),
        Kind::WaitingCause | Kind::Computing | Kind::Other(_) => return alone(&lead.hypothesis),
    };
    words.to_owned()
}

/// The same of one conclusion alone.
pub(super) fn does_alone(hypothesis: &str, focus: &str) -> String {
    let one = ReportedBottleneck {
        hypothesis: hypothesis.to_owned(),
        focus: focus.to_owned(),
        ..ReportedBottleneck::default()
    };
    match hypothesis {
        WAITING => waits(&one, &[&one]).to_owned(),
        BLOCKED => is_blocked(&one, &[&one]).to_owned(),
        _ => alone(hypothesis),
    }
}

/// By the hypothesis; one of the user's own has no other words than its name.
fn alone(hypothesis: &str) -> String {
    let all = [&PROCESSORS[..], &FILES, &WAITS, &OTHERS];
    let found = all.iter().find_map(|words| special(words, |name| name == hypothesis));
    found.map_or_else(|| format!("shows {hypothesis}"), str::to_owned)
}

fn special(words: &[Words], has: impl Fn(&str) -> bool) -> Option<&'static str> {
    words.iter().find(|(name, _)| has(name)).map(|(_, words)| *words)
}

/// A hypothesis or an object, and what a program does of which it is true or that it waits for.
type Words = (&'static str, &'static str);

const PROCESSORS: [Words; 5] = [
    ("OtherPrograms", "waits for processors that other programs use"),
    ("TooManyThreads", "has more threads than processors"),
    ("PinnedTogether", "is bound to busy processors while others are idle"),
    ("ThrottledByCgroup", "has used up the quota of its control group"),
    ("StolenByHost", "waits for processors that the host of the virtual machine uses"),
];

const FILES: [Words; 4] = [
    ("ExcessiveFlushTime", "forces data out to the device"),
    ("ExcessiveMetadataTime", "opens, closes and names files"),
    ("TooManySmallIOOps", "reads and writes files in small pieces"),
    ("IOSerializedOnOneProcess", "reads and writes files in one process for all"),
];

const WAITS: [Words; 9] = [
    ("TooManySmallMessages", "sends many small messages"),
    ("ExcessivePointToPointWaitingTime", "waits for messages"),
    ("ExcessiveCollectiveWaitingTime", "waits in collective calls"),
    ("LateArrivalAtCollectives", "waits in collective calls for those that come late"),
    ("ExcessiveLockWaitingTime", "waits for a lock"),
    ("WaitsCausedByComputing", "waits for one that computes longer"),
    ("WaitsCausedByIO", "waits for one that reads and writes"),
    ("WaitsCausedByBlocking", "waits for one that waits itself"),
    (WAITING, "waits for others"),
];

const OTHERS: [Words; 8] = [
    ("WaitingForProcessors", "waits for a processor"),
    ("WaitsCausedByProcessors", "waits for ranks that have no processor"),
    ("PollingWhileOthersWait", "polls on processors that others wait for"),
    ("ExcessiveIOBlockingTime", "reads and writes files"),
    ("Paging", "waits for memory that is not there"),
    (BLOCKED, ELSEWHERE),
    ("CPUbound", "computes"),
    ("ExcessiveLoadImbalance", "divides its work unevenly"),
];

const WAITING: &str = "ExcessiveSyncWaitingTime";
const BLOCKED: &str = "BlockedElsewhere";
const ELSEWHERE: &str = "waits outside of MPI, locks and files";

/// What is known of a function by its name alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct KnownFunction {
    pub(super) does: &'static str,
    pub(super) advice: &'static str,
}

/// Where programs wait in what their language does for them, and neither the function nor its condition says anything to who wrote them.
pub(super) fn known_function(code: &str) -> Option<KnownFunction> {
    let does = "waits for the lock of Python's interpreter";
    let advice = "Of the threads of a Python process one computes at a time: use processes (multiprocessing, MPI), or libraries that give the lock back.";
    (code.rsplit('/').next() == Some("take_gil")).then_some(KnownFunction { does, advice })
}

/// By the object that most of the findings name, else by the hypothesis.
fn waits(lead: &ReportedBottleneck, here: &[&ReportedBottleneck]) -> &'static str {
    if let Some(words) = by_object(&OBJECTS, lead, here) {
        return words;
    }
    // Why others are waited for is told apart.
    let kinds = &WAITS[1..5];
    special(kinds, |name| here.iter().any(|one| one.hypothesis == name))
        .unwrap_or("waits for others")
}

/// By what the looks at threads found them in.
fn is_blocked(lead: &ReportedBottleneck, here: &[&ReportedBottleneck]) -> &'static str {
    by_object(&BLOCKING, lead, here).unwrap_or(ELSEWHERE)
}

fn by_object(
    objects: &[Words],
    lead: &ReportedBottleneck,
    here: &[&ReportedBottleneck],
) -> Option<&'static str> {
    let named = |one: &ReportedBottleneck| {
        objects.iter().find(|(object, _)| one.focus.contains(object)).map(|(_, words)| *words)
    };
    named(lead).or_else(|| here.iter().find_map(|one| named(one)))
}

const BLOCKING: [Words; 6] = [
    ("/SyncObject/Sleep", "sleeps"),
    ("/SyncObject/Poll", "waits for events (poll, select)"),
    ("/SyncObject/Socket", "waits at a socket"),
    ("/SyncObject/Pipe", "waits at a pipe"),
    ("/SyncObject/Terminal", "waits for the terminal"),
    ("/SyncObject/Signal", "waits for a signal"),
];

const OBJECTS: [Words; 9] = [
    ("/SyncObject/Message", "waits for messages"),
    ("/SyncObject/Barrier", "waits at a barrier"),
    ("/SyncObject/Collective", "waits in collective calls"),
    ("/SyncObject/Window", "waits for one-sided transfers"),
    ("/SyncObject/Mutex", "waits for a lock"),
    ("/SyncObject/RwLock", "waits for a lock"),
    ("/SyncObject/CondVar", "waits for a condition"),
    ("/SyncObject/Semaphore", "waits for a semaphore"),
    ("/SyncObject/Join", "waits for threads to end"),
];

/// Whether a finding is about waiting, and does not say for what.
pub(super) fn is_any_waiting(hypothesis: &str, focus: &str) -> bool {
    hypothesis == WAITING && !names_object(focus)
}

/// Whether it says for what.
pub(super) fn is_waiting_for(hypothesis: &str, focus: &str) -> bool {
    let is_kind = WAITS[1..5].iter().any(|(name, _)| *name == hypothesis);
    is_kind && !is_ratio(hypothesis) || hypothesis == WAITING && names_object(focus)
}

fn names_object(focus: &str) -> bool {
    OBJECTS.iter().any(|(object, _)| focus.contains(object))
}

/// `4 ranks share 2 processors`, where they do.
pub(super) fn shared_processors(placement: &Placement) -> Option<String> {
    let Placement { ranks, processors, .. } = placement;
    let plural = if *processors == 1 { "processor" } else { "processors" };
    (ranks > processors).then(|| format!("{ranks} ranks share {processors} {plural}"))
}

/// A process, or one of its threads, by the last parts of a resource's name: `process 3`, `thread 2 of process 3`; where there is no other
/// process, `thread 2`, and `a thread` of one that is not told.
pub(super) fn who(name: &str, is_alone: bool) -> String {
    match name.split_once('/') {
        Some((_, thread)) if is_alone => format!("thread {thread}"),
        Some((process, thread)) => format!("thread {thread} of process {process}"),
        None if is_alone => "a thread".to_owned(),
        None => format!("process {name}"),
    }
}

/// The cause as the end of a sentence that begins with "because".
pub(super) fn because(cause: &Cause, placement: Option<&Placement>, is_alone: bool) -> String {
    if cause.by == "processors" {
        let shared = placement.and_then(shared_processors);
        return shared.unwrap_or_else(|| "there are fewer processors than ranks".to_owned());
    }
    let words = cause.words.split(" (").next().unwrap_or(&cause.words);
    let words = words.replacen(" while it ", " ", 1);
    let named = words.strip_prefix("/Process/").and_then(|words| words.split_once(' '));
    let named = named.map(|(name, does)| format!("{} {does}", who(&readable(name), is_alone)));
    let words = named.unwrap_or(words);
    match words.split_once(", mostly at ") {
        // All functions beside the largest are one place.
        Some((who, place)) if place.rsplit('/').next() != Some("others") => {
            let place = place.rsplit('/').next().unwrap_or(place);
            format!("{who} meanwhile, mostly in {}", readable(place))
        }
        Some((words, _)) => format!("{words} meanwhile"),
        None => format!("{words} meanwhile"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hypothesis_that_is_shipped_has_words() {
        let table = whyperf_consultant::Hypotheses::built_in();
        for hypothesis in table.ids().map(|id| table.row(id)) {
            let words = does_alone(&hypothesis.name, "</Code>");
            assert!(!words.starts_with("shows"), "{words}");
        }
        assert_eq!(does_alone("MyOwn", "</Code>"), "shows MyOwn");
        let poll = "</Code,/Machine,/Process,/SyncObject/Poll>";
        assert_eq!(does_alone("BlockedElsewhere", poll), "waits for events (poll, select)");
    }

    #[test]
    fn a_cause_ends_a_sentence() {
        let words = "/Process/0 while it computes, mostly at /Code/a.c/solve (late sender)";
        let cause = Cause { by: "rank", words: words.to_owned(), ..Cause::default() };
        assert_eq!(because(&cause, None, false), "process 0 computes meanwhile, mostly in solve");
        let lock = "/Process/7/2 while it holds the lock and reads and writes";
        let cause = Cause { by: "lock holder", words: lock.to_owned(), ..Cause::default() };
        assert_eq!(
            because(&cause, None, false),
            "thread 2 of process 7 holds the lock and reads and writes meanwhile"
        );
        assert_eq!(
            because(&cause, None, true),
            "thread 2 holds the lock and reads and writes meanwhile"
        );
        assert_eq!((who("7", true), who("7", false)), ("a thread".into(), "process 7".into()));
    }
}
