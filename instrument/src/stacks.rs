//! What the stacks of running threads tell: calls that began before their functions were watched, calls
//! that no code names, and where threads begin.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_code::{Callee, Scope};
use whyperf_inject::StackSnapshot;
use whyperf_model::{Hierarchy, Nanos, Resource};

use crate::messages::{StackFindings, WorkerAnswer};
use crate::modules::FunctionKey;
use crate::search;
use crate::worker::Worker;

/// Calls that were seen and that the code does not name.
#[derive(Debug, Default)]
pub(crate) struct Experience {
    /// By caller.
    calls: BTreeMap<FunctionKey, BTreeSet<FunctionKey>>,
    /// Functions in which threads begin.
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

    /// The functions that a function was seen to call.
    pub(crate) fn calls(&self, of: FunctionKey) -> impl Iterator<Item = FunctionKey> {
        self.calls.get(&of).into_iter().flatten().copied()
    }

    /// Where threads were seen to begin.
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

impl Worker {
    /// Looks at threads of a process.
    pub(crate) fn look(&mut self, process: u32, threads: &[u32]) -> WorkerAnswer {
        let mut seen = StackFindings::default();
        let Some(watched) = self.processes.get_mut(&process) else {
            return WorkerAnswer::Seen { process, seen };
        };
        let Some((snapshots, stopped)) = watched.stack_snapshots.at(watched.pid, threads) else {
            return WorkerAnswer::Seen { process, seen };
        };
        seen.stopped = Nanos(u64::try_from(stopped.as_nanos()).unwrap_or(u64::MAX));
        seen.is_whole = true;
        for (tid, snapshot) in snapshots {
            seen.is_whole &= snapshot.is_whole;
            let calls = self.named_calls(process, &snapshot);
            self.learn(&calls, snapshot.is_whole);
            let unseen = calls.iter().filter(|call| !call.is_watched);
            seen.threads.push((tid, unseen.filter_map(|call| call.function).collect()));
        }
        WorkerAnswer::Seen { process, seen }
    }

    fn named_calls(&mut self, process: u32, snapshot: &StackSnapshot) -> Vec<Call> {
        let Some(watched) = self.processes.get_mut(&process) else { return Vec::new() };
        watched.loaded(&mut self.modules);
        let mut calls = Vec::new();
        for (at, call) in snapshot.calls.iter().enumerate() {
            if call.is_ours {
                continue;
            }
            let function = watched.function_at(call.address, &mut self.modules);
            // Our own slot called it: its entry was seen.
            let is_watched = snapshot.calls.get(at + 1).is_some_and(|caller| caller.is_ours);
            calls.push(Call { function, is_watched });
        }
        calls
    }

    /// Takes note of who called whom.
    fn learn(&mut self, calls: &[Call], is_whole: bool) {
        for pair in calls.windows(2) {
            let (Some(callee), Some(caller)) = (pair[0].function, pair[1].function) else {
                continue;
            };
            let is_news = callee != caller && self.is_of_interest(callee);
            if !is_news || self.called(caller).contains(&callee) {
                continue;
            }
            self.remember(caller, callee);
            let caller = self.name(caller);
            self.report(caller, callee);
        }
        if !is_whole {
            return;
        }
        // A `main` that jumped on is not on the stack any more: the thread begins with what it jumped to.
        let known = || {
            let all = calls.iter().rev().filter_map(|call| call.function);
            all.filter(|key| self.is_of_interest(*key) && !self.begins_program(*key))
        };
        let own = known().find(|key| !self.modules.get(key.module).is_system());
        if let Some(first) = own.or_else(|| known().next())
            && self.experience.beginnings.insert(first)
        {
            self.report(Resource::root(Hierarchy::Code), first);
        }
    }

    fn begins_program(&self, key: FunctionKey) -> bool {
        search::first_function(self.modules.get(key.module)) == Some(key.function)
    }

    /// Within an object, and by the names that others export, also for later runs.
    fn remember(&mut self, caller: FunctionKey, callee: FunctionKey) {
        let known = &self.modules.get(callee.module).code;
        let exported =
            || known.names(callee.function).into_iter().find(|name| name.scope == Scope::Global);
        let kept = if caller.module == callee.module {
            Some(Callee::Function(callee.function))
        } else {
            exported().map(|name| Callee::Imported(name.text))
        };
        if let Some(kept) = kept {
            self.modules.get(caller.module).code.learn(caller.function, kept);
        }
        self.experience.calls.entry(caller).or_default().insert(callee);
    }

    fn report(&mut self, caller: Resource, callee: FunctionKey) {
        let callee = self.name(callee);
        self.experience.tell(caller, callee);
    }
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
struct Call {
    function: Option<FunctionKey>,
    /// An event told of it.
    is_watched: bool,
}
