//! All code that is known: the modules, the processes that have them, and how their functions are called.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ahash::AHashMap;
use whyperf_code::FunctionKind;
use whyperf_code::plan::denied;
use whyperf_model::{CodeFilter, Resource};

use super::modules::Modules;
use super::process_code::ProcessCode;
use crate::filtered_function::is_left_out;
use crate::function_key::FunctionKey;
use crate::objects::Objects;

/// The code of all measured processes.
#[derive(Debug)]
pub(crate) struct KnownCode {
    pub(crate) modules: Modules,
    pub(crate) processes: BTreeMap<u32, ProcessCode>,
    /// Functions by the resource they are called by.
    named: BTreeMap<Resource, BTreeSet<FunctionKey>>,
    /// What the user leaves out.
    filter: Option<Arc<CodeFilter>>,
    /// Whether functions are of interest: each stack asks again about the same ones.
    interest: RefCell<AHashMap<FunctionKey, Interest>>,
}

/// Whether a search is to hear of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interest {
    /// It is.
    Whole,
    /// It would be, and the user leaves it out: it counts as a part of what calls it.
    LeftOut,
    /// It is not.
    None,
}

impl KnownCode {
    pub(crate) fn over(objects: Arc<Objects>, filter: Option<Arc<CodeFilter>>) -> Self {
        let (processes, named) = (BTreeMap::new(), BTreeMap::new());
        let interest = RefCell::default();
        Self { modules: Modules::new(objects), processes, named, filter, interest }
    }

    /// A process appeared.
    pub(crate) fn watch(&mut self, process: u32, pid: u32) {
        self.processes.insert(process, ProcessCode::new(pid));
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, process: u32) {
        self.processes.remove(&process);
    }

    /// How a function is called; from now on it is found by that name.
    pub(crate) fn name(&mut self, key: FunctionKey) -> Resource {
        let name = self.modules.get(key.module).resource(key.function);
        self.named.entry(name.clone()).or_default().insert(key);
        name
    }

    /// The functions that were called so before.
    pub(crate) fn named(&self, code: &Resource) -> Option<Vec<FunctionKey>> {
        Some(self.named.get(code)?.iter().copied().collect())
    }

    /// The function that a name of another object leads to, unless it is one of ours: what those
    /// wrap is measured already.
    pub(crate) fn imported(&mut self, importer: u32, name: &str) -> Option<FunctionKey> {
        let Self { processes, modules, .. } = self;
        let mut all = processes.values_mut().find_map(|process| {
            let all: Vec<u32> = process.loaded(modules).iter().map(|one| one.module).collect();
            all.contains(&importer).then_some(all)
        })?;
        // What is preloaded comes first, as for the loader.
        all.sort_by_key(|module| !modules.get(*module).is_ours());
        let found = all.into_iter().find_map(|module| {
            let function = modules.get(module).export(name)?;
            Some(FunctionKey { module, function })
        })?;
        (!modules.get(found.module).is_ours()).then_some(found)
    }

    /// Not for those that a program cannot help or whose time is no computing, nor for what the planner would refuse by name, nor for
    /// what the user leaves out.
    pub(crate) fn is_of_interest(&self, key: FunctionKey) -> bool {
        self.interest(key) == Interest::Whole
    }

    /// Whether a function would be of interest if the user did not leave it out.
    pub(crate) fn is_left_out(&self, key: FunctionKey) -> bool {
        self.filter.is_some() && self.interest(key) == Interest::LeftOut
    }

    /// Whether the user leaves out what is called so.
    pub(crate) fn leaves_out(&self, code: &Resource) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.leaves_out_code(code))
    }

    /// Whether the user's filter is about a function, of interest or not.
    pub(crate) fn is_filtered(&self, key: FunctionKey) -> bool {
        let Some(filter) = &self.filter else { return false };
        let code = &self.modules.get(key.module).code;
        let place = code.place_of(key.function);
        is_left_out(filter, (code, key.function), [&place.function, &place.module])
    }

    fn interest(&self, key: FunctionKey) -> Interest {
        if let Some(known) = self.interest.borrow().get(&key) {
            return *known;
        }
        let found = match self.could_interest(key) {
            false => Interest::None,
            true if self.is_filtered(key) => Interest::LeftOut,
            true => Interest::Whole,
        };
        // Before the library that measures was met, nothing is known to be wrapped.
        if self.modules.has_ours() {
            self.interest.borrow_mut().insert(key, found);
        }
        found
    }

    fn could_interest(&self, key: FunctionKey) -> bool {
        let known = self.modules.get(key.module);
        let Some(function) = known.code.functions().get(key.function.index()) else { return false };
        let is_denied =
            || known.code.names(key.function).iter().any(|name| denied(&name.text).is_some());
        let is_loader = known.name().starts_with("ld-");
        function.kind == FunctionKind::Ordinary
            && !(is_loader || known.is_ours() || is_denied())
            && !self.modules.is_inside_wrapped(key)
    }
}
