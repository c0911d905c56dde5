//! One sentence of advice for a bottleneck: what usually helps against this hypothesis at this kind of place.

/// What to try. `focus` is in resource normal form.
pub(crate) fn advice(hypothesis: &str, focus: &str) -> &'static str {
    let matching = |row: &&Row| row.hypothesis == hypothesis && focus.contains(row.place);
    TABLE.iter().find(matching).map_or(ELSE, |row| row.sentence)
}

struct Row {
    hypothesis: &'static str,
    /// Part of the focus; the empty one is always there.
    place: &'static str,
    sentence: &'static str,
}

const fn row(hypothesis: &'static str, place: &'static str, sentence: &'static str) -> Row {
    Row { hypothesis, place, sentence }
}

const SYNC: &str = "ExcessiveSyncWaitingTime";
const IO: &str = "ExcessiveIOBlockingTime";
const SMALL_IO: &str = "TooManySmallIOOps";
const CPU: &str = "CPUbound";

/// The first row that matches speaks, so special places come before general ones.
const TABLE: [Row; 15] = [
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
        SYNC,
        "",
        "Time goes into waiting for others: balance the work, and let computation overlap communication.",
    ),
    row(
        IO,
        "/Process/",
        "Only some processes do the input and output while the others wait: spread it, or use collective MPI-IO.",
    ),
    row(
        IO,
        "",
        "The program waits for its files: read and write in larger blocks, less often, or while it computes.",
    ),
    row(
        SMALL_IO,
        "",
        "Each call moves few bytes: collect them in memory and move blocks of 64 KiB or more (setvbuf, MPI-IO views).",
    ),
    row(
        CPU,
        "/Process/",
        "These processes compute while others may wait for them: give them less work, or make this code faster.",
    ),
    row(CPU, "", "The time goes into computing: make this code faster, or use more processes."),
];

const ELSE: &str = "Look at this place first.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_special_place_speaks() {
        let barrier = advice(SYNC, "</Code,/Machine,/Process/3,/SyncObject/Barrier>");
        assert!(barrier.contains("drop it"), "{barrier}");
        let process = advice(SYNC, "</Code,/Machine,/Process/3,/SyncObject>");
        assert!(process.contains("uneven"), "{process}");
        assert_eq!(advice("MyOwn", "</Code,/Machine,/Process,/SyncObject>"), ELSE);
    }

    #[test]
    fn every_row_can_speak() {
        for row in &TABLE {
            assert_eq!(advice(row.hypothesis, row.place), row.sentence);
        }
    }
}
