//! The files and special mappings of a process, each from its first stretch of memory to its last.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::memory_map::{MemoryMap, MemoryStretch};

/// One file or special mapping: everything from its first stretch to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MappedFile {
    /// The file, or a name such as `[vdso]`.
    pub(crate) path: PathBuf,
    /// Whether the file at that path is another one by now.
    pub(crate) deleted: bool,
    /// From the first stretch to the last.
    pub(crate) range: Range<u64>,
    /// Where code lies in memory, and at what place of the file that begins.
    pub(crate) code: Vec<(Range<u64>, u64)>,
}

/// The memory of a process.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessMaps {
    all: Vec<MappedFile>,
}

impl ProcessMaps {
    /// As it is now; empty when the process is gone or must not be looked at.
    pub(crate) fn of(pid: u32) -> Self {
        Self::over(&MemoryMap::of(pid))
    }

    pub(crate) fn over(maps: &MemoryMap) -> Self {
        let mut all: Vec<MappedFile> = Vec::new();
        for stretch in maps.stretches().iter().filter_map(MappedFile::of) {
            match all.last_mut() {
                Some(last)
                    if last.path == stretch.path && last.range.end <= stretch.range.start =>
                {
                    last.range.end = stretch.range.end;
                    last.code.extend(stretch.code);
                }
                _ => all.push(stretch),
            }
        }
        Self { all }
    }

    /// Everything that has code.
    pub(crate) fn with_code(&self) -> impl Iterator<Item = &MappedFile> {
        self.all.iter().filter(|mapped| !mapped.code.is_empty())
    }

    /// What has code at this address.
    pub(crate) fn around(&self, address: u64) -> Option<&MappedFile> {
        self.with_code()
            .find(|mapped| mapped.code.iter().any(|(range, _)| range.contains(&address)))
    }

    /// The first object whose file is called so.
    pub(crate) fn named(&self, is_it: impl Fn(&str) -> bool) -> Option<&MappedFile> {
        self.with_code().find(|mapped| is_it(mapped.name()))
    }

    /// Every path that is mapped in any way.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|mapped| mapped.path.as_path())
    }
}

impl MappedFile {
    /// The file's name without its folder.
    pub(crate) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

impl MappedFile {
    /// What a stretch of memory is; `None` where it has no name.
    fn of(stretch: &MemoryStretch) -> Option<Self> {
        let (path, deleted) = match &stretch.file {
            Some(file) => (file.path.clone(), file.is_deleted),
            None if stretch.label.is_empty() => return None,
            None => (PathBuf::from(&stretch.label), false),
        };
        let range = stretch.start..stretch.end;
        let code =
            if stretch.executable { vec![(range.clone(), stretch.offset)] } else { Vec::new() };
        Some(Self { path, deleted, range, code })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_one_file_belong_together() {
        let maps = ProcessMaps::over(&MemoryMap::parse(
            "1000-2000 r--p 00000000 08:02 17 /lib/a.so\n\
             2000-3000 r-xp 00001000 08:02 17 /lib/a.so\n\
             3000-4000 rw-p 00000000 00:00 0 \n\
             4000-5000 rw-s 00000000 00:19 9 /dev/shm/x/1-0.region (deleted)\n\
             7000-8000 r-xp 00000000 00:00 0 [vdso]\n",
        ));
        let found = maps.around(0x2800).expect("code of a.so");
        assert_eq!((found.name(), found.range.clone()), ("a.so", 0x1000..0x3000));
        assert_eq!(found.code, [(0x2000..0x3000, 0x1000)]);
        assert!(maps.around(0x1800).is_none());
        assert_eq!(maps.named(|name| name == "[vdso]").map(|vdso| vdso.range.start), Some(0x7000));
        assert!(maps.paths().any(|path| path.ends_with("1-0.region")));
    }
}
