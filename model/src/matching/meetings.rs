//! Which ranks may wait for each other: those that call on one communicator, and have not stood aside for long.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ahash::AHashMap;

use super::classes::ClassId;
use super::resources::{ResourceId, Resources};
use crate::Resource;

/// A communicator by its name, as a number.
pub(super) type CommunicatorNumber = usize;

/// Who ever called something on which communicator.
#[derive(Debug, Default)]
pub(super) struct Meetings {
    /// By name.
    communicators: Vec<(String, BTreeSet<ResourceId>)>,
    /// By class of calls.
    of: AHashMap<ClassId, Option<CommunicatorNumber>>,
    /// The interval in which each that called anything at all did so last.
    callers: BTreeMap<ResourceId, IntervalNumber>,
    /// For each the last intervals in which it waited for long and was answered.
    answered: BTreeMap<ResourceId, VecDeque<IntervalNumber>>,
    /// That goes on.
    now: IntervalNumber,
}

/// Intervals, counted.
pub(super) type IntervalNumber = u64;

/// A rank that others were answered without so often takes no part in what they do. A few times they may be: by neighbours, before they all
/// wait for one.
const OFTEN: usize = 3;

impl Meetings {
    /// The communicator that calls of a class wait on.
    pub(super) fn communicator(
        &mut self,
        class: ClassId,
        object: Option<ResourceId>,
        resources: &Resources,
    ) -> Option<CommunicatorNumber> {
        if let Some(known) = self.of.get(&class) {
            return *known;
        }
        let name = object.and_then(|object| communicator(resources.resource(object)));
        let found = name.map(|name| self.numbered(name));
        self.of.insert(class, found);
        found
    }

    fn numbered(&mut self, name: &str) -> CommunicatorNumber {
        let known = self.communicators.iter().position(|(one, _)| one == name);
        known.unwrap_or_else(|| {
            self.communicators.push((name.to_owned(), BTreeSet::new()));
            self.communicators.len() - 1
        })
    }

    pub(super) fn called(&mut self, process: ResourceId, on: Option<CommunicatorNumber>) {
        self.callers.insert(process, self.now);
        if let Some((_, callers)) = on.and_then(|on| self.communicators.get_mut(on)) {
            callers.insert(process);
        }
    }

    /// Whether who waits on a communicator may wait for this process: one that called nothing yet may be about to.
    pub(super) fn may_meet(&self, process: ResourceId, on: Option<CommunicatorNumber>) -> bool {
        let callers = on.and_then(|on| self.communicators.get(on));
        callers.is_none_or(|(_, callers)| callers.contains(&process))
            || !self.callers.contains_key(&process)
    }

    /// A rank waited for long in this interval, and was answered.
    pub(super) fn was_answered(&mut self, process: ResourceId) {
        let answered = self.answered.entry(process).or_default();
        answered.push_back(self.now);
        if answered.len() > OFTEN {
            answered.pop_front();
        }
    }

    /// Since when a rank was answered so often that it waits for nobody who has called nothing since.
    pub(super) fn horizon(&self, waiter: ResourceId) -> IntervalNumber {
        let answered = self.answered.get(&waiter).filter(|answered| answered.len() == OFTEN);
        answered.and_then(|answered| answered.front().copied()).unwrap_or(0)
    }

    /// Whether a rank was answered so often that all whom it waits for are known.
    pub(super) fn is_settled(&self, waiter: ResourceId) -> bool {
        self.answered.get(&waiter).is_some_and(|answered| answered.len() == OFTEN)
    }

    /// Whether a rank has called anything since then.
    pub(super) fn takes_part(&self, process: ResourceId, since: IntervalNumber) -> bool {
        self.callers.get(&process).copied().unwrap_or(0) >= since
    }

    /// An interval is over.
    pub(super) const fn close(&mut self) {
        self.now += 1;
    }
}

/// What a communicator is called that is waited on: messages have a tag below it. `None` of messages of several.
fn communicator(object: &Resource) -> Option<&str> {
    let mut names = object.components().skip(1);
    match names.next() {
        Some(MESSAGE) => names.next(),
        _ => Some(object.name()),
    }
}

/// What holds the messages of each communicator, by tag.
const MESSAGE: &str = "Message";
