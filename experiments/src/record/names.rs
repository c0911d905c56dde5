//! The names of a record, each once and with a number by which it is called.

use std::collections::HashMap;
use std::hash::Hash;

use serde::{Deserialize, Serialize};
use whyperf_model::matching::Kind;
use whyperf_model::{Category, Resource};

/// A kind whose names have numbers.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredKind {
    /// [`Category::number`].
    pub(super) category: u32,
    code: Vec<u32>,
    object: Option<u32>,
    own: Option<u32>,
}

/// Each thing once, and its number.
pub(super) struct Numbers<T> {
    pub(super) list: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { list: Vec::new(), numbers: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    pub(super) fn number(&mut self, of: &T) -> u32 {
        if let Some(number) = self.numbers.get(of) {
            return *number;
        }
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(of.clone());
        self.numbers.insert(of.clone(), number);
        number
    }
}

impl Numbers<Resource> {
    pub(super) fn kind(&mut self, kind: &Kind) -> StoredKind {
        StoredKind {
            category: kind.category.number(),
            code: kind.code.iter().map(|one| self.number(one)).collect(),
            object: kind.object.as_ref().map(|one| self.number(one)),
            own: kind.own.as_ref().map(|one| self.number(one)),
        }
    }
}

/// Names that were read, to be called by their numbers; what is not there makes no sense.
pub(super) struct NumberedResources<'a>(pub(super) &'a [Resource]);

impl NumberedResources<'_> {
    pub(super) fn name(&self, number: u32) -> Option<Resource> {
        self.0.get(number as usize).cloned()
    }

    pub(super) fn all(&self, numbers: &[u32]) -> Option<Vec<Resource>> {
        numbers.iter().map(|number| self.name(*number)).collect()
    }

    pub(super) fn three(&self, [first, second, third]: &[u32; 3]) -> Option<[Resource; 3]> {
        Some([self.name(*first)?, self.name(*second)?, self.name(*third)?])
    }

    /// None where there is none.
    pub(super) fn optional(&self, number: Option<u32>) -> Option<Option<Resource>> {
        number.map_or(Some(None), |number| self.name(number).map(Some))
    }

    pub(super) fn kind(&self, kind: &StoredKind) -> Option<Kind> {
        Some(Kind {
            category: Category::from_number(kind.category)?,
            code: self.all(&kind.code)?,
            object: self.optional(kind.object)?,
            own: self.optional(kind.own)?,
        })
    }
}
