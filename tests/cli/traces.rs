//! Traces are made of text, shown and printed, and what is wrong with them is told.

use serde_json::{Value, json};

use crate::command::{Folder, Said, say};

const RING: &str = "whyperf trace 1
name ring
fact by hand
ranks 3
rank 0-2
  repeat 2
    compute step 1.5us
    send +1 8
    recv -1
  end
  barrier
";

/// A folder with the trace of a ring.
fn ring(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let (text, trace) = (folder.file("ring.txt"), folder.file("ring.trace"));
    std::fs::write(&text, RING).expect("writable");
    let said = say(&["trace", "import", &text]);
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""));
    (folder, trace)
}

fn text(said: &Said) -> String {
    assert_eq!(said.status, Some(0), "{said:?}");
    String::from_utf8_lossy(&said.stdout).into_owned()
}

#[test]
fn a_trace_of_text_is_summarized_and_printed_again() {
    let (folder, trace) = ring("ring");
    let shown: Value =
        serde_json::from_str(&text(&say(&["trace", "show", &trace, "--json"]))).expect("JSON");
    assert_eq!((&shown["ranks"], &shown["events"]), (&3.into(), &21.into()));
    assert_eq!(shown["regions"], json!([{ "name": "step", "compute_s": 9e-6, "events": 6 }]));
    let exported = text(&say(&["trace", "export", &trace]));
    let (again, other) = (folder.file("again.txt"), folder.file("other.trace"));
    std::fs::write(&again, &exported).expect("writable");
    text(&say(&["trace", "import", &again, "--output", &other]));
    assert_eq!(text(&say(&["trace", "export", &other])), exported);
    assert!(
        exported.starts_with("whyperf trace 1\nname ring\nfact by hand\nranks 3\nrank 0\n"),
        "{exported}"
    );
}

#[test]
fn the_events_of_a_rank_are_shown_with_its_time_of_computing() {
    let (_folder, trace) = ring("rank");
    let all = text(&say(&["trace", "show", &trace, "--rank", "1"]));
    assert_eq!(all.lines().count(), 7, "{all}");
    let part = text(&say(&["trace", "show", &trace, "--rank", "1", "--from", "0.000002"]));
    let lines: Vec<&str> = part.lines().map(str::trim).collect();
    assert_eq!(
        lines,
        ["0.000003000  send 2 8 tag=0", "0.000003000  recv 0 tag=0", "0.000003000  barrier"]
    );
}

#[test]
fn what_is_wrong_is_told() {
    let (folder, trace) = ring("wrong");
    let bytes = std::fs::read(&trace).expect("readable");
    let cut = folder.file("cut.trace");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("writable");
    let fails = |words: &[&str]| {
        let said = say(words);
        assert_eq!(said.status, Some(125), "{said:?}");
        said.stderr
    };
    assert!(fails(&["trace", "show", &cut]).contains("is cut: its index"));
    assert!(
        fails(&["trace", "show", &trace, "--rank", "3"]).contains("has 3 ranks, and no rank 3")
    );
    let text = folder.file("ring.txt");
    assert!(
        fails(&["trace", "show", &text]).contains("is no trace of whyperf; `whyperf trace import`")
    );
    assert!(fails(&["trace", "import", &text, "--output", &text]).contains("would be replaced"));
    std::fs::write(&text, "whyperf trace 1\nranks 2\nrank 0\nsend 7 8\n").expect("writable");
    assert!(fails(&["trace", "import", &text]).contains("ring.txt:4: there is no rank 7"));
}

#[test]
fn a_trace_is_shown_from_its_beginning_on() {
    let (_folder, trace) = ring("beginning");
    let all = text(&say(&["trace", "show", &trace, "--rank", "1"]));
    assert_eq!(text(&say(&["trace", "show", &trace, "--rank", "1", "--from", "0"])), all);
}

