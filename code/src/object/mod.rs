//! An object file: one program or shared library on disk, of which each part is read when it is first asked for.

mod debug_file;
mod debug_lines;
mod edges;
mod exports;
mod frames;
mod headers;
mod inventory;
mod kept_places;
mod learned;
mod linkage;
mod places;
mod shape;
mod symbols;
mod variables;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::branches::Branches;
use crate::cache::{BranchCache, CacheFile};
use crate::error::ObjectError;
use crate::function::{Function, FunctionId, FunctionKind, Name, Scope};
use crate::lines::Lines;
use crate::opening::Opening;
use crate::scan::{CodeStretch, scan};
use crate::storage::Storage;
use debug_file::{DebugFile, packed_symbols};
use edges::ObjectCallGraph;
pub use edges::{Callee, Calls};
use exports::TableEntry;
pub use frames::Frame;
use frames::Frames;
use headers::Headers;
use inventory::{Inventory, Parts};
use learned::Learned;
use linkage::Linkage;
use places::Places;
use shape::Shape;
use symbols::{Strings, Symbol, Which};

/// An ELF object. What it holds is worked out when it is first asked for, and kept.
#[derive(Debug)]
pub struct Object {
    opening: Opening,
    storage: Arc<dyn Storage>,
    shape: Shape,
    debug_file: OnceLock<DebugFile>,
    frames: OnceLock<Frames>,
    linkage: OnceLock<Linkage>,
    inventory: OnceLock<Inventory>,
    /// By name, where the file has no table of them.
    exports: OnceLock<BTreeMap<String, FunctionId>>,
    branches: OnceLock<Branches>,
    is_decoded: AtomicBool,
    learned: Mutex<Learned>,
    places: Places,
}

impl Object {
    /// Reads a file. [`Opening`] says more about how.
    ///
    /// # Errors
    /// When it cannot be read, is no ELF object, or is for another machine.
    pub fn open(path: &Path) -> Result<Self, ObjectError> {
        Opening::new(path).open()
    }

    /// The object that these bytes of a file are.
    ///
    /// # Errors
    /// When it is no ELF object, or is for another machine.
    pub fn of(opening: Opening, storage: Arc<dyn Storage>) -> Result<Self, ObjectError> {
        let shape = Shape::of(&opening.path, storage.bytes())?;
        Ok(Self {
            opening,
            storage,
            shape,
            debug_file: OnceLock::new(),
            frames: OnceLock::new(),
            linkage: OnceLock::new(),
            inventory: OnceLock::new(),
            exports: OnceLock::new(),
            branches: OnceLock::new(),
            is_decoded: AtomicBool::new(false),
            learned: Mutex::default(),
            places: Places::default(),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.opening.path
    }

    /// What the linker wrote into it to tell it from all others.
    #[must_use]
    pub fn build_id(&self) -> Option<&[u8]> {
        self.shape.build_id.as_deref()
    }

    /// The file that symbols and debug information are taken from, where it is not the object itself.
    #[must_use]
    pub fn debug_path(&self) -> Option<&Path> {
        self.debug_file().found.as_ref().map(|(path, _)| path.as_path())
    }

    /// Files with debug information that are there, and are of another build.
    #[must_use]
    pub fn refused(&self) -> &[ObjectError] {
        &self.debug_file().refused
    }

    /// Whether a part of the file was gone when it was read: nothing of this object holds any more.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.storage.is_damaged()
    }

    /// The address that a part of the file is linked for.
    #[must_use]
    pub fn address(&self, offset: u64) -> Option<u64> {
        self.shape.address(offset)
    }

    /// The address that the first byte of a mapping with variables is linked for.
    #[must_use]
    pub fn data_address(&self, offset: u64) -> Option<u64> {
        self.shape.data_address(offset)
    }

    /// Bytes of code; `None` where the range is not all inside one executable part of the file.
    #[must_use]
    pub fn text(&self, range: Range<u64>) -> Option<&[u8]> {
        self.shape.text(self.bytes(), range)
    }

    /// Bytes of any part that is loaded from the file, as the file has them.
    #[must_use]
    pub fn read(&self, range: Range<u64>) -> Option<&[u8]> {
        self.shape.bytes(self.bytes(), range)
    }

    /// Address and bytes of a section.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<(u64, &[u8])> {
        let section = self.shape.section(name)?;
        Some((section.address, section.bytes(self.bytes())?))
    }

    /// The parts that hold code, by address.
    #[must_use]
    pub fn executable(&self) -> &[Range<u64>] {
        &self.shape.executable
    }

