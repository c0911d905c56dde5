//! What finished runs teach: directives for the runs to come.
//!
//! ```text
//!   priorities   high: true in a run   low: false in every run that asked      priorities.rs
//!   prunes       general: what tells nothing here   historic: what takes no time   prunes.rs
//!   thresholds   the largest value that would still have found all                thresholds.rs
//!   combination  what several lessons have in common, or say together             combination.rs
//!   mapping      what things of one run are called in another                     mapping/
//! ```
//! Each directive says in its comment which runs it comes from. Source: Karavanic and Miller, *Improving online performance
//! diagnosis by the use of historical performance data*, section 3; the way thresholds are chosen is our own.

mod assignment;
mod combination;
mod mapping;
mod past;
mod priorities;
mod prunes;
mod thresholds;

use whyperf_consultant::{Directives, Hypotheses};

pub use combination::{Combination, combine};
pub use mapping::{Mapped, map};
pub use past::Past;

/// Which directives are wanted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Which questions come first, which last.
    pub priorities: bool,
    /// Hierarchies that tell nothing in this kind of program.
    pub general_prunes: bool,
    /// Functions that take less than [`Wanted::small`] of the time.
    pub historic_prunes: bool,
    /// From which values on something counts.
    pub thresholds: bool,
    /// A share of the time below which a function is not worth asking about.
    pub small: f64,
}

impl Wanted {
    /// A function below this share of the time is not worth a question.
    pub const SMALL: f64 = 0.01;
    /// What a search may be led by without asking its user: a threshold decides what counts, and one that is learned leaves out a part of what was found.
    pub const UNASKED: Self = Self { thresholds: false, ..Self::ALL };
    /// All kinds.
    pub const ALL: Self = Self {
        priorities: true,
        general_prunes: true,
        historic_prunes: true,
        thresholds: true,
        small: Self::SMALL,
    };
}

/// What these runs teach.
#[must_use]
pub fn extract(pasts: &[Past], wanted: Wanted, hypotheses: &Hypotheses) -> Directives {
    let mut lesson = Directives::default();
    if wanted.general_prunes {
        prunes::general(pasts, hypotheses, &mut lesson);
    }
    if wanted.historic_prunes {
        prunes::historic(pasts, wanted.small, hypotheses, &mut lesson);
    }
    if wanted.thresholds {
        thresholds::choose(pasts, hypotheses, &mut lesson);
    }
    if wanted.priorities {
        priorities::rank(pasts, hypotheses, &mut lesson);
    }
    lesson
}

/// The runs, for a comment: `2 of 3 runs (06b89901, 9a01cd22)`.
fn runs(which: &[&Past], of: usize) -> String {
    let names: Vec<&str> = which.iter().take(3).map(|past| past.short()).collect();
    let more = if which.len() > names.len() { ", ..." } else { "" };
    format!("{} of {of} runs ({}{more})", which.len(), names.join(", "))
}
