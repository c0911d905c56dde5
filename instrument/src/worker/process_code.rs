//! The code of one measured process as the worker sees it: what it has mapped, and the arenas in it.

use std::ops::Range;

use whyperf_code::plan::{Plan, Refusal};
use whyperf_code::{FunctionId, FunctionKind};
use whyperf_inject::StackSnapshots;
use whyperf_inject::threads::process_file;
use whyperf_inject::{FileName, MemoryMap, MemoryStretch};
use whyperf_layout::patch::Patch;

use super::modules::Modules;
use crate::arena::{self, Arena, StubRoom};
use crate::function_key::FunctionKey;
use crate::messages::CodeExtent;
use crate::patch::patch_of;

/// An object in a process.
#[derive(Clone, Debug)]
pub(crate) struct LoadedModule {
    pub(crate) module: u32,
    pub(crate) bias: u64,
    /// Its addresses here.
    span: Range<u64>,
}

impl LoadedModule {
    /// Where a function of it is.
    pub(crate) fn extent(&self, function: FunctionId, modules: &Modules) -> CodeExtent {
        let code = &modules.get(self.module).code;
        let all = code.parts(function).filter_map(|part| code.functions().get(part.index()));
        let ranges = all.map(|part| part.entry..part.end).filter(|range| !range.is_empty());
        let here = |linked: u64| linked.wrapping_add(self.bias);
        let pieces = ranges.map(|range| here(range.start)..here(range.end)).collect();
        let calls = code.calls(function);
        let calls_others = calls.computed > 0 || !calls.callees.is_empty();
        CodeExtent { pieces, calls_others }
    }
}

/// A process and what is known of its memory.
#[derive(Debug)]
pub(crate) struct ProcessCode {
    pub(crate) pid: u32,
    maps: MemoryMap,
    /// Objects with code, in the order of their addresses.
    loaded: Vec<LoadedModule>,
    arenas: Vec<Arena>,
    /// Where nothing could be mapped.
    refused: Vec<u64>,
    pub(crate) stack_snapshots: StackSnapshots,
}

impl ProcessCode {
    pub(crate) fn new(pid: u32) -> Self {
        let (maps, loaded) = (MemoryMap::default(), Vec::new());
        let stack_snapshots = StackSnapshots::of(pid);
        Self { pid, maps, loaded, arenas: Vec::new(), refused: Vec::new(), stack_snapshots }
    }

    /// Reads the map again; a process that is gone keeps what was known.
    pub(crate) fn look(&mut self, modules: &mut Modules) {
        let newer = MemoryMap::of(self.pid);
        if newer.is_empty() {
            return;
        }
        self.maps = newer;
        self.loaded.clear();
        let mut seen: Vec<&FileName> = Vec::new();
        for stretch in self.maps.stretches() {
            let Some(file) = &stretch.file else { continue };
            if stretch.executable && !seen.contains(&file) {
                seen.push(file);
                self.loaded.extend(loaded(self.pid, stretch, &self.maps, modules));
            }
        }
    }

    /// The objects it has.
    pub(crate) fn loaded(&mut self, modules: &mut Modules) -> &[LoadedModule] {
        if self.loaded.is_empty() {
            self.look(modules);
        }
        &self.loaded
    }

    /// This object in it; libraries come later, too.
    pub(crate) fn find(&mut self, module: u32, modules: &mut Modules) -> Option<LoadedModule> {
        let has = |loaded: &&LoadedModule| loaded.module == module;
        if let Some(found) = self.loaded.iter().find(has) {
            return Some(found.clone());
        }
        self.look(modules);
        self.loaded.iter().find(has).cloned()
    }

    /// The function around an address in it.
    pub(crate) fn function_at(&self, address: u64, modules: &Modules) -> Option<FunctionKey> {
        let loaded = self.around(address, modules)?;
        let code = &modules.get(loaded.module).code;
        let found = code.function_at(address.wrapping_sub(loaded.bias))?;
        let function = match code.functions().get(found.index())?.kind {
            FunctionKind::Fragment { of } => of?,
            _ => found,
        };
        Some(FunctionKey { module: loaded.module, function })
    }

