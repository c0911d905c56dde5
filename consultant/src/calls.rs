//! The call graph: which function calls which and how often a function is called, as far as the data source has told.
//!
//! A program's call graph may have cycles, grow while it runs, and be known only in part: the search asks for it function
//! by function, as it gets there.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Nanos, Resource, Time};

use crate::node::NodeId;

/// What is known of calls.
#[derive(Debug, Default)]
pub(crate) struct KnownCalls {
    callees: BTreeMap<Resource, BTreeSet<Resource>>,
    called: BTreeSet<Resource>,
    asked: BTreeMap<Resource, Time>,
    rates: BTreeMap<Resource, f64>,
    followers: BTreeMap<Resource, BTreeSet<NodeId>>,
}

impl KnownCalls {
    /// Notes that a function's callees are asked for; tells whether that is new.
    pub(crate) fn ask(&mut self, of: &Resource, now: Time) -> bool {
        let is_new = !self.asked.contains_key(of);
        if is_new {
            self.asked.insert(of.clone(), now);
        }
        is_new
    }

    /// Takes in callees; tells which are new. A function's call of itself leads nowhere.
    pub(crate) fn learn(&mut self, of: &Resource, callees: &[Resource]) -> Vec<Resource> {
        self.called.extend(callees.iter().cloned());
        let known = self.callees.entry(of.clone()).or_default();
        let fit = |callee: &&Resource| callee.hierarchy() == of.hierarchy() && *callee != of;
        let wanted = callees.iter().filter(fit).filter(|callee| !callee.is_root());
        wanted.filter(|callee| known.insert((*callee).clone())).cloned().collect()
    }

    /// The known callees of a function.
    pub(crate) fn of(&self, function: &Resource) -> impl Iterator<Item = &Resource> {
        self.callees.get(function).into_iter().flatten()
    }

    /// Whether a function has a known caller.
    pub(crate) fn is_known(&self, function: &Resource) -> bool {
        self.called.contains(function)
    }

    /// From now on a function's callees are children of a node; tells whether that is new.
    pub(crate) fn follow(&mut self, function: &Resource, node: NodeId) -> bool {
        self.followers.entry(function.clone()).or_default().insert(node)
    }

    /// Whether a function's callees are children of a node.
    pub(crate) fn is_followed(&self, function: &Resource, node: NodeId) -> bool {
        self.followers.get(function).is_some_and(|nodes| nodes.contains(&node))
    }

    /// The nodes whose children a function's callees are.
    pub(crate) fn followers(&self, function: &Resource) -> Vec<NodeId> {
        self.followers.get(function).into_iter().flatten().copied().collect()
    }

    /// Whether the data source has answered.
    pub(crate) fn is_answered(&self, function: &Resource) -> bool {
        self.callees.contains_key(function)
    }

    /// Whether the data source has answered, and knows of no callee.
    pub(crate) fn has_none(&self, function: &Resource) -> bool {
        self.callees.get(function).is_some_and(BTreeSet::is_empty)
    }

    /// Whether an answer is still to come, and was not waited for too long.
    pub(crate) fn is_open(&self, function: &Resource, now: Time, patience: Nanos) -> bool {
        let asked = self.asked.get(function).filter(|_| !self.callees.contains_key(function));
        asked.is_some_and(|asked| now.since(*asked) < patience)
    }

    /// Takes note of how often a function is called per second.
    pub(crate) fn price(&mut self, function: &Resource, rate: f64) {
        if rate.is_finite() && rate >= 0.0 {
            self.rates.insert(function.clone(), rate);
        }
    }

    /// How often a function is called per second, if that is known.
    pub(crate) fn rate(&self, function: &Resource) -> Option<f64> {
        self.rates.get(function).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callees_are_told_once_and_nothing_calls_itself() {
        let resource = |text: &str| Resource::parse(text).expect("well formed");
        let [f, g, h] = ["/Code/a.c/f", "/Code/a.c/g", "/Code/b.c/h"].map(resource);
        let mut calls = KnownCalls::default();
        let later = Time::from_secs(1);
        assert!(calls.ask(&f, Time::ZERO) && !calls.ask(&f, later));
        assert!(calls.is_open(&f, later, Nanos::from_secs(3)));
        assert!(!calls.is_open(&f, Time::from_secs(4), Nanos::from_secs(3)));
        assert!(!calls.has_none(&f), "the answer is still to come");
        assert!(calls.learn(&f, &[]).is_empty() && calls.has_none(&f));
        let odd = [g.clone(), f.clone(), resource("/Process/0"), resource("/Code")];
        assert_eq!(calls.learn(&f, &odd), std::slice::from_ref(&g));
        assert_eq!(calls.learn(&f, &[h.clone(), g.clone()]), std::slice::from_ref(&h));
        assert!(!calls.is_open(&f, later, Nanos::from_secs(3)));
        assert_eq!(calls.of(&f).collect::<Vec<_>>(), [&g, &h]);
    }
}
