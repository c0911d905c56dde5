//! Opens the debug information of an object, wherever it is.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gimli::SectionId;
use object::read::elf::ElfFile64;
use object::{CompressionFormat, LittleEndian, Object as _, ObjectSection};

use crate::lines::Lines;
use crate::opening::Opening;
use crate::storage::Storage;

/// What is kept stays listed, so that a tool that looks for lost memory finds only what is lost.
static FILES: Mutex<Vec<&'static Arc<dyn Storage>>> = Mutex::new(Vec::new());
static UNPACKED: Mutex<Vec<&'static [u8]>> = Mutex::new(Vec::new());

type File = ElfFile64<'static, LittleEndian>;

/// The debug information in a file; `None` when it holds none. The file is kept for the rest of the run:
/// places are asked for until its end.
pub(crate) fn read(opening: &Opening, path: &Path, storage: &Arc<dyn Storage>) -> Option<Lines> {
    // What holds none is not kept.
    ElfFile64::<LittleEndian>::parse(storage.bytes()).ok()?.section_by_name(".debug_info")?;
    let file = kept(storage)?;
    let shared = file.gnu_debugaltlink().ok().flatten().and_then(|(name, id)| {
        let name = Path::new(std::str::from_utf8(name).ok()?);
        let shared = (opening.read)(&path.parent()?.join(name)).ok()?;
        let file = kept(&shared)?;
        (file.build_id().ok().flatten() == Some(id)).then_some(file)
    });
    let shared = shared.as_ref().map(|file| |id: SectionId| section(file, id));
    Lines::of(|id| section(&file, id), shared)
}

fn kept(storage: &Arc<dyn Storage>) -> Option<File> {
    let storage: &'static Arc<dyn Storage> = Box::leak(Box::new(Arc::clone(storage)));
    lock(&FILES).push(storage);
    ElfFile64::parse(storage.bytes()).ok()
}

fn lock<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

fn section(file: &File, id: SectionId) -> &'static [u8] {
    unpacked(file, id).unwrap_or_default()
}

fn unpacked(file: &File, id: SectionId) -> Option<&'static [u8]> {
    let section = file.section_by_name(id.name())?;
    let data = section.compressed_data().ok()?;
    if data.format == CompressionFormat::None {
        return Some(data.data);
    }
    // No format packs better; a size beyond that is a lie that would only cost memory.
    if data.uncompressed_size / BEST > data.data.len() as u64 {
        return None;
    }
    let bytes: &'static [u8] = Vec::leak(data.decompress().ok()?.into_owned());
    lock(&UNPACKED).push(bytes);
    Some(bytes)
}

/// Bytes that one packed byte may stand for.
const BEST: u64 = 1100;
