//! Pairs the modules and functions of two runs whose names differ: names that are gone and names that came, by all that is
//! known of them.
//!
//! ```text
//!   same names ──► modules ──► functions ──┐     pairs of functions tell which calls are the same, so the
//!                     ▲                    │     neighbours of a pair are looked at again
//!                     └────────────────────┘
//! ```

use std::collections::BTreeMap;

use whyperf_model::{Hierarchy, Resource};

use super::comparison::RunComparison;
use super::correspondence::Correspondence;
use super::evidence;
use super::pairing::FoundPair;
use super::side::{Knowledge, Side, divided};
use super::{Mapped, comparison::ComparedResource};

/// So often neighbours are looked at again: each time they are sure one call further.
const ROUNDS: usize = 4;

impl RunComparison {
    /// Pairs of modules and functions of different names. What follows from the pair of its module is left out.
    pub(super) fn pair_code(&mut self) -> Vec<FoundPair> {
        let mut found = Vec::new();
        for _ in 0..ROUNDS {
            let before = self.known.clone();
            found = self.pair_code_once();
            if self.known == before {
                break;
            }
        }
        found
    }

    /// One round, by what belonged together in the last.
    fn pair_code_once(&mut self) -> Vec<FoundPair> {
        let mut known = Correspondence::default();
        let code = Resource::root(Hierarchy::Code);
        let names = [self.first.names(&code), self.second.names(&code)];
        let [same, gone, come] = divided(&names[0], &names[1]);
        for module in same {
            known.join(module, module, 1.0);
        }
        let gone: Vec<&Resource> = gone.into_iter().filter(|one| self.may_be_gone(one)).collect();
        let mut found = self.paired(&gone, &come);
        found.iter().for_each(|one| known.join(&one.from, &one.to, one.confidence));
        for function in self.first.functions() {
            let module = function.parent().and_then(|module| known.to(&module).cloned());
            let there = module.map(|module| module.child(function.name()));
            if let Some(there) = there.filter(|there| self.second.has(there)) {
                known.join(function, &there, 1.0);
            }
        }
        let moved = self.moved(&known);
        moved.iter().for_each(|one| known.join(&one.from, &one.to, one.confidence));
        let is_left = |one: &&Resource| {
            known.to(one).is_none() && one.parent().is_some_and(|module| self.may_be_gone(&module))
        };
        let rows: Vec<&Resource> = self.first.functions().filter(is_left).collect();
        let is_new = |one: &&Resource| known.back(one).is_none();
        let columns: Vec<&Resource> = self.second.functions().filter(is_new).collect();
        let renamed = self.paired(&rows, &columns);
        renamed.iter().for_each(|one| known.join(&one.from, &one.to, one.confidence));
        found.extend(moved);
        found.extend(renamed);
        self.known = known;
        found
    }

    /// Code of a library is not in the program's file, and not gone for that.
    fn may_be_gone(&self, module: &Resource) -> bool {
        self.second.knowledge == Knowledge::Met || !module.name().contains(".so")
    }

    /// Functions that are nowhere in the modules that belong together, and under their name in one other.
    fn moved(&self, known: &Correspondence) -> Vec<FoundPair> {
        let left = lonely(&self.first, |one| known.to(one).is_none());
        let right = lonely(&self.second, |one| known.back(one).is_none());
        let pairs = left.iter().filter_map(|(name, one)| Some((*one)?).zip(*right.get(name)?));
        pairs
            .map(|(one, other)| FoundPair {
                from: one.clone(),
                to: other.clone(),
                confidence: evidence::confidence(
                    &self.grounds(&ComparedResource::of(one), &ComparedResource::of(other)),
                ),
            })
            .filter(|found| found.confidence >= Mapped::LEAST)
            .collect()
    }
}

/// By name, the functions of a side that have no counterpart; nothing for a name that is there more than once.
fn lonely(side: &Side, is_alone: impl Fn(&Resource) -> bool) -> BTreeMap<&str, Option<&Resource>> {
    let mut lonely = BTreeMap::new();
    for function in side.functions().filter(|function| is_alone(function)) {
        let known = lonely.entry(function.name()).or_insert(Some(function));
        if *known != Some(function) {
            *known = None;
        }
    }
    lonely
}
