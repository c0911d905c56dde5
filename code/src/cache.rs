//! Keeps the branches of objects between runs, a file for each build.
//!
//! The kept branches decide where code may be patched, so they must be right or not be used: a file counts only if it is
//! whole, of this version, and made from the same bytes of code cut at the same entries. Tools change code and leave the
//! build id, so the id alone finds the file and proves nothing. A file that does not count is written anew. Nothing here
//! fails: without a cache the code is decoded again.

use std::fmt::Write as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::branches::{Branches, Exit, Packed, Way};
use crate::scan::CodeStretch;

/// The cached branches of one build of an object.
#[derive(Debug)]
pub(crate) struct BranchCache {
    file: CacheFile,
    origin: CacheOrigin,
}

/// A file about one build.
#[derive(Debug)]
pub(crate) struct CacheFile {
    folder: PathBuf,
    name: String,
}

/// What branches were made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CacheOrigin {
    base: u64,
    code: u64,
    entries: u64,
}

/// Distances instead of addresses: most fit in a byte or two.
#[derive(Serialize, Deserialize)]
struct CacheRecord {
    origin: CacheOrigin,
    /// How far behind the one before it leads, and how far that is from where it is.
    inward: Vec<(u32, i64)>,
    /// How far behind the one before it is, and where it leads from there.
    outward: Vec<(u32, CachedBranch)>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum CachedBranch {
    Call(i64),
    Jump(i64),
    Slot(u32),
    Computed,
}

impl BranchCache {
    /// Of the build with this id, as its code is now.
    pub(crate) fn new(folder: &Path, id: &[u8], base: u64, stretches: &[CodeStretch<'_>]) -> Self {
        let (mut code, mut entries) = (SEED, SEED);
        for stretch in stretches {
            let own = &stretch.code[..stretch.length.min(stretch.code.len())];
            code = fingerprint(code, own);
            entries = mixed(entries, stretch.start);
        }
        let file = CacheFile::new(folder, id, "");
        Self { file, origin: CacheOrigin { base, code, entries } }
    }

    /// What was kept, if it counts.
    pub(crate) fn load(&self) -> Option<Branches> {
        let record: CacheRecord = postcard::from_bytes(&self.file.load(MARK)?).ok()?;
        (record.origin == self.origin).then(|| record.branches())?
    }

    /// Keeps branches, as far as the folder allows it.
    pub(crate) fn store(&self, branches: &Branches) {
        if let Ok(body) = postcard::to_stdvec(&CacheRecord::of(self.origin, branches)) {
            self.file.store(MARK, &body);
        }
    }
}

impl CacheFile {
    /// About the build with this id.
    pub(crate) fn new(folder: &Path, id: &[u8], ending: &str) -> Self {
        let mut name = String::with_capacity(2 * id.len() + ending.len());
        for byte in id {
            write!(name, "{byte:02x}").expect("writing to a string does not fail");
        }
        name.push_str(ending);
        Self { folder: folder.to_owned(), name }
    }

    /// Its contents, if they are whole and no other user can have written them.
    pub(crate) fn load(&self, mark: &[u8; 8]) -> Option<Vec<u8>> {
        if !is_private(&self.folder) {
            return None;
        }
        let file = File::open(self.folder.join(&self.name)).ok()?;
        let mut bytes = Vec::new();
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        let (own, rest) = bytes.split_first_chunk::<8>()?;
        let (sum, body) = rest.split_first_chunk::<8>()?;
        let is_whole = own == mark && u64::from_le_bytes(*sum) == fingerprint(SEED, body);
        is_whole.then(|| body.to_vec())
    }

    /// Writes it anew, as far as the folder allows it.
    pub(crate) fn store(&self, mark: &[u8; 8], body: &[u8]) {
        // It is not worth a message that the next run takes a moment longer.
        let _ = self.write(mark, body);
    }

