//! One sentence of advice for a bottleneck: what usually helps against this hypothesis at this kind of place.

use super::Bottleneck;

/// What to try: at this kind of place, or else against the hypothesis in general.
pub(super) fn advice(bottleneck: &Bottleneck) -> String {
    let Bottleneck { hypothesis, focus, advice, .. } = bottleneck;
    match at_place(hypothesis, focus) {
        Some(sentence) => sentence.to_owned(),
        None => sentence(advice),
    }
}

fn at_place(hypothesis: &str, focus: &str) -> Option<&'static str> {
    let matching = |row: &&Row| row.hypothesis == hypothesis && focus.contains(row.place);
    TABLE.iter().find(matching).map(|row| row.sentence)
}

fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let text: String = first.chain(letters).collect();
    if text.is_empty() || text.ends_with('.') { text } else { text + "." }
}

struct Row {
    hypothesis: &'static str,
    /// Part of the focus.
    place: &'static str,
    sentence: &'static str,
}

const fn row(hypothesis: &'static str, place: &'static str, sentence: &'static str) -> Row {
    Row { hypothesis, place, sentence }
}

const SYNC: &str = "ExcessiveSyncWaitingTime";
const IO: &str = "ExcessiveIOBlockingTime";
const CPU: &str = "CPUbound";

/// The first row that matches speaks, so special places come before general ones.
const TABLE: [Row; 11] = [
    row(
        SYNC,
        "/SyncObject/Message",
        "Processes wait for each other's messages: send earlier, receive later, or let computation overlap the transfer \
         (MPI_Irecv and MPI_Isend before, MPI_Waitall after); if always the same ones wait, balance their work.",
    ),
    row(
        SYNC,
        "/SyncObject/Barrier",
        "Everybody waits here for the slowest: balance the work before the barrier, or drop it if nothing depends on it.",
    ),
    row(
        SYNC,
        "/SyncObject/Collective",
        "Everybody waits here for the slowest: balance the work before the call, call it less often, or use its \
         non-blocking form.",
    ),
    row(
        SYNC,
        "/SyncObject/Window",
        "Processes wait for one-sided transfers: widen the epochs, or synchronize with those neighbours only that matter.",
    ),
    row(
        SYNC,
        "/SyncObject/Mutex",
        "Threads queue for this lock: hold it for less time, split it, or give each thread its own data.",
    ),
    row(
        SYNC,
        "/SyncObject/RwLock",
        "Threads queue for this lock: write less often or in larger steps, or give readers a copy of their own.",
    ),
    row(
        SYNC,
        "/SyncObject/CondVar",
        "Threads wait here for work: hand it out in larger pieces or earlier, or use fewer threads to consume it.",
    ),
    row(
        SYNC,
        "/SyncObject/Semaphore",
        "Threads wait here for each other: hand over larger pieces, or let more of them be under way at once.",
    ),
    row(
        SYNC,
        "/Process/",
        "Only some processes wait, so the work is uneven: give those that wait more of it.",
    ),
    row(
        IO,
        "/Process/",
        "Only some processes do the input and output while the others wait: spread it, or use collective MPI-IO.",
    ),
    row(
        CPU,
        "/Process/",
        "These processes compute while others may wait for them: give them less work, or make this code faster.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_special_place_speaks() {
        let barrier = at_place(SYNC, "</Code,/Machine,/Process/3,/SyncObject/Barrier>");
        assert!(barrier.is_some_and(|text| text.contains("drop it")), "{barrier:?}");
        let process = at_place(SYNC, "</Code,/Machine,/Process/3,/SyncObject>");
        assert!(process.is_some_and(|text| text.contains("uneven")), "{process:?}");
        assert_eq!(at_place("MyOwn", "</Code,/Machine,/Process,/SyncObject/Barrier>"), None);
    }

    #[test]
    fn every_row_can_speak() {
        for row in &TABLE {
            assert_eq!(at_place(row.hypothesis, row.place), Some(row.sentence));
        }
    }

    #[test]
    fn without_a_place_the_hypothesis_speaks() {
        let advice = advice(&Bottleneck { advice: "do less".into(), ..Bottleneck::default() });
        assert_eq!(advice, "Do less.");
    }
}
