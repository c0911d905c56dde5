//! Files that other tools wrote, of a program whose `step` is called by `work` ten times and by `main` once: each comes in as the tool itself
//! tells it.
//!
//! `written/` has what GNU gprof 2.40, valgrind 3.19, perf, Go 1.19, py-spy 0.4.3 and mpiP 3.5.0 wrote; nothing in it was changed but names of
//! folders, and gprof's explanations left out.

use std::path::{Path, PathBuf};

use whyperf_experiments::{
    ExchangeError, ForeignFormat, ForeignProfile, caliper_json, callgrind, chrome_trace, gprof,
    mpip, perf_script, pprof_profile, speedscope,
};

fn written(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exchange/written").join(name);
    let text = std::fs::read(&path).expect("it is there");
    (path, String::from_utf8_lossy(&text).into_owned())
}

type Reader = fn(&Path, &str) -> Result<ForeignProfile, ExchangeError>;

fn read(name: &str, reader: Reader) -> ForeignProfile {
    let (path, text) = written(name);
    reader(&path, &text).expect("the tool wrote it")
}

/// Calls, and what a metric came to in it alone and with all below, of one timer of the first thread.
fn timer(profile: &ForeignProfile, name: &str) -> [f64; 3] {
    let timers = &profile.threads[0].timers;
    let found = timers.iter().find(|timer| timer.name == name);
    let found = found.unwrap_or_else(|| panic!("no {name} in {timers:#?}"));
    [found.calls, found.values[0].exclusive.round(), found.values[0].inclusive.round()]
}

#[test]
fn gprof_tells_of_callers_as_it_prints() {
    let profile = read("gprof.txt", gprof);
    assert_eq!(timer(&profile, "step"), [11.0, 100_000.0, 100_000.0]);
    assert_eq!(timer(&profile, "work"), [1.0, 0.0, 90_000.0]);
    assert_eq!(timer(&profile, "work => step"), [10.0, 90_000.0, 90_000.0]);
    assert_eq!(timer(&profile, "main => step"), [1.0, 10_000.0, 10_000.0]);
    let (progress, _) = profile.progress();
    let sum: u64 = progress.profile.iter().map(|row| row.exclusive.0).sum();
    assert_eq!(sum, 100_000_000, "each second once");
}

#[test]
fn callgrind_tells_what_functions_cost_as_callgrind_annotate_does() {
    let profile = read("callgrind.out", callgrind);
    assert_eq!(profile.metrics[0].name, "Ir");
    let whole: f64 = profile.threads[0].timers.iter().map(|timer| timer.values[0].exclusive).sum();
    let (_, text) = written("callgrind.out");
    let summary = text.lines().find_map(|line| line.strip_prefix("summary: "));
    assert_eq!(Some(whole), summary.and_then(|sum| sum.trim().parse().ok()));
    let step = profile.threads[0].timers.iter().find(|timer| timer.name.starts_with("step "));
    assert_eq!(step.map(|timer| timer.calls), Some(11.0));
}

#[test]
fn perf_script_tells_stacks_with_time_by_the_kernels_clock() {
    let profile = read("perf.txt", perf_script);
    let (_, text) = written("perf.txt");
    let samples = text.lines().filter(|line| line.contains("cpu-clock:")).count();
    let whole: f64 = profile.threads[0].timers.iter().map(|timer| timer.values[0].exclusive).sum();
    assert_eq!((profile.metrics[0].name.as_str(), whole), ("TIME", 4000.0 * samples as f64));
    // The function that computes has no frame of its own, so its caller is not seen.
    let name = "__libc_start_call_main => main => step";
    assert_eq!(timer(&profile, name)[1], timer(&profile, name)[2]);
}

#[test]
fn pprof_of_go_tells_what_its_own_tool_does() {
    let (path, _) = written("go.pb.gz");
    let profile = pprof_profile(&path).expect("Go wrote it");
    let metrics: Vec<&str> = profile.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(metrics, ["samples", "TIME"]);
    let mut sums = [0.0; 2];
    for timer in &profile.threads[0].timers {
        let is_step = timer.name.ends_with("main.step [{x/main.go}]");
        sums[0] += timer.values[1].exclusive;
        sums[1] += if is_step { timer.values[1].inclusive } else { 0.0 };
    }
    assert_eq!(sums, [1_500_000.0, 1_500_000.0], "go tool pprof -top: step 1500 ms of 1500 ms");
}

