//! The objects that measured processes have mapped, each read once.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ahash::AHashMap;
use whyperf_code::{Object, ObjectError, Opening, Storage};
use whyperf_inject::threads::process_file;
use whyperf_inject::{FileName, MemoryStretch};
use whyperf_inject::{Mapping, Protection, open_regular};

/// Objects by the file they are. They are kept until the daemon ends.
#[derive(Debug, Default)]
pub struct Objects {
    known: Mutex<AHashMap<FileName, OpenedObject>>,
    /// A private folder for what takes time to work out.
    cache: Option<PathBuf>,
}

/// An object, or why there is none.
pub type OpenedObject = Result<Arc<Object>, Arc<ObjectError>>;

impl Objects {
    /// Keeps what is worked out about objects in the user's own folder for such things, if there is
    /// one.
    pub fn of_user() -> Self {
        let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
        Self { cache: cache.map(|folder| folder.join("whyperf/code")), ..Self::default() }
    }

    /// The object that a stretch of a process's memory is mapped from; `None` where it is none.
    pub fn mapped(&self, pid: u32, stretch: &MemoryStretch) -> Option<OpenedObject> {
        let name = stretch.file.as_ref()?;
        Some(self.kept(name, || self.open(pid, stretch, name)))
    }

    /// The object in a file; `None` where there is none.
    pub fn of_file(&self, path: &Path) -> Option<OpenedObject> {
        let name = FileName::of(path)?;
        let (path, cache) = (name.path.clone(), self.cache.clone());
        let opening = Opening { reach: path.clone(), path, read: map, cache };
        Some(self.kept(&name, || opening.open()))
    }

    fn kept(
        &self,
        name: &FileName,
        open: impl FnOnce() -> Result<Object, ObjectError>,
    ) -> OpenedObject {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(name) {
            return found.clone();
        }
        let found = open().map(Arc::new).map_err(Arc::new);
        // Another thread may have been faster: all use the same object.
        known().entry(name.clone()).or_insert(found).clone()
    }

    fn open(
        &self,
        pid: u32,
        stretch: &MemoryStretch,
        name: &FileName,
    ) -> Result<Object, ObjectError> {
        let mut failure = None;
        for reach in ways(pid, stretch, name) {
            let cache = self.cache.clone();
            let opening = Opening { path: name.path.clone(), reach, read: map, cache };
            match opening.open() {
                Ok(object) => return Ok(object),
                Err(reason) => failure = failure.or(Some(reason)),
            }
        }
        Err(failure.unwrap_or_else(|| ObjectError::Replaced { path: name.path.clone() }))
    }
}

/// Where a process's file can be read. Of a file that was deleted or replaced only what the kernel still
/// holds is of use: what has its name now is something else.
fn ways(pid: u32, stretch: &MemoryStretch, name: &FileName) -> Vec<PathBuf> {
    if name.is_deleted {
        let range = format!("{:x}-{:x}", stretch.start, stretch.end);
        let mut ways = vec![PathBuf::from(format!("/proc/{pid}/map_files/{range}"))];
        let program = process_file(pid, "exe");
        let deleted = format!("{} (deleted)", name.path.display());
        if fs::read_link(&program).is_ok_and(|target| target == Path::new(&deleted)) {
            ways.push(program);
        }
        ways.retain(|way| fs::metadata(way).is_ok());
        return ways;
    }
    // A process may see another file system: its own view first.
    let inside = format!("/proc/{pid}/root{}", name.path.display());
    vec![PathBuf::from(inside), name.path.clone()]
}

/// Maps a file in the way that survives its being cut.
fn map(path: &Path) -> io::Result<Arc<dyn Storage>> {
    let file = open_regular(path)?;
    let length = usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?;
    Ok(Arc::new(MappedBytes(Mapping::of(&file, 0, length, Protection::Read)?)))
}

/// The bytes of an object's file.
#[derive(Debug)]
struct MappedBytes(Mapping);

impl Storage for MappedBytes {
    fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    fn is_damaged(&self) -> bool {
        self.0.is_damaged()
    }
}