#[test]
fn browsers_get_a_bar_for_what_took_time_and_an_arrow_for_a_message() {
    let (_folder, trace) = ring("chrome");
    let exported = text(&say(&["trace", "export", &trace, "--format", "chrome"]));
    let all: Value = serde_json::from_str(&exported).expect("JSON");
    let events = all["traceEvents"].as_array().expect("a list");
    let count = |ph: &str| events.iter().filter(|event| event["ph"] == ph).count();
    // Each rank computes twice, sends twice and receives twice.
    assert_eq!([count("X"), count("s"), count("f"), count("M")], [6, 6, 6, 6]);
    let ids = |ph: &str| {
        let of = events.iter().filter(|event| event["ph"] == ph);
        of.map(|event| event["id"].to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(ids("s"), ids("f"), "each arrow has two ends");
}

#[test]
fn a_schedule_receives_what_it_sends() {
    let (folder, trace) = ring("goal");
    let exported = text(&say(&["trace", "export", &trace, "--format", "goal"]));
    assert!(exported.starts_with("num_ranks 3\n"), "{exported}");
    let count = |word: &str| exported.lines().filter(|line| line.contains(word)).count();
    // Two messages a rank, and two of the barrier.
    assert_eq!([count(": send "), count(": recv "), count(": calc 1500")], [12, 12, 6]);
    let (text_file, open) = (folder.file("open.txt"), folder.file("open.trace"));
    std::fs::write(&text_file, "whyperf trace 1\nranks 2\nrank 0\nsend 1 8\nrank 1\nrecv any\n")
        .expect("writable");
    text(&say(&["trace", "import", &text_file]));
    let said = say(&["trace", "export", &open, "--format", "goal"]);
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("takes any message"), "{said:?}");
}

#[test]
fn an_archive_of_otf2_comes_back_as_the_same_events() {
    let (folder, trace) = ring("otf2");
    let anchor = folder.file("ring.otf2");
    text(&say(&["trace", "export", &trace, "--format", "otf2", "--output", &anchor]));
    let again = folder.file("again.trace");
    text(&say(&["trace", "import", &anchor, "--output", &again]));
    assert_eq!(events(&again), events(&trace));
    let damaged = folder.file("ring/1.evt");
    let bytes = std::fs::read(&damaged).expect("readable");
    std::fs::write(&damaged, &bytes[..bytes.len() - 4]).expect("writable");
    let said = say(&["trace", "import", &anchor, "--output", &again]);
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("1.evt: the events are damaged"), "{said:?}");
}

#[test]
fn a_call_comes_back_from_an_archive_in_its_region() {
    let folder = Folder::new("regions");
    let [written, trace, anchor, again] =
        ["all.txt", "all.trace", "all.otf2", "again.trace"].map(|name| folder.file(name));
    // The second call is of a region that computes nothing before it.
    let program = "whyperf trace 1\nranks 2\nrank 0-1\ncompute solve 5us\nsend +1 8\ncompute exchange 0ns\nrecv -1\n\
        compute solve 3us\ncompute solve 2us\nbarrier\n";
    std::fs::write(&written, program).expect("writable");
    text(&say(&["trace", "import", &written, "--output", &trace]));
    text(&say(&["trace", "export", &trace, "--format", "otf2", "--output", &anchor]));
    text(&say(&["trace", "import", &anchor, "--output", &again]));
    assert_eq!(events(&again), events(&trace));
}

/// A program of two communicators with each collective call.
const COLLECTIVES: &str = "whyperf trace 1
ranks 4
communicator 1 3 1 0
communicator 2 1 2
rank 0-3
  broadcast 100 root=2
  reduce 200 root=3
  allreduce 300
  gather 400 root=1
  scatter 500
  allgather 600
  alltoall 700
  reduce-scatter 800
  scan 900
rank 0
  broadcast 1000 comm=1 root=3
rank 1
  broadcast 1000 comm=1 root=3
  allreduce 8 comm=2
rank 2
  allreduce 8 comm=2
rank 3
  broadcast 1000 comm=1 root=3
";

/// The lines of a trace that are about ranks.
fn events(trace: &str) -> Vec<String> {
    let all = text(&say(&["trace", "export", trace]));
    let lines = all.lines().filter(|line| line.starts_with("  ") || line.starts_with("rank "));
    lines.map(str::to_owned).collect()
}

#[test]
fn collective_calls_come_back_from_an_archive_with_their_bytes() {
    let folder = Folder::new("collectives");
    let [written, trace, anchor, again] =
        ["all.txt", "all.trace", "all.otf2", "again.trace"].map(|name| folder.file(name));
    std::fs::write(&written, COLLECTIVES).expect("writable");
    text(&say(&["trace", "import", &written, "--output", &trace]));
    text(&say(&["trace", "export", &trace, "--format", "otf2", "--output", &anchor]));
    text(&say(&["trace", "import", &anchor, "--output", &again]));
    assert_eq!(events(&again), events(&trace));
}

#[test]
fn a_clock_that_went_back_is_said() {
    let folder = Folder::new("clock");
    let (file, to) = (folder.file("a.txt"), folder.file("a.trace"));
    let call = |name: &str, from: &str, to: &str| {
        format!(
            "{name} entering at walltime {from}, cputime 0.1 seconds in thread 0.\n\
             {name} returning at walltime {to}, cputime 0.1 seconds in thread 0.\n"
        )
    };
    let all = [("1.0", "1.5"), ("2.0", "1.75"), ("3.0", "3.5"), ("3.25", "3.75")];
    let all = all.map(|(from, to)| call("MPI_Init", from, to)).concat();
    std::fs::write(&file, all).expect("writable");
    text(&say(&["trace", "import", "--format", "dumpi", &file, "--output", &to]));
    let shown: Value =
        serde_json::from_str(&text(&say(&["trace", "show", &to, "--json"]))).expect("JSON");
    let missing = "the clock of rank 0 went back 2 times: what it did meanwhile takes no time";
    assert_eq!(shown["facts"]["missing"], missing);
}

