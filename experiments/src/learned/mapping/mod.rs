//! Finds the names that the things of one run have in another: pairs code by its place among other code, objects by the
//! code that works on them, processes by their role, hosts by their ranks, and all of them by name and by what the search
//! found there.
//!
//! ```text
//!   what one run alone has ──► how similar is each pair? (comparison, evidence) ──► one assignment problem (pairing)
//!        code, as a whole: code.rs      objects and files, below what belongs together      processes, hosts: roles.rs
//! ```
//! A pair's confidence is the weighted mean of the evidence that both sides have, each kind with its weight. A pair that is
//! more different than similar is not proposed. Things of the same name always belong together; a function of the same name
//! in another file has moved there.

mod assignment;
mod code;
mod comparison;
mod correspondence;
mod evidence;
mod near;
mod pairing;
mod roles;
mod side;
mod similarity;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use whyperf_consultant::{Directive, Directives};
use whyperf_model::{Hierarchy, Resource};

use super::earlier_run::EarlierRun;
use super::structure::CodeStructure;
use comparison::RunComparison;
use correspondence::Correspondence;
use pairing::FoundPair;
pub(super) use roles::by_role;
use side::{Side, divided};

pub use evidence::{Ground, MatchEvidence};

/// A proposal: what `from` of the first run is called in the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// In the first run.
    pub from: Resource,
    /// In the second.
    pub to: Resource,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// What speaks for it and against it.
    pub evidence: Vec<MatchEvidence>,
}

impl Mapped {
    /// From this confidence on a person need not look.
    pub const SURE: f64 = 0.8;
    /// Below this the pair is more unlike than like.
    const LEAST: f64 = 0.4;

    /// Whether a person need not look.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.confidence >= Self::SURE
    }

    /// Proposals as directives, each with its confidence and the evidence in the comment.
    #[must_use]
    pub fn directives(all: &[Self], least: f64) -> Directives {
        let mut directives = Directives::default();
        for one in all.iter().filter(|one| one.confidence >= least) {
            let (from, to) = (one.from.clone(), one.to.clone());
            directives.push(Directive::Map { from, to }, Some(evidence::comment(one)));
        }
        directives
    }
}

/// What differs between two runs and belongs together.
#[must_use]
pub fn map(first: &EarlierRun, second: &EarlierRun) -> Vec<Mapped> {
    let mut comparison = RunComparison::between(Side::of(first), Side::of(second));
    let mut all = comparison.code();
    for hierarchy in Hierarchy::OBJECTS {
        all.extend(comparison.tree(&Resource::root(hierarchy)));
    }
    all.extend(comparison.hosts());
    all.extend(roles::processes(first, second));
    all
}

/// What the code of a run is called in a program that has these functions, hangs together like this, and was not run yet.
#[must_use]
pub(super) fn map_to_program(
    earlier_run: &EarlierRun,
    functions: &BTreeSet<Resource>,
    structure: &CodeStructure,
) -> Vec<Mapped> {
    let program = Side::of_program(functions, structure);
    RunComparison::between(Side::of(earlier_run), program).code()
}

impl RunComparison {
    fn between(first: Side, second: Side) -> Self {
        Self { first, second, known: Correspondence::default() }
    }

    fn code(&mut self) -> Vec<Mapped> {
        let found = self.pair_code();
        found.into_iter().map(|one| self.mapped(one)).collect()
    }

    /// What is below a root, pair by pair of what belongs together.
    fn tree(&mut self, root: &Resource) -> Vec<Mapped> {
        let mut all = Vec::new();
        let mut pending = vec![(root.clone(), root.clone())];
        while let Some((one, other)) = pending.pop() {
            let names = [self.first.names(&one), self.second.names(&other)];
            let [same, mut rows, mut columns] = divided(&names[0], &names[1]);
            rows.sort_by_key(|one| roles::counted(one));
            columns.sort_by_key(|one| roles::counted(one));
            let found = self.paired(&rows, &columns);
            let same: Vec<(Resource, Resource)> =
                same.into_iter().map(|one| (one.clone(), other.child(one.name()))).collect();
            for (one, other) in &same {
                self.known.join(one, other, 1.0);
            }
            found.iter().for_each(|one| self.known.join(&one.from, &one.to, one.confidence));
            pending.extend(same);
            pending.extend(found.iter().map(|one| (one.from.clone(), one.to.clone())));
            all.extend(found);
        }
        all.into_iter().map(|one| self.mapped(one)).collect()
    }

    fn mapped(&self, found: FoundPair) -> Mapped {
        let FoundPair { from, to, confidence } = found;
        let evidence = self.evidence(&from, &to);
        Mapped { from, to, confidence, evidence }
    }
}
