//! The call graph of the measured programs: which functions a function calls, by its code, by addresses that it takes, and
//! as stacks have shown.

use std::collections::BTreeSet;

use ahash::{AHashMap, AHashSet};
use whyperf_code::{Callee, FunctionId, Scope};
use whyperf_model::{Hierarchy, Resource};

use super::experience::Experience;
use super::known_code::KnownCode;
use super::references;
use crate::function_key::FunctionKey;
use crate::messages::WorkerAnswer;

/// The graph of calls, as far as it was asked about.
#[derive(Debug, Default)]
pub(crate) struct CallGraph {
    /// By object: functions whose address its data holds.
    in_data: AHashMap<u32, BTreeSet<FunctionId>>,
    /// Calls that were seen.
    experience: Experience,
    /// Caller and callee of every call that was met, known or not.
    met: AHashSet<(FunctionKey, FunctionKey)>,
}

impl CallGraph {
    /// It was asked which functions this one calls.
    pub(crate) fn ask(&mut self, of: &Resource) {
        self.experience.ask(of);
    }

    /// Tells of a callee, if the callees of its caller were asked for.
    pub(crate) fn tell(&mut self, caller: Resource, callee: Resource) {
        self.experience.tell(caller, callee);
    }

    /// What was learned of the functions that were asked about.
    pub(crate) fn take_news(&mut self) -> Option<WorkerAnswer> {
        self.experience.take_news()
    }

    /// Where threads were seen to begin, or to be most of the time.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = FunctionKey> {
        self.experience.beginnings()
    }

    /// A search is led from the whole program to this function, too.
    pub(crate) fn lead_to(&mut self, key: FunctionKey, known: &mut KnownCode) {
        if self.experience.begins_at(key) {
            self.tell(Resource::root(Hierarchy::Code), known.name(key));
        }
    }

    /// The functions that a function calls, and that it may call: those whose address it takes, and where it calls what
    /// only the run tells, whose address is in a table. What those call that the user leaves out stands for them.
    pub(crate) fn called(&mut self, key: FunctionKey, known: &mut KnownCode) -> Vec<FunctionKey> {
        let found = self.called_itself(key, known);
        self.beyond_left_out(found, known)
    }

    /// These functions, but in place of those that the user leaves out what they call.
    pub(crate) fn beyond_left_out(
        &mut self,
        found: Vec<FunctionKey>,
        known: &mut KnownCode,
    ) -> Vec<FunctionKey> {
        let (mut kept, mut met, mut rest) = (Vec::new(), AHashSet::new(), found);
        while let Some(key) = rest.pop() {
            if !met.insert(key) {
                continue;
            }
            if !known.is_left_out(key) {
                kept.push(key);
            } else if met.len() < MOST_PASSED && !known.modules.get(key.module).is_system() {
                rest.extend(self.called_itself(key, known));
            }
        }
        kept
    }

    fn called_itself(&mut self, key: FunctionKey, known: &mut KnownCode) -> Vec<FunctionKey> {
        let code = &known.modules.get(key.module).code;
        let calls = code.calls(key.function);
        let mut own = references::in_code(code, key.function);
        if calls.computed > 0 {
            let tables = self.in_data.entry(key.module);
            let tables = tables.or_insert_with(|| references::in_data(code));
            if tables.len() <= MOST_IN_TABLES {
                own.extend(tables.iter().copied());
            }
        }
        let mut found: Vec<FunctionKey> = Vec::new();
        for callee in calls.callees {
            match callee {
                Callee::Function(function) => {
                    own.insert(function);
                }
                Callee::Imported(name) => found.extend(known.imported(key.module, &name)),
            }
        }
        found.extend(self.experience.calls(key));
        own.remove(&key.function);
        found.extend(own.into_iter().map(|function| FunctionKey { function, ..key }));
        found.retain(|key| known.is_of_interest(*key) || known.is_left_out(*key));
        found
    }

    /// Whether a function is known to call another one, or by its code may. Nobody else's names are looked up for that.
    pub(crate) fn has_call(
        &mut self,
        caller: FunctionKey,
        callee: FunctionKey,
        known: &KnownCode,
    ) -> bool {
        let code = &known.modules.get(caller.module).code;
        let calls = code.calls(caller.function);
        if self.experience.calls(caller).any(|seen| seen == callee) {
            return true;
        }
        if caller.module != callee.module {
            let other = known.modules.get(callee.module);
            return calls.callees.iter().any(|one| match one {
                Callee::Imported(name) => other.export(name) == Some(callee.function),
                Callee::Function(_) => false,
            });
        }
        let is_in_table = calls.computed > 0 && {
            let tables = self.in_data.entry(caller.module);
            let tables = tables.or_insert_with(|| references::in_data(code));
            tables.len() <= MOST_IN_TABLES && tables.contains(&callee.function)
        };
        is_in_table
            || calls.callees.contains(&Callee::Function(callee.function))
            || references::in_code(code, caller.function).contains(&callee.function)
    }

    /// A function was seen to call another; whether that was not seen before.
    pub(crate) fn is_first_sight(&mut self, caller: FunctionKey, callee: FunctionKey) -> bool {
        self.met.insert((caller, callee))
    }

    /// A call was seen that the code does not name. Within an object, and by the names that others export, it is kept for
    /// later runs, too.
    pub(crate) fn remember(
        &mut self,
        caller: FunctionKey,
        callee: FunctionKey,
        known: &mut KnownCode,
    ) {
        let code = &known.modules.get(callee.module).code;
        let exported =
            || code.names(callee.function).into_iter().find(|name| name.scope == Scope::Global);
        let stored = if caller.module == callee.module {
            Some(Callee::Function(callee.function))
        } else {
            exported().map(|name| Callee::Imported(name.text))
        };
        if let Some(stored) = stored {
            known.modules.get(caller.module).code.learn(caller.function, stored);
        }
        self.experience.see_call(caller, callee);
        let (caller, callee) = (known.name(caller), known.name(callee));
        self.tell(caller, callee);
    }
}

/// Where a filter keeps a few functions only, the way to them may lead through many that it leaves out.
const MOST_PASSED: usize = 10_000;
/// Larger tables of functions are those of classes: too many to ask about one by one.
const MOST_IN_TABLES: usize = 64;
