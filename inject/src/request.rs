//! The request that an attached process receives: which library measures it, into which run directory, and how deep
//! callpaths are.

use std::path::Path;

use crate::maps::{MappedFile, ProcessMaps};

/// What a process is to do once it is attached to.
#[derive(Clone, Debug)]
pub struct AttachRequest<'a> {
    /// The absolute path of `libwhyperf.so`.
    pub library: &'a Path,
    /// The run directory in which it leaves its region.
    pub directory: &'a Path,
    /// How many regions of a callpath are kept apart, 0 for all.
    pub callpath_depth: u32,
    /// Whether it is measured by a daemon that is gone, which then ends.
    pub(crate) take_over: bool,
}

impl<'a> AttachRequest<'a> {
    /// To be measured by the library at this path, into this run directory.
    #[must_use]
    pub const fn new(library: &'a Path, directory: &'a Path, callpath_depth: u32) -> Self {
        Self { library, directory, callpath_depth, take_over: false }
    }

    /// The library where it is loaded already.
    pub(crate) fn loaded<'m>(&self, maps: &'m ProcessMaps) -> Option<&'m MappedFile> {
        maps.named(|name| self.is_library(Path::new(name)))
    }

    /// Whether a file is called as the library is.
    pub(crate) fn is_library(&self, file: &Path) -> bool {
        file.file_name() == self.library.file_name()
    }
}

/// The file name of the library that measures.
pub const LIBRARY: &str = "libwhyperf.so";
