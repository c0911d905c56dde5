//! The licences of the crates that the command and the library are made of, with their texts: whoever hands on what is built hands on these.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::workspace::Workspace;

/// One crate of others.
#[derive(Clone, Debug, Default)]
struct CrateNotice {
    name: String,
    licence: String,
    texts: Vec<String>,
}

/// All of them as one text; a text that several have is there once.
pub(crate) fn of_crates(workspace: &Workspace) -> Result<String> {
    let metadata = metadata(workspace)?;
    let mut text = String::from("Crates that whyperf is made of, and their licences\n\n");
    let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for notice in crates(&metadata)? {
        let _ = writeln!(text, "{}  {}", notice.name, notice.licence);
        for one in notice.texts {
            named.entry(one).or_default().push(notice.name.clone());
        }
    }
    for (licence, names) in named {
        let _ = write!(text, "\n{}\n{}\n\n{}\n", "=".repeat(78), names.join(", "), licence.trim());
    }
    Ok(text)
}

fn metadata(workspace: &Workspace) -> Result<Value> {
    let mut cargo = workspace.cargo(&["metadata", "--format-version", "1", "--offline"]);
    cargo.args(["--filter-platform", "x86_64-unknown-linux-gnu"]);
    let printed = cargo.output().context("running `cargo metadata`")?;
    ensure!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    serde_json::from_slice(&printed.stdout).context("reading what `cargo metadata` says")
}

/// Those that the command and the library need to run, and none of tests and builds.
fn crates(metadata: &Value) -> Result<Vec<CrateNotice>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let needed: BTreeMap<&str, Vec<String>> =
        nodes.iter().filter_map(|node| Some((node["id"].as_str()?, linked(node)))).collect();
    let packages = list(&metadata["packages"]);
    let is_root =
        |package: &&Value| matches!(package["name"].as_str(), Some("whyperf" | "whyperf-probes"));
    let roots = packages.iter().filter(is_root);
    let mut wanted: Vec<String> =
        roots.filter_map(|root| Some(root["id"].as_str()?.to_owned())).collect();
    let mut met = BTreeSet::new();
    while let Some(id) = wanted.pop() {
        if met.insert(id.clone()) {
            wanted.extend(needed.get(id.as_str()).into_iter().flatten().cloned());
        }
    }
    let is_of_others = |package: &&Value| {
        let is_met = package["id"].as_str().is_some_and(|id| met.contains(id));
        is_met && !package["source"].is_null()
    };
    packages.iter().filter(is_of_others).map(notice).collect()
}

/// What a crate links: the ids of its dependencies that are for neither tests nor builds.
fn linked(node: &Value) -> Vec<String> {
    let dependencies = node["deps"].as_array().into_iter().flatten();
    let is_linked = |dependency: &&Value| {
        let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
        kinds.into_iter().any(|kind| kind["kind"].is_null())
    };
    let ids = dependencies.filter(is_linked).filter_map(|one| one["pkg"].as_str());
    ids.map(str::to_owned).collect()
}

fn notice(package: &Value) -> Result<CrateNotice> {
    let word = |name: &str| package[name].as_str().unwrap_or("?").to_owned();
    let manifest = word("manifest_path");
    let folder = Path::new(&manifest).parent().context("a manifest lies in a folder")?;
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut texts = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_text = ["LICEN", "COPYING", "NOTICE"].iter().any(|begin| name.starts_with(begin));
        if is_text && entry.path().is_file() {
            texts.push(fs::read_to_string(entry.path())?);
        }
    }
    let name = format!("{} {}", word("name"), word("version"));
    Ok(CrateNotice { name, licence: word("license"), texts })
}
