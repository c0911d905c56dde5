//! `cargo xtask study sc99`: repeats the experiments of "Improving Online Performance Diagnosis by the Use of Historical Performance Data".

mod base_runs;
mod cells;
mod directive_files;
mod harness;
mod options;
mod page;
mod table_1;
mod table_2;
mod table_3;
mod table_4;
mod trial;
mod verdict;
mod version;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::packages;
use crate::workspace::Workspace;

use base_runs::BaseRuns;
use harness::Harness;
use options::StudyOptions;
use page::StudyPage;

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let ["sc99", words @ ..] = words else {
        bail!("`study` takes the name of a study: sc99, random, planted, predicted or reduction");
    };
    let options = StudyOptions::of(words)?;
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !options.built {
        workspace.build_release()?;
    }
    let begin = Instant::now();
    let harness = Harness::prepare(&workspace, options)?;
    let mut base_runs = BaseRuns::new(&harness);
    let mut page = StudyPage::new(&harness);
    for part in PaperTable::ALL.into_iter().filter(|part| harness.options.wants(*part)) {
        let section = part.study(&mut base_runs)?;
        println!("\n{section}");
        page.add(section);
    }
    page.add(base_runs.described());
    let path = page.write(&workspace, begin.elapsed())?;
    println!("written to {}", path.display());
    Ok(ExitCode::SUCCESS)
}

/// A table of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PaperTable {
    One,
    Two,
    Three,
    Four,
}

impl PaperTable {
    const ALL: [Self; 4] = [Self::One, Self::Two, Self::Three, Self::Four];

    /// Its number in the paper.
    const fn number(self) -> &'static str {
        match self {
            Self::One => "1",
            Self::Two => "2",
            Self::Three => "3",
            Self::Four => "4",
        }
    }

    /// Does the runs and writes the section.
    fn study(self, base_runs: &mut BaseRuns<'_>) -> Result<String> {
        match self {
            Self::One => table_1::study(base_runs),
            Self::Two => table_2::study(base_runs),
            Self::Three => table_3::study(base_runs),
            Self::Four => table_4::study(base_runs),
        }
    }
}
