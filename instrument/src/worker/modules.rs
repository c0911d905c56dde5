//! The programs and libraries of measured processes, each known once however many processes use it: the names of its
//! functions, and how they are patched.

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use ahash::AHashMap;
use whyperf_code::plan::{self, CodeExit, Islands, Plan, Refusal};
use whyperf_code::{Callee, FunctionId, FunctionKind, Object};
use whyperf_inject::MemoryStretch;
use whyperf_model::{Hierarchy, Resource};

use super::{program_start, references};
use crate::function_key::FunctionKey;
use crate::objects::Objects;

/// What `-finstrument-functions` has called at each entry.
const ANNOUNCEMENT: &str = "__cyg_profile_func_enter";

/// An object and what was found out about it.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) code: Arc<Object>,
    islands: Islands,
    plans: AHashMap<FunctionId, Result<Plan, Refusal>>,
    is_mpi: OnceCell<bool>,
    main: OnceCell<Option<FunctionId>>,
    jumping_main: OnceCell<Option<FunctionId>>,
}

/// All objects that were needed so far.
#[derive(Debug)]
pub(crate) struct Modules {
    objects: Arc<Objects>,
    list: Vec<Module>,
    /// Functions of system libraries that were asked about: whether they are inside of calls that we wrap.
    inside_wrapped: RefCell<AHashMap<FunctionKey, bool>>,
}

impl Modules {
    pub(crate) fn new(objects: Arc<Objects>) -> Self {
        Self { objects, list: Vec::new(), inside_wrapped: RefCell::default() }
    }

    /// The object that a process has mapped here; `None` when it cannot be read.
    pub(crate) fn mapped(&mut self, pid: u32, stretch: &MemoryStretch) -> Option<u32> {
        let code = self.objects.mapped(pid, stretch)?.ok()?;
        let same = |module: &Module| {
            let build = module.code.build_id();
            Arc::ptr_eq(&module.code, &code) || build.is_some() && build == code.build_id()
        };
        let known = self.list.iter().position(same);
        let at = known.unwrap_or_else(|| {
            let (islands, plans) = (Islands::new(), AHashMap::new());
            self.list.push(Module {
                code,
                islands,
                plans,
                is_mpi: OnceCell::new(),
                main: OnceCell::new(),
                jumping_main: OnceCell::new(),
            });
            self.list.len() - 1
        });
        u32::try_from(at).ok()
    }

    pub(crate) fn get(&self, module: u32) -> &Module {
        &self.list[module as usize]
    }

    /// Whether what a function does is inside of calls that we wrap: time in those is known without it, and is no computing.
    pub(crate) fn is_inside_wrapped(&self, key: FunctionKey) -> bool {
        let known = self.get(key.module);
        if let Some(known) = self.inside_wrapped.borrow().get(&key) {
            return *known;
        }
        // A program may give its own functions the names that the system has.
        if known.is_mpi() || !known.is_system() {
            return known.is_mpi();
        }
        let Some(ours) = self.ours() else { return false };
        let names = known.code.names(key.function);
        let found = names.iter().any(|name| ours.export(&name.text).is_some());
        self.inside_wrapped.borrow_mut().insert(key, found);
        found
    }

    /// Whether a process has the library that measures, as all have that are measured.
    pub(crate) fn has_ours(&self) -> bool {
        self.ours().is_some()
    }

    fn ours(&self) -> Option<&Module> {
        self.list.iter().find(|module| module.is_ours())
    }

    pub(crate) fn get_mut(&mut self, module: u32) -> &mut Module {
        &mut self.list[module as usize]
    }
}

impl Module {
    /// How a function is called in the hierarchy of code: as call sites in it are.
    pub(crate) fn resource(&self, function: FunctionId) -> Resource {
        let place = self.code.place_of(function);
        Resource::root(Hierarchy::Code).child(&place.module).child(&place.function)
    }

