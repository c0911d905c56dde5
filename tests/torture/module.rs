//! An object of a tortured process: every function of it that can be planned, and its code on disk.

use std::collections::BTreeMap;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::program::is_hurried;
use whyperf_code::plan::{Islands, Plan, plan};
use whyperf_code::{FunctionId, Object};
use whyperf_instrument::patch_of;
use whyperf_layout::patch::{CODE, COUNTING, Patch};

/// What is known of a file, planned once however many programs load it.
pub(crate) struct Module {
    object: Object,
    bytes: Vec<u8>,
    plans: Vec<Plan>,
}

/// A file that was asked for: planned by the first who asks, while others wait.
#[derive(Default)]
struct Known(OnceLock<Option<Arc<Module>>>);

/// Where a process has it.
pub(crate) struct Loaded {
    pub(crate) module: Arc<Module>,
    pub(crate) path: PathBuf,
    pub(crate) span: Range<u64>,
    bias: u64,
    /// Executable mappings: addresses, and the place in the file.
    text: Vec<(Range<u64>, u64)>,
}

/// The memory of an arena: words, and stubs behind them.
#[derive(Clone, Copy)]
pub(crate) struct Arena {
    pub(crate) address: u64,
    pub(crate) data: u64,
    pub(crate) code: u64,
}

impl Module {
    /// The file's, with its plans.
    fn of(path: &Path) -> Option<Arc<Self>> {
        static KNOWN: Mutex<BTreeMap<PathBuf, Arc<Known>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = Arc::clone(known.entry(path.to_owned()).or_default());
        drop(known);
        place.0.get_or_init(|| Self::read(path).map(Arc::new)).clone()
    }

    fn read(path: &Path) -> Option<Self> {
        let (object, bytes) = (Object::open(path).ok()?, std::fs::read(path).ok()?);
        let mut islands = Islands::new();
        // Of the largest libraries each so many-th, where there is not the time to plan all.
        let count = object.functions().len();
        let step = if is_hurried() { count.div_ceil(MOST_PLANNED).max(1) } else { 1 };
        let all = (0..count).step_by(step).filter_map(|at| u32::try_from(at).ok());
        let plans = all.filter_map(|at| plan(&object, FunctionId(at), &mut islands).ok());
        // A function of which it is not known how far it looks is never armed.
        let plans = plans.filter(|plan| plan.stacked.is_ok()).collect();
        Some(Self { object, bytes, plans })
    }
}

impl Loaded {
    /// Bytes of memory that its functions need in an arena.
    pub(crate) fn arena(&self, address: u64) -> Arena {
        let pages = |bytes: usize| (bytes as u64).next_multiple_of(4096).max(4096);
        let count = self.module.plans.len();
        Arena { address, data: pages(8 * count), code: pages(STRIDE * count) }
    }

    /// How its functions are patched.
    pub(crate) fn patches(&self, arena: Arena) -> Vec<Patch> {
        let numbered = (0_u64..).zip(&self.module.plans);
        let patches = numbered.filter_map(|(at, plan)| {
            let stub = arena.address + arena.data + STRIDE as u64 * at;
            patch_of(plan, self.bias, stub, arena.address + 8 * at).ok()
        });
        patches.collect()
    }

    /// Where the process's code is not what the file has.
    pub(crate) fn differences(&self, pid: u32) -> Vec<u64> {
        let memory = std::fs::File::open(format!("/proc/{pid}/mem")).expect("the process is there");
        let mut found = Vec::new();
        for (range, offset) in &self.text {
            let length = usize::try_from(range.end - range.start).expect("it is in memory");
            let start = usize::try_from(*offset).expect("it is in memory");
            let kept = &self.module.bytes[start..self.module.bytes.len().min(start + length)];
            let mut there = vec![0; kept.len()];
            memory.read_exact_at(&mut there, range.start).expect("code can be read");
            let pairs = (range.start..).zip(there.iter().zip(kept));
            found.extend(pairs.filter(|(_, (one, other))| one != other).map(|(at, _)| at));
        }
        found
    }
}

/// The program of a process and the libraries that are tortured with it, and all that its memory is
/// taken by.
pub(crate) fn loaded(pid: u32) -> (Vec<Loaded>, Vec<Range<u64>>) {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("the process is there");
    let mut taken = Vec::new();
    let mut files: BTreeMap<PathBuf, Vec<(Range<u64>, u64, bool)>> = BTreeMap::new();
    for line in maps.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (start, end) = words[0].split_once('-').expect("a range comes first");
        let hexadecimal = |word: &str| u64::from_str_radix(word, 16).expect("the kernel wrote it");
        let range = hexadecimal(start)..hexadecimal(end);
        taken.push(range.clone());
        let Some(path) = words.get(5).filter(|path| path.starts_with('/')) else { continue };
        let parts = files.entry(PathBuf::from(path)).or_default();
        parts.push((range, hexadecimal(words[2]), words[1].contains('x')));
    }
    let program = std::fs::read_link(format!("/proc/{pid}/exe")).expect("the process is there");
    let is_chosen = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        path == program || LIBRARIES.iter().any(|start| name.starts_with(start))
    };
    let all = files.into_iter().filter(|(path, _)| is_chosen(path));
    (all.filter_map(|(path, parts)| place(path, &parts)).collect(), taken)
}

fn place(path: PathBuf, parts: &[(Range<u64>, u64, bool)]) -> Option<Loaded> {
    let text = parts.iter().filter(|(_, _, executable)| *executable);
    let text: Vec<_> = text.map(|(range, offset, _)| (range.clone(), *offset)).collect();
    let (range, offset) = text.first()?;
    let module = Module::of(&path)?;
    let bias = range.start.wrapping_sub(module.object.address(*offset)?);
    let span = parts.first()?.0.start..parts.last()?.0.end;
    Some(Loaded { module, path, span, bias, text })
}

/// Functions of one library that are looked at in a hurry: all of the C library's.
const MOST_PLANNED: usize = 4000;
/// Libraries whose functions are tortured, by the beginnings of their names.
const LIBRARIES: [&str; 8] = [
    "libc.so",
    "libm.so",
    "libstdc++",
    "libgcc_s",
    "libgfortran",
    "libquadmath",
    "libmpi",
    "libopen-",
];
/// Bytes from stub to stub.
const STRIDE: usize = CODE + COUNTING;
