//! Where functions were written, kept from run to run beside the branches of their build: to unpack the debug information of a library of the system
//! takes tens of milliseconds, and a run asks for a few dozen of its functions.
//!
//! What is kept counts for the same file and the same debug information, by their lengths beside the build id: a wrong one would be a wrong name, no
//! more. It is written when there is twice as much of it as before, so a long run writes a few times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::cache::CacheFile;
use crate::source_location::SourceLocation;

/// Functions by their entries.
#[derive(Debug, Default)]
pub(crate) struct KeptPlaces {
    places: BTreeMap<u64, KeptPlace>,
    /// How many of them are in the file; none before it was read.
    written: Option<usize>,
}

/// What the places were made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlacesOrigin {
    /// Bytes of the object's file.
    pub(crate) object: u64,
    /// Bytes of the file with its debug information, where that is another one.
    pub(crate) debug: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptPlace {
    module: String,
    function: String,
    line: Option<(String, u32)>,
}

#[derive(Serialize, Deserialize)]
struct KeptFile {
    origin: PlacesOrigin,
    places: BTreeMap<u64, KeptPlace>,
}

impl KeptPlaces {
    /// Where the function with this entry was written, if an earlier run found that out.
    pub(crate) fn find(
        &mut self,
        entry: u64,
        file: &CacheFile,
        origin: PlacesOrigin,
    ) -> Option<SourceLocation> {
        if self.written.is_none() {
            let kept = file.load(MARK).and_then(|bytes| postcard::from_bytes(&bytes).ok());
            let kept = kept.filter(|kept: &KeptFile| kept.origin == origin);
            self.places = kept.map(|kept| kept.places).unwrap_or_default();
            self.written = Some(self.places.len());
        }
        let KeptPlace { module, function, line } = self.places.get(&entry)?.clone();
        Some(SourceLocation { module, function, line })
    }

    /// Takes note of one; keeps all where they have become many.
    pub(crate) fn add(
        &mut self,
        entry: u64,
        place: &SourceLocation,
        file: &CacheFile,
        origin: PlacesOrigin,
    ) {
        let SourceLocation { module, function, line } = place.clone();
        self.places.insert(entry, KeptPlace { module, function, line });
        let written = self.written.unwrap_or(0);
        if self.places.len() < 2 * written || self.places.len() > MOST {
            return;
        }
        let kept = KeptFile { origin, places: std::mem::take(&mut self.places) };
        if let Ok(body) = postcard::to_stdvec(&kept) {
            file.store(MARK, &body);
        }
        self.places = kept.places;
        self.written = Some(self.places.len());
    }
}

/// Opens each file; the last byte is the version of what follows.
const MARK: &[u8; 8] = b"whyplac\x01";

/// Places that are kept of one object.
const MOST: usize = 1 << 14;
