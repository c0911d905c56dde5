//! Directive files, made by the command from base runs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::base_runs::BaseRuns;
use super::harness::Harness;
use super::verdict::Verdict;
use super::version::Version;

/// Kinds of directives, as `directives extract --only` calls them.
pub(super) const PRIORITIES: &str = "priorities";
pub(super) const GENERAL: &str = "general-prunes";
pub(super) const HISTORIC: &str = "historic-prunes";
pub(super) const HOLD: &str = "hold";

/// The directives of some kinds from the first base run of a version. Thresholds are left out: they are the same in all runs.
pub(super) fn extracted(
    base_runs: &mut BaseRuns<'_>,
    (version, verdict): (Version, Verdict),
    kinds: &[&str],
) -> Result<PathBuf> {
    let run = base_runs.of(version, verdict)?[0].run.clone();
    let name = format!("{}-{}-{}", version.letter(), verdict.name(), kinds.join("+"));
    of_run(base_runs.harness, (&run, &base_runs.store()), &name, kinds)
}

/// The directives of some kinds from one run in a store.
pub(super) fn of_run(
    harness: &Harness,
    (run, store): (&str, &Path),
    name: &str,
    kinds: &[&str],
) -> Result<PathBuf> {
    let file = harness.file(&format!("{name}.psd"));
    let mut words = vec!["directives", "extract", run, "--output", text(&file)?];
    kinds.iter().for_each(|kind| words.extend(["--only", kind]));
    harness.answer(&words, store)?;
    Ok(file)
}

/// The `map` directives from the names of one version to those of another.
pub(super) fn mapped(
    base_runs: &mut BaseRuns<'_>,
    (from, to): (Version, Version),
    verdict: Verdict,
) -> Result<PathBuf> {
    let first = base_runs.of(from, verdict)?[0].run.clone();
    let second = base_runs.of(to, verdict)?[0].run.clone();
    let name = format!("{}-to-{}-{}.psd", from.letter(), to.letter(), verdict.name());
    let file = base_runs.harness.file(&name);
    let words = ["directives", "map", &first, &second, "--output", text(&file)?];
    base_runs.harness.answer(&words, &base_runs.store())?;
    Ok(file)
}

/// The same directives in the names of another version.
pub(super) fn translated(base_runs: &BaseRuns<'_>, file: &Path, map: &Path) -> Result<PathBuf> {
    let names = names(&lines(base_runs, map)?);
    let lines = lines(base_runs, file)?.into_iter().map(|line| renamed(&line, &names));
    let all = lines.collect::<Vec<_>>().join("\n");
    let file = file.with_extension("translated.psd");
    fs::write(&file, format!("whyperf directives 1\n{all}\n"))
        .with_context(|| format!("writing {}", file.display()))?;
    Ok(file)
}

/// Two files in one.
pub(super) fn combined(base_runs: &BaseRuns<'_>, files: [&Path; 2], how: &str) -> Result<PathBuf> {
    let file = base_runs.harness.file(&format!("combined{how}.psd"));
    let words =
        ["directives", "combine", how, text(files[0])?, text(files[1])?, "--output", text(&file)?];
    base_runs.harness.answer(&words, Path::new(""))?;
    Ok(file)
}

/// The words that give these files to a run.
pub(super) fn words(files: &[PathBuf]) -> Vec<OsString> {
    files.iter().flat_map(|file| [OsString::from("--directives"), file.into()]).collect()
}

/// The directives of a file, one a line.
pub(super) fn lines(base_runs: &BaseRuns<'_>, file: &Path) -> Result<Vec<String>> {
    let words = ["directives", "show", text(file)?, "--json"];
    let shown = base_runs.harness.answer(&words, Path::new(""))?;
    let shown: Value = serde_json::from_str(&shown).context("reading directives")?;
    let all = shown["directives"].as_array().context("whyperf shows no directives")?;
    let line = |one: &Value| one["directive"].as_str().map(str::to_owned);
    Ok(all.iter().filter_map(line).collect())
}

/// New names by old ones.
fn names(maps: &[String]) -> BTreeMap<String, String> {
    let pair = |line: &String| {
        let mut words = line.split_whitespace().skip_while(|word| *word != "map").skip(1);
        Some((words.next()?.to_owned(), words.next()?.to_owned()))
    };
    maps.iter().filter_map(pair).collect()
}

/// A directive in which each resource has its new name. Of several old names that match, the longest is replaced.
fn renamed(line: &str, names: &BTreeMap<String, String>) -> String {
    let is_end = |character: char| " ,<>()".contains(character);
    let pieces = line.split_inclusive(is_end);
    let piece = |piece: &str| {
        let word = piece.trim_end_matches(is_end);
        let mut old = word;
        loop {
            if let Some(new) = names.get(old) {
                return format!("{new}{}{}", &word[old.len()..], &piece[word.len()..]);
            }
            match old.rfind('/') {
                Some(at) if at > 0 => old = &old[..at],
                _ => return piece.to_owned(),
            }
        }
    };
    pieces.map(piece).collect()
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("the target folder has a name that is no text")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_old_name_counts_and_only_whole_names_do() {
        let maps = ["map  /Code/a.c  /Code/b.c", "map /Code/a.c/f /Code/b.c/g"];
        let names = names(&maps.map(str::to_owned));
        let line = "priority  high  H  </Code/a.c/f,/Machine>";
        assert_eq!(renamed(line, &names), "priority  high  H  </Code/b.c/g,/Machine>");
        let line = "prune H /Code/a.c/h";
        assert_eq!(renamed(line, &names), "prune H /Code/b.c/h");
        let line = "prune H /Code/a.cc/f";
        assert_eq!(renamed(line, &names), line);
    }
}
