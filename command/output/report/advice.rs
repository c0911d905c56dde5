//! One sentence of advice for a bottleneck: what usually helps against this hypothesis at this kind of object, where processes differ or do not.
//!
//! Advice about uneven work is given only where processes differ by a tested margin.

use whyperf_consultant::Split;

use super::ReportedBottleneck;

/// What to try: against what causes most of it, in this case, or else against the hypothesis in general.
pub(super) fn advice(bottleneck: &ReportedBottleneck) -> String {
    if let Some(cause) = bottleneck.causes.first().filter(|cause| cause.is_most()) {
        return cause.advice.to_owned();
    }
    let ReportedBottleneck { hypothesis, focus, split, advice, .. } = bottleneck;
    match in_case(hypothesis, focus, *split) {
        Some(sentence) => sentence.to_owned(),
        None => sentence(advice),
    }
}

fn in_case(hypothesis: &str, focus: &str, split: Split) -> Option<&'static str> {
    let matching = |row: &&AdviceRow| {
        row.hypothesis == hypothesis && focus.contains(row.object) && row.processes.fit(split)
    };
    TABLE.iter().find(matching).map(|row| row.sentence)
}

pub(super) fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let text: String = first.chain(letters).collect();
    if text.is_empty() || text.ends_with('.') { text } else { text + "." }
}

struct AdviceRow {
    hypothesis: &'static str,
    /// Part of the focus; empty for any.
    object: &'static str,
    processes: FindingProcesses,
    sentence: &'static str,
}

/// Which findings a sentence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindingProcesses {
    /// Those about some processes that differ from the others.
    Differing,
    /// All findings.
    Any,
}

impl FindingProcesses {
    fn fit(self, split: Split) -> bool {
        self == Self::Any || split == Split::Differing
    }
}

const fn differing(
    hypothesis: &'static str,
    object: &'static str,
    sentence: &'static str,
) -> AdviceRow {
    AdviceRow { hypothesis, object, processes: FindingProcesses::Differing, sentence }
}

const fn any(hypothesis: &'static str, object: &'static str, sentence: &'static str) -> AdviceRow {
    AdviceRow { hypothesis, object, processes: FindingProcesses::Any, sentence }
}

const SYNC: &str = "ExcessiveSyncWaitingTime";
const IO: &str = "ExcessiveIOBlockingTime";
const CPU: &str = "CPUbound";

/// The first row that matches speaks, so special cases come before general ones.
const TABLE: [AdviceRow; 14] = [
    differing(
        SYNC,
        "/SyncObject/Message",
        "These processes wait for messages more than the others do: send earlier to them, or give them more of the work.",
    ),
    any(
        SYNC,
        "/SyncObject/Message",
        "Processes wait for each other's messages: send earlier, or compute between MPI_Irecv, MPI_Isend and MPI_Waitall.",
    ),
    differing(
        SYNC,
        "/SyncObject/Barrier",
        "These processes wait here for the others: balance the work before the barrier.",
    ),
    any(
        SYNC,
        "/SyncObject/Barrier",
        "Processes wait here for whoever comes last: drop the barrier if nothing depends on it, or synchronize with \
         those neighbours only that matter.",
    ),
    differing(
        SYNC,
        "/SyncObject/Collective",
        "These processes wait here for the others: balance the work before the call.",
    ),
    any(
        SYNC,
        "/SyncObject/Collective",
        "Processes wait here for each other: call it less often, combine several calls into one, or use its non-blocking form.",
    ),
    any(
        SYNC,
        "/SyncObject/Window",
        "Processes wait for one-sided transfers: widen the epochs, or synchronize with those neighbours only that matter.",
    ),
    any(
        SYNC,
        "/SyncObject/Mutex",
        "Threads queue for this lock: hold it for less time, split it, or give each thread its own data.",
    ),
    any(
        SYNC,
        "/SyncObject/RwLock",
        "Threads queue for this lock: write less often or in larger steps, or give readers a copy of their own.",
    ),
    any(
        SYNC,
        "/SyncObject/CondVar",
        "Threads wait here for work: hand it out in larger pieces or earlier, or use fewer threads to consume it.",
    ),
    any(
        SYNC,
        "/SyncObject/Semaphore",
        "Threads wait here for each other: hand over larger pieces, or let more of them be under way at once.",
    ),
    differing(
        SYNC,
        "",
        "These processes wait more than the others, so the work is uneven: give them more of it, or those that they wait for \
         more processors.",
    ),
    differing(
        IO,
        "",
        "These processes spend more time on input and output than the others: spread it over more of them.",
    ),
    differing(
        CPU,
        "",
        "These processes compute more than the others: give them less of the work, or make this code faster.",
    ),
];

