//! A traced process: what its regions and objects are called, and how its clock runs.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use whyperf_code::Object;
use whyperf_inject::RegionFile;
use whyperf_layout::{NO_RANK, ObjectKind};
use whyperf_model::Category;

use crate::clock::RegionClock;
use crate::region::RegionMemory;
use crate::tables::ProcessTables;

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
}

/// What was waited for.
#[derive(Clone, Debug)]
pub struct TracedObject {
    /// What it is called.
    pub name: String,
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

    /// Whether its names, its rank and its clock are not known.
    pub(super) const fn is_unread(&self) -> bool {
        self.region.is_none()
    }

    /// All that is known of it when it is over.
    pub(super) fn told(&self) -> TracedProcess {
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
        // Read only where a function has no name of its own.
        let needs_names = tables.regions.iter().any(|one| one.name.is_empty() && one.address != 0);
        let program = region.program().filter(|_| needs_names);
        let object = program.as_ref().and_then(|program| Object::open(&program.path).ok());
        let base = program.as_ref().map_or(0, |program| program.base);
        let named = |name: &str, address: u64| {
            if !name.is_empty() || address == 0 {
                return name.to_owned();
            }
            let place = object.as_ref().map(|object| object.place(address.wrapping_sub(base)));
            place.map_or_else(|| format!("{address:#x}"), |place| place.function)
        };
        let of_region = |one: &crate::tables::RegionEntry| TracedRegion {
            name: named(&one.name, one.address),
            category: one.category,
        };
        told.regions = tables.regions.iter().map(of_region).collect();
        let of_object = |one: &crate::tables::ObjectEntry| TracedObject {
            name: one.name.clone(),
            is_thread_barrier: one.kind == ObjectKind::ThreadBarrier,
        };
        told.objects = tables.objects.iter().map(of_object).collect();
        told
    }
}

fn start_of(region: &RegionMemory) -> u64 {
    region.header().start_nanos.load(Ordering::Relaxed)
}
