//! The request that an attached process receives: which library measures it, into which run directory, how deep
//! callpaths are, and what events may cost.

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
    /// Share of a thread's time, in thousandths, that events of one region may cost; 0: no limit.
    pub cost_limit: u32,
    /// Whether it is measured by a daemon that is gone, which then ends.
    pub(crate) take_over: bool,
}

impl<'a> AttachRequest<'a> {
    /// To be measured by the library at this path, into this run directory. The limit is a share of a thread's time, 0 for none.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share is between 0 and 1, and what is not saturates"
    )]
    pub fn new(
        library: &'a Path,
        directory: &'a Path,
        callpath_depth: u32,
        cost_limit: f64,
    ) -> Self {
        // One that is not zero is one at least, and 0.05 is 50 though no binary fraction is.
        let cost_limit = (1000.0 * cost_limit - 1e-9).ceil().max(0.0) as u32;
        Self { library, directory, callpath_depth, cost_limit, take_over: false }
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