    fn write(&self, mark: &[u8; 8], body: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        if !is_private(&self.folder) {
            return Err(io::Error::from(io::ErrorKind::PermissionDenied));
        }
        // Under a name of its own until it is whole: others may read at any time.
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let draft = self.folder.join(format!(".{}-{}-{number}", self.name, process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        let sum = fingerprint(SEED, body).to_le_bytes();
        let written = [&mark[..], &sum, body].into_iter().try_for_each(|part| file.write_all(part));
        let place = self.folder.join(&self.name);
        let is_new = !place.exists();
        let placed = written.and_then(|()| fs::rename(&draft, place));
        if placed.is_err() {
            let _ = fs::remove_file(&draft);
        }
        placed?;
        // All files of the folder are looked at for that.
        if is_new { forget_the_oldest(&self.folder) } else { Ok(()) }
    }
}

impl CacheRecord {
    fn of(origin: CacheOrigin, branches: &Branches) -> Self {
        let (inward, outward) = branches.parts();
        let mut last = 0;
        let inward = inward.iter().map(|branch| {
            let ahead = branch.to() - std::mem::replace(&mut last, branch.to());
            (ahead, i64::from(branch.from()) - i64::from(branch.to()))
        });
        let inward = inward.collect();
        let mut last = 0;
        let outward = outward.iter().map(|exit| {
            let ahead = exit.from - std::mem::replace(&mut last, exit.from);
            let step = |to: u32| i64::from(to) - i64::from(exit.from);
            let step = match exit.way {
                Way::Call(to) => CachedBranch::Call(step(to)),
                Way::Jump(to) => CachedBranch::Jump(step(to)),
                Way::Slot(slot) => CachedBranch::Slot(slot),
                Way::Computed => CachedBranch::Computed,
            };
            (ahead, step)
        });
        Self { origin, inward, outward: outward.collect() }
    }

    /// `None` where a distance leads out of the object.
    fn branches(&self) -> Option<Branches> {
        let target = |from: u32, step: i64| u32::try_from(i64::from(from).checked_add(step)?).ok();
        let mut inward = Vec::with_capacity(self.inward.len());
        let mut to = 0_u32;
        for (ahead, step) in &self.inward {
            to = to.checked_add(*ahead)?;
            inward.push(Packed::new(to, target(to, *step)?));
        }
        let mut outward = Vec::with_capacity(self.outward.len());
        let mut from = 0_u32;
        for (ahead, step) in &self.outward {
            from = from.checked_add(*ahead)?;
            let way = match *step {
                CachedBranch::Call(step) => Way::Call(target(from, step)?),
                CachedBranch::Jump(step) => Way::Jump(target(from, step)?),
                CachedBranch::Slot(slot) => Way::Slot(slot),
                CachedBranch::Computed => Way::Computed,
            };
            outward.push(Exit { from, way });
        }
        Some(Branches::new(self.origin.base, inward, outward))
    }
}

/// Whether no other user can have written there.
fn is_private(folder: &Path) -> bool {
    let (Ok(folder), Ok(own)) = (fs::metadata(folder), fs::metadata("/proc/self")) else {
        return false;
    };
    folder.is_dir() && folder.uid() == own.uid() && folder.mode() & 0o022 == 0
}

fn forget_the_oldest(folder: &Path) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        })
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(BUILDS);
    files[..surplus].iter().try_for_each(|(_, path)| fs::remove_file(path))
}

/// A number that hardly any other bytes have.
fn fingerprint(seed: u64, bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let (blocks, single) = words.as_chunks::<4>();
    // Four at a time: a multiplication waits for the one before it.
    let mut lanes = [seed, seed ^ 1, seed ^ 2, seed ^ 3];
    for block in blocks {
        for (lane, word) in lanes.iter_mut().zip(block) {
            *lane = mixed(*lane, u64::from_le_bytes(*word));
        }
    }
    let mut sum = lanes.into_iter().fold(seed, mixed);
    for word in single {
        sum = mixed(sum, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mixed(mixed(sum, u64::from_le_bytes(last)), bytes.len() as u64)
}

const fn mixed(sum: u64, word: u64) -> u64 {
    let product = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product.rotate_left(31)
}

/// Opens each file; the last byte is the version of what follows.
const MARK: &[u8; 8] = b"whycode\x01";

const SEED: u64 = 0x7768_7970_6572_6621;

/// Files that are kept.
const BUILDS: usize = 500;

/// No object has branches that need more bytes.
const LARGEST: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_has_the_number_that_files_of_this_version_hold() {
        let steps = [
            CachedBranch::Call(1),
            CachedBranch::Jump(1),
            CachedBranch::Slot(1),
            CachedBranch::Computed,
        ];
        let bytes = steps.map(|step| postcard::to_stdvec(&step).expect("plain data"));
        // Whoever has to change this raises the last byte of the mark.
        assert_eq!((bytes, MARK), ([vec![0, 2], vec![1, 2], vec![2, 1], vec![3]], b"whycode\x01"));
    }
}