#[test]
fn py_spy_writes_stacks_and_events() {
    let profile = read("py-spy.speedscope.json", speedscope);
    let [_, own, _] = timer(&profile, "<module> [{w.py}] => work [{w.py}] => step [{w.py}]");
    assert_eq!(own, 160_000.0);
    let profile = read("py-spy.chrome.json", chrome_trace);
    assert_eq!(timer(&profile, "<module> => work => step"), [1.0, 341_662.0, 341_662.0]);
    assert_eq!(timer(&profile, "<module> => step"), [1.0, 23_315.0, 23_315.0]);
    assert_eq!(timer(&profile, "<module>"), [1.0, 0.0, 364_977.0]);
}

#[test]
fn mpip_tells_of_ranks_and_calls() {
    let profile = read("oned.mpiP", mpip);
    assert_eq!(profile.threads.len(), 2);
    let [calls, own, _] = timer(&profile, "MPI_Recv()");
    // Two call sites: 400 times 0.00487 ms, and 400 times 0.00233 ms.
    assert_eq!((calls, own), (800.0, 2880.0));
    let whole: f64 = profile.threads[0].timers.iter().map(|timer| timer.values[0].exclusive).sum();
    assert!((whole - 13_400.0).abs() < 1.0, "AppTime of rank 0 is 0.0134 s: {whole}");
    assert_eq!(profile.threads[1].metadata, [("Hostname".to_owned(), "vm".to_owned())]);
}

#[test]
fn each_format_is_known_by_its_content() {
    for (name, format) in [
        ("gprof.txt", ForeignFormat::Gprof),
        ("callgrind.out", ForeignFormat::Callgrind),
        ("perf.txt", ForeignFormat::PerfScript),
        ("go.pb.gz", ForeignFormat::Pprof),
        ("py-spy.speedscope.json", ForeignFormat::Speedscope),
        ("py-spy.chrome.json", ForeignFormat::ChromeTrace),
        ("oned.mpiP", ForeignFormat::Mpip),
    ] {
        assert_eq!(ForeignFormat::of(&written(name).0).ok(), Some(format), "{name}");
    }
}

/// Caliper's `json-split`, as its documentation has it.
#[test]
fn calipers_rows_refer_to_a_tree() {
    let text = r#"{"data": [[5.0, 0, 12.0, 0], [7.0, 0, 7.0, 1], [1.5, 1, 1.5, 1]],
        "columns": ["sum#time.duration", "mpi.rank", "inclusive#sum#time.duration", "path"],
        "column_metadata": [{"is_value": true}, {"is_value": true}, {"is_value": true}, {"is_value": false}],
        "nodes": [{"column": "path", "label": "main"}, {"column": "path", "label": "f", "parent": 0}]}"#;
    let profile = caliper_json(Path::new("x.json"), text).expect("well formed");
    assert_eq!(profile.metrics.len(), 1, "what is inclusive follows, and the rank is none");
    assert_eq!(timer(&profile, "main")[1..], [5.0, 12.0]);
    assert_eq!(profile.threads[1].node, 1);
    let circle = text.replace(r#""label": "main""#, r#""label": "main", "parent": 1"#);
    let told = caliper_json(Path::new("x.json"), &circle).expect_err("it has no end").to_string();
    assert!(told.contains("a node that is not there"), "{told}");
}

/// Whatever is cut off, it is read or refused: a panic would end the test.
#[test]
fn what_was_cut_is_read_or_refused() {
    let readers: [(&str, Reader); 6] = [
        ("gprof.txt", gprof),
        ("callgrind.out", callgrind),
        ("perf.txt", perf_script),
        ("oned.mpiP", mpip),
        ("py-spy.speedscope.json", speedscope),
        ("py-spy.chrome.json", chrome_trace),
    ];
    let mut refused = 0;
    for (name, reader) in readers {
        let (path, text) = written(name);
        for length in (0..text.len()).step_by(97).filter(|at| text.is_char_boundary(*at)) {
            refused += u32::from(reader(&path, &text[..length]).is_err());
        }
    }
    assert!(refused >= 6, "at least what is empty: {refused}");
}
