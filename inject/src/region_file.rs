//! The name of a region file, which tells the process it belongs to.

use std::path::Path;

/// The file `<pid>-<number>.region`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionFile {
    /// The process that made it.
    pub pid: u32,
    /// Tells the regions of one process apart.
    pub number: u32,
}

impl RegionFile {
    /// At a path; `None` where a file of another name lies.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".region")?;
        let (pid, number) = name.split_once('-')?;
        Some(Self { pid: pid.parse().ok()?, number: number.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_region_files_are_some() {
        let expected = RegionFile { pid: 12, number: 3 };
        assert_eq!(RegionFile::at(Path::new("/d/12-3.region")), Some(expected));
        for other in ["owner", "12.region", "12-3.region.tmp", "a-1.region", "-1-2.region", "/"] {
            assert_eq!(RegionFile::at(Path::new(other)), None, "{other}");
        }
    }
}
