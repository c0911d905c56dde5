//! Dependencies between the parts point one way, one shared object alone contains the runtime, and it brings hardly a package along.

use toml::{Table, Value};

use crate::checkout::{Source, checkout};
use crate::refuse;

/// Each part with the parts it may use. A part that is not here is refused.
const EDGES: [(&str, &[&str]); 16] = [
    ("code", &[]),
    ("layout", &[]),
    ("runtime", &["layout"]),
    ("probes", &["layout", "runtime"]),
    ("model", &[]),
    ("consultant", &["model"]),
    ("inject", &["layout"]),
    ("instrument", &["code", "layout", "inject", "model"]),
    ("daemon", &["code", "layout", "inject", "instrument", "model", "consultant"]),
    (
        "",
        &[
            "code",
            "layout",
            "inject",
            "instrument",
            "model",
            "consultant",
            "daemon",
            "experiments",
            "extrapolate",
            "viewer",
        ],
    ),
    ("extrapolate", &[]),
    ("experiments", &["model", "consultant", "extrapolate"]),
    ("viewer", &["model", "consultant", "experiments"]),
    // Named by no other: tests and benches alone may use it, and a dev-dependency is no edge.
    ("testkit", &["layout", "inject", "model", "consultant"]),
    ("xtask", &[]),
    // Feeds the public entries of these with bytes that a fuzzer makes.
    ("fuzz", &["code", "consultant", "daemon", "experiments", "layout", "model", "testkit"]),
];

/// The parts inside the measured process: the packages each may link, always and in models only.
const INSIDE: [(&str, &[&str], &[&str]); 3] =
    [("layout", &[], &["loom"]), ("runtime", &["libc"], &["loom"]), ("probes", &["libc"], &[])];

/// A part and one package that it links: never one of its tests alone.
struct Edge {
    part: String,
    package: String,
    for_models: bool,
}

fn complaints(files: &[Source]) -> Vec<String> {
    let manifests: Vec<(&str, Table)> = files.iter().filter_map(manifest).collect();
    let edges: Vec<Edge> = manifests.iter().flat_map(|(part, table)| edges(part, table)).collect();
    let mut found: Vec<String> = edges.iter().filter_map(wrong).collect();
    for (part, _) in &manifests {
        if EDGES.iter().all(|(known, _)| known != part) {
            found.push(format!("{part}: tests/tidy/edges.rs does not know this part"));
        }
    }
    let holds_runtime = |part: &str| {
        edges.iter().any(|edge| edge.part == part && edge.package == "whyperf-runtime")
    };
    let objects = manifests.iter().filter(|(part, table)| is_object(table) && holds_runtime(part));
    if objects.count() != 1 {
        found.push("exactly one shared object contains the runtime: two would have two sets of thread-local state".into());
    }
    for (part, ..) in INSIDE {
        let root = files.iter().find(|file| file.path == format!("{part}/src/lib.rs"));
        let text = root.map_or("", |file| file.text.as_str());
        if !text.contains("no_std") || text.contains("extern crate alloc") {
            found.push(format!(
                "{part}: runs inside the measured process, without `std` and `alloc`"
            ));
        }
    }
    found
}

fn manifest(file: &Source) -> Option<(&str, Table)> {
    let part = file.path.strip_suffix("Cargo.toml")?.trim_end_matches('/');
    Some((part, file.text.parse().expect("cargo has read the manifest")))
}

fn edges(part: &str, manifest: &Table) -> Vec<Edge> {
    let tables = |of: &Table| -> Vec<Table> {
        let kinds = ["dependencies", "build-dependencies"];
        kinds.iter().filter_map(|kind| of.get(*kind)?.as_table().cloned()).collect()
    };
    let mut all: Vec<(bool, Table)> =
        tables(manifest).into_iter().map(|table| (false, table)).collect();
    for (condition, of) in manifest.get("target").and_then(Value::as_table).into_iter().flatten() {
        let tables = of.as_table().map(tables).unwrap_or_default();
        all.extend(tables.into_iter().map(|table| (condition == "cfg(loom)", table)));
    }
    let edges = all.into_iter().flat_map(|(for_models, table)| {
        table.into_iter().map(move |(package, _)| (package, for_models))
    });
    edges.map(|(package, for_models)| Edge { part: part.to_owned(), package, for_models }).collect()
}

fn is_object(manifest: &Table) -> bool {
    let kinds = manifest.get("lib").and_then(|lib| lib.get("crate-type")?.as_array());
    kinds.is_some_and(|kinds| kinds.contains(&Value::from("cdylib")))
}

fn wrong(edge: &Edge) -> Option<String> {
    let Edge { part, package, for_models } = edge;
    if let Some(used) = package.strip_prefix("whyperf-") {
        let (_, allowed) = EDGES.iter().find(|(known, _)| known == part)?;
        return (!allowed.contains(&used)).then(|| format!("{part}: must not use {used}"));
    }
    let (_, always, models) = INSIDE.iter().find(|(inside, ..)| inside == part)?;
    let is_allowed =
        always.contains(&package.as_str()) || *for_models && models.contains(&package.as_str());
    (!is_allowed).then(|| format!("{part}: {package} would run inside the measured program"))
}

#[test]
fn parts_depend_one_way() {
    refuse(&complaints(&checkout()));
}

#[test]
fn a_wrong_edge_a_second_object_and_a_package_inside_are_seen() {
    let object =
        "[lib]\ncrate-type = [\"cdylib\"]\n[dependencies]\nwhyperf-runtime.workspace = true\n";
    let files = [
        Source::new(
            "layout/Cargo.toml",
            "[target.'cfg(loom)'.dependencies]\nloom = \"1\"\n[dependencies]\nserde = \"1\"\n",
        ),
        Source::new("probes/Cargo.toml", object),
        Source::new("daemon/Cargo.toml", object),
        Source::new("model/Cargo.toml", "[dev-dependencies]\nwhyperf-testkit.workspace = true\n"),
        Source::new("consultant/Cargo.toml", "[dependencies]\nwhyperf-testkit.workspace = true\n"),
        Source::new("extra/Cargo.toml", "[dev-dependencies]\nwhyperf-layout.workspace = true\n"),
        Source::new("layout/src/lib.rs", "#![no_std]\n"),
        Source::new("runtime/src/lib.rs", "#![no_std]\nextern crate alloc;\n"),
        Source::new("probes/src/lib.rs", "#![no_std]\n"),
    ];
    let found = complaints(&files);
    let starts: Vec<&str> = found.iter().filter_map(|line| line.split([':', ' ']).next()).collect();
    assert_eq!(
        starts,
        ["layout", "daemon", "consultant", "extra", "exactly", "runtime"],
        "{found:?}"
    );
}
