//! Dependencies between the parts point one way, and one shared object alone contains the runtime.

use crate::manifest::{Manifest, manifests};
use crate::tree::Tree;
use crate::violation::{Violation, refuse};

/// Each part with the parts it may use. A part that is not here is refused.
const EDGES: [(&str, &[&str]); 12] = [
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
        &["code", "layout", "inject", "instrument", "model", "consultant", "daemon", "experiments"],
    ),
    ("experiments", &["model", "consultant"]),
    ("xtask", &[]),
];

fn violations(tree: &Tree) -> Vec<Violation> {
    let manifests = manifests(tree);
    let mut found: Vec<Violation> = manifests.iter().flat_map(wrong_edges).collect();
    let objects: Vec<&Manifest<'_>> =
        manifests.iter().filter(|manifest| manifest.is_cdylib).collect();
    if objects.iter().filter(|manifest| manifest.uses("whyperf-runtime")).count() != 1 {
        let advice = "exactly one cdylib must contain the runtime: two would have two sets of thread-local state";
        found.push(Violation::new("probes/Cargo.toml", 0, advice));
    }
    found
}

fn wrong_edges(manifest: &Manifest<'_>) -> Vec<Violation> {
    let Some((_, allowed)) = EDGES.iter().find(|(folder, _)| *folder == manifest.folder) else {
        let advice = "a part that tests/tidy/edges.rs does not know: add it with what it may use";
        return vec![Violation::new(&manifest.file.path, 0, advice)];
    };
    let ours = |name: &str| name.strip_prefix("whyperf-").map(str::to_owned);
    let wrong = manifest.dependencies.iter().filter_map(|dependency| {
        let part = ours(&dependency.name).filter(|part| !allowed.contains(&part.as_str()))?;
        let advice = format!(
            "`{}` must not use `{part}`: move what is needed to where both may look",
            manifest.folder
        );
        Some(Violation::new(&manifest.file.path, dependency.line, advice))
    });
    wrong.collect()
}

#[test]
fn parts_depend_one_way() {
    refuse(&violations(&Tree::of_project()));
}

#[test]
fn a_wrong_edge_and_a_second_object_are_seen() {
    let tree = Tree::sample(&[
        ("layout/Cargo.toml", "[dependencies]\nwhyperf-model.workspace = true\n"),
        (
            "probes/Cargo.toml",
            "crate-type = [\"cdylib\"]\n[dependencies]\nwhyperf-runtime.workspace = true\n",
        ),
        (
            "daemon/Cargo.toml",
            "crate-type = [\"cdylib\"]\n[dependencies]\nwhyperf-runtime.workspace = true\n",
        ),
        ("extra/Cargo.toml", ""),
    ]);
    let files: Vec<String> = violations(&tree).into_iter().map(|v| v.file).collect();
    assert_eq!(
        files,
        ["layout/Cargo.toml", "daemon/Cargo.toml", "extra/Cargo.toml", "probes/Cargo.toml"]
    );
}
