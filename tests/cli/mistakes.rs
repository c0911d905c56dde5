//! Mistakes in files that lead a search or hold its results: each is reported with its place and reason, and the program
//! runs as without it.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{Folder, Said, apart, whyperf};

/// Runs `whyperf` in a folder, keeping runs.
fn say(folder: &Folder, words: &[&str]) -> Said {
    let mut command = whyperf();
    command.args(words).env_remove("WHYPERF_NO_STORE").current_dir(&folder.0);
    command.output().expect("the command was built").into()
}

/// A line of a directive file, the column of what is wrong in it, and what is said of that.
const LINES: [(&str, u32, &str); 25] = [
    ("maps /Code/a /Code/b", 1, "is no directive"),
    ("map", 4, "missing"),
    ("map /Code/a.c", 14, "its new name is missing"),
    ("map /Code/a.c /Code/b.c /Code/c.c", 25, "too much"),
    ("map /Code/a.c /File/a.c", 15, "the same hierarchy"),
    ("map /Code /Code/b.c", 11, "below its root"),
    ("map /Code/a.c /Code/a.c", 1, "the maps lead from"),
    ("map /Code/a.c /Code/a.c/b", 1, "the maps lead from"),
    ("map /Machine/n{0-2} /Machine/x{0-3}", 21, "ranges are mapped in pairs"),
    ("map /Machine/n{0-2} /Machine/n{1-3}", 21, "the ranges overlap"),
    ("prune", 6, "missing"),
    ("prune * ", 8, "missing"),
    ("prune Nobody /Machine", 7, "there is no hypothesis 'Nobody'"),
    ("prune * /Machines/n0", 10, "is no hierarchy"),
    ("priority", 9, "missing"),
    ("priority soon CPUbound </Code>", 10, "neither 'high' nor 'low'"),
    ("priority high CPUbound", 23, "missing"),
    ("priority high CPUbound </Code", 30, "ends with '>'"),
    ("threshold CPUbound", 19, "missing"),
    ("threshold CPUbound much", 20, "'much' is no number and no percentage; write 30% or 0.3"),
    ("threshold CPUbound -0.1", 20, "nothing passes"),
    (
        "threshold CPUbound 30",
        20,
        "3000 % is more than the whole, which no value is; write 30% or 0.3",
    ),
    ("threshold CPUbound 120 %", 20, "120 % is more than the whole"),
    ("threshold CPUbound 30 % 2", 25, "too much"),
    ("threshold TooManySmallIOOps 30%", 29, "'30%' is no number in B/ops"),
];

#[test]
fn every_mistake_in_a_directive_is_told_with_its_place() {
    let folder = Folder::new("directive-mistakes");
    for (line, column, what) in LINES {
        let text = format!("whyperf directives 1\nprune * /Machine\n{line}\n");
        std::fs::write(folder.0.join("d"), text).expect("writable");
        let said = say(&folder, &["directives", "check", "d"]);
        assert_eq!(said.status, Some(2), "{line:?}: {said:?}");
        let place = format!("d:3:{column}: ");
        assert!(said.stderr.contains(&place) && said.stderr.contains(what), "{line:?}: {said:?}");
        let run = say(&folder, &["run", "--directives", "d", "--", "echo", "started"]);
        assert_eq!((run.status, run.stdout.as_slice()), (Some(2), &b""[..]), "{line:?}: {run:?}");
    }
}

/// A filter of each form with a mistake, and where it is.
const FILTERS: [(&str, &str); 6] = [
    ("swap\n", "f:1:1: this is no filter"),
    ("BEGIN_EXCLUDE_LIST\nswap\n", "f:1:1: BEGIN_EXCLUDE_LIST has no end"),
    ("SCOREP_REGION_NAMES_BEGIN\n  swap\nSCOREP_REGION_NAMES_END\n", "f:2:3: 'swap' stands before"),
    ("-finstrument-functions -g\n", "f:1:24: '-g' is no option of a filter"),
    ("whyperf directives 1\nprune * /Machine\n", "f:2:9: '/Machine' is neither"),
    ("BEGIN_EXCLUDE_LIST\nswap\nEND_EXCLUDE_LIST\n", "--measure asks for /Code/a.c/swap"),
];