    /// Whether the compiler made the function announce its own calls to us, so that no code has to
    /// change: it names itself to the function for that.
    pub(crate) fn announces(&self, function: FunctionId) -> bool {
        let is_ours = |callee: &Callee| matches!(callee, Callee::Imported(name) if name.split('@').next() == Some(ANNOUNCEMENT));
        self.code.calls(function).callees.iter().any(is_ours)
            && references::in_code(&self.code, function).contains(&function)
    }

    /// Its file's name.
    pub(crate) fn name(&self) -> &str {
        self.code.path().file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Whether it is the library that measures.
    pub(crate) fn is_ours(&self) -> bool {
        self.name() == whyperf_inject::LIBRARY
    }

    /// Whether it is a library of MPI: those alone have each function under a second name, for tools. In a program that has
    /// MPI inside nothing is wrapped.
    pub(crate) fn is_mpi(&self) -> bool {
        let is_library = || !(self.is_ours() || self.is_program());
        *self.is_mpi.get_or_init(|| is_library() && self.code.exports_any(PROFILED))
    }

    /// Whether it is a program: what asks for a loader and is no library that can be started, as the C library is.
    pub(crate) fn is_program(&self) -> bool {
        self.code.section(".interp").is_some() && !self.name().contains(".so")
    }

    /// What the kernel or the loader begins with, if it is a program.
    pub(crate) fn first_function(&self) -> Option<FunctionId> {
        program_start::first_function(&self.code)
    }

    /// Where it begins, if it is a program, after what the system puts before that.
    pub(crate) fn main_function(&self) -> Option<FunctionId> {
        *self.main.get_or_init(|| program_start::main_function(&self.code, self.ordinary()))
    }

    /// The same, if that may jump to another function in the end: then it has no frame while that runs.
    pub(crate) fn jumping_main(&self) -> Option<FunctionId> {
        let jumps_on = |main: &FunctionId| plan::exit(&self.code, *main) == CodeExit::JumpsOn;
        *self.jumping_main.get_or_init(|| self.main_function().filter(jumps_on))
    }

    /// Whether it is a library that came with the system.
    pub(crate) fn is_system(&self) -> bool {
        let path = self.code.path();
        SYSTEM.iter().any(|folder| path.starts_with(folder)) && !self.is_program()
    }

    /// How to patch a function, planned once.
    pub(crate) fn plan(&mut self, function: FunctionId) -> Result<Plan, Refusal> {
        if let Some(known) = self.plans.get(&function) {
            return known.clone();
        }
        let planned = plan::plan(&self.code, function, &mut self.islands);
        self.plans.insert(function, planned.clone());
        planned
    }

    /// The function that other objects find under this name.
    pub(crate) fn export(&self, name: &str) -> Option<FunctionId> {
        self.code.exported(name)
    }

    /// All functions that are called and return.
    pub(crate) fn ordinary(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let all = (0..).map(FunctionId).zip(self.code.functions());
        let ordinary = all.filter(|(_, function)| function.kind == FunctionKind::Ordinary);
        ordinary.map(|(id, _)| id)
    }

    /// Where a process has it that mapped it here: by how much addresses are higher than linked.
    pub(crate) fn bias(&self, stretch: &MemoryStretch) -> Option<u64> {
        // A mapping is whole pages, so its first bytes may belong to the part before.
        let inside = (0..stretch.end - stretch.start).step_by(16).find_map(|distance| {
            let linked = self.code.address(stretch.offset + distance)?;
            let is_code = self.code.executable().iter().any(|range| range.contains(&linked));
            is_code.then_some((distance, linked))
        });
        let (distance, linked) = inside?;
        Some(stretch.start.wrapping_add(distance).wrapping_sub(linked))
    }
}

/// How the second names of MPI's functions begin, in C and in Fortran.
const PROFILED: &str = "pmpi_";
/// Where a system keeps its own libraries.
const SYSTEM: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];
