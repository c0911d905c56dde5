//! The calls that stacks showed and that no code names, and which of them are still to be reported.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::Resource;

use crate::function_key::FunctionKey;
use crate::messages::WorkerAnswer;

/// Calls that were seen and that the code does not name.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    /// By caller.
    calls: BTreeMap<FunctionKey, BTreeSet<FunctionKey>>,
    /// Functions in which threads begin, or are most of the time: where a search begins.
    beginnings: BTreeSet<FunctionKey>,
    /// Functions whose callees were asked for: what is learned of them later is told, too.
    asked: BTreeSet<Resource>,
    /// What is to be told.
    news: BTreeMap<Resource, BTreeSet<Resource>>,
}

impl Experience {
    /// It was asked which functions this one calls.
    pub(crate) fn ask(&mut self, of: &Resource) {
        self.asked.insert(of.clone());
    }

    /// Tells of a callee, if the callees of its caller were asked for.
    pub(crate) fn tell(&mut self, caller: Resource, callee: Resource) {
        if self.asked.contains(&caller) {
            self.news.entry(caller).or_default().insert(callee);
        }
    }

    /// A call was seen.
    pub(crate) fn see_call(&mut self, caller: FunctionKey, callee: FunctionKey) {
        self.calls.entry(caller).or_default().insert(callee);
    }

    /// The functions that a function was seen to call.
    pub(crate) fn calls(&self, of: FunctionKey) -> impl Iterator<Item = FunctionKey> {
        self.calls.get(&of).into_iter().flatten().copied()
    }

    /// A search is to begin here, too; true when that is new.
    pub(crate) fn begins_at(&mut self, key: FunctionKey) -> bool {
        self.beginnings.insert(key)
    }

    /// Where a search is to begin.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = FunctionKey> {
        self.beginnings.iter().copied()
    }

    /// What was learned of the functions that were asked about.
    pub(crate) fn take_news(&mut self) -> Option<WorkerAnswer> {
        let news = std::mem::take(&mut self.news);
        let calls = news.into_iter().map(|(of, callees)| (of, callees.into_iter().collect()));
        let calls: Vec<_> = calls.collect();
        (!calls.is_empty()).then_some(WorkerAnswer::Learned { calls })
    }
}
