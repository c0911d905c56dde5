//! The memory map of a process: `/proc/<pid>/maps`.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::threads::process_file;

/// A stretch of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryStretch {
    /// Its first address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Where in its file it begins.
    pub offset: u64,
    /// Whether it holds code.
    pub executable: bool,
    /// Whether it may be written, and not read.
    pub write_only: bool,
    /// Which file: device and inode, and its path; `None` without one.
    pub file: Option<FileName>,
    /// What the system calls memory that is no file's, such as `[vdso]`; empty for most of it.
    pub label: String,
}

/// A mapped file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileName {
    /// Of the file system, as the system writes it.
    pub device: String,
    /// Of the file in it.
    pub inode: u64,
    /// Where it was when it was mapped.
    pub path: PathBuf,
    /// Whether it has this path no more.
    pub is_deleted: bool,
}

impl FileName {
    /// A file as a map would name it; `None` when it is not there.
    pub fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let [major, minor] = [rustix::fs::major(metadata.dev()), rustix::fs::minor(metadata.dev())];
        let device = format!("{major:02x}:{minor:02x}");
        Some(Self { device, inode: metadata.ino(), path: path.to_owned(), is_deleted: false })
    }
}

/// The memory of a process, by address.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    stretches: Vec<MemoryStretch>,
}

impl MemoryMap {
    /// Of a process; empty when it is gone.
    pub fn of(pid: u32) -> Self {
        Self::parse(&fs::read_to_string(process_file(pid, "maps")).unwrap_or_default())
    }

    /// What the text of such a file says.
    pub fn parse(text: &str) -> Self {
        Self { stretches: text.lines().filter_map(stretch).collect() }
    }

    /// Whether nothing is known of it.
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// All of it, by address.
    pub fn stretches(&self) -> &[MemoryStretch] {
        &self.stretches
    }

    /// The stretch around an address.
    pub fn around(&self, address: u64) -> Option<&MemoryStretch> {
        self.around_at(address).map(|at| &self.stretches[at])
    }

    /// The file whose memory this is, also for variables without a value in it: they lie in
    /// nameless memory that follows the file's without a gap.
    pub fn owner(&self, address: u64) -> Option<&MemoryStretch> {
        let mut at = self.around_at(address)?;
        while self.stretches[at].file.is_none() {
            let below = at.checked_sub(1)?;
            if self.stretches[below].end != self.stretches[at].start {
                return None;
            }
            at = below;
        }
        Some(&self.stretches[at])
    }

    fn around_at(&self, address: u64) -> Option<usize> {
        let after = self.stretches.partition_point(|stretch| stretch.start <= address);
        let at = after.checked_sub(1)?;
        (address < self.stretches[at].end).then_some(at)
    }
}

fn stretch(line: &str) -> Option<MemoryStretch> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let rights = fields.next()?;
    let (executable, write_only) = (rights.get(2..3) == Some("x"), rights.starts_with("-w"));
    let offset = u64::from_str_radix(fields.next()?, 16).ok()?;
    let device = fields.next()?.to_owned();
    let inode = fields.next()?.parse().ok()?;
    let path = fields.next().unwrap_or_default().trim_start();
    let left = path.strip_suffix(" (deleted)");
    let (path, is_deleted) = (left.unwrap_or(path), left.is_some());
    let is_file = path.starts_with('/');
    let label = if is_file { String::new() } else { path.to_owned() };
    let file = is_file.then(|| FileName { device, inode, path: path.into(), is_deleted });
    let start = u64::from_str_radix(start, 16).ok()?;
    let end = u64::from_str_radix(end, 16).ok()?;
    Some(MemoryStretch { start, end, offset, executable, write_only, file, label })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_find_their_file() {
        let maps = MemoryMap::parse(
            "00400000-00401000 r-xp 00001000 08:02 17 /a dir/prog (deleted)\n\
             00401000-00403000 rw-p 00000000 00:00 0 \n\
             00500000-00501000 rw-p 00000000 00:00 0 [heap]\n",
        );
        let code = maps.around(0x400fff).expect("inside the first line");
        let file = code.file.as_ref().expect("the first line names a file");
        assert_eq!((file.inode, file.path.to_str()), (17, Some("/a dir/prog")));
        assert!(file.is_deleted);
        assert_eq!(code.offset, 0x1000);
        assert!(maps.around(0x403000).is_none() && maps.around(0).is_none());
        assert_eq!(maps.owner(0x402000).and_then(|owner| owner.file.as_ref()), Some(file));
        assert!(maps.owner(0x500000).is_none());
        assert_eq!(maps.around(0x500000).map(|heap| heap.label.as_str()), Some("[heap]"));
    }
}
