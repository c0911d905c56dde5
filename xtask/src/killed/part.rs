//! The parts of a measured job that are killed, and how each is found.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// A part of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JobPart {
    /// `whyperf run`, which started the launcher.
    Run,
    /// The watcher of `whyperf exec`.
    Watcher,
    /// `whyperf attach`.
    Attach,
    /// One of the program's processes, under `whyperf run`.
    Rank,
    /// The launcher under `whyperf run`.
    Launcher,
}

impl JobPart {
    pub(crate) const ALL: [Self; 5] =
        [Self::Run, Self::Watcher, Self::Attach, Self::Rank, Self::Launcher];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Watcher => "watcher",
            Self::Attach => "attach",
            Self::Rank => "rank",
            Self::Launcher => "launcher",
        }
    }

    pub(crate) fn named(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|part| part.name() == name);
        known.with_context(|| format!("no part of a job is called `{name}`"))
    }

    /// Whether the program ends with it.
    pub(crate) const fn ends_program(self) -> bool {
        matches!(self, Self::Rank | Self::Launcher)
    }

    /// Its process, among those that work in this folder.
    pub(crate) fn process(self, folder: &Path) -> Option<u32> {
        let mut found = working_in(folder).into_iter().filter(|pid| self.is(*pid));
        found.next()
    }

    fn is(self, pid: u32) -> bool {
        let words = words(pid, "cmdline");
        let is_first = |name: &str| {
            words.first().is_some_and(|word| Path::new(word).file_name() == Some(name.as_ref()))
        };
        let is_verb =
            |verb: &str| is_first("whyperf") && words.get(1).is_some_and(|one| one == verb);
        match self {
            Self::Run => is_verb("run"),
            Self::Attach => is_verb("attach"),
            Self::Watcher => {
                is_verb("exec")
                    && words_of(pid, "environ").any(|one| one.starts_with("WHYPERF_WATCHED="))
            }
            Self::Rank => is_first("poisson_a"),
            Self::Launcher => is_first("mpirun.openmpi"),
        }
    }
}

/// The processes whose working directory this is.
pub(crate) fn working_in(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_there =
        |pid: &u32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|place| place == folder);
    numbers.filter(is_there).collect()
}

fn words(pid: u32, file: &str) -> Vec<String> {
    words_of(pid, file).collect()
}

fn words_of(pid: u32, file: &str) -> impl Iterator<Item = String> {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let words: Vec<String> = bytes
        .split(|byte| *byte == 0)
        .filter(|word| !word.is_empty())
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect();
    words.into_iter()
}