#[test]
fn a_mistake_in_a_filter_is_told_with_its_place_before_anything_runs() {
    let folder = Folder::new("filters");
    for (text, what) in FILTERS {
        std::fs::write(folder.0.join("f"), text).expect("writable");
        let measure = ["--measure", "calls", "</Code/a.c/swap>"];
        let words = [&["run", "--filter", "f"], &measure[..], &["--", "echo", "started"]].concat();
        let said = say(&folder, &words);
        assert!(
            (said.status, said.stdout.len()) == (Some(2), 0) && said.stderr.contains(what),
            "{text:?}: {said:?}"
        );
    }
}

#[test]
fn a_filter_that_is_read_is_told_in_the_report() {
    let folder = Folder::new("filter-told");
    std::fs::write(folder.0.join("f"), "BEGIN_EXCLUDE_LIST\nno_such\nEND_EXCLUDE_LIST\n")
        .expect("writable");
    let said =
        say(&folder, &["run", "--filter", "f", "--json", "r.json", "--", "dash", "-c", "true"]);
    let report = std::fs::read(folder.0.join("r.json")).expect("the report was written");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("it is JSON");
    let filter = &report["filter"];
    assert!(
        filter["left_out"] == 0
            && filter["functions"].as_u64().is_some_and(|functions| functions > 0)
            && said.stderr.contains("The filter f left out none of the program's "),
        "{filter} {said:?}"
    );
}

#[test]
fn files_that_contradict_each_other_or_are_none_are_refused() {
    let folder = Folder::new("directive-files");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.0.join(name), bytes).expect("writable");
    write("high", b"whyperf directives 1\npriority high CPUbound </Code/a.c>\n");
    write("low", b"whyperf directives 1\npriority low CPUbound </Code/a.c>\n");
    write("one", b"whyperf directives 1\nmap /Code/a.c /Code/b.c\n");
    write("other", b"whyperf directives 1\nmap /Code/b.c /Code/a.c\n");
    write("newer", b"whyperf directives 2\n");
    write("letter", b"dear grandmother\n");
    write("bytes", b"whyperf directives 1\n# \xc3\xa4\xff\n");
    write("wide", b"\xff\xfew\0h\0y\0");
    let refused = |files: &[&str], what: &str| {
        let said = say(&folder, &[&["directives", "check"], files].concat());
        assert_ne!(said.status, Some(0), "{files:?}: {said:?}");
        assert!(said.stderr.contains(what), "{files:?}: {said:?}");
    };
    refused(&["high", "low"], "low:2:1: this contradicts high:2:1");
    refused(&["one", "other"], "the maps lead from /Code/");
    refused(&["newer"], "newer:1:1: directives of version '2' cannot be read");
    refused(&["letter"], "letter:1:1: the file must begin with");
    refused(&["bytes"], "bytes:2:4: this is not UTF-8");
    refused(&["wide"], "wide:1:1: this is UTF-16; save the file as UTF-8");
    refused(&["/dev/zero"], "/dev/zero: it is larger than");
    refused(&["none"], "none");
    refused(&["."], ".");
}

#[test]
fn a_search_from_which_everything_is_pruned_still_answers_for_the_whole_program() {
    let folder = Folder::new("pruned");
    let text = "whyperf directives 1\nprune * /Code\nprune * /Machine\nprune * /Process\nprune * /SyncObject\nprune * /File\n";
    std::fs::write(folder.0.join("all"), text).expect("writable");
    let busy = "i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done";
    let words = ["run", "--directives", "all", "--json", "r.json", "--", "dash", "-c", busy];
    let said = say(&folder, &words);
    assert_eq!(said.status, Some(0), "{said:?}");
    let report = std::fs::read(folder.0.join("r.json")).expect("the report was written");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("it is JSON");
    let found = report["bottlenecks"].as_array().expect("a list");
    let whole = "</Code,/Machine,/Process,/SyncObject>";
    assert!(found.iter().all(|one| one["focus"] == whole), "{report}");
    assert!(
        report["search"]["pairs_tested"].as_u64().is_some_and(|tested| tested >= 3),
        "{report}"
    );
    assert_eq!(report["directives_used"], 5);
}

