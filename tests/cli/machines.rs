//! Machines that programs can be extrapolated to are listed and shown, and mistakes in their files are told.

use serde_json::Value;

use crate::command::{Folder, Said, say};

fn json(words: &[&str]) -> Value {
    let said = say(words);
    assert_eq!(said.status, Some(0), "{said:?}");
    serde_json::from_slice(&said.stdout).expect("it prints JSON")
}

fn text(said: &Said) -> String {
    String::from_utf8_lossy(&said.stdout).into_owned()
}

#[test]
fn shipped_machines_are_listed_and_shown() {
    let list = json(&["machine", "list", "--json"]);
    let names: Vec<&str> =
        list.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["alps", "cm5", "ideal", "laptop", "tukey"]);
    let shown = json(&["machine", "show", "cm5", "--json"]);
    let figures = shown["figures"].as_array().expect("figures");
    let latency = figures.iter().find(|figure| figure["path"] == "network.range.latency");
    let latency = latency.expect("it has one");
    assert_eq!((&latency["value"], &latency["unit"]), (&"6".into(), &"us".into()));
    assert_eq!(latency["date"], "1993-05");
    let said = say(&["machine", "show", "cm5"]);
    assert!(text(&said).contains("barrier.exit_check"), "{said:?}");
}

#[test]
fn a_machine_printed_as_a_file_can_be_read_again() {
    let folder = Folder::new("machine");
    let said = say(&["machine", "show", "tukey", "--toml"]);
    let file = folder.file("copy.toml");
    std::fs::write(&file, &said.stdout).expect("writable");
    let mut copy = json(&["machine", "show", &file, "--json"]);
    assert_eq!(copy["figures"].take(), json(&["machine", "show", "tukey", "--json"])["figures"]);
}

#[test]
fn what_is_no_machine_is_told() {
    let said = say(&["machine", "show", "cm6"]);
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("there is no machine 'cm6': name one of alps, cm5"), "{said:?}");
    let folder = Folder::new("no-machine");
    let file = folder.file("wrong.toml");
    std::fs::write(&file, "name = \"m\"\n[[network.range]]\nlatency = -6\n").expect("writable");
    let said = say(&["machine", "show", &file]);
    assert!(said.stderr.contains("wrong.toml:3:11: a time is not negative: -6"), "{said:?}");
}

#[test]
fn figures_in_wrong_units_are_told_with_their_place() {
    let folder = Folder::new("units");
    let file = folder.file("wrong.toml");
    let said = |text: &str| {
        std::fs::write(&file, format!("name = \"m\"\n{text}\n")).expect("writable");
        say(&["machine", "show", &file]).stderr
    };
    let range = |figure: &str| said(&format!("[[network.range]]\n{figure}"));
    let told = [
        (range("latency = \"25 GB/s\""), ":3:11: '25 GB/s' is no time: a number of microseconds"),
        (range("bandwidth = \"10 us\""), ":3:13: '10 us' is no rate: a number of bytes a second"),
        (range("bandwidth = 0"), ":3:13: a rate is above zero"),
        (range("latency = nan"), ":3:11: NaN is no finite number"),
        (said("[processors]\ncpu_ratio = -2"), ":3:13: a ratio of speeds is above zero: -2"),
        (said("[processors]\ncount = 0"), "expected a whole number from 1 on"),
        (said("[processors]\ncpu_ratio = \"2 GHz\""), "string \"2 GHz\", expected a number"),
        (said("[network]\neager = \"-3\""), ":3:9: '-3' is no size: a number of bytes"),
    ];
    let others: Vec<_> = told.iter().filter(|(said, part)| !said.contains(part)).collect();
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn measuring_without_a_compiler_or_a_launcher_says_what_to_name() {
    let said = say(&["machine", "measure", "--compiler", "no-such-mpicc"]);
    assert_eq!(said.status, Some(125), "{said:?}");
    assert!(said.stderr.contains("--compiler"), "{said:?}");
    let said = say(&["machine", "measure", "--compiler", "true", "--launcher", "false"]);
    assert!(
        said.stderr.contains("'false' failed") && said.stderr.contains("--launcher"),
        "{said:?}"
    );
    let said = say(&["machine", "measure", "--compiler", "true", "--launcher", "echo"]);
    assert!(said.stderr.contains("ended before it was done"), "{said:?}");
}
