//! Compares two things: the kinds of evidence by which they are similar, and what they have in common.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use super::correspondence::Correspondence;
use super::evidence::{ALIKE, Ground, MatchEvidence};
use super::side::{Knowledge, Side};
use super::similarity;
use crate::learned::structure::is_function;

/// Two runs, and what belongs together so far.
#[derive(Debug)]
pub(super) struct RunComparison {
    pub(super) first: Side,
    pub(super) second: Side,
    pub(super) known: Correspondence,
}

/// A resource with what is looked up for each pair.
pub(super) struct ComparedResource<'a> {
    pub(super) resource: &'a Resource,
    pub(super) letters: Vec<char>,
}

impl<'a> ComparedResource<'a> {
    pub(super) fn of(resource: &'a Resource) -> Self {
        Self { resource, letters: resource.name().chars().collect() }
    }
}

impl RunComparison {
    /// How alike a thing of the first run and one of the second are, by all that is known of both.
    pub(super) fn grounds(
        &self,
        one: &ComparedResource<'_>,
        other: &ComparedResource<'_>,
    ) -> Vec<(Ground, f64)> {
        let alike = similarity::of_names(&one.letters, &other.letters);
        let (one, other) = (one.resource, other.resource);
        let only_first = self.second.knowledge == Knowledge::Complete;
        let mut grounds = Vec::new();
        // Tags are numbers that were chosen for no reason, communicators often have no name: other ones say nothing.
        let is_object = one.hierarchy() == Hierarchy::SyncObject;
        if alike >= ALIKE || !is_object {
            grounds.push((Ground::Name, alike));
        }
        let mut add =
            |ground, alike: Option<f64>| grounds.extend(alike.map(|alike| (ground, alike)));
        if is_function(one) {
            add(Ground::Place, Some(f64::from(u8::from(self.is_in_place(one, other)))));
        }
        if let (Some(left), Some(right)) = (self.first.parts(one), self.second.parts(other)) {
            let below = self.below(left, right, only_first);
            add(Ground::Below, below.filter(|alike| *alike > 0.0 || !is_object));
        }
        let [(ours, their), rest @ ..] = self.neighbours(one, other);
        let [(ours_called, their_called)] = rest;
        add(Ground::Callers, self.common(ours, their, only_first));
        add(Ground::Callees, self.common(ours_called, their_called, only_first));
        let calls = [self.first.structure.wrapped(one), self.second.structure.wrapped(other)];
        if let [Some(left), Some(right)] = calls {
            add(Ground::Wrapped, similarity::of_calls(left, right, only_first));
        }
        add(Ground::Objects, self.objects(one, other));
        if let (Some(left), Some(right)) = (self.first.judged(one), self.second.judged(other)) {
            add(Ground::Shares, similarity::of_values(left, right));
        }
        grounds
    }

    /// The same in words.
    pub(super) fn evidence(&self, one: &Resource, other: &Resource) -> Vec<MatchEvidence> {
        let grounds = self.grounds(&ComparedResource::of(one), &ComparedResource::of(other));
        let told = |(ground, similarity)| MatchEvidence {
            ground,
            similarity,
            words: self.words(ground, one, other),
        };
        grounds.into_iter().map(told).collect()
    }