    /// All functions, sorted by entry; no two have the same.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.inventory().functions
    }

    /// The function around an address: of several the one that begins last.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        self.inventory().around(address)
    }

    /// The function that begins at an address.
    #[must_use]
    pub fn function_beginning(&self, entry: u64) -> Option<FunctionId> {
        self.inventory().beginning(entry)
    }

    /// What a function is called, all its names, the one that suits people best first. Empty where
    /// only the unwind table knows it. A stub is called like the function it leads to.
    #[must_use]
    pub fn names(&self, function: FunctionId) -> Vec<Name> {
        self.inventory().names(function)
    }

    /// The function that other objects find under a name. Reads no symbols but those, where the object has none of that name.
    #[must_use]
    pub fn exported(&self, name: &str) -> Option<FunctionId> {
        let headers = Headers::of(self.path(), self.bytes()).ok()?;
        match exports::find(&headers, name) {
            TableEntry::Function(entry) => self.function_beginning(entry),
            TableEntry::Missing => None,
            TableEntry::NoTable => self.exports().get(name).copied(),
        }
    }

    /// Whether the name of a function that other objects find begins so, in capital or small letters.
    #[must_use]
    pub fn exports_any(&self, start: &str) -> bool {
        let headers = Headers::of(self.path(), self.bytes());
        headers.is_ok_and(|headers| exports::any_begins(&headers, start))
    }

    fn exports(&self) -> &BTreeMap<String, FunctionId> {
        self.exports.get_or_init(|| {
            let mut found = BTreeMap::new();
            let functions = (0..).map(FunctionId).zip(self.functions());
            for (id, _) in functions.filter(|(_, one)| one.kind != FunctionKind::PltStub) {
                let names = self.names(id).into_iter();
                let seen = names.filter(|name| matches!(name.scope, Scope::Global | Scope::Weak));
                found.extend(seen.map(|name| (name.text, id)));
            }
            found
        })
    }

    /// What the unwind table says around an address.
    #[must_use]
    pub fn frame(&self, address: u64) -> Option<&Frame> {
        self.frames().around(address)
    }

    /// All direct branches and calls of its code.
    #[must_use]
    pub fn branches(&self) -> &Branches {
        self.branches.get_or_init(|| {
            let stretches = self.stretches();
            let kept = match (&self.opening.cache, self.build_id()) {
                (Some(folder), Some(id)) if !id.is_empty() => {
                    Some(BranchCache::new(folder, id, self.shape.base, &stretches))
                }
                _ => None,
            };
            if let Some(known) = kept.as_ref().and_then(BranchCache::load) {
                return known;
            }
            self.is_decoded.store(true, Ordering::Relaxed);
            let branches = scan(self.shape.base, &stretches);
            if let Some(kept) = kept.filter(|_| !self.is_damaged()) {
                kept.store(&branches);
            }
            branches
        })
    }

    /// Whether all of its code was decoded, because an earlier run left nothing of use.
    #[must_use]
    pub fn was_decoded(&self) -> bool {
        self.is_decoded.load(Ordering::Relaxed)
    }

    /// All code, cut at each known entry.
    fn stretches(&self) -> Vec<CodeStretch<'_>> {
        let mut entries: Vec<u64> =
            self.functions().iter().map(|function| function.entry).collect();
        entries.extend(self.frames().iter().map(|frame| frame.begin));
        entries.extend(self.shape.code.iter().map(|code| code.start));
        entries.sort_unstable();
        entries.dedup();
        let mut found = Vec::with_capacity(entries.len());
        for (at, start) in entries.iter().enumerate() {
            let Some(code) = self.shape.code_at(*start) else { continue };
            let next = entries.get(at + 1).map_or(code.end, |next| code.end.min(*next));
            let Some(bytes) = self.text(*start..code.end) else { continue };
            let length = usize::try_from(next - start).unwrap_or(bytes.len());
            found.push(CodeStretch { start: *start, code: bytes, length });
        }
        found
    }

    /// What a function calls: by its code and that of its fragments, jumps at its end among it, and
    /// by what was learned. Decodes that function alone, unless all branches are known already.
    #[must_use]
    pub fn calls(&self, caller: FunctionId) -> Calls {
        let Some(function) = self.functions().get(caller.index()) else { return Calls::default() };
        let whole = match function.kind {
            FunctionKind::Fragment { of: Some(whole) } => whole,
            _ => caller,
        };
        let mut calls = self.call_graph().direct(whole);
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        learned.read(self.inventory(), self.kept_calls().as_ref());
        calls.callees.extend(learned.of(whole));
        calls.callees.sort();
        calls.callees.dedup();
        calls
    }

    /// The functions that a function calls.
    #[must_use]
    pub fn callees(&self, caller: FunctionId) -> Vec<Callee> {
        self.calls(caller).callees
    }

    /// Takes note of a call that was seen to happen; whether it is news. Later runs know it, too.
    pub fn learn(&self, caller: FunctionId, callee: Callee) -> bool {
        let known = self.call_graph().direct(caller).callees.contains(&callee);
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.kept_calls();
        learned.read(self.inventory(), file.as_ref());
        let is_news = !known && learned.add(caller, callee);
        if let Some(file) = file.filter(|_| is_news && !self.is_damaged()) {
            learned.keep(self.inventory(), &file);
        }
        is_news
    }

    fn kept_calls(&self) -> Option<CacheFile> {
        self.kept_file(".calls")
    }

    /// A file of the cache about this build; none where nothing is kept, or the build has no id.
    fn kept_file(&self, ending: &str) -> Option<CacheFile> {
        let id = self.build_id().filter(|id| !id.is_empty())?;
        Some(CacheFile::new(self.opening.cache.as_deref()?, id, ending))
    }

    /// The function itself and the fragments that were cut from it.
    pub fn parts(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        [function].into_iter().chain(self.inventory().fragments(function))
    }

    fn call_graph(&self) -> ObjectCallGraph<'_> {
        ObjectCallGraph {
            shape: &self.shape,
            bytes: self.bytes(),
            inventory: self.inventory(),
            linkage: self.linkage(),
            branches: self.branches.get(),
        }
    }

    fn frames(&self) -> &Frames {
        self.frames.get_or_init(|| Frames::of(&self.shape, self.bytes()))
    }

    fn linkage(&self) -> &Linkage {
        self.linkage.get_or_init(|| match Headers::of(self.path(), self.bytes()) {
            Ok(headers) => Linkage::of(&self.shape, &headers, DYNAMIC),
            Err(_) => Linkage::default(),
        })
    }

    fn inventory(&self) -> &Inventory {
        self.inventory.get_or_init(|| {
            let (tables, symbols) = self.symbols();
            Inventory::of(Parts {
                shape: &self.shape,
                tables,
                symbols,
                frames: self.frames(),
                linkage: self.linkage(),
            })
        })
    }

    fn symbols(&self) -> (Vec<Strings>, Vec<Symbol>) {
        let (mut tables, mut symbols) = (Vec::new(), Vec::new());
        for (at, file) in self.symbol_files().iter().enumerate() {
            let Ok(headers) = Headers::of(self.path(), file.bytes()) else { continue };
            let kinds = if at == 0 { &[Which::Dynamic, Which::Whole][..] } else { &[Which::Whole] };
            for which in kinds {
                let table = u8::try_from(tables.len()).unwrap_or(u8::MAX);
                if let Some((strings, found)) =
                    symbols::read(file, &headers, *which, table, &self.shape)
                {
                    tables.push(strings);
                    symbols.extend(found);
                }
            }
        }
        (tables, symbols)
    }

    /// The files that tell of this object: itself first, then another with the symbols it lacks.
    fn symbol_files(&self) -> Vec<Arc<dyn Storage>> {
        let mut files = vec![Arc::clone(&self.storage)];
        if self.shape.section(".symtab").is_none() {
            match &self.debug_file().found {
                Some((_, file)) => files.push(Arc::clone(file)),
                None => {
                    let headers = Headers::of(self.path(), self.bytes());
                    files.extend(headers.ok().and_then(|headers| packed_symbols(&headers)));
                }
            }
        }
        files
    }

    fn debug_information(&self) -> Option<Lines> {
        let own = debug_lines::read(&self.opening, &self.opening.reach, &self.storage);
        own.or_else(|| {
            let (path, file) = self.debug_file().found.as_ref()?;
            debug_lines::read(&self.opening, path, file)
        })
    }

    fn debug_file(&self) -> &DebugFile {
        self.debug_file.get_or_init(|| match Headers::of(self.path(), self.bytes()) {
            Ok(headers) => DebugFile::of(&self.opening, &headers),
            Err(_) => DebugFile::default(),
        })
    }

    fn bytes(&self) -> &[u8] {
        self.storage.bytes()
    }
}

impl Opening {
    /// Opens it.
    ///
    /// # Errors
    /// When it cannot be read, is no ELF object, or is for another machine.
    pub fn open(self) -> Result<Object, ObjectError> {
        let storage = (self.read)(&self.reach)
            .map_err(|source| ObjectError::Read { path: self.reach.clone(), source })?;
        Object::of(self, storage)
    }
}

/// The number of the table of dynamic symbols.
const DYNAMIC: u8 = 0;
