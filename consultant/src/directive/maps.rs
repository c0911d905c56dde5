//! The maps of directive files, put together: they give each old name its new one.

use crate::text_position::TextPosition;
use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Focus, Hierarchy, Resource};

use super::definition::{Directive, Directives};
use super::mistake::{DirectiveError, Mistake};

/// What old names are called now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NameMaps {
    to: BTreeMap<Resource, Resource>,
}

impl NameMaps {
    /// The maps among these directives.
    ///
    /// # Errors
    /// When they contradict each other, or go in circles.
    pub fn of(directives: &Directives) -> Result<Self, Vec<DirectiveError>> {
        let mut maps = Self::default();
        let mut places = BTreeMap::new();
        let mut mistakes = Vec::new();
        for entry in &directives.entries {
            let Directive::Map { from, to } = &entry.directive else { continue };
            match maps.to.insert(from.clone(), to.clone()) {
                Some(other) if other != *to => {
                    let there: &TextPosition = &places[from];
                    let mistake = Mistake::Contradiction(there.clone());
                    mistakes.push(DirectiveError { place: entry.place.clone(), mistake });
                }
                _ => _ = places.insert(from.clone(), entry.place.clone()),
            }
        }
        let mut ending = BTreeSet::new();
        for (from, place) in &places {
            match maps.way(from, &ending) {
                Some(way) => ending.extend(way),
                None => {
                    let (place, mistake) = (place.clone(), Mistake::Cycle(from.clone()));
                    mistakes.push(DirectiveError { place, mistake });
                }
            }
        }
        if mistakes.is_empty() { Ok(maps) } else { Err(mistakes) }
    }

    /// Whether nothing is called otherwise now.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The new name, by the map of the longest old one; and on from there.
    #[must_use]
    pub fn renamed(&self, resource: &Resource) -> Resource {
        self.follow(resource).unwrap_or_else(|| resource.clone())
    }

    /// A focus in new names.
    #[must_use]
    pub fn focus(&self, focus: &Focus) -> Focus {
        Hierarchy::ALL.into_iter().fold(focus.clone(), |renamed, hierarchy| {
            let part = focus.part(hierarchy).iter().map(|resource| self.renamed(resource));
            renamed.with_set(hierarchy, part)
        })
    }

    /// What a directive says in new names; maps stay as they are.
    #[must_use]
    pub fn directive(&self, directive: &Directive) -> Directive {
        let mut renamed = directive.clone();
        match &mut renamed {
            Directive::Prune { resource, .. } => *resource = self.renamed(resource),
            Directive::Priority { focus, .. } => *focus = self.focus(focus),
            Directive::Map { .. } | Directive::Threshold { .. } | Directive::DwellTime(_) => {}
        }
        renamed
    }

    fn follow(&self, resource: &Resource) -> Option<Resource> {
        self.way(resource, &BTreeSet::new())?.pop()
    }

    /// The names that a resource has one after the other, to the last or to one that is known to have a last. Each map applies once
    /// at most; one that applies again goes in a circle.
    fn way(&self, resource: &Resource, ending: &BTreeSet<Resource>) -> Option<Vec<Resource>> {
        let mut way = vec![resource.clone()];
        while way.len() <= self.to.len() + 1 {
            let name = way.last()?;
            match self.step(name).filter(|_| !ending.contains(name)) {
                Some(next) => way.push(next),
                None => return Some(way),
            }
        }
        None
    }

    fn step(&self, name: &Resource) -> Option<Resource> {
        let mut above = std::iter::successors(Some(name.clone()), Resource::parent);
        let from = above.find(|above| self.to.contains_key(above))?;
        let to = &self.to[&from];
        Resource::parse(&format!("{to}{}", &name.path()[from.path().len()..])).ok()
    }
}

/// Old names with their new ones; of two for one name the last counts.
impl FromIterator<(Resource, Resource)> for NameMaps {
    fn from_iter<T: IntoIterator<Item = (Resource, Resource)>>(maps: T) -> Self {
        Self { to: maps.into_iter().collect() }
    }
}
