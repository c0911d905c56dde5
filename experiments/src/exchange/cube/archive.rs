//! An archive of files one after the other (`tar`), as far as Cube writes it: a head of 512 bytes before each file.

use std::fs::File;
use std::path::Path;

use crate::exchange::error::ExchangeError;
use crate::exchange::unpacking::{bounded, unpacked};

/// The bytes of an archive, with the places of its files.
#[derive(Debug)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    files: Vec<(String, std::ops::Range<usize>)>,
}

/// As much is read at most.
const MOST: u64 = 2 << 30;
/// The unit of heads and files.
const BLOCK: usize = 512;

impl Archive {
    /// Reads one.
    pub(super) fn read(path: &Path) -> Result<Self, ExchangeError> {
        let failed = |source| ExchangeError::Read { path: path.to_owned(), source };
        let refused = |what| ExchangeError::Nothing { path: path.to_owned(), what };
        let file = File::open(path).map_err(failed)?;
        let bytes = bounded(file, MOST).map_err(|error| refused(error.told()))?;
        let files = files(&bytes);
        let what = "no archive, or one that was cut";
        let files = files.ok_or_else(|| refused(what))?;
        Ok(Self { bytes, files })
    }

    /// The content of a file, unpacked where it is packed.
    pub(super) fn file(&self, name: &str) -> Option<Vec<u8>> {
        let (_, place) = self.files.iter().find(|(known, _)| known == name)?;
        let bytes = &self.bytes[place.clone()];
        if !bytes.starts_with(&[0x1f, 0x8b]) {
            return Some(bytes.to_vec());
        }
        unpacked(bytes).ok()
    }
}

fn files(bytes: &[u8]) -> Option<Vec<(String, std::ops::Range<usize>)>> {
    let (mut files, mut at) = (Vec::new(), 0usize);
    while let Some(head) = bytes.get(at..at.checked_add(BLOCK)?) {
        if head.iter().all(|byte| *byte == 0) {
            break;
        }
        let text = |range: std::ops::Range<usize>| {
            let field = head[range].split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(field).trim().to_owned()
        };
        let size = usize::from_str_radix(&text(124..136), 8).ok()?;
        let from = at + BLOCK;
        let place = from..from.checked_add(size)?;
        bytes.get(place.clone())?;
        files.push((text(0..100), place.clone()));
        at = place.end.checked_next_multiple_of(BLOCK)?;
    }
    (!files.is_empty()).then_some(files)
}
