//! Runs are kept, listed, shown, tagged and forgotten; what cannot be is said and changes nothing else.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{Said, whyperf};
use crate::needs;

/// A folder with a store, removed at the end.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("whyperf-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Self(folder)
    }

    /// A file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// `whyperf` in the folder, keeping runs.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = whyperf();
        command.args(words).env_remove("WHYPERF_NO_STORE").current_dir(&self.0);
        command
    }

    /// Runs `whyperf` in the folder, keeping runs.
    pub(crate) fn say(&self, words: &[&str]) -> Said {
        self.command(words).output().expect("the command was built").into()
    }

    /// What `whyperf` prints, which is JSON.
    pub(crate) fn json(&self, words: &[&str]) -> Value {
        let said = self.say(words);
        assert_eq!(said.status, Some(0), "{said:?}");
        serde_json::from_slice(&said.stdout).expect("it prints JSON")
    }

    /// A run that reads a file, so that something of it is measured.
    pub(crate) fn measured(&self) -> String {
        std::fs::write(self.0.join("input"), "some text\n").expect("writable");
        let report = self.0.join("report.json");
        let file = report.display().to_string();
        let said = self.say(&["run", "-q", "--json", &file, "--", "cat", "input"]);
        assert_eq!(
            (said.status, said.stdout.as_slice()),
            (Some(0), &b"some text\n"[..]),
            "{said:?}"
        );
        let text = std::fs::read(report).expect("the report was written");
        let report: Value = serde_json::from_slice(&text).expect("it is JSON");
        report["run"].as_str().expect("the run was kept").to_owned()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn snapshots_are_kept_beside_the_run_which_stays_the_latest() {
    let place = Place::new("snapshots");
    // The program goes on until there is one.
    let wait = "until grep -qs 'waits snapshots' whyperf.db*; do :; done";
    let names = ["--application", "waits", "--experiment", "e", "--trial", "t"];
    let words = [&["run", "--snapshot-every", "50ms"], &names[..], &["--", "dash", "-c", wait]];
    let said = place.say(&words.concat());
    let runs = place.json(&["runs", "--json"]);
    let runs: Vec<[&str; 3]> = { runs.as_array().expect("a list").iter() }
        .map(|run| {
            ["application", "experiment", "trial"].map(|name| run[name].as_str().expect("a name"))
        })
        .collect();
    let is_snapshot = |names: &[&str; 3]| names[..2] == ["waits snapshots", "e, t"];
    assert!(
        runs[0] == ["waits", "e", "t"]
            && runs.len() > 1
            && runs[1..].iter().all(is_snapshot)
            && said.stderr.contains("as trials of experiment 'e, t'"),
        "{runs:?} {said:?}"
    );
}

#[test]
fn a_run_is_kept_listed_and_shown() {
    let place = Place::new("kept");
    let (first, second) = (place.measured(), place.measured());
    let runs = place.json(&["runs", "--json"]);
    assert_eq!(runs[0]["id"], second.as_str());
    assert_eq!(runs[1]["id"], first.as_str());
    assert_eq!(runs[0]["application"], "cat");
    assert_eq!(runs[0]["command"], serde_json::json!(["cat", "input"]));
    assert_eq!((&runs[0]["exit_status"], &runs[0]["complete"]), (&0.into(), &true.into()));
    let shown = place.json(&["show", "latest~1", "--json"]);
    assert_eq!(shown["id"], first.as_str());
    let names = shown["facts"].as_array().expect("facts").iter().map(|fact| fact["name"].clone());
    let names: Vec<Value> = names.collect();
    for fact in ["host", "kernel", "program", "cost-limit"] {
        assert!(names.contains(&fact.into()), "{fact} is not in {names:?}");
    }
    let profile = place.json(&["show", &second[..8], "--profile", "--json"]);
    assert!(profile.to_string().contains("read"), "{profile}");
    let resources = place.json(&["show", "latest", "--resources", "--json"]);
    assert!(resources.to_string().contains("/Process/"), "{resources}");
    let search = place.json(&["show", "latest", "--search", "--json"]);
    assert!(search.to_string().contains("CPUbound"), "{search}");
    let messages = place.json(&["show", "latest", "--messages", "--json"]);
    assert_eq!(messages, serde_json::json!([]), "it is known that there are none");
    assert_eq!(shown["messages"], serde_json::json!([]));
    for part in ["--search", "--profile", "--resources", "--messages", "--log"] {
        let said = place.say(&["show", "latest", part]);
        assert_eq!(said.status, Some(0), "{said:?}");
        assert!(!said.stdout.is_empty());
    }
}

#[test]
fn runs_are_tagged_and_forgotten() {
    let place = Place::new("tagged");
    let (first, second) = (place.measured(), place.measured());
    assert_eq!(place.say(&["runs", "tag", &first, "baseline"]).status, Some(0));
    assert_eq!(place.json(&["show", "baseline", "--json"])["id"], first.as_str());
    // With one that is not there, none is removed.
    let refused = place.say(&["runs", "rm", &second, "no-such-run"]);
    assert_eq!(refused.status, Some(125), "{refused:?}");
    assert!(refused.stderr.contains("no-such-run"), "{refused:?}");
    assert_eq!(place.json(&["runs", "--json"]).as_array().map(Vec::len), Some(2));
    assert_eq!(place.say(&["runs", "rm", "baseline"]).status, Some(0));
    assert_eq!(place.json(&["runs", "--json"])[0]["id"], second.as_str());
}

#[test]
fn a_histogram_is_asked_for_by_its_pair() {
    let place = Place::new("pair");
    place.measured();
    let words = ["show", "latest", "--histogram", "wall", "</Code>", "--json"];
    let curve = place.json(&words);
    assert_eq!(curve["metric"], "wall");
    assert!(curve["bins"].as_array().is_some_and(|bins| !bins.is_empty()), "{curve}");
    let said = place.say(&["show", "latest", "--histogram", "speed", "</Code>"]);
    assert!(said.stderr.contains("no such metric"), "{said:?}");
}

#[test]
fn a_store_that_cannot_be_used_is_said_and_the_program_runs() {
    let place = Place::new("broken");
    std::fs::write(
        place.0.join("whyperf.db"),
        "no store at all, but something long enough\n".repeat(9),
    )
    .expect("writable");
    std::fs::write(place.0.join("input"), "some text\n").expect("writable");
    let said = place.say(&["run", "-q", "--", "cat", "input"]);
    assert_eq!((said.status, said.stdout.as_slice()), (Some(0), &b"some text\n"[..]), "{said:?}");
    assert!(
        said.stderr.contains("the run is not kept") && said.stderr.contains("whyperf.db"),
        "{said:?}"
    );
    let said = place.say(&["runs"]);
    assert!(said.stderr.contains("no store of whyperf"), "{said:?}");
    let nowhere = place.say(&["runs", "--store", "there-is-none.db"]);
    assert!(nowhere.stderr.contains("there is no store there-is-none.db"), "{nowhere:?}");
    assert!(!Path::new(&place.0.join("there-is-none.db")).exists());
}

#[test]
fn directives_are_checked_made_and_put_together() {
    let place = Place::new("directives");
    let write = |name: &str, lines: &str| {
        let text = format!("whyperf directives 1\n{lines}\n");
        std::fs::write(place.0.join(name), text).expect("writable");
    };
    write("good", "priority high CPUbound </Code/a.c/f>\nprune * /Machine");
    write("other", "priority high CPUbound </Code/a.c/f>\nthreshold CPUbound 0.4");
    write("bad", "prune * /Machine\npriority soon CPUbound </Code/a.c/f>");
    assert_eq!(place.say(&["directives", "check", "good", "other"]).status, Some(0));
    let refused = place.say(&["directives", "check", "bad"]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("bad:3:10"), "{refused:?}");
    let common = place.say(&["directives", "combine", "--intersect", "good", "other"]);
    let common = String::from_utf8(common.stdout).expect("text");
    assert!(common.contains("CPUbound") && !common.contains("prune"), "{common}");
    let all = place.say(&["directives", "combine", "--union", "good", "other", "-o", "all"]);
    assert_eq!(all.status, Some(0), "{all:?}");
    let all = place.json(&["directives", "show", "--json", "all"]);
    assert_eq!(all["directives"].as_array().map(Vec::len), Some(3), "{all}");
    let refused = place.say(&["run", "--directives", "bad", "--", "echo", "started"]);
    assert_eq!((refused.status, refused.stdout.as_slice()), (Some(2), &b""[..]), "{refused:?}");
    assert!(refused.stderr.contains("bad:3:10"), "{refused:?}");
}

/// What a verb about directives prints as JSON: as many as said, and the same members always.
fn is_told(answer: &Value, directives: usize, written: Option<&str>, mistakes: usize) {
    let count = |member: &str| answer[member].as_array().map(Vec::len);
    let said = (count("directives"), answer["written"].as_str(), count("mistakes"));
    assert_eq!(said, (Some(directives), written, Some(mistakes)), "{answer}");
}

#[test]
fn every_verb_about_directives_prints_json_and_nothing_else() {
    let place = Place::new("told");
    let (first, second) = (place.measured(), place.measured());
    std::fs::write(place.0.join("good"), "whyperf directives 1\nprune * /Machine # one\n")
        .expect("writable");
    std::fs::write(place.0.join("bad"), "whyperf directives 1\nprune Machine\nlate\n")
        .expect("writable");
    is_told(&place.json(&["directives", "check", "--json", "good"]), 1, None, 0);
    let shown = place.json(&["directives", "show", "--json", "good"]);
    assert_eq!((&shown["directives"][0]["place"]), "good:2:1");
    assert_eq!((&shown["directives"][0]["comment"]), "one");
    is_told(
        &place.json(&["directives", "combine", "--union", "--json", "good", "good"]),
        1,
        None,
        0,
    );
    let words = ["directives", "extract", "--only", "general-prunes", "--json", &first];
    let made = place.json(&words);
    assert!(made["directives"].as_array().is_some_and(|all| !all.is_empty()), "{made}");
    let count = made["directives"].as_array().map_or(0, Vec::len);
    is_told(&place.json(&[&words[..], &["-o", "made"]].concat()), count, Some("made"), 0);
    is_told(&place.json(&["directives", "check", "--json", "made"]), count, None, 0);
    let mapped = place.json(&["directives", "map", "--json", &first, &second]);
    assert!(mapped["directives"].is_array() && mapped["written"].is_null(), "{mapped}");
    for words in
        [&["check", "--json"][..], &["show", "--json"], &["combine", "--union", "--json", "good"]]
    {
        let refused = place.say(&[&["directives"], words, &["bad"]].concat());
        assert_eq!(refused.status, Some(2), "{refused:?}");
        is_told(&serde_json::from_slice(&refused.stdout).expect("JSON"), 0, None, 2);
        assert!(refused.stderr.contains("bad:3:1"), "{refused:?}");
    }
}

#[test]
fn every_verb_about_runs_prints_json_and_nothing_else() {
    let place = Place::new("done");
    let run = place.measured();
    let tagged = place.json(&["runs", "tag", "latest", "here", "--json"]);
    assert_eq!(tagged, serde_json::json!({ "tagged": run, "name": "here" }));
    let parts = ["--search", "--profile", "--resources", "--messages", "--log"];
    assert!(parts.iter().all(|part| place.json(&["show", "here", part, "--json"]).is_array()));
    let report = place.0.join("diagnosis.json").display().to_string();
    let said = place.say(&["diagnose", "here", "--json", &report]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let text = std::fs::read(report).expect("the report was written");
    let report: Value = serde_json::from_slice(&text).expect("it is JSON");
    let removed = place.json(&["runs", "rm", "here", "latest", "--json"]);
    assert_eq!(removed, serde_json::json!({ "removed": [run, report["run"]] }));
    assert_eq!(place.json(&["runs", "--json"]), serde_json::json!([]));
    let table = place.json(&["hypotheses", "--json"]);
    assert!(table.to_string().contains("\"name\":\"CPUbound\""), "{table}");
}

#[test]
fn phases_are_kept_and_shown_apart() {
    let place = Place::new("phases");
    std::fs::write(place.0.join("input"), "some text\n").expect("writable");
    let program = ["--", "dash", "-c", "cat input; sleep 1"];
    let said = place.say(&[&["run", "-q", "--phase-at", "0.3"], &program[..]].concat());
    assert_eq!((said.status, &said.stdout[..]), (Some(0), &b"some text\n"[..]), "{said:?}");
    let shown = place.json(&["show", "latest", "--json"]);
    let phase = &shown["phases"][0];
    assert_eq!((&phase["number"], &phase["name"]), (&1.into(), &"#1".into()), "{shown}");
    assert!(phase["began"].as_u64() < phase["ended"].as_u64(), "{phase}");
    let search = place.json(&["show", "latest", "--search", "--json"]);
    let asked = search.as_array().expect("a list").iter();
    let phases: Vec<&Value> = asked.map(|one| &one["phase"]).collect();
    assert!(phases.contains(&&Value::Null) && phases.contains(&&1.into()), "{search}");
    let text = String::from_utf8(place.say(&["show", "latest", "--search"]).stdout).expect("text");
    assert!(text.contains("Phase #1, from 0."), "{text}");
}

#[test]
fn what_steers_a_terminal_is_not_let_through() {
    let place = Place::new("hostile");
    std::fs::write(place.0.join("input"), "some text\n").expect("writable");
    let hostile = "\x1b]0;owned\x07\x1b[2J\nline";
    let words =
        ["run", "-q", "--application", hostile, "--experiment", hostile, "--trial", hostile];
    let said = place.say(&[&words[..], &["--", "dash", "-c", "cat input # \x1b[2J"]].concat());
    assert_eq!(said.status, Some(0), "{said:?}");
    assert_eq!(place.say(&["runs", "tag", "latest", hostile]).status, Some(0));
    for words in [&["runs"][..], &["show", "latest"], &["show", "latest", "--log"]] {
        let said = place.say(words);
        assert!(!said.stdout.contains(&0x1b) && !said.stdout.contains(&7), "{said:?}");
    }
    assert_eq!(place.json(&["runs", "--json"])[0]["experiment"], hostile);
}

#[test]
fn what_a_run_found_leads_the_next() {
    let place = Place::new("learn");
    // Long enough to be judged: a run that was not teaches nothing.
    let busy = "for ($i = 0; $i < 40_000_000; $i++) {} my @lines = <>;";
    std::fs::write(place.0.join("input"), "some text\n").expect("writable");
    let run = |words: &[&str]| {
        let report = place.0.join("report.json");
        let file = report.display().to_string();
        let said = place.say(
            &[&["run", "--json", &file], words, &["--", "perl", "-e", busy, "input"]].concat(),
        );
        assert_eq!(said.status, Some(0), "{said:?}");
        let text = std::fs::read(report).expect("the report was written");
        (said, serde_json::from_slice::<Value>(&text).expect("it is JSON"))
    };
    let (said, first) = run(&["--learn"]);
    assert!(said.stderr.contains("no earlier run of perl to learn from"), "{said:?}");
    assert_eq!(first["directives_used"], 0);
    let lesson = place.say(&["directives", "extract", "latest"]);
    assert_eq!(lesson.status, Some(0), "{lesson:?}");
    let lesson = String::from_utf8(lesson.stdout).expect("text");
    assert!(lesson.starts_with("whyperf directives 1\n"), "{lesson}");
    assert!(lesson.contains("prune     *  /Machine"), "one machine tells nothing: {lesson}");
    let refused =
        |focus: &str| place.say(&["directives", "extract", "latest", "--must-find", focus]);
    let unknown = refused("CPUbound </Code/nowhere.c/nothing>");
    assert_eq!(unknown.status, Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("no run asked CPUbound at"), "{unknown:?}");
    let found = refused("CPUbound <>");
    let text = String::from_utf8(found.stdout).expect("text");
    assert!(text.contains("and all that must be found"), "{text}");
    let (said, second) = run(&["--learn"]);
    assert!(said.stderr.contains("learned from 1 run of perl"), "{said:?}");
    assert!(second["directives_used"].as_u64().is_some_and(|used| used > 0), "{second}");
    let shown = place.json(&["show", "latest", "--json"]);
    assert!(shown["directives"].as_array().is_some_and(|all| !all.is_empty()), "{shown}");
}

#[test]
fn what_a_run_found_leads_a_version_with_other_names() {
    let place = Place::new("renamed");
    let version = |file: &str, function: &str| {
        let text = format!(
            "#include <time.h>\n#include <unistd.h>\nvolatile double sum;\n\
             __attribute__((noipa)) void {function}(void) {{ for (int i = 0; i < 1000000; i++) sum += i; }}\n\
             __attribute__((noipa)) void begin(void) {{ (void)!write(1, \"\", 0); }}\n\
             int main(void) {{ begin(); while (clock() < 3 * CLOCKS_PER_SEC) {function}(); return 0; }}\n"
        );
        std::fs::write(place.0.join(file), text).expect("writable");
        let gcc = Command::new("gcc")
            .args(["-g", "-O1", "-o", "program", file])
            .current_dir(&place.0)
            .status();
        assert!(gcc.is_ok_and(|status| status.success()));
        let said = place.say(&["run", "--learn", "--", "./program"]);
        assert_eq!(said.status, Some(0), "{said:?}");
        said
    };
    let said = version("grid.c", "relax_rows");
    assert!(said.stderr.contains("no earlier run of program"), "{said:?}");
    let said = version("grids.c", "relax_all_rows");
    assert!(said.stderr.contains("for the order of questions ("), "{said:?}");
    let shown = place.json(&["show", "latest", "--json"]);
    let directives = shown["directives"].as_array().expect("a list");
    let directives: Vec<String> = directives.iter().map(ToString::to_string).collect();
    let is_high = |line: &String| line.contains("high") && line.contains("CPUbound");
    assert!(
        directives
            .iter()
            .any(|line| is_high(line) && line.contains("/Code/grids.c/relax_all_rows")),
        "{directives:?}; {said:?}"
    );
}

#[test]
fn a_wrong_map_leaves_nothing_out() {
    let place = Place::new("wrong-map");
    let run = |hot: &str, cold: &str| {
        // Each calls by itself, so that none is known by whom it calls; the cold one takes some milliseconds.
        let text = format!(
            "#include <time.h>\nvolatile double sum;\n\
             __attribute__((noipa)) void {hot}(void) {{ for (int i = 0; i < 1000000; i++) sum += i; }}\n\
             __attribute__((noipa)) void {cold}(void) {{ for (int i = 0; i < 1000; i++) sum += i; }}\n\
             int main(void) {{ while (clock() < 6 * CLOCKS_PER_SEC) {{ {hot}(); {cold}(); }} return 0; }}\n"
        );
        std::fs::write(place.0.join("steps.c"), text).expect("writable");
        let gcc = Command::new("gcc")
            .args(["-g", "-O1", "-o", "program", "steps.c"])
            .current_dir(&place.0)
            .status();
        assert!(gcc.is_ok_and(|status| status.success()));
        let said = place.say(&["run", "--learn", "--", "./program"]);
        assert_eq!(said.status, Some(0), "{said:?}");
        let search = place.json(&["show", "latest", "--search", "--json"]);
        let is_true = search.as_array().expect("a list").iter().any(|one| {
            let focus = one["focus"].as_str().unwrap_or_default();
            focus.contains(&format!("/{hot},")) && one["truth"] == "true"
        });
        (said, is_true)
    };
    let (said, is_found) = run("relax_rows", "scale_rows");
    assert!(is_found, "{said:?}");
    // By their names each is taken for the other one.
    let (said, is_found) = run("scale_rows_2", "relax_rows_2");
    assert!(said.stderr.contains("2 maps for the order of questions"), "{said:?}");
    assert!(is_found, "{said:?}");
}

#[test]
fn hypotheses_are_printed_extended_and_refused() {
    let place = Place::new("hypotheses");
    let table = place.say(&["hypotheses"]);
    assert_eq!(table.status, Some(0));
    let table = String::from_utf8(table.stdout).expect("text");
    assert!(table.contains("CPUbound"), "{table}");
    std::fs::write(
        place.0.join("bad.toml"),
        "[[hypothesis]]\nname = \"Odd\"\nparent = \"Nobody\"\n",
    )
    .expect("writable");
    let refused = place.say(&["run", "--hypotheses", "bad.toml", "--", "echo", "started"]);
    assert_eq!((refused.status, refused.stdout.as_slice()), (Some(2), &b""[..]), "{refused:?}");
    assert!(refused.stderr.contains("bad.toml:"), "{refused:?}");
    let refused = place.say(&["run", "--threshold", "Odd=0.3", "--", "echo", "started"]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("there is no hypothesis Odd"), "{refused:?}");
    let classic =
        place.say(&["run", "-q", "--no-store", "--verdict", "classic", "--", "echo", "started"]);
    assert_eq!(
        (classic.status, classic.stdout.as_slice()),
        (Some(0), &b"started\n"[..]),
        "{classic:?}"
    );
}

/// Calls per second that are too many: from the table to the report.
const OFTEN: &str = r#"
[[hypothesis]]
name = "ManyOutputCalls"
metric = "io_ops / wall"
operator = ">"
threshold = "1000000 ops/s"
hierarchies = []
meaning = "the program calls for output often"
advice = "call for output less often"
"#;

#[test]
fn a_rate_is_too_high_from_the_table_to_the_report() {
    let place = Place::new("rate");
    std::fs::write(place.0.join("often.toml"), OFTEN).expect("writable");
    let busy = "open F, '>', 'out'; syswrite F, 'x' for 1 .. 2000000";
    let options = ["--hypotheses", "often.toml", "--threshold", "ManyOutputCalls=0.5 ops/s"];
    let said =
        place.say(&[&["run", "--no-store"], &options[..], &["--", "perl", "-e", busy]].concat());
    assert_eq!(said.status, Some(0), "{said:?}");
    let told = said.stderr.lines().filter(|line| line.contains("ManyOutputCalls"));
    let told: Vec<&str> = told.filter(|line| line.contains(" > 0.5000 ops/s")).collect();
    assert_eq!(told.len(), 3, "as it is found, on the first page, and in the report: {said:?}");
}

#[test]
fn a_store_that_is_not_one_s_own_is_not_written() {
    let place = Place::new("not-own");
    let path = |name: &str| place.0.join(name);
    std::fs::write(path("victim"), "").expect("writable");
    std::os::unix::fs::symlink("victim", path("link.db")).expect("writable");
    std::fs::write(path("other.db"), "").expect("writable");
    std::fs::hard_link(path("victim"), path("hard.db")).expect("writable");
    std::fs::write(path("open.db"), "").expect("writable");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    std::fs::set_permissions(path("open.db"), open).expect("it is ours");
    let mut refused =
        vec![("link.db", "symbolic link"), ("hard.db", "another name"), ("open.db", "chmod go-w")];
    if needs::is_met("root", rustix::process::geteuid().is_root()) {
        std::os::unix::fs::chown(path("other.db"), Some(65534), None).expect("root may");
        refused.push(("other.db", "another user"));
    }
    for (store, why) in refused {
        let said = place.say(&["run", "--store", store, "--", "echo", "ran"]);
        assert_eq!((said.status, said.stdout.as_slice()), (Some(0), &b"ran\n"[..]), "{said:?}");
        assert!(said.stderr.contains(why), "{store}: {said:?}");
        let size = std::fs::metadata(path(store)).expect("it is there").len();
        assert_eq!(size, 0, "{store} was written");
    }
}

#[test]
fn a_store_in_a_folder_that_a_link_leads_to_is_written() {
    let place = Place::new("linked-folder");
    std::fs::create_dir(place.0.join("real")).expect("writable");
    std::os::unix::fs::symlink("real", place.0.join("link")).expect("writable");
    let said = place.say(&["run", "-q", "--store", "link/s.db", "--", "true"]);
    assert_eq!((said.status, said.stderr.as_str()), (Some(0), ""), "{said:?}");
    assert_eq!(place.say(&["runs", "--store", "link/s.db"]).status, Some(0));
}

#[test]
fn secrets_in_a_command_are_masked_where_it_is_stored() {
    let place = Place::new("secrets");
    std::fs::write(place.0.join("input"), "some text\n").expect("writable");
    let run = |options: &[&str]| {
        let reads = "open F, 'input'; my $line = <F>";
        let words = ["--", "perl", "-e", reads, "--", "--password=hunter2", "--api-key", "k1"];
        let said = place.say(&[&["run", "-q"][..], options, &words].concat());
        assert_eq!(said.status, Some(0), "{said:?}");
        std::fs::read(place.0.join("whyperf.db")).expect("it was made")
    };
    let holds = |store: &[u8], word: &str| {
        store.windows(word.len()).any(|window| window == word.as_bytes())
    };
    let store = run(&[]);
    assert!(holds(&store, "--password=***") && !holds(&store, "hunter2"));
    let kept = run(&["--keep-arguments"]);
    assert!(holds(&kept, "--password=hunter2"));
}

#[test]
fn nothing_is_kept_that_is_not_to_be_kept() {
    let place = Place::new("none");
    std::fs::write(place.0.join("input"), "some text\n").expect("writable");
    assert_eq!(place.say(&["run", "-q", "--no-store", "--", "cat", "input"]).status, Some(0));
    assert!(!place.0.join("whyperf.db").exists());
}
