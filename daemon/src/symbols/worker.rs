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
    let mut reader = SymbolReader { objects, processes: BTreeMap::new() };
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
struct Watched {
    pid: u32,
    maps: MemoryMap,
    program: Option<StatedProgram>,
}

struct SymbolReader {
    processes: BTreeMap<u32, Watched>,
    objects: Arc<Objects>,
}

impl SymbolReader {
    fn watch(&mut self, process: u32, pid: u32, program: Option<StatedProgram>) {
        self.processes.insert(process, Watched { pid, maps: MemoryMap::of(pid), program });
    }

    fn find(&mut self, process: u32, wanted: AskedAddress) -> Option<SourceLocation> {
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