#[cfg(test)]
mod tests {
    use whyperf_consultant::Hypotheses;

    use super::*;
    use crate::output::report::Cause;
    use crate::output::terminal::wrapped;

    const BARRIER: &str = "</Code,/Machine,/Process/3,/SyncObject/Barrier>";

    #[test]
    fn the_more_special_case_speaks() {
        let barrier = in_case(SYNC, BARRIER, Split::Uncompared);
        assert!(barrier.is_some_and(|text| text.contains("drop")), "{barrier:?}");
        let process = in_case(SYNC, "</Code,/Machine,/Process/3,/SyncObject>", Split::Differing);
        assert!(process.is_some_and(|text| text.contains("uneven")), "{process:?}");
        assert_eq!(in_case("MyOwn", BARRIER, Split::Differing), None);
    }

    #[test]
    fn every_row_can_speak() {
        for row in &TABLE {
            let split = match row.processes {
                FindingProcesses::Differing => Split::Differing,
                FindingProcesses::Any => Split::All,
            };
            assert_eq!(in_case(row.hypothesis, row.object, split), Some(row.sentence));
        }
    }

    /// A page has room for two lines of it, 75 columns wide.
    #[test]
    fn no_sentence_is_too_long_for_a_page() {
        let table = Hypotheses::built_in();
        let shipped = table.ids().map(|id| sentence(&table.row(id).advice));
        let all = shipped.chain(TABLE.iter().map(|row| row.sentence.to_owned()));
        let long: Vec<String> = all.filter(|text| wrapped(text, 75).len() > 2).collect();
        assert_eq!(long, [] as [&str; 0]);
    }

    #[test]
    fn that_work_is_uneven_is_said_of_processes_that_differ_alone() {
        let foci = TABLE.iter().map(|row| format!("</Code,/Machine,/Process/3,{}>", row.object));
        let all: Vec<_> = { foci }
            .flat_map(|focus| {
                let said = |split| [SYNC, IO, CPU].map(|name| in_case(name, &focus, split));
                [said(Split::All), said(Split::Uncompared)].concat()
            })
            .flatten()
            .filter(|text| ["These", "uneven", "balance"].iter().any(|word| text.contains(word)))
            .collect();
        assert_eq!(all, [] as [&str; 0]);
    }

    #[test]
    fn what_causes_most_of_the_waiting_speaks_first() {
        let of = |share| {
            let cause = Cause { share, advice: "Give it less.", ..Cause::default() };
            let (hypothesis, focus) = (SYNC.to_owned(), BARRIER.to_owned());
            advice(&ReportedBottleneck {
                hypothesis,
                focus,
                causes: vec![cause],
                ..ReportedBottleneck::default()
            })
        };
        assert_eq!(of(0.6), "Give it less.");
        assert!(of(0.4).contains("barrier"), "{}", of(0.4));
    }

    #[test]
    fn without_a_case_the_hypothesis_speaks() {
        let advice = advice(&ReportedBottleneck {
            advice: "do less".into(),
            ..ReportedBottleneck::default()
        });
        assert_eq!(advice, "Do less.");
    }
}
