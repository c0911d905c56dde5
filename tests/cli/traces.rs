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
