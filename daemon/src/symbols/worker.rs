//! The thread that reads objects: answers addresses from maps it keeps, and objects.

use std::collections::BTreeMap;
use std::sync::Arc;

use crossbeam_channel::{Receiver, Sender};
use whyperf_inject::{MemoryMap, MemoryStretch};
use whyperf_instrument::Objects;

use super::{AskedAddress, SourceLocation, StatedProgram, SymbolAnswer, SymbolRequest};

/// Serves requests until the channel is closed.
pub(super) fn run(
    objects: Arc<Objects>,
    requests: &Receiver<SymbolRequest>,
    answers: &Sender<Vec<SymbolAnswer>>,
) {
    let mut reader = SymbolReader::new(objects);
    for request in requests {
        match request {
            SymbolRequest::Watch { process, pid, program } => reader.watch(process, pid, program),
            SymbolRequest::Find { process, wanted } => {
                let found = wanted.into_iter().map(|wanted| {
                    let place = reader.find(process, wanted).map(Arc::new);
                    SymbolAnswer { process, wanted, place }
                });
                if answers.send(found.collect()).is_err() {
                    return;
                }
            }
        }
    }
}

/// A process, and where its addresses lie.
#[derive(Debug)]
struct Watched {
    pid: u32,
    maps: MemoryMap,
    program: Option<StatedProgram>,
}

/// Answers addresses of processes.
#[derive(Debug)]
pub(crate) struct SymbolReader {
    processes: BTreeMap<u32, Watched>,
    objects: Arc<Objects>,
}

impl SymbolReader {
    /// One that knows no process yet.
    pub(crate) fn new(objects: Arc<Objects>) -> Self {
        Self { objects, processes: BTreeMap::new() }
    }

    /// A process appeared under this number.
    pub(crate) fn watch(&mut self, process: u32, pid: u32, program: Option<StatedProgram>) {
        self.processes.insert(process, Watched { pid, maps: MemoryMap::of(pid), program });
    }

    /// Reads the map of a process again, which may have more libraries by now; where it is gone the one before stays.
    pub(crate) fn look_again(&mut self, process: u32) {
        if let Some(watched) = self.processes.get_mut(&process) {
            let newer = MemoryMap::of(watched.pid);
            if !newer.is_empty() {
                watched.maps = newer;
            }
        }
    }

    /// The function that begins at an address.
    pub(crate) fn function(&mut self, process: u32, entry: u64) -> Option<SourceLocation> {
        let Some(stretch) = self.stretch(process, AskedAddress::Code(entry), entry) else {
            let StatedProgram { path, base } = self.processes.get(&process)?.program.as_ref()?;
            let object = self.objects.of_file(path)?.ok()?;
            return Some(object.place(entry.wrapping_sub(*base)));
        };
        let pid = self.processes.get(&process)?.pid;
        let object = self.objects.mapped(pid, &stretch)?.ok()?;
        Some(object.place(object.address(entry - stretch.start + stretch.offset)?))
    }

    /// What lies at an address.
    pub(crate) fn find(&mut self, process: u32, wanted: AskedAddress) -> Option<SourceLocation> {
        // The return address may be the first of the next function: the call lies before it.
        let address = match wanted {
            AskedAddress::Code(address) => address.checked_sub(1)?,
            AskedAddress::Data(address) => address,
        };
        let Some(stretch) = self.stretch(process, wanted, address) else {
            return self.place_in_program(process, wanted, address);
        };
        let pid = self.processes.get(&process)?.pid;
        let object = self.objects.mapped(pid, &stretch)?.ok()?;
        match wanted {
            AskedAddress::Code(_) => {
                let linked = object.address(address - stretch.start + stretch.offset)?;
                Some(object.caller(linked + 1))
            }
            AskedAddress::Data(_) => {
                let base = object.data_address(stretch.offset)?;
                object.variable(address - stretch.start + base)
            }
        }
    }

    /// Of a process that ended before its map was read, what lies in its program is known all the same.
    fn place_in_program(
        &self,
        process: u32,
        wanted: AskedAddress,
        address: u64,
    ) -> Option<SourceLocation> {
        let Watched { maps, program, .. } = self.processes.get(&process)?;
        let StatedProgram { path, base } = program.as_ref().filter(|_| maps.is_empty())?;
        let object = self.objects.of_file(path)?.ok()?;
        let linked = address.wrapping_sub(*base);
        match wanted {
            AskedAddress::Code(_) => {
                object.text(linked..linked.checked_add(1)?)?;
                Some(object.caller(linked + 1))
            }
            AskedAddress::Data(_) => object.variable(linked),
        }
    }

    /// The part of a file around an address. Libraries come later too: unknown addresses are
    /// looked for in a new copy of the map.
    fn stretch(
        &mut self,
        process: u32,
        wanted: AskedAddress,
        address: u64,
    ) -> Option<MemoryStretch> {
        let Watched { pid, maps, .. } = self.processes.get_mut(&process)?;
        let found = |maps: &MemoryMap| {
            let stretch = match wanted {
                AskedAddress::Code(_) => maps.around(address),
                AskedAddress::Data(_) => maps.owner(address),
            };
            stretch.filter(|stretch| stretch.file.is_some()).cloned()
        };
        if let Some(stretch) = found(maps) {
            return Some(stretch);
        }
        let newer = MemoryMap::of(*pid);
        if newer.is_empty() {
            return None;
        }
        *maps = newer;
        found(maps)
    }
}
