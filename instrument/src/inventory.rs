//! Which modules programs have and which functions these have: for whoever goes by module, not along calls.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_model::{Hierarchy, Resource};

use crate::instrumenter::Instrumenter;
use crate::messages::WorkerRequest;
use crate::modules::FunctionKey;
use crate::worker::Worker;

/// What is told of modules and functions.
#[derive(Debug, Default)]
pub(crate) struct Inventory {
    /// Whether anybody wants to know.
    is_wanted: bool,
    /// Whether there are processes whose modules were not asked for.
    is_due: bool,
    /// Modules whose functions were asked for.
    asked: BTreeSet<Resource>,
    told: BTreeSet<Resource>,
    news: Vec<Resource>,
}

impl Inventory {
    pub(crate) fn take(&mut self, code: Vec<Resource>) {
        let told = &mut self.told;
        self.news.extend(code.into_iter().filter(|one| told.insert(one.clone())));
    }
}

impl Instrumenter {
    /// From now on the modules of all processes are told.
    pub const fn tell_modules(&mut self) {
        self.inventory.is_wanted = true;
    }

    /// A process has come.
    pub(crate) const fn has_more_modules(&mut self) {
        self.inventory.is_due = true;
    }

    pub(crate) fn list_modules(&mut self) {
        if self.inventory.is_wanted && std::mem::take(&mut self.inventory.is_due) {
            self.ask(WorkerRequest::List { module: None });
        }
    }

    /// Asks for the functions of modules that a pair asks about.
    pub(crate) fn list_functions(&mut self, code: &[Resource]) {
        for module in code.iter().filter(|one| one.depth() == 1) {
            if self.inventory.is_wanted && self.inventory.asked.insert(module.clone()) {
                self.ask(WorkerRequest::List { module: Some(module.clone()) });
            }
        }
    }

    /// Modules and functions that were found since the last time.
    pub fn take_listed(&mut self) -> Vec<Resource> {
        std::mem::take(&mut self.inventory.news)
    }
}

impl Worker {
    /// The modules of the programs and of their own libraries, or the functions of a module: the largest ones.
    pub(crate) fn list(&mut self, module: Option<&Resource>) -> Vec<Resource> {
        let mut sizes: BTreeMap<Resource, u64> = BTreeMap::new();
        for key in self.own_functions() {
            let known = self.modules.get(key.module);
            let size = known.code.functions().get(key.function.index());
            let size = size.map_or(0, |function| function.end - function.entry);
            let name = self.name(key);
            let parent = name.parent().unwrap_or_else(|| Resource::root(Hierarchy::Code));
            match module {
                None => *sizes.entry(parent).or_default() += size,
                Some(module) if *module == parent => *sizes.entry(name).or_default() += size,
                Some(_) => {}
            }
        }
        let mut all: Vec<(Resource, u64)> = sizes.into_iter().collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        all.into_iter().take(MOST).map(|(name, _)| name).collect()
    }

    fn own_functions(&mut self) -> Vec<FunctionKey> {
        let Self { processes, modules, .. } = self;
        let mut own = BTreeSet::new();
        for watched in processes.values_mut() {
            own.extend(watched.loaded(modules).iter().map(|loaded| loaded.module));
        }
        own.retain(|module| {
            let known = self.modules.get(*module);
            !(known.is_system() || known.is_ours() || known.is_mpi())
        });
        let of = |module: u32| {
            let functions = self.modules.get(module).ordinary();
            functions.map(move |function| FunctionKey { module, function })
        };
        let all: Vec<FunctionKey> = own.into_iter().flat_map(of).collect();
        all.into_iter().filter(|key| self.is_of_interest(*key)).collect()
    }
}

/// As many as a search looks at beside each other.
const MOST: usize = 256;
