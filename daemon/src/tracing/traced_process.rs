//! A traced process: what its regions and objects are called, and how its clock runs.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use whyperf_inject::RegionFile;
use whyperf_layout::{NO_RANK, ObjectKind};
use whyperf_model::{Category, Hierarchy, Resource};

use crate::clock::RegionClock;
use crate::object_name::{self, NamedBy, Naming};
use crate::region::RegionMemory;
use crate::symbols::{AskedAddress, SourceLocation, StatedProgram, SymbolReader};
use crate::tables::{ObjectEntry, ProcessTables, RegionEntry};

/// A process of which threads were traced.
#[derive(Clone, Debug)]
pub struct TracedProcess {
    /// As it numbers itself.
    pub pid: u32,
    /// Its rank, if it is one.
    pub rank: Option<u32>,
    /// The name of its program.
    pub program: String,
    /// By number.
    pub regions: Vec<TracedRegion>,
    /// By number.
    pub objects: Vec<TracedObject>,
    /// Whether its ticks are those of the time stamp counter, else they are nanoseconds.
    pub(super) counts_cycles: bool,
}

/// A region by its name.
#[derive(Clone, Debug)]
pub struct TracedRegion {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub category: Category,
    /// Where it is among the program's code, if it is a part of that.
    pub code: Option<Resource>,
}

/// What was waited for.
#[derive(Clone, Debug)]
pub struct TracedObject {
    /// What it is called among all resources, unless it has no name yet.
    pub resource: Option<Resource>,
    /// Whether threads meet at it.
    pub is_thread_barrier: bool,
}

/// A process while it is traced: its region stays mapped, though its file is removed.
#[derive(Debug)]
pub(super) struct TracedMemory {
    pub(super) pid: u32,
    /// When its region began: a process that becomes another program has another one then.
    began: u64,
    /// None where its file was gone before it was read.
    region: Option<RegionMemory>,
}

impl TracedMemory {
    /// A process whose region began then, as it lies in the run directory.
    pub(super) fn find(directory: &Path, pid: u32, began: u64, user: u32) -> Self {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut of_process = paths
            .filter(|path| RegionFile::at(path).is_some_and(|file| file.pid == pid))
            .filter_map(|path| RegionMemory::open(&path, user).ok().flatten());
        let is_meant = |region: &RegionMemory| start_of(region) == began;
        Self { pid, began, region: of_process.find(is_meant) }
    }

    /// Whether it is the process of this region.
    pub(super) const fn is_of(&self, pid: u32, began: u64) -> bool {
        self.pid == pid && self.began == began
    }

    /// Its program, as it says itself.
    pub(super) fn program(&self) -> Option<StatedProgram> {
        self.region.as_ref()?.program()
    }

    /// Whether its names, its rank and its clock are not known.
    pub(super) const fn is_unread(&self) -> bool {
        self.region.is_none()
    }

    /// All that is known of it when it is over; it has this number in the code that was looked at.
    pub(super) fn told(&self, number: u32, code: &mut SymbolReader) -> TracedProcess {
        let mut tables = ProcessTables::default();
        let mut told = TracedProcess {
            pid: self.pid,
            rank: None,
            program: String::new(),
            regions: Vec::new(),
            objects: Vec::new(),
            counts_cycles: true,
        };
        let Some(region) = &self.region else { return told };
        tables.refresh(region);
        let header = region.header();
        let rank = header.rank.load(Ordering::Relaxed);
        told.rank = u32::try_from(rank).ok().filter(|_| rank != NO_RANK);
        let path = region.program_path();
        told.program = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        told.counts_cycles = RegionClock::of(header) == RegionClock::Tsc;
        let named = |one: &RegionEntry| named_region(one, number, &told.program, code);
        told.regions = tables.regions.iter().map(named).collect();
        let of_object = |(at, one): (u32, &ObjectEntry)| {
            let is_thread_barrier = one.kind == ObjectKind::ThreadBarrier;
            // Of all that threads wait for, a trace has barriers alone.
            let place = if is_thread_barrier { place_of(one, number, code) } else { None };
            let naming = place.as_ref().map_or(Naming::Nowhere, Naming::Is);
            let resource = object_name::resource(&tables, at, naming, None);
            TracedObject { resource, is_thread_barrier }
        };
        told.objects = (0..).zip(&tables.objects).map(of_object).collect();
        told
    }
}

/// The place that names an object of the process of this number.
fn place_of(object: &ObjectEntry, number: u32, code: &mut SymbolReader) -> Option<SourceLocation> {
    let wanted = match object_name::named_by(object)? {
        NamedBy::Site(address) => AskedAddress::Code(address),
        NamedBy::Variable(address) => AskedAddress::Data(address),
    };
    code.find(number, wanted)
}

/// A region with its name and its place in the code of the process of this number.
fn named_region(
    one: &RegionEntry,
    number: u32,
    program: &str,
    code: &mut SymbolReader,
) -> TracedRegion {
    let category = one.category;
    let all = Resource::root(Hierarchy::Code);
    let place = match category {
        Category::Function => {
            code.function(number, one.address).map(|place| (place.module, place.function))
        }
        Category::User => {
            let begun = code.find(number, AskedAddress::Code(one.address));
            let module = begun.map_or_else(|| program.to_owned(), |place| place.module);
            Some((module, one.name.clone()))
        }
        _ => None,
    };
    let name = match &place {
        Some((_, name)) if one.name.is_empty() => name.clone(),
        None if one.name.is_empty() && one.address != 0 => format!("{:#x}", one.address),
        _ => one.name.clone(),
    };
    let code = place.map(|(module, name)| all.child(&module).child(&name));
    TracedRegion { name, category, code }
}

fn start_of(region: &RegionMemory) -> u64 {
    region.header().start_nanos.load(Ordering::Relaxed)
}