#[test]
fn directives_that_come_through_a_pipe_are_used() {
    let folder = Folder::new("piped");
    let busy = "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done";
    let words = ["run", "--directives", "/dev/stdin", "--json", "r.json", "--", "dash", "-c", busy];
    let mut command = whyperf();
    command.args(words).current_dir(&folder.0).stdin(Stdio::piped());
    let mut child = command.spawn().expect("the command was built");
    let mut pipe = child.stdin.take().expect("it is piped");
    pipe.write_all(b"whyperf directives 1\nprune * /Machine\n").expect("it is read");
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    let report = std::fs::read(folder.0.join("r.json")).expect("the report was written");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("it is JSON");
    assert_eq!(report["directives_used"], 1, "{report}");
}

#[test]
fn a_full_disk_is_said_and_the_program_runs() {
    let folder = Folder::new("full-disk");
    std::fs::write(folder.0.join("input"), "some text\n").expect("writable");
    let script = "cp input small; \"$W\" run -q --store small/whyperf.db -- cat input
        head -c 900000 /dev/zero >small/rest || true
        \"$W\" run -q --store small/whyperf.db -- cat input
        \"$W\" run -q --store small/other.db -- cat input
        rm small/rest
        \"$W\" runs --store small/whyperf.db --json";
    let Some(said) = apart(&folder, script) else { return };
    assert_eq!(said.status, Some(0), "{said:?}");
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!(text.matches("some text\n").count(), 3, "{said:?}");
    let full = said.stderr.matches("the disk or a quota is full").count();
    assert_eq!(full, 2, "each that found no room says so: {said:?}");
    let runs: serde_json::Value =
        serde_json::from_str(text.lines().last().unwrap_or_default()).expect("JSON");
    let complete = runs.as_array().expect("a list").iter().filter(|run| run["complete"] == true);
    assert_eq!(complete.count(), 1, "what was kept stays: {runs}");
}

#[test]
fn a_limit_of_file_sizes_ends_neither_whyperf_nor_the_program() {
    let folder = Folder::new("file-size");
    let script = "ulimit -f 0; exec \"$W\" run --json report.json sh -c 'echo out; exit 3'";
    let mut command = Command::new("bash");
    command.args(["-c", script]).env("W", whyperf().get_program()).current_dir(&folder.0);
    let said: Said = command.output().expect("bash starts").into();
    assert_eq!((said.status, &said.stdout[..]), (Some(3), &b"out\n"[..]), "{}", said.stderr);
    assert!(said.stderr.contains("writing the report to report.json: File too large"), "{said:?}");
}

#[test]
fn a_store_that_may_only_be_read_is_read_and_never_written() {
    let folder = Folder::new("read-only");
    std::fs::write(folder.0.join("input"), "some text\n").expect("writable");
    let script = "\"$W\" run -q --store small/whyperf.db -- cat input
        mount -o remount,ro small
        \"$W\" runs --store small/whyperf.db
        \"$W\" run -q --store small/whyperf.db -- cat input
        \"$W\" runs tag latest good --store small/whyperf.db && echo tagged || echo \"refused $?\"
        \"$W\" diagnose latest --store small/whyperf.db || echo \"refused $?\"";
    let Some(said) = apart(&folder, script) else { return };
    let text = String::from_utf8_lossy(&said.stdout);
    assert_eq!(text.matches("some text\n").count(), 2, "{said:?}");
    assert!(text.contains("cat input") && text.contains("refused 125"), "{said:?}");
    assert!(!text.contains("tagged"), "{said:?}");
    assert!(said.stderr.contains("the run is not kept"), "{said:?}");
    assert!(said.stderr.matches("small/whyperf.db").count() >= 2, "{said:?}");
    assert!(!Path::new(&folder.file("small/whyperf.db")).exists(), "it was nobody else's");
}
