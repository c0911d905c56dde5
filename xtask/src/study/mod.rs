//! `cargo xtask study sc99`: repeats the experiments of "Improving Online Performance Diagnosis by the Use of Historical Performance Data".

mod guided;
mod lesson;
mod options;
mod overlap;
mod page;
mod table;
mod thresholds;
mod trial;
mod unguided;
mod verdict;
mod version;
mod versions;
mod workshop;

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::packages;
use crate::workspace::Workspace;

use options::Options;
use page::Page;
use unguided::Bases;
use workshop::Workshop;

pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let ["sc99", words @ ..] = words else {
        bail!("`study` takes the name of a study: sc99");
    };
    let options = Options::of(words)?;
    packages::ensure_demo()?;
    let workspace = Workspace::find()?;
    if !options.built {
        workspace.build_release()?;
    }
    let begin = Instant::now();
    let workshop = Workshop::prepare(&workspace, options)?;
    let mut bases = Bases::new(&workshop);
    let mut page = Page::new(&workshop);
    for part in Part::ALL.into_iter().filter(|part| workshop.options.wants(*part)) {
        let section = part.study(&mut bases)?;
        println!("\n{section}");
        page.add(section);
    }
    page.add(bases.described());
    let path = page.write(&workspace, begin.elapsed())?;
    println!("written to {}", path.display());
    Ok(ExitCode::SUCCESS)
}

/// A table of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Guided,
    Thresholds,
    Versions,
    Overlap,
}

impl Part {
    const ALL: [Self; 4] = [Self::Guided, Self::Thresholds, Self::Versions, Self::Overlap];

    /// Its number in the paper.
    const fn number(self) -> &'static str {
        match self {
            Self::Guided => "1",
            Self::Thresholds => "2",
            Self::Versions => "3",
            Self::Overlap => "4",
        }
    }

    /// Does the runs and writes the section.
    fn study(self, bases: &mut Bases<'_>) -> Result<String> {
        match self {
            Self::Guided => guided::study(bases),
            Self::Thresholds => thresholds::study(bases),
            Self::Versions => versions::study(bases),
            Self::Overlap => overlap::study(bases),
        }
    }
}
