//! One program or shared library on disk, read as far as it is asked for.

mod frames;
mod headers;
mod inventory;
mod linkage;
mod shape;
mod symbols;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::branches::Branches;
use crate::edges::{self, Callee, Calls, Learned};
use crate::error::ObjectError;
use crate::function::{Function, FunctionId, FunctionKind, Name};
use crate::scan::{Stretch, scan};
use crate::storage::Storage;
pub use frames::Frame;
use frames::Frames;
use headers::Headers;
use inventory::{Inventory, Parts};
use linkage::{Filling, Linkage};
use shape::Shape;
use symbols::Which;

/// An ELF object. What it holds is worked out when it is first asked for, and kept.
#[derive(Debug)]
pub struct Object {
    path: PathBuf,
    storage: Arc<dyn Storage>,
    shape: Shape,
    frames: OnceLock<Frames>,
    linkage: OnceLock<Linkage>,
    inventory: OnceLock<Inventory>,
    branches: OnceLock<Branches>,
    learned: Mutex<Learned>,
}

impl Object {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is no ELF object, or is for another machine.
    pub fn open(path: &Path) -> Result<Self, ObjectError> {
        let bytes =
            fs::read(path).map_err(|source| ObjectError::Read { path: path.to_owned(), source })?;
        Self::of(path, Arc::new(bytes))
    }

    /// The object that a file of this name holds.
    ///
    /// # Errors
    /// When it is no ELF object, or is for another machine.
    pub fn of(path: &Path, storage: Arc<dyn Storage>) -> Result<Self, ObjectError> {
        let shape = Shape::of(path, storage.bytes())?;
        Ok(Self {
            path: path.to_owned(),
            storage,
            shape,
            frames: OnceLock::new(),
            linkage: OnceLock::new(),
            inventory: OnceLock::new(),
            branches: OnceLock::new(),
            learned: Mutex::default(),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the linker wrote into it to tell it from all others.
    #[must_use]
    pub fn build_id(&self) -> Option<&[u8]> {
        self.shape.build_id.as_deref()
    }

    /// Bytes of code; `None` where the range is not all inside one executable part of the file.
    #[must_use]
    pub fn text(&self, range: Range<u64>) -> Option<&[u8]> {
        self.shape.text(self.storage.bytes(), range)
    }

    /// Bytes of any part that is loaded from the file, as the file has them.
    #[must_use]
    pub fn read(&self, range: Range<u64>) -> Option<&[u8]> {
        self.shape.bytes(self.storage.bytes(), range)
    }

    /// Address and bytes of a section.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<(u64, &[u8])> {
        let section = self.shape.section(name)?;
        Some((section.address, section.bytes(self.storage.bytes())?))
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

    /// What the unwind table says around an address.
    #[must_use]
    pub fn frame(&self, address: u64) -> Option<&Frame> {
        self.frames().around(address)
    }

    /// All direct branches and calls of its code.
    #[must_use]
    pub fn branches(&self) -> &Branches {
        self.branches.get_or_init(|| scan(self.shape.base, &self.stretches()))
    }

    /// All code, cut at each known entry.
    fn stretches(&self) -> Vec<Stretch<'_>> {
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
            found.push(Stretch { start: *start, code: bytes, length });
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
        let mut calls = edges::direct(self, whole);
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        calls.callees.extend(learned.of(whole));
        calls.callees.sort();
        calls.callees.dedup();
        calls
    }

    /// Whom a function calls.
    #[must_use]
    pub fn callees(&self, caller: FunctionId) -> Vec<Callee> {
        self.calls(caller).callees
    }

    /// Takes note of a call that was seen to happen; whether it is news.
    pub fn learn(&self, caller: FunctionId, callee: Callee) -> bool {
        let known = edges::direct(self, caller).callees.contains(&callee);
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        !known && learned.add(caller, callee)
    }

    /// The function itself and the fragments that were cut from it.
    pub(crate) fn parts(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        [function].into_iter().chain(self.inventory().fragments(function))
    }

    pub(crate) fn known_branches(&self) -> Option<&Branches> {
        self.branches.get()
    }

    /// The branches of one part of the code.
    pub(crate) fn branches_in(&self, range: Range<u64>) -> Branches {
        let Some(code) = self.text(range.clone()) else { return Branches::default() };
        scan(self.shape.base, &[Stretch { start: range.start, code, length: code.len() }])
    }

    /// Who is called through a slot.
    pub(crate) fn filled(&self, slot: u64) -> Option<Callee> {
        match self.linkage().filling(slot)? {
            Filling::Import(name) => {
                let name = self.inventory().name(name).text;
                (!name.is_empty()).then_some(Callee::Imported(name))
            }
            Filling::Address(entry) | Filling::Chosen(entry) => {
                Some(Callee::Function(self.function_beginning(entry)?))
            }
        }
    }

    /// Who is called by a call of a stub.
    pub(crate) fn stub_leads_to(&self, stub: FunctionId) -> Option<Callee> {
        let entry = self.functions().get(stub.index())?.entry;
        self.filled(self.linkage().stub(entry)?.slot?)
    }

    fn frames(&self) -> &Frames {
        self.frames.get_or_init(|| Frames::of(&self.shape, self.storage.bytes()))
    }

    fn linkage(&self) -> &Linkage {
        self.linkage.get_or_init(|| match Headers::of(&self.path, self.storage.bytes()) {
            Ok(headers) => Linkage::of(&self.shape, &headers, DYNAMIC),
            Err(_) => Linkage::default(),
        })
    }

    fn inventory(&self) -> &Inventory {
        self.inventory.get_or_init(|| {
            let (mut tables, mut symbols) = (Vec::new(), Vec::new());
            for which in [Which::Dynamic, Which::Whole] {
                let table = tables.len() as u8;
                if let Ok(headers) = Headers::of(&self.path, self.storage.bytes())
                    && let Some((strings, found)) =
                        symbols::read(&self.storage, &headers, which, table, &self.shape)
                {
                    tables.push(strings);
                    symbols.extend(found);
                }
            }
            Inventory::of(Parts {
                shape: &self.shape,
                tables,
                symbols,
                frames: self.frames(),
                linkage: self.linkage(),
            })
        })
    }
}

/// The number of the table of dynamic symbols.
const DYNAMIC: u8 = 0;
