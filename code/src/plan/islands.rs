//! Gives out dead bytes of one object to short jumps that cannot reach further.

use std::collections::BTreeMap;
use std::ops::Range;

use ahash::{HashMap, HashMapExt as _};

use super::padding::dead_bytes;
use super::proof::Proofs;
use crate::function::FunctionId;
use crate::object::Object;

/// What planning the functions of one object leaves behind: dead bytes that are taken, and what was proved.
///
/// It belongs to one object for as long as patches may be in its code.
#[derive(Debug, Default)]
pub struct Islands {
    /// Dead bytes by the function they are in or behind, once looked for.
    dead: HashMap<u32, Box<[Range<u64>]>>,
    /// First bytes of given islands, with the entries they serve.
    taken: HashMap<u64, u64>,
    /// Dead bytes that longer patches cover: start and end.
    claimed: BTreeMap<u64, u64>,
    pub(crate) proofs: Proofs,
}

/// Length of the jump on an island.
pub(crate) const ISLAND: u64 = 5;

impl Islands {
    /// Nothing is taken.
    #[must_use]
    pub fn new() -> Self {
        Self {
            dead: HashMap::new(),
            taken: HashMap::new(),
            claimed: BTreeMap::new(),
            proofs: Proofs::default(),
        }
    }

    /// Bytes that are given out.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken.len()
    }

    /// Takes the lowest free island that a two-byte jump reaches, but not in bytes that are kept.
    ///
    /// A function that is planned again gets the island it had.
    pub(crate) fn take(&mut self, object: &Object, site: u64, kept: &Range<u64>) -> Option<u64> {
        let had = self.taken.iter().find(|(_, entry)| **entry == site).map(|(at, _)| *at);
        if had.is_some() {
            return had;
        }
        let reach = site.saturating_sub(126)..site.saturating_add(2 + 127);
        let at = self.free(object, &reach, kept)?;
        self.taken.insert(at, site);
        Some(at)
    }

    /// Keeps dead bytes that a longer patch covers from being given out; false if they are.
    pub(crate) fn claim(&mut self, bytes: Range<u64>, site: u64) -> bool {
        let near = bytes.start.saturating_sub(ISLAND - 1)..bytes.end;
        let is_given = near.into_iter().any(|at| self.taken.get(&at).is_some_and(|to| *to != site));
        if !is_given {
            self.claimed.insert(bytes.start, bytes.end);
        }
        !is_given
    }

    fn free(&mut self, object: &Object, reach: &Range<u64>, kept: &Range<u64>) -> Option<u64> {
        for function in neighbours(object, reach) {
            let dead = self
                .dead
                .entry(function.0)
                .or_insert_with(|| dead_bytes(object, function).into_boxed_slice());
            for run in dead.clone() {
                if let Some(at) = self.first_free(&run, reach, kept) {
                    return Some(at);
                }
            }
        }
        None
    }

    fn first_free(&self, run: &Range<u64>, reach: &Range<u64>, kept: &Range<u64>) -> Option<u64> {
        let last = run.end.checked_sub(ISLAND)?.min(reach.end);
        (run.start.max(reach.start)..=last).find(|at| {
            let is_kept = *at < kept.end && kept.start < at + ISLAND;
            let mut near = at.saturating_sub(ISLAND - 1)..at + ISLAND;
            !is_kept && !self.is_claimed(*at) && near.all(|near| !self.taken.contains_key(&near))
        })
    }

    fn is_claimed(&self, at: u64) -> bool {
        let before = self.claimed.range(..at + ISLAND).next_back();
        before.is_some_and(|(_, end)| *end > at)
    }
}

/// Functions whose dead bytes may lie in a range: those in it, and the one before.
fn neighbours(object: &Object, reach: &Range<u64>) -> impl Iterator<Item = FunctionId> + use<> {
    let functions = object.functions();
    let first = functions.partition_point(|function| function.entry < reach.start);
    let end = functions.partition_point(|function| function.entry < reach.end);
    (first.saturating_sub(1)..end).filter_map(|index| u32::try_from(index).ok().map(FunctionId))
}
