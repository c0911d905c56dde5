//! Builds that differ by one planted regression: a comparison of some trials of each names it first, and finds no difference of equals.

use serde_json::Value;

use crate::diagnosed::Place;
use crate::launcher::Mpi;
use crate::report::scratch;
use crate::shipped::Load;
use crate::{programs, shipped};

/// Trials of each build. Two builds alternate, so that what else the machine does meets them alike.
const TRIALS: usize = 3;

/// Runs trials of builds into experiments of their names.
fn measured(place: &Place, builds: &[(&str, &str)]) {
    let folder = programs::built_for(Mpi::OpenMpi).join("poisson");
    for _ in 0..TRIALS {
        for &(experiment, build) in builds {
            let program = folder.join(format!("planted_{build}")).display().to_string();
            let own = ["run", "-q", "--application", "planted", "--experiment", experiment, "--"];
            let mut words: Vec<String> = own.map(str::to_owned).to_vec();
            words.extend(Mpi::OpenMpi.launch(4));
            words.extend([program, "600".to_owned(), "500".to_owned()]);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let said = place.say(&words);
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        }
    }
}

fn compared(place: &Place, a: &str, b: &str, more: &[&str]) -> (Value, Option<i32>) {
    let file = place.0.join("comparison.json").display().to_string();
    let [a, b] = [a, b].map(|name| format!("experiment:{name}"));
    let words = [&["compare", "--json", &file, &a, &b], more].concat();
    let said = place.say(&words);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    let json =
        std::fs::read(&file).unwrap_or_else(|error| panic!("no comparison: {error}\n{text}"));
    (serde_json::from_slice(&json).expect("it is JSON"), said.status.code())
}

/// The metric and the focus that stand first.
fn first(comparison: &Value) -> (String, String) {
    let word =
        |name: &str| comparison["differences"][0][name].as_str().unwrap_or_default().to_owned();
    (word("metric"), word("focus"))
}

#[test]
fn a_planted_regression_is_named_first_and_equals_are_alike() {
    let _turn = shipped::turn(Load::Fills);
    let place = Place(scratch());
    let builds = [
        ("before", "none"),
        ("again", "none"),
        ("with barrier", "barrier"),
        ("blocking", "blocking"),
    ];
    measured(&place, &builds);

    // Of equals one comparison in so many may err.
    let surely = ["--confidence", "99.99"];
    let (same, status) =
        compared(&place, "before", "again", &[&surely[..], &["--fail-on", "slower"]].concat());
    assert_eq!(status, Some(0), "{same:#}");
    assert_eq!(same["format"], "whyperf-comparison");
    assert_eq!(same["wall"]["verdict"], "no difference", "{same:#}");
    assert_eq!(same["differences"], Value::Array(Vec::new()), "{same:#}");

    let (barrier, status) =
        compared(&place, "before", "with barrier", &["--fail-if", "sync_ops > +5%"]);
    assert_eq!(status, Some(3), "{barrier:#}");
    let (metric, focus) = first(&barrier);
    assert_eq!(metric, "sync_ops", "{barrier:#}");
    assert!(focus.contains("/SyncObject/Barrier"), "{barrier:#}");

    let (blocking, _) = compared(&place, "before", "blocking", &[]);
    let (metric, focus) = first(&blocking);
    assert!(["sync_ops", "msgs"].contains(&metric.as_str()), "{blocking:#}");
    assert!(focus.contains("/SyncObject/Message"), "{blocking:#}");
}
