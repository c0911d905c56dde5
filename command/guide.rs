//! What a search is told before it begins: directives from files, and what earlier runs of the same application teach.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use whyperf_consultant::{Directive, DirectiveError, Directives, Guidance, Hypotheses};
use whyperf_experiments::{Access, History, Mapped, Past, Store, Wanted, extract, map};

use crate::store_arguments::Keeping;

/// Directives, and what they mean to the search.
#[derive(Debug, Default)]
pub(crate) struct Guide {
    pub(crate) directives: Directives,
    pub(crate) guidance: Guidance,
    /// What a user should hear of it.
    pub(crate) said: Option<String>,
    /// Why nothing could be learned.
    pub(crate) complaint: Option<String>,
}

/// Runs that are learned from: more of them only repeat each other.
const MOST_RUNS: u32 = 10;

impl Guide {
    /// What these options tell a search. Files were checked before; what cannot be learned is left out and said.
    pub(crate) fn of(keeping: &Keeping, hypotheses: &Hypotheses) -> Self {
        let mut guide = Self::default();
        if let Ok(directives) = read(&keeping.directives, hypotheses) {
            guide.directives = directives;
        }
        if keeping.learn {
            guide.learn(keeping, hypotheses);
        }
        match Guidance::new(&guide.directives, hypotheses) {
            Ok(guidance) => guide.guidance = guidance,
            Err(mistakes) => guide.complaint = Some(lines(&mistakes)),
        }
        guide
    }

    fn learn(&mut self, keeping: &Keeping, hypotheses: &Hypotheses) {
        let application = keeping.application.as_deref().unwrap_or_default();
        match lesson(&keeping.store, application, hypotheses) {
            Ok((0, _)) => {
                self.said = Some(format!("no earlier run of {application} to learn from"));
            }
            Ok((runs, lesson)) => {
                self.said = Some(summary(runs, application, &lesson));
                // What a person wrote comes first, so it wins where both speak.
                self.directives = merged(std::mem::take(&mut self.directives), lesson);
            }
            Err(error) => self.complaint = Some(format!("nothing learned: {error:#}")),
        }
    }
}

/// Says what is wrong with files; the status for it.
pub(crate) fn refuse(mistakes: &str) -> Result<ExitCode> {
    for mistake in mistakes.lines() {
        eprintln!("whyperf: {mistake}");
    }
    Ok(ExitCode::from(2))
}

/// What all files say.
pub(crate) fn read(files: &[PathBuf], hypotheses: &Hypotheses) -> Result<Directives, String> {
    let mut all = Directives::default();
    for file in files {
        let name = file.display().to_string();
        let text = fs::read_to_string(file)
            .map_err(|error| format!("cannot read the directives {name}: {error}"))?;
        all.append(
            Directives::parse(&name, &text, hypotheses).map_err(|mistakes| lines(&mistakes))?,
        );
    }
    Guidance::new(&all, hypotheses).map_err(|mistakes| lines(&mistakes))?;
    Ok(all)
}

fn lines(mistakes: &[DirectiveError]) -> String {
    mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// From how many runs something was learned, and what.
fn lesson(store: &Path, application: &str, hypotheses: &Hypotheses) -> Result<(usize, Directives)> {
    if !store.exists() {
        return Ok((0, Directives::default()));
    }
    let store = Store::open(store, Access::Read)?;
    let application = Some(application.to_owned());
    let runs = store.runs(&History { application, most: Some(MOST_RUNS), complete: true })?;
    let pasts: Vec<Past> = runs.iter().map(|run| store.past(&run.id)).collect::<Result<_, _>>()?;
    let mut lesson = Directives::default();
    // The next run is likeliest to be like the latest: what others called differently is called as there.
    if let Some((latest, others)) = pasts.split_first() {
        for other in others {
            lesson = merged(lesson, Mapped::directives(&map(other, latest), Mapped::SURE));
        }
    }
    Ok((pasts.len(), merged(lesson, extract(&pasts, Wanted::UNASKED, hypotheses))))
}

/// Both, but of two that speak of the same the first alone.
fn merged(first: Directives, second: Directives) -> Directives {
    let mut known: BTreeSet<String> =
        first.entries.iter().map(|entry| entry.directive.subject()).collect();
    let mut all = first;
    for entry in second.entries {
        if known.insert(entry.directive.subject()) {
            all.push(entry.directive, entry.comment);
        }
    }
    all
}

fn summary(runs: usize, application: &str, lesson: &Directives) -> String {
    let count = |is: fn(&Directive) -> bool| {
        lesson.entries.iter().filter(|entry| is(&entry.directive)).count()
    };
    let runs = if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") };
    format!(
        "learned from {runs} of {application}: {} priorities, {} prunes, {} maps",
        count(|one| matches!(one, Directive::Priority { .. })),
        count(|one| matches!(one, Directive::Prune { .. })),
        count(|one| matches!(one, Directive::Map { .. })),
    )
}