#[test]
fn what_dumpi_prints_is_a_trace() {
    let folder = Folder::new("dumpi");
    let call = |name: &str, from: &str, to: &str, arguments: &str| {
        format!(
            "{name} entering at walltime {from}, cputime 0.1 seconds in thread 0.\n{arguments}\n\
             {name} returning at walltime {to}, cputime 0.1 seconds in thread 0.\n"
        )
    };
    let world = "MPI_Comm comm=2 (MPI_COMM_WORLD)";
    let sent = format!(
        "int count=10\nMPI_Datatype datatype=11 (MPI_DOUBLE)\nint dest=1\nint tag=7\n{world}"
    );
    let received = format!(
        "int count=10\nMPI_Datatype datatype=11 (MPI_DOUBLE)\nint source=-1 (MPI_ANY_SOURCE)\nint tag=7\n{world}\n\
         MPI_Status status[1]={{<bytes=80, source=0, tag=7, cancelled=0, error=0>}}"
    );
    let files = [("a.txt", "MPI_Send", &sent), ("b.txt", "MPI_Recv", &received)].map(
        |(file, name, arguments)| {
            let path = folder.file(file);
            let all = call("MPI_Init", "1.0", "1.5", "int argc=1")
                + &call(name, "2.5", "2.75", arguments);
            std::fs::write(&path, all).expect("writable");
            path
        },
    );
    let to = folder.file("both.trace");
    text(&say(&["trace", "import", "--format", "dumpi", &files[0], &files[1], "--output", &to]));
    let all = text(&say(&["trace", "export", &to]));
    assert!(all.contains("send 1 80 tag=7") && all.contains("recv 0 tag=7"), "{all}");
    assert!(all.contains("compute main 1000000000ns"), "{all}");
}

/// Calls of a rank as `dumpi2ascii` prints them, 100 ns one after the other; the clock began in 1970.
fn dumpi(calls: &[(&str, &str)]) -> String {
    let at = |nanos: usize| {
        format!("at walltime 1296777956.{nanos:09}, cputime 0.1 seconds in thread 0.")
    };
    let printed = calls.iter().enumerate().map(|(number, (name, arguments))| {
        let (from, to) = (at(1000 + 200 * number), at(1100 + 200 * number));
        format!("{name} entering {from}\n{arguments}\n{name} returning {to}\n")
    });
    printed.collect::<String>() + "Datatype 28 (user-defined-datatype) has size 24\n"
}

#[test]
fn dumpi_s_requests_types_and_split_communicators_are_read() {
    let folder = Folder::new("dumpi-split");
    let split = |color: &str, key: &str, made: &str| {
        format!(
            "MPI_Comm oldcomm=2 (MPI_COMM_WORLD)\nint color={color}\nint key={key}\nMPI_Comm newcomm={made}"
        )
    };
    let of = "MPI_Datatype datatype=28 (user-defined-datatype)\nMPI_Comm comm=4 (user-defined-comm)\nMPI_Request request=[5]";
    let [receives, sends] =
        ["source=-1 (MPI_ANY_SOURCE)\nint tag=-1 (MPI_ANY_TAG)", "dest=1\nint tag=7"]
            .map(|whom| format!("int count=2\nint {whom}\n{of}"));
    let waits = "int count=1\nMPI_Request requests[1]=[5]\n\
        MPI_Status statuses[1]=[{bytes=48, cancelled=0, source=0, tag=7, error=0}]";
    let user = "4 (user-defined-comm)";
    // By their keys, rank 2 is the first of the two.
    let ranks = [
        dumpi(&[
            ("MPI_Comm_split", &split("0", "9", user)),
            ("MPI_Irecv", &receives),
            ("MPI_Waitall", waits),
        ]),
        dumpi(&[("MPI_Comm_split", &split("-32766", "0", "1 (MPI_COMM_NULL)"))]),
        dumpi(&[
            ("MPI_Comm_split", &split("0", "3", user)),
            ("MPI_Isend", &sends),
            ("MPI_Waitall", waits),
        ]),
    ];
    let to = folder.file("all.trace");
    let files = [0, 1, 2].map(|rank| folder.file(&format!("{rank}.txt")));
    for (file, printed) in files.iter().zip(&ranks) {
        std::fs::write(file, printed).expect("writable");
    }
    let words =
        ["trace", "import", "--format", "dumpi", &files[0], &files[1], &files[2], "--output", &to];
    text(&say(&words));
    let all = text(&say(&["trace", "export", &to]));
    let lines: Vec<&str> =
        all.lines().skip_while(|line| !line.starts_with("communicator")).collect();
    let expected = [
        "communicator 1 2 0",
        "rank 0",
        "  barrier",
        "  compute main 100ns",
        "  irecv 2 tag=7 comm=1 request=0",
        "  compute main 100ns",
        "  wait 0",
        "rank 1",
        "  barrier",
        "rank 2",
        "  barrier",
        "  compute main 100ns",
        "  isend 0 48 tag=7 comm=1 request=0",
        "  compute main 100ns",
        "  wait 0",
    ];
    assert_eq!(lines, expected);
}