    /// The function that is called by the call that ends at an address, if its code names that.
    pub(crate) fn called_at(&self, address: u64, modules: &Modules) -> Option<FunctionKey> {
        let loaded = self.around(address, modules)?;
        let returns_to = address.wrapping_sub(loaded.bias) + 1;
        let function = modules.get(loaded.module).code.called(returns_to)?;
        Some(FunctionKey { module: loaded.module, function })
    }

    /// The object around an address in it.
    fn around(&self, address: u64, modules: &Modules) -> Option<&LoadedModule> {
        self.loaded.iter().find(|loaded| {
            let linked = address.wrapping_sub(loaded.bias);
            let ranges = modules.get(loaded.module).code.executable();
            ranges.iter().any(|range| range.contains(&linked))
        })
    }

    /// The object of its program.
    pub(crate) fn program(&mut self, modules: &mut Modules) -> Option<u32> {
        let path = std::fs::read_link(process_file(self.pid, "exe")).ok()?;
        let name = path.to_string_lossy();
        let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
        self.loaded(modules);
        let is_program = |stretch: &&MemoryStretch| {
            let file = stretch.file.as_ref();
            stretch.executable && file.is_some_and(|file| file.path.to_string_lossy() == name)
        };
        let stretch = self.maps.stretches().iter().find(is_program)?;
        modules.mapped(self.pid, stretch)
    }

    /// The words for the agent to patch a function of an object that is loaded so.
    pub(crate) fn patch(
        &mut self,
        plan: &Plan,
        loaded: &LoadedModule,
    ) -> Result<(Patch, u64), Refusal> {
        let (arena, room) = self.room(&loaded.span).ok_or(Refusal::ArenaOutOfReach)?;
        let patch = patch_of(plan, loaded.bias, room.stub, room.word)?;
        self.stack_snapshots.expect_stub(&patch);
        Ok((patch, arena))
    }

    /// Nothing could be mapped here: its functions need places elsewhere.
    pub(crate) fn give_up(&mut self, arena: u64) {
        self.refused.push(arena);
        self.arenas.retain(|known| known.address != arena);
        self.stack_snapshots.forget_stubs(&arena::extent(arena));
    }

    fn room(&mut self, module: &Range<u64>) -> Option<(u64, StubRoom)> {
        let near = self.arenas.iter_mut().filter(|arena| arena.reaches(module));
        if let Some(found) = near.into_iter().find_map(|arena| Some((arena.address, arena.take()?)))
        {
            return Some(found);
        }
        if self.refused.len() > MOST_REFUSED {
            return None;
        }
        let arenas = self.arenas.iter().map(|arena| arena.address);
        let taken: Vec<u64> = arenas.chain(self.refused.iter().copied()).collect();
        let address = arena::place(self.maps.stretches(), &taken, module)?;
        let mut arena = Arena::at(address);
        let room = arena.take()?;
        self.arenas.push(arena);
        Some((address, room))
    }
}

fn loaded(
    pid: u32,
    stretch: &MemoryStretch,
    maps: &MemoryMap,
    modules: &mut Modules,
) -> Option<LoadedModule> {
    let module = modules.mapped(pid, stretch)?;
    let bias = modules.get(module).bias(stretch)?;
    let own = maps.stretches().iter().filter(|other| other.file == stretch.file);
    let span = own.fold(stretch.start..stretch.end, |span, other| {
        span.start.min(other.start)..span.end.max(other.end)
    });
    // What has no value in the file lies behind, and few displaced instructions name it.
    let end = span.end.saturating_add(NAMELESS).min(span.start + FAR);
    Some(LoadedModule { module, bias, span: span.start..end.max(stretch.end) })
}

/// Bytes of a module that an arena has to reach.
const FAR: u64 = 1 << 30;
/// Bytes behind a module that may hold its variables.
const NAMELESS: u64 = 64 << 20;
/// Places that are tried when nothing can be mapped.
const MOST_REFUSED: usize = 4;
