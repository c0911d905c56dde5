//! The file with the symbols and debug information of a stripped object.
//!
//! It is found by the build id, or by the name that the object gives; it must be of the same build, or each of its names
//! would belong to something else.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::{Read, Result};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lzma_rust2::XzReader;

use super::headers::Headers;
use super::shape::build_id;
use crate::error::ObjectError;
use crate::opening::Opening;
use crate::storage::Storage;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct DebugFile {
    pub(crate) found: Option<(PathBuf, Arc<dyn Storage>)>,
    /// Files that were there and are of another build.
    pub(crate) refused: Vec<ObjectError>,
}

impl DebugFile {
    /// Looks for it.
    pub(crate) fn of(opening: &Opening, headers: &Headers<'_>) -> Self {
        let id = build_id(headers);
        let link = link(headers);
        let mut file = Self::default();
        for path in candidates(&opening.path, id.as_deref(), link.map(|link| link.0)) {
            let is_itself = path == opening.path || path == opening.reach;
            let Ok(storage) = (opening.read)(&path) else { continue };
            if is_itself {
                continue;
            }
            match is_of(&path, &storage, id.as_deref(), link.map(|link| link.1)) {
                Ok(()) => {
                    file.found = Some((path, storage));
                    return file;
                }
                Err(reason) => file.refused.push(reason),
            }
        }
        file
    }
}

/// The symbols that an object carries in a packed form beside its dynamic ones.
pub(crate) fn packed_symbols(headers: &Headers<'_>) -> Option<Arc<dyn Storage>> {
    let packed = headers.data(".gnu_debugdata")?;
    let unpacked = unpacked(packed).ok()?;
    Some(Arc::new(unpacked))
}

fn unpacked(packed: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    XzReader::new_mem_limit(packed, false, DICTIONARY).take(UNPACKED).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Name and checksum that an object gives of its debug file.
fn link<'file>(headers: &Headers<'file>) -> Option<(&'file [u8], u32)> {
    let section = headers.data(".gnu_debuglink")?;
    let length = section.iter().position(|byte| *byte == 0)?;
    let checksum = (length + 1).next_multiple_of(4);
    let checksum = section.get(checksum..checksum + 4)?.try_into().ok()?;
    Some((&section[..length], u32::from_le_bytes(checksum)))
}

fn candidates(path: &Path, id: Option<&[u8]>, link: Option<&[u8]>) -> Vec<PathBuf> {
    let debug = Path::new("/usr/lib/debug");
    let mut paths = Vec::new();
    if let Some((first, rest)) = id.and_then(<[u8]>::split_first) {
        let mut name = format!(".build-id/{first:02x}/");
        for byte in rest {
            write!(name, "{byte:02x}").expect("writing to a string does not fail");
        }
        paths.push(debug.join(name + ".debug"));
    }
    if let (Some(name), Some(folder)) = (link, path.parent()) {
        let name = OsStr::from_bytes(name);
        let below = folder.strip_prefix("/").unwrap_or(folder);
        let folders = [folder.to_owned(), folder.join(".debug"), debug.join(below)];
        paths.extend(folders.map(|folder| folder.join(name)));
    }
    paths
}

/// Whether a file holds the debug information of the object with this build id, or else, where one
/// of them has none, the checksum.
fn is_of(
    path: &Path,
    storage: &Arc<dyn Storage>,
    id: Option<&[u8]>,
    checksum: Option<u32>,
) -> std::result::Result<(), ObjectError> {
    let headers = Headers::of(path, storage.bytes())?;
    let is_same = match (id, build_id(&headers), checksum) {
        (Some(ours), Some(theirs), _) => ours == theirs,
        (_, _, Some(checksum)) => crc32fast::hash(storage.bytes()) == checksum,
        _ => false,
    };
    if is_same { Ok(()) } else { Err(ObjectError::Unrelated { path: path.to_owned() }) }
}

/// Bytes that packed symbols may unpack to, and kilobytes that unpacking may take.
const UNPACKED: u64 = 256 << 20;
const DICTIONARY: u32 = 128 << 10;