    /// Callers, and callees, of both.
    fn neighbours<'a>(&'a self, one: &Resource, other: &Resource) -> [NeighbourSets<'a>; 2] {
        let (first, second) = (&self.first.structure, &self.second.structure);
        [(first.callers(one), second.callers(other)), (first.callees(one), second.callees(other))]
    }

    fn common(
        &self,
        left: Option<&BTreeSet<Resource>>,
        right: Option<&BTreeSet<Resource>>,
        only_first: bool,
    ) -> Option<f64> {
        self.known.common(left?, right?, only_first)
    }

    /// Of what is below two things, what is there on both sides. Of a run it is all that matters, so what is gone and what came count against it.
    fn below(
        &self,
        left: &BTreeSet<Resource>,
        right: &BTreeSet<Resource>,
        only_first: bool,
    ) -> Option<f64> {
        let names = |of: &BTreeSet<Resource>| of.iter().map(|one| one.name().to_owned()).collect();
        let [one, other]: [BTreeSet<String>; 2] = [names(left), names(right)];
        let by_name = similarity::of_sets(&one, &other, only_first);
        let known = self.known.common(left, right, only_first);
        match (by_name, known) {
            (Some(by_name), Some(known)) => Some(by_name.max(known)),
            (by_name, known) => by_name.or(known),
        }
    }

    /// Of code: half by the very objects, half by their kinds. Of an object: by the code that works on it.
    fn objects(&self, one: &Resource, other: &Resource) -> Option<f64> {
        let left = self.first.structure.objects(one)?;
        let right = self.second.structure.objects(other)?;
        if one.hierarchy() != Hierarchy::Code {
            return self.known.common(left, right, false);
        }
        let kinds = |of: &BTreeSet<Resource>| of.iter().filter_map(kind).collect();
        let [one, other]: [BTreeSet<Resource>; 2] = [kinds(left), kinds(right)];
        Some(f64::midpoint(
            similarity::of_sets(left, right, false)?,
            similarity::of_sets(&one, &other, false)?,
        ))
    }

    /// Whether a function is in the module that belongs to that of the other.
    fn is_in_place(&self, one: &Resource, other: &Resource) -> bool {
        let (Some(from), Some(to)) = (one.parent(), other.parent()) else { return false };
        from == to || self.known.to(&from) == Some(&to)
    }

    fn words(&self, ground: Ground, one: &Resource, other: &Resource) -> String {
        let [callers, callees] = self.neighbours(one, other);
        match ground {
            Ground::Callers => self.shared(callers),
            Ground::Callees => self.shared(callees),
            Ground::Wrapped => {
                let calls = self.second.structure.wrapped(other);
                let ours = self.first.structure.wrapped(one);
                let both = |call: &&String| ours.is_some_and(|ours| ours.contains(*call));
                let shared: Vec<&str> =
                    calls.into_iter().flatten().filter(both).map(String::as_str).collect();
                if shared.is_empty() { "the same kind".to_owned() } else { listed(&shared) }
            }
            Ground::Objects if one.hierarchy() == Hierarchy::Code => {
                let kinds = self.second.structure.objects(other).into_iter().flatten();
                let kinds: BTreeSet<String> =
                    kinds.filter_map(kind).map(|kind| kind.name().to_owned()).collect();
                let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
                format!("works on {}", listed(&kinds))
            }
            Ground::Objects => {
                let code =
                    (self.first.structure.objects(one), self.second.structure.objects(other));
                format!("used by {}", self.shared(code))
            }
            Ground::Shares => self.shares(one, other),
            _ => String::new(),
        }
    }

    /// What both have, in the new names.
    fn shared(&self, (left, right): NeighbourSets<'_>) -> String {
        let left = left.into_iter().flatten().filter_map(|one| self.known.to(one));
        let is_shared = |one: &&Resource| right.is_some_and(|right| right.contains(one));
        let names: Vec<&str> = left.filter(is_shared).map(Resource::name).collect();
        listed(&names)
    }

    /// The hypothesis that takes most of either, with both values.
    fn shares(&self, one: &Resource, other: &Resource) -> String {
        let empty = BTreeMap::new();
        let left = self.first.judged(one).unwrap_or(&empty);
        let right = self.second.judged(other).unwrap_or(&empty);
        let both = left
            .iter()
            .filter_map(|(hypothesis, value)| Some((hypothesis, *value, *right.get(hypothesis)?)));
        let most = both.max_by(|one, other| one.1.max(one.2).total_cmp(&other.1.max(other.2)));
        let Some((hypothesis, before, after)) = most else { return String::new() };
        format!("{hypothesis} {before:.2} and {after:.2}")
    }
}

/// What stands beside each of two things.
type NeighbourSets<'a> = (Option<&'a BTreeSet<Resource>>, Option<&'a BTreeSet<Resource>>);

/// What kind of object it is: a message, a lock, a file.
fn kind(object: &Resource) -> Option<Resource> {
    let mut above = std::iter::successors(Some(object.clone()), Resource::parent);
    above.find(|above| above.depth() <= 1)
}

/// The first few of them.
fn listed(names: &[&str]) -> String {
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    format!("{}{more}", names[..names.len().min(SHOWN)].join(", "))
}

/// So many names are enough to check by.
const SHOWN: usize = 3;
