//! Runs are compared and asked, profiles of other tools come in and go out; what makes no sense is refused and points at the mistake.

use serde_json::Value;

use crate::store::Place;

/// A folder of TAU's files: two ranks, the second of which computes `micros` in `work`.
fn profiles(place: &Place, name: &str, micros: u64) -> String {
    let folder = place.path(name);
    std::fs::create_dir_all(&folder).expect("writable");
    for (rank, work) in [(0, 1_000_000), (1, micros)] {
        let text = format!(
            "2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n\
             \"work [{{/src/a.c}} {{20,1}}]\" 10 0 {work} {work} 0 GROUP=\"TAU_USER\" \n\
             \"MPI_Barrier()\" 4 0 500000 500000 0 GROUP=\"MPI\" \n0 aggregates\n"
        );
        std::fs::write(folder.join(format!("profile.{rank}.0.0")), text).expect("writable");
    }
    folder.display().to_string()
}

fn imported(place: &Place, name: &str, micros: u64) {
    let folder = profiles(place, name, micros);
    let said =
        place.say(&["import", &folder, "--application", "ocean", "--experiment", name, "--json"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let told: Value = serde_json::from_slice(&said.stdout).expect("it prints JSON");
    assert_eq!(told["imported"].as_str().map(str::len), Some(12), "{told}");
}

fn text(said: &crate::command::Said) -> String {
    String::from_utf8_lossy(&said.stdout).into_owned()
}

#[test]
fn imported_runs_are_compared_and_fail_by_conditions() {
    let place = Place::new("compared");
    imported(&place, "old", 1_000_000);
    imported(&place, "new", 1_500_000);
    let file = place.path("comparison.json").display().to_string();
    let words = [
        "compare",
        "--json",
        &file,
        "experiment:old",
        "experiment:new",
        "--fail-if",
        "compute > +5%",
    ];
    let said = place.say(&words);
    assert_eq!(said.status, Some(3), "{said:?}");
    assert!(said.stderr.contains("'compute > +5%' holds: 2.000 s before, 2.500 s now"), "{said:?}");
    assert!(text(&said).contains("</Code/a.c/work,/Process/1>"), "{said:?}");
    let written = std::fs::read(place.path("comparison.json")).expect("it was written");
    let written: Value = serde_json::from_slice(&written).expect("it is JSON");
    assert_eq!(
        (&written["format"], &written["version"]),
        (&"whyperf-comparison".into(), &1.into())
    );
    assert_eq!(written["differences"][0]["metric"], "compute");
    assert_eq!(written["differences"][0]["change"], 0.5);
    let said =
        place.say(&["compare", "latest~1", "latest", "--fail-if", "compute > +60%", "--markdown"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(text(&said).contains("| compute | `</Code/a.c/work,/Process/1>` |"), "{said:?}");
    let same = place.say(&["compare", "latest", "latest"]);
    assert!(text(&same).contains("No difference in times and amounts"), "{same:?}");
}

/// A folder of TAU's files: so many ranks, which divide 12 s of work, and each of which waits longer the more they are.
fn scaled(place: &Place, ranks: u32) {
    let name = format!("ranks-{ranks}");
    let folder = place.path(&name);
    std::fs::create_dir_all(&folder).expect("writable");
    let (work, wait) = (12_000_000 / ranks, 50_000 * ranks);
    let all = work + wait;
    for rank in 0..ranks {
        let text = format!(
            "3 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n\
             \"main\" 1 14 0 {all} {all} 0 GROUP=\"TAU_DEFAULT\" \n\
             \"work [{{/src/a.c}} {{20,1}}]\" 10 0 {work} {work} 0 GROUP=\"TAU_USER\" \n\
             \"MPI_Alltoall()\" 4 0 {wait} {wait} 0 GROUP=\"MPI\" \n0 aggregates\n"
        );
        std::fs::write(folder.join(format!("profile.{rank}.0.0")), text).expect("writable");
    }
    let folder = folder.display().to_string();
    let words = ["import", &folder, "--application", "ocean", "--experiment", "scaling"];
    let said = place.say(&words);
    assert_eq!(said.status, Some(0), "{said:?}");
}

#[test]
fn what_will_hurt_with_more_processes_is_named_first() {
    let place = Place::new("scaled");
    [1, 2, 4, 8, 16].into_iter().for_each(|ranks| scaled(&place, ranks));
    let file = place.path("scaling.json").display().to_string();
    let said = place.say(&["scale", "experiment:scaling", "--at", "64", "--json", &file]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let written = std::fs::read(&file).expect("it was written");
    let written: Value = serde_json::from_slice(&written).expect("it is JSON");
    assert_eq!((&written["format"], &written["version"]), (&"whyperf-scaling".into(), &1.into()));
    let counts: Vec<&Value> =
        written["points"].as_array().expect("a list").iter().map(|one| &one["processes"]).collect();
    assert_eq!(counts, [1, 2, 4, 8, 16]);
    // 12.05 s by one, 3.2 s by four.
    let speed_up = written["points"][2]["speed_up"].as_f64().expect("a number");
    assert!((speed_up - 12.05 / 3.2).abs() < 1e-6, "{written:#}");
    let balance = written["points"][2]["factors"]["load_balance"].as_f64().expect("a number");
    assert!((balance - 1.0).abs() < 1e-9, "{written:#}");
    let worst = &written["callpaths"][0];
    assert!(worst["name"].as_str().is_some_and(|name| name.contains("MPI_Alltoall")), "{worst}");
    assert_eq!(worst["model"], "0.05 p", "{worst}");
    let predicted = worst["predicted"][0].as_f64().expect("a number");
    assert!((predicted - 3.2).abs() < 1e-3, "{worst}");
    let text = text(&said);
    assert!(
        text.contains("What will hurt with 64 processes") && text.contains("0.05 p s"),
        "{text}"
    );
}

#[test]
fn what_says_nothing_of_scaling_is_refused() {
    let place = Place::new("unscaled");
    scaled(&place, 2);
    for (words, part) in [
        (["scale", "experiment:scaling"].as_slice(), "different numbers of processes"),
        (&["scale", "latest@25%..50%"], "names no whole run"),
        (&["scale", "file:model.txt"], "names no whole run"),
        (&["scale", "experiment:none"], "there is no run of an experiment none"),
        (&["scale", "--at", "0", "latest"], "0"),
    ] {
        let said = place.say(words);
        assert!([Some(125), Some(2)].contains(&said.status), "{words:?}: {said:?}");
        assert!(said.stderr.contains(part), "{words:?}: {said:?}");
    }
}

#[test]
fn stated_results_are_compared_like_a_run() {
    let place = Place::new("stated");
    imported(&place, "run", 1_000_000);
    let model = "whyperf results 1\nwall <> 2 s\nsync_wait <> 1 s\n";
    std::fs::write(place.path("model.txt"), model).expect("writable");
    let said = place.say(&["compare", "file:model.txt", "latest", "--fail-if", "wall > +5%"]);
    assert_eq!(said.status, Some(0), "a model says nothing of how long the run takes: {said:?}");
    std::fs::write(place.path("model.txt"), "whyperf results 1\nwail <> 2 s\n").expect("writable");
    let said = place.say(&["compare", "file:model.txt", "latest"]);
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("line 2"), "{said:?}");
}

#[test]
fn three_operands_are_one_structure() {
    let place = Place::new("three");
    for (name, node) in [("one", "cow03"), ("two", "cow07"), ("three", "cow03")] {
        let model = format!("whyperf results 1\nwall </Machine/{node}> 2 s\n");
        std::fs::write(place.path(name), model).expect("writable");
    }
    let files = ["one", "two", "three"].map(|name| format!("file:{name}"));
    let words = ["compare", &files[0], &files[1], &files[2], "--json", "all.json"];
    let said = place.say(&words);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(text(&said).contains("in file:one, file:three"), "{said:?}");
    let written = std::fs::read(place.path("all.json")).expect("written");
    let all: Value = serde_json::from_slice(&written).expect("JSON");
    let label = |position: usize| all["all"]["structure"][position]["label"].as_u64();
    assert_eq!([label(0), label(1)], [Some(5), Some(2)], "{all}");
}

#[test]
fn operands_and_conditions_that_make_no_sense_are_refused() {
    let place = Place::new("operands");
    imported(&place, "run", 1_000_000);
    for (words, part) in [
        (["compare", "latest", "latest@phase:7"].as_slice(), "no such part"),
        (&["compare", "latest", "experiment:none"], "there is no run of an experiment none"),
        (&["compare", "latest", "latest@50%..25%"], "expected a part of a run"),
        (&["compare", "latest", "latest", "--fail-if", "wall > 5%"], "is no change"),
        (&["compare", "latest"], "RUN"),
    ] {
        let said = place.say(words);
        assert!([Some(125), Some(2)].contains(&said.status), "{words:?}: {said:?}");
        assert!(said.stderr.contains(part), "{words:?}: {said:?}");
    }
}

#[test]
fn questions_are_answered_or_pointed_at() {
    let place = Place::new("asked");
    imported(&place, "run", 1_000_000);
    let said =
        place.say(&["query", "--format", "json", "compute at </Process/*> aggregate cluster 5%"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let answers: Value = serde_json::from_slice(&said.stdout).expect("it prints JSON");
    assert_eq!(answers["rows"].as_array().map(Vec::len), Some(1), "{answers}");
    assert_eq!(answers["rows"][0]["value"], 1e9);
    let csv = text(&place.say(&[
        "query",
        "--format",
        "csv",
        "wall, sync_ops of app:ocean where ranks = 2",
    ]));
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.contains("\"</Code,/Machine,/Process,/SyncObject>\",8,ops"), "{csv}");
    let table = text(&place.say(&["query", "wall"]));
    assert!(table.contains("ocean / run") && table.contains("3.000 s"), "{table}");
    let said = place.say(&["query", "cpu of ocean"]);
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("app:NAME"), "{said:?}");
    let names = text(&place.say(&["query", "--complete", "/Code/a"]));
    assert_eq!(names, "/Code/a.c\n/Code/a.c/work\n");
}

#[test]
fn a_run_goes_out_in_each_format() {
    let place = Place::new("formats");
    imported(&place, "run", 1_000_000);
    let say = |words: &[&str]| {
        let said = place.say(&[&["export", "latest"], words].concat());
        assert_eq!(said.status, Some(0), "{words:?}: {said:?}");
        text(&said)
    };
    let stacks = say(&["--format", "collapsed"]);
    assert!(stacks.contains("process 1;thread 0;work 1000000\n"), "{stacks}");
    let json = |words: &[&str]| -> Value { serde_json::from_str(&say(words)).expect("it is JSON") };
    std::fs::write(place.path("stacks"), &stacks).expect("writable");
    let speedscope = json(&["--format", "speedscope"]);
    assert_eq!(speedscope["profiles"][0]["endValue"], 1_500_000_000u64);
    let hatchet = json(&["--format", "hatchet"]);
    assert_eq!(hatchet["dataframe"].as_array().map(Vec::len), Some(4), "{hatchet}");
    assert!(say(&["--format", "openmetrics"]).ends_with("# EOF\n"));
    assert_eq!(say(&["--format", "csv"]).lines().count(), 5);
    for format in ["tau", "pprof"] {
        let refused = place.say(&["export", "latest", "--format", format]);
        assert_eq!(refused.status, Some(125), "{refused:?}");
        assert!(refused.stderr.contains("--output"), "{refused:?}");
        let out = place.path(&format!("out-{format}")).display().to_string();
        say(&["--format", format, "--output", &out]);
    }
    let words = ["import", "stacks", "--weight", "microseconds", "--experiment", "stacks"];
    let said = place.say(&words);
    assert_eq!(said.status, Some(0), "{said:?}");
    let waited = text(&place.say(&["query", "--format", "csv", "sync_wait of run:latest"]));
    assert!(waited.contains(",1000000000,ns"), "{waited}");
    assert_eq!(place.say(&["runs", "rm", "latest"]).status, Some(0));
    let again = place.path("out-tau").display().to_string();
    let said = place.say(&["import", &again, "--experiment", "again"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let same = text(&place.say(&["compare", "latest~1", "latest"]));
    assert!(same.contains("No difference in times and amounts"), "{same}");
}

#[test]
fn what_measuring_is_not_worth_becomes_a_filter() {
    let place = Place::new("reduced");
    imported(&place, "run", 1_000_000);
    let filtered = |rules: &str, format: &str| {
        std::fs::write(place.path("rules"), rules).expect("writable");
        let rules = place.path("rules").display().to_string();
        place.say(&["reduce", "latest", "--rules", &rules, "--format", format])
    };
    // Twenty calls, of 100 000 us each.
    let said = filtered("# of both ranks\nTAU_USER : numcalls = 20 & usecs/call <= 1e5\n", "tau");
    assert_eq!(text(&said), "BEGIN_EXCLUDE_LIST\nwork\nEND_EXCLUDE_LIST\n", "{said:?}");
    assert!(said.stderr.contains("1 of 1 functions are left out"), "{said:?}");
    let directives = text(&filtered("numcalls = 20", "whyperf"));
    assert_eq!(directives, "whyperf directives 1\nprune * /Code/a.c/work\n");
    let said = filtered("numcalls != 20", "score-p");
    assert!(text(&said).contains("EXCLUDE\nSCOREP_REGION_NAMES_END"), "{said:?}");
    let said = filtered("numcalls > many", "gcc");
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("line 1, column 12: 'many' is no number"), "{said:?}");
}

/// A program that does something that is measured.
const WAITS: [&str; 2] = ["sleep", "0.1"];

#[test]
fn a_change_is_held_against_the_baseline_of_its_branch() {
    let place = Place::new("ci");
    let file = place.path("ci.xml").display().to_string();
    let ci = |options: &[&str], program: &[&str]| {
        let words = ["ci", "--runs", "2", "--branch", "trunk", "--junit", &file, "--"];
        let (before, after) = words.split_at(words.len() - 1);
        let said = place.say(&[before, options, after, program].concat());
        (said, std::fs::read_to_string(place.path("ci.xml")).expect("it was written"))
    };
    let (said, junit) = ci(&["--update"], &WAITS);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.stderr.contains("trunk has no baseline: these runs are it now"), "{said:?}");
    assert!(junit.contains("<skipped message=\"the branch trunk has no baseline\"/>"), "{junit}");
    let (said, junit) = ci(&["--fail-if", "wall > +1000000%"], &WAITS);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(text(&said).contains("baseline of trunk"), "{said:?}");
    assert!(junit.contains("tests=\"2\" failures=\"0\""), "{junit}");
    let (said, junit) = ci(&[], &["false"]);
    assert_eq!(said.status, Some(1), "{said:?}");
    assert!(junit.contains("errors=\"1\""), "{junit}");
}

#[test]
fn a_diagnosis_of_what_another_tool_measured_has_no_zeros_for_what_that_does_not_tell() {
    let place = Place::new("unknown");
    std::fs::write(place.path("stacks.txt"), "main;outer;inner 300\nmain;io 20\n")
        .expect("writable");
    let file = place.path("stacks.txt").display().to_string();
    assert_eq!(place.say(&["import", "--format", "collapsed", &file]).status, Some(0));
    let json = place.path("diagnosis.json").display().to_string();
    let said = place.say(&["diagnose", "latest", "--json", &json]);
    let written = std::fs::read(&json).expect("it was written");
    let written: Value = serde_json::from_slice(&written).expect("it is JSON");
    let printed = text(&said);
    let shown = text(&place.say(&["show", "latest~1"]));
    let zeros: Vec<&str> = printed
        .lines()
        .chain(shown.lines())
        .filter(|line| line.split_whitespace().any(|word| matches!(word, "0" | "0.0" | "0.00")))
        .collect();
    let told = (zeros, &written["cost"], &written["imported_from"]);
    assert_eq!(told, (vec![], &Value::Null, &"collapsed stacks".into()), "{printed}{shown}");
}
