//! HPCToolkit's database: up to its version of 2021 a call tree in `experiment.xml` and a file `.metric-db` of values for each thread, and since
//! then `meta.db` and `profile.db`.
//!
//! ```text
//!   experiment.xml    names of metrics, procedures and files; frames PF, inlined Pr, loops L, call sites C, statements S
//!   *-RANK-THREAD-HOST-PROCESS-0.metric-db    for each node by its number: a value of each metric, most significant byte first
//!   meta.db           metrics, and contexts: functions, loops, lines and instructions
//!   profile.db        for each thread the contexts that have values
//! ```
//! A frame's exclusive value is that of its statements; so what statements have is summed up at the frames, inlined functions and loops around
//! them, and nothing counts twice. Where there are no files of threads, the tree itself has the sums over all of them.

mod call_context;
mod little_words;
mod metadata_file;
mod profile_file;
mod thread_values;

use std::fs;
use std::path::{Path, PathBuf};

use super::callpath_sums::CallpathSums;
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};
use call_context::{CallContext, Statement};
use little_words::LittleWords;
use metadata_file::MetadataFile;
use thread_values::ThreadValues;

/// The description that a folder of such a database has.
pub(super) const DESCRIPTION: &str = "experiment.xml";
/// What later versions write in its place.
pub(super) const LATER: &str = "meta.db";
const VALUES: &str = "profile.db";
/// The names that these files begin with.
const META: &[u8] = b"HPCTOOLKITmeta";
const PROF: &[u8] = b"HPCTOOLKITprof";
/// A description longer than this is none.
const MOST: u64 = 2 << 30;

/// Reads a folder, or the description in it.
///
/// # Errors
/// When it cannot be read, is no such database, or its files do not belong together.
pub fn hpctoolkit(path: &Path) -> Result<ForeignProfile, ExchangeError> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let path = folder.join(DESCRIPTION);
    if !path.is_file() && folder.join(LATER).is_file() {
        return later(folder);
    }
    let refused = |what| ExchangeError::Nothing { path: path.clone(), what };
    let context = CallContext::parse(&text(&path)?).map_err(refused)?;
    let (mut sums, mut notes) = (CallpathSums::default(), Vec::new());
    let files = thread_files(folder)?;
    let metrics = if files.is_empty() || context.thread_metrics.is_empty() {
        notes.push("there are no files of threads: values are sums over all of them".to_owned());
        for statement in &context.statements {
            let of = |number: u32| statement.sums.get(&number).copied().unwrap_or_default();
            let values = context.summed_metrics.iter().map(|metric| of(metric.number));
            add(&mut sums, (0, 0, 0), statement, &context.summed_metrics, values);
        }
        &context.summed_metrics
    } else {
        for (place, file) in files {
            let values = ThreadValues::read(&file, context.most)?;
            for statement in &context.statements {
                let of = |number: u32| values.of(statement.node, number);
                let values = context.thread_metrics.iter().map(|metric| of(metric.number));
                add(&mut sums, place, statement, &context.thread_metrics, values);
            }
        }
        &context.thread_metrics
    };
    if sums.is_empty() {
        return Err(refused("no values of HPCToolkit"));
    }
    notes.push("HPCToolkit's samples tell no calls".into());
    let names = names(metrics);
    let threads = sums.threads(names.len());
    Ok(ForeignProfile { metrics: names, threads, notes })
}

/// Reads a folder of the later form.
fn later(folder: &Path) -> Result<ForeignProfile, ExchangeError> {
    let [metadata, profile] = [(LATER, META), (VALUES, PROF)].map(|(name, magic)| {
        let path = folder.join(name);
        let failed = |source| ExchangeError::Read { path: path.clone(), source };
        let bytes = fs::read(&path).map_err(failed)?;
        // The fourteen signs of the name, and the version.
        let is_known = bytes.starts_with(magic) && bytes.get(magic.len()) == Some(&4);
        let what = "no file of HPCToolkit, or one of a version that whyperf does not know";
        if is_known { Ok(bytes) } else { Err(ExchangeError::Nothing { path, what }) }
    });
    let (metadata, profile) = (metadata?, profile?);
    let refused = |what| ExchangeError::Nothing { path: folder.to_owned(), what };
    let cut = || refused("a database of HPCToolkit that was cut, or whose places make no sense");
    let metadata = MetadataFile::parse(LittleWords(&metadata)).ok_or_else(cut)?;
    let sums = profile_file::sums(LittleWords(&profile), &metadata).ok_or_else(cut)?;
    if sums.is_empty() {
        return Err(refused("no values of HPCToolkit"));
    }
    let names = names(&metadata.metrics);
    let threads = sums.threads(names.len());
    let mut notes = vec!["HPCToolkit's samples tell no calls".to_owned()];
    if metadata.left_out > 0 {
        notes.push(format!(
            "{} metrics have no values of functions, and are left out",
            metadata.left_out
        ));
    }
    Ok(ForeignProfile { metrics: names, threads, notes })
}

fn text(path: &Path) -> Result<String, ExchangeError> {
    let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
    if fs::metadata(path).map_err(failed)?.len() > MOST {
        let what = "more than two gigabytes";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    let bytes = fs::read(path).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The first time is the time of all.
fn names(metrics: &[call_context::ContextMetric]) -> Vec<ForeignMetric> {
    let time = metrics.iter().position(|metric| metric.micros.is_some());
    let name = |(at, metric): (usize, &call_context::ContextMetric)| {
        let name = if time == Some(at) { "TIME" } else { metric.name.as_str() };
        ForeignMetric { name: name.to_owned() }
    };
    metrics.iter().enumerate().map(name).collect()
}

fn add(
    sums: &mut CallpathSums,
    place: super::callpath_sums::ThreadPlace,
    statement: &Statement,
    metrics: &[call_context::ContextMetric],
    values: impl Iterator<Item = f64>,
) {
    for (number, (value, metric)) in values.zip(metrics).enumerate() {
        if value != 0.0 {
            let scaled = value * metric.micros.unwrap_or(1.0);
            sums.add(place, &statement.path, number, scaled);
        }
    }
}

/// The files of threads by rank and thread, in their order.
fn thread_files(
    folder: &Path,
) -> Result<Vec<(super::callpath_sums::ThreadPlace, PathBuf)>, ExchangeError> {
    let failed = |source| ExchangeError::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        files.extend(place(name).map(|place| (place, path.clone())));
    }
    files.sort();
    Ok(files)
}

/// Of `1.cpi-000003-000-a8c00270-160446-0.metric-db` rank 3 and thread 0.
fn place(name: &str) -> Option<super::callpath_sums::ThreadPlace> {
    let mut words = name.strip_suffix(".metric-db")?.rsplit('-');
    let thread = words.nth(3)?.parse().ok()?;
    let rank = words.next()?.parse().ok()?;
    words.next().map(|_| (rank, 0, thread))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_tells_rank_and_thread() {
        assert_eq!(place("1.cpi-000003-001-a8c00270-160446-0.metric-db"), Some((3, 0, 1)));
        assert_eq!(place("a-b-000012-500-a8c00270-1-0.metric-db"), Some((12, 0, 500)));
        assert_eq!(place("000003-001-a8c00270-160446-0.metric-db"), None);
        assert_eq!(place("experiment.xml"), None);
    }
}
