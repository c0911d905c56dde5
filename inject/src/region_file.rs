//! The name of a region file, which tells the process it belongs to; and of the mark that there is none.

use std::path::Path;

use whyperf_layout::RegionFailure;

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
        let (pid, number) = numbers(path, ".region")?;
        Some(Self { pid, number })
    }
}

/// The mark `<pid>-<failure>.unmade` of a process that was to be measured and has no region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnmadeRegion {
    /// The process that left it.
    pub pid: u32,
    /// What it could not have.
    pub failure: RegionFailure,
}

impl UnmadeRegion {
    /// At a path; `None` where a file of another name lies.
    #[must_use]
    pub fn at(path: &Path) -> Option<Self> {
        let (pid, number) = numbers(path, ".unmade")?;
        Some(Self { pid, failure: RegionFailure::from_number(number)? })
    }
}

fn numbers(path: &Path, ending: &str) -> Option<(u32, u32)> {
    let (pid, number) = path.file_name()?.to_str()?.strip_suffix(ending)?.split_once('-')?;
    Some((pid.parse().ok()?, number.parse().ok()?))
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

    #[test]
    fn a_mark_says_what_could_not_be_had() {
        let expected = UnmadeRegion { pid: 12, failure: RegionFailure::Memory };
        assert_eq!(UnmadeRegion::at(Path::new("/d/12-4.unmade")), Some(expected));
        for other in ["12-0.unmade", "12-4.region", "12.unmade"] {
            assert_eq!(UnmadeRegion::at(Path::new(other)), None, "{other}");
        }
    }
}
