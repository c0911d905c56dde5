//! What lies where in the memory of a process that is to be attached to.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One file or special mapping: everything from its first stretch to its last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapped {
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
pub(crate) struct Maps {
    all: Vec<Mapped>,
}

impl Maps {
    /// As it is now; empty when the process is gone or must not be looked at.
    pub(crate) fn of(pid: u32) -> Self {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default())
    }

    fn parse(text: &str) -> Self {
        let mut all: Vec<Mapped> = Vec::new();
        for stretch in text.lines().filter_map(stretch) {
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
    pub(crate) fn with_code(&self) -> impl Iterator<Item = &Mapped> {
        self.all.iter().filter(|mapped| !mapped.code.is_empty())
    }

    /// What has code at this address.
    pub(crate) fn around(&self, address: u64) -> Option<&Mapped> {
        self.with_code()
            .find(|mapped| mapped.code.iter().any(|(range, _)| range.contains(&address)))
    }

    /// The first object whose file is called so.
    pub(crate) fn named(&self, is_it: impl Fn(&str) -> bool) -> Option<&Mapped> {
        self.with_code().find(|mapped| is_it(mapped.name()))
    }

    /// Every path that is mapped in any way.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.all.iter().map(|mapped| mapped.path.as_path())
    }
}

impl Mapped {
    /// The file's name without its folder.
    pub(crate) fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

fn stretch(line: &str) -> Option<Mapped> {
    let mut fields = line.splitn(6, ' ');
    let (start, end) = fields.next()?.split_once('-')?;
    let rights = fields.next()?;
    let offset = u64::from_str_radix(fields.next()?, 16).ok()?;
    let path = fields.nth(2).unwrap_or_default().trim_start();
    let (path, deleted) = match path.strip_suffix(" (deleted)") {
        Some(path) => (path, true),
        None => (path, false),
    };
    if path.is_empty() {
        return None;
    }
    let number = |text| u64::from_str_radix(text, 16).ok();
    let range = number(start)?..number(end)?;
    let code = if rights.contains('x') { vec![(range.clone(), offset)] } else { Vec::new() };
    Some(Mapped { path: path.into(), deleted, range, code })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_one_file_belong_together() {
        let maps = Maps::parse(
            "1000-2000 r--p 00000000 08:02 17 /lib/a.so\n\
             2000-3000 r-xp 00001000 08:02 17 /lib/a.so\n\
             3000-4000 rw-p 00000000 00:00 0 \n\
             4000-5000 rw-s 00000000 00:19 9 /dev/shm/x/1-0.region (deleted)\n\
             7000-8000 r-xp 00000000 00:00 0 [vdso]\n",
        );
        let found = maps.around(0x2800).expect("code of a.so");
        assert_eq!((found.name(), found.range.clone()), ("a.so", 0x1000..0x3000));
        assert_eq!(found.code, [(0x2000..0x3000, 0x1000)]);
        assert!(maps.around(0x1800).is_none());
        assert_eq!(maps.named(|name| name == "[vdso]").map(|vdso| vdso.range.start), Some(0x7000));
        assert!(maps.paths().any(|path| path.ends_with("1-0.region")));
    }
}
