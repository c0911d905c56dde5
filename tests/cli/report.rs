//! A run that was kept becomes one file for a browser, text, and Markdown; what cannot be is said, and leaves no file behind.

use std::fs;

use serde_json::Value;

use crate::store::Place;

/// The data in a report file.
fn data(html: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = html.split_once(begin).expect("there are data in it");
    let (data, _) = rest.split_once("</script>").expect("they end");
    serde_json::from_str(data).expect("they are JSON")
}

#[test]
fn a_report_is_one_file_with_all_that_is_known() {
    let place = Place::new("report");
    let run = place.measured();
    let said = place.say(&["report", "latest", "-o", "report.html"]);
    assert_eq!((said.status, said.stdout.len()), (Some(0), 0), "{said:?}");
    let html = fs::read_to_string(place.path("report.html")).expect("it was written");
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    for elsewhere in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!html.contains(elsewhere), "{elsewhere}");
    }
    let files = data(&html);
    let [file] = &files.as_array().expect("a list")[..] else { panic!("one run") };
    assert_eq!(file["run"]["run"], run.as_str());
    assert_eq!(file["run"]["command"], serde_json::json!(["cat", "input"]));
    assert_eq!(file["run"]["report"]["format"], "whyperf-report");
    assert!(file["graph"]["questions"].as_array().is_some_and(|all| !all.is_empty()));
    let series = file["series"].as_array().expect("series");
    assert!(series.iter().any(|one| one["metric"] == "wall"), "{series:?}");
    assert!(file["profile"]["names"].to_string().contains("read"), "{}", file["profile"]);
}

#[test]
fn two_runs_stand_in_one_file_in_the_order_they_were_named() {
    let place = Place::new("report-two");
    let (first, second) = (place.measured(), place.measured());
    let said = place.say(&["report", "latest", "latest~1", "-o", "two.html"]);
    assert_eq!(said.status, Some(0), "{said:?}");
    let html = fs::read_to_string(place.path("two.html")).expect("it was written");
    let names: Vec<Value> = data(&html)
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["run"]["run"].clone())
        .collect();
    assert_eq!(names, [second, first]);
}

#[test]
fn text_is_what_was_printed_and_markdown_is_a_page() {
    let place = Place::new("report-text");
    fs::write(place.path("input"), "some text\n").expect("writable");
    let printed = place.say(&["run", "--", "cat", "input"]);
    let text = place.say(&["report", "latest", "--text"]);
    assert_eq!(text.status, Some(0), "{text:?}");
    let text = String::from_utf8(text.stdout).expect("text");
    let printed = printed.stderr;
    let line = |of: &str| of.lines().find(|line| line.contains("exit status")).map(str::to_owned);
    assert!(line(&text).is_some_and(|line| printed.contains(line.trim())), "{text}\n{printed}");
    let markdown = place.say(&["report", "latest", "--markdown"]);
    let markdown = String::from_utf8(markdown.stdout).expect("text");
    assert!(markdown.starts_with("# `cat input`\n"), "{markdown}");
}

#[test]
fn what_cannot_be_reported_is_said_and_leaves_nothing_behind() {
    let place = Place::new("report-errors");
    place.measured();
    let nowhere = place.say(&["report", "latest"]);
    assert_eq!(nowhere.status, Some(2), "it must be told where to, or in which form: {nowhere:?}");
    let unknown = place.say(&["report", "no-such-run", "-o", "none.html"]);
    assert_eq!(unknown.status, Some(125), "{unknown:?}");
    assert!(unknown.stderr.contains("no-such-run"), "{unknown:?}");
    assert!(!place.path("none.html").exists());
    let unwritable = place.say(&["report", "latest", "-o", "there/is/no/folder.html"]);
    assert_eq!(unwritable.status, Some(125), "{unwritable:?}");
    assert!(unwritable.stderr.contains("there/is/no"), "{unwritable:?}");
}

#[test]
fn names_in_a_report_are_never_markup() {
    let place = Place::new("report-names");
    let name = "<img src=x onerror=alert(1)>";
    fs::write(place.path(name), "some text\n").expect("writable");
    assert_eq!(place.say(&["run", "-q", "--", "cat", name]).status, Some(0));
    assert_eq!(place.say(&["report", "latest", "-o", "report.html"]).status, Some(0));
    let html = fs::read_to_string(place.path("report.html")).expect("it was written");
    assert!(!html.contains("<img"), "neither in the title nor in the data");
    assert!(data(&html).to_string().contains("<img"), "the name is kept as it is");
}

#[test]
fn a_pair_is_drawn_and_one_that_is_not_known_is_said() {
    let place = Place::new("plot");
    place.measured();
    let drawn = place.say(&[
        "plot",
        "latest",
        "--metric",
        "wall",
        "--metric",
        "io_wait",
        "-o",
        "figure.svg",
    ]);
    assert_eq!((drawn.status, drawn.stdout.len()), (Some(0), 0), "{drawn:?}");
    let svg = fs::read_to_string(place.path("figure.svg")).expect("it was written");
    assert!(svg.starts_with("<svg ") && svg.contains("io_wait &lt;/Code"), "{svg}");
    assert_eq!(svg.matches("<polyline").count(), 2, "{svg}");
    let printed = place.say(&["plot", "--metric", "wall"]);
    assert!(printed.stdout.starts_with(b"<svg "), "{printed:?}");
    let image = place.say(&["plot", "--metric", "wall", "--scale", "2", "-o", "figure.PNG"]);
    assert_eq!(image.status, Some(0), "{image:?}");
    let png = fs::read(place.path("figure.PNG")).expect("it was written");
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!(u32::from_be_bytes(png[16..20].try_into().expect("four bytes")), 1280);
    let unknown = place.say(&["plot", "--metric", "wall", "--focus", "</Process/77>"]);
    assert_eq!(unknown.status, Some(125), "{unknown:?}");
    assert!(unknown.stderr.contains("is not known over time"), "{unknown:?}");
    let nothing = place.say(&["plot", "--metric", "wall", "--from", "5", "--to", "4"]);
    assert!(nothing.stderr.contains("between 5 s and 4 s"), "{nothing:?}");
    assert_eq!(place.say(&["plot", "--metric", "no_such"]).status, Some(2));
}

#[test]
fn a_slip_in_what_is_to_be_drawn_is_named_with_what_was_meant() {
    let place = Place::new("plot-slips");
    let said = |words: &[&str]| place.say(&[&["plot"], words].concat()).stderr;
    let form = said(&["--metric", "wall", "-o", "figure.pdf"]);
    let metric = said(&["--metric", "sync_wiat"]);
    let is_told = form.contains("a file whose name ends in .svg or .png")
        && metric.contains("there is no such metric; near it is sync_wait");
    assert!(is_told, "{form}{metric}");
}
