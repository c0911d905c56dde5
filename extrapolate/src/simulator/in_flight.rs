//! What is on its way, by numbers in the order of setting out: of two that go on at the same time, the one that set out first comes first.

use std::collections::BTreeMap;

/// Values on their way.
#[derive(Debug)]
pub(super) struct InFlight<T> {
    next: u64,
    values: BTreeMap<u64, T>,
}

impl<T> Default for InFlight<T> {
    fn default() -> Self {
        Self { next: 0, values: BTreeMap::new() }
    }
}

impl<T> InFlight<T> {
    pub(super) fn insert(&mut self, value: T) -> u64 {
        let number = self.next;
        self.next += 1;
        self.values.insert(number, value);
        number
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.values.get(&number)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<T> {
        self.values.remove(&number)
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}
