//! The thread that knows the code of all measured programs: who calls whom, what names mean, how
//! functions are patched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ahash::AHashMap;
use crossbeam_channel::{Receiver, Sender};
use whyperf_code::plan::denied;
use whyperf_code::{Callee, FunctionId, FunctionKind};
use whyperf_layout::patch::Patch;
use whyperf_model::Resource;

use crate::messages::{CodeExtent, PlanOutcome, Planned, WorkerAnswer, WorkerRequest};
use crate::modules::{FunctionKey, Modules};
use crate::objects::Objects;
use crate::patch_table::NOWHERE;
use crate::references;
use crate::regions::Regions;
use crate::search;
use crate::stacks::Experience;
use crate::watched::Watched;

/// Serves questions until the channel is closed.
pub(crate) fn run(
    objects: Arc<Objects>,
    requests: &Receiver<WorkerRequest>,
    answers: &Sender<WorkerAnswer>,
) {
    let mut worker = Worker::over(objects);
    for request in requests {
        let answer = worker.serve(request);
        for answer in answer.into_iter().chain(worker.experience.take_news()) {
            if answers.send(answer).is_err() {
                return;
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) modules: Modules,
    pub(crate) processes: BTreeMap<u32, Watched>,
    /// Functions by the resource they are called by.
    pub(crate) named: BTreeMap<Resource, BTreeSet<FunctionKey>>,
    /// By object: functions whose address its data holds.
    in_data: AHashMap<u32, BTreeSet<FunctionId>>,
    /// Calls that were seen.
    pub(crate) experience: Experience,
    pub(crate) regions: Regions,
}

impl Worker {
    fn over(objects: Arc<Objects>) -> Self {
        let (processes, named) = (BTreeMap::new(), BTreeMap::new());
        let experience = Experience::default();
        Self {
            modules: Modules::new(objects),
            processes,
            named,
            in_data: AHashMap::new(),
            experience,
            regions: Regions::default(),
        }
    }

    fn serve(&mut self, request: WorkerRequest) -> Option<WorkerAnswer> {
        match request {
            WorkerRequest::Watch { process, pid } => {
                self.processes.insert(process, Watched::new(pid));
                None
            }
            WorkerRequest::Forget { process } => {
                self.processes.remove(&process);
                None
            }
            WorkerRequest::Find { code } => {
                let functions = self.find(&code);
                let is_module = code.depth() == 1;
                let named = functions.iter().filter(|_| is_module);
                let names = named.map(|key| self.name(*key)).collect();
                Some(WorkerAnswer::Found { code, functions, names })
            }
            WorkerRequest::Callees { of } => {
                let callees = self.callees(&of);
                Some(WorkerAnswer::Callees { of, callees })
            }
            WorkerRequest::Region { region, function } => {
                self.meet(region, function);
                None
            }
            WorkerRequest::List { module } => {
                Some(WorkerAnswer::Listed { code: self.list(module.as_ref()) })
            }
            WorkerRequest::Look { process, threads } => Some(self.look(process, &threads)),
            WorkerRequest::Plan { process, functions } => Some(self.plan(process, functions)),
            WorkerRequest::Move { process, arena, functions } => {
                if let Some(watched) = self.processes.get_mut(&process) {
                    watched.give_up(arena);
                    watched.look(&mut self.modules);
                }
                Some(self.plan(process, functions))
            }
        }
    }

    fn plan(&mut self, process: u32, functions: Vec<FunctionKey>) -> WorkerAnswer {
        let plan = |function: FunctionKey| {
            let is_system = self.modules.get(function.module).is_system();
            let extent = self.extent(process, function);
            Planned { function, is_system, extent, outcome: self.planned(process, function) }
        };
        WorkerAnswer::Planned { process, plans: functions.into_iter().map(plan).collect() }
    }

    fn extent(&mut self, process: u32, key: FunctionKey) -> CodeExtent {
        let watched = self.processes.get_mut(&process);
        let loaded = watched.and_then(|watched| watched.find(key.module, &mut self.modules));
        loaded.map(|loaded| loaded.extent(key.function, &self.modules)).unwrap_or_default()
    }

    fn planned(&mut self, process: u32, key: FunctionKey) -> PlanOutcome {
        let Some(watched) = self.processes.get_mut(&process) else { return PlanOutcome::Absent };
        let Some(loaded) = watched.find(key.module, &mut self.modules) else {
            return PlanOutcome::Absent;
        };
        if self.modules.get(key.module).announces(key.function) {
            let entry = self.modules.get(key.module).code.functions()[key.function.index()].entry;
            let entry = entry.wrapping_add(loaded.bias);
            return PlanOutcome::Patch(Box::new(Patch { entry, ..Patch::default() }), NOWHERE);
        }
        let plan = self.modules.get_mut(key.module).plan(key.function);
        match plan.and_then(|plan| watched.patch(&plan, &loaded)) {
            Ok((patch, arena)) => PlanOutcome::Patch(Box::new(patch), arena),
            Err(refusal) => PlanOutcome::Refused(refusal.to_string()),
        }
    }

    /// The functions that a resource names.
    fn find(&mut self, code: &Resource) -> Vec<FunctionKey> {
        if let Some(known) = self.named.get(code) {
            return known.iter().copied().collect();
        }
        search::functions(self, code)
    }

    fn callees(&mut self, of: &Resource) -> BTreeMap<Resource, Vec<FunctionKey>> {
        let mut found = BTreeSet::new();
        self.experience.ask(of);
        if of.is_root() {
            found.extend(self.beginnings());
            found.extend(self.experience.beginnings());
        } else {
            let function = self.regions.beginner(of).clone();
            for key in self.find(&function) {
                found.extend(self.called(key));
            }
        }
        let mut names: BTreeSet<Resource> = found.into_iter().map(|key| self.name(key)).collect();
        names.extend(self.regions.inside(of));
        let others = names.into_iter().filter(|name| name != of);
        others.map(|name| (name.clone(), self.find(&name))).collect()
    }

    /// Where the programs of all processes begin.
    fn beginnings(&mut self) -> Vec<FunctionKey> {
        let mut found = BTreeSet::new();
        for watched in self.processes.values_mut() {
            if let Some(module) = watched.program(&mut self.modules) {
                let main = search::main_function(self.modules.get(module));
                found.extend(main.map(|function| FunctionKey { module, function }));
            }
        }
        found.into_iter().collect()
    }

    /// The functions that a function calls, and that it may call: those whose address it takes, and where it calls what
    /// only the run tells, whose address is in a table.
    pub(crate) fn called(&mut self, key: FunctionKey) -> Vec<FunctionKey> {
        let code = &self.modules.get(key.module).code;
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
                Callee::Imported(name) => found.extend(self.imported(key.module, &name)),
            }
        }
        found.extend(self.experience.calls(key));
        own.remove(&key.function);
        found.extend(own.into_iter().map(|function| FunctionKey { function, ..key }));
        found.retain(|key| self.is_of_interest(*key));
        found
    }

    /// The function that a name of another object leads to, unless it is one of ours: what those
    /// wrap is measured already.
    fn imported(&mut self, importer: u32, name: &str) -> Option<FunctionKey> {
        let Self { processes, modules, .. } = self;
        let mut all = processes.values_mut().find_map(|watched| {
            let all: Vec<u32> = watched.loaded(modules).iter().map(|one| one.module).collect();
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

    /// Not for those that a program cannot help or whose time is no computing, nor for what the planner would refuse by name.
    pub(crate) fn is_of_interest(&self, key: FunctionKey) -> bool {
        let known = self.modules.get(key.module);
        let Some(function) = known.code.functions().get(key.function.index()) else { return false };
        let is_denied =
            || known.code.names(key.function).iter().any(|name| denied(&name.text).is_some());
        let is_loader = known.name().starts_with("ld-");
        function.kind == FunctionKind::Ordinary
            && !(is_loader || known.is_ours() || is_denied())
            && !self.modules.is_inside_wrapped(key)
    }

    pub(crate) fn name(&mut self, key: FunctionKey) -> Resource {
        let name = self.modules.get(key.module).resource(key.function);
        self.named.entry(name.clone()).or_default().insert(key);
        name
    }
}

/// Larger tables of functions are those of classes: too many to ask about one by one.
const MOST_IN_TABLES: usize = 64;
