//! The files that the processes of a run had mapped: programs and libraries, their compilers, and which MPI was among them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use whyperf_daemon::ProcessNote;
use whyperf_experiments::{ObjectRow, Topic};
use whyperf_inject::MemoryMap;

/// The files that processes had mapped.
#[derive(Debug, Default)]
pub(crate) struct MappedFiles {
    /// Processes that are looked at again: libraries come later, too.
    watched: Vec<u32>,
    known: BTreeSet<PathBuf>,
    /// Of these, the ones that are not handed over yet.
    news: Vec<PathBuf>,
    programs: BTreeSet<String>,
}

/// Processes of the same program have the same libraries: so many different programs are looked at.
const MOST_PROGRAMS: usize = 16;
/// More of a file than this is not read for its facts.
const MOST_BYTES: u64 = 256 << 20;

impl MappedFiles {
    /// A process appeared.
    pub(crate) fn meet(&mut self, process: &ProcessNote) {
        if self.programs.len() < MOST_PROGRAMS && self.programs.insert(process.program.clone()) {
            self.watched.push(process.pid);
            self.look_at(process.pid);
        }
    }

    /// What came since the last call. Reads files of the system, and no objects.
    pub(crate) fn take(&mut self) -> Vec<PathBuf> {
        for pid in self.watched.clone() {
            self.look_at(pid);
        }
        std::mem::take(&mut self.news)
    }

    fn look_at(&mut self, pid: u32) {
        let maps = MemoryMap::of(pid);
        if maps.is_empty() {
            self.watched.retain(|watched| *watched != pid);
        }
        let code = maps.stretches().iter().filter(|stretch| stretch.executable);
        let files = code.filter_map(|stretch| stretch.file.as_ref());
        for file in files.filter(|file| !file.is_deleted) {
            if self.known.insert(file.path.clone()) {
                self.news.push(file.path.clone());
            }
        }
    }
}

/// What objects say of themselves, and what follows of the surroundings.
pub(crate) fn described(paths: &[PathBuf]) -> (Vec<ObjectRow>, Vec<(Topic, String, String)>) {
    let mut rows = Vec::new();
    let mut facts = Vec::new();
    for path in paths {
        let made = facts_of(path).unwrap_or_default();
        let mpi = made.mpi.map(|mpi| (Topic::Environment, "MPI".to_owned(), mpi));
        facts.extend(mpi);
        let name = path.display().to_string();
        rows.push(ObjectRow { name, build_id: made.build_id, compiler: made.compiler });
    }
    (rows, facts)
}

/// What a file says of its making.
#[derive(Debug, Default)]
pub(crate) struct BuildFacts {
    pub(crate) build_id: Option<String>,
    pub(crate) compiler: Option<String>,
    /// Which MPI it is, and its version.
    mpi: Option<String>,
}

/// What a program's or library's file says of its making; none for what is no such file.
pub(crate) fn facts_of(path: &Path) -> Option<BuildFacts> {
    if fs::metadata(path).ok()?.len() > MOST_BYTES {
        return None;
    }
    let source = object::ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&source).ok()?;
    let build_id = file.build_id().ok().flatten();
    let comment = file.section_by_name(".comment").and_then(|section| section.data().ok());
    let compilers = comment.map(|bytes| {
        let texts = bytes.split(|byte| *byte == 0).filter(|text| !text.is_empty());
        let texts: BTreeSet<_> = texts.map(String::from_utf8_lossy).collect();
        texts.into_iter().collect::<Vec<_>>().join("; ")
    });
    let name = path.file_name()?.to_string_lossy();
    let mpi = name.starts_with("libmpi") || name.starts_with("libopen-pal");
    Some(BuildFacts {
        build_id: build_id.map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect()),
        compiler: compilers.filter(|text| !text.is_empty()),
        mpi: if mpi { mpi_in(&file) } else { None },
    })
}

/// Texts that an MPI exports and that hold its version.
const VERSIONS: [(&str, &str); 3] = [
    ("opal_version_string", "Open MPI"),
    ("MPII_Version_string", "MPICH"),
    ("MPIR_Version_string", "MPICH"),
];

fn mpi_in<'data>(file: &impl object::Object<'data>) -> Option<String> {
    let found = file.dynamic_symbols().find_map(|symbol| {
        let name = symbol.name().ok()?;
        let (_, mpi) = VERSIONS.iter().find(|(known, _)| *known == name)?;
        Some((*mpi, symbol.address(), symbol.size()))
    });
    let (mpi, address, size) = found?;
    let text = |section: object::read::SectionIndex| {
        file.section_by_index(section).ok()?.data_range(address, size).ok()?
    };
    let bytes = file.sections().find_map(|section| text(section.index()))?;
    let version = bytes.split(|byte| *byte == 0).next()?;
    Some(format!("{mpi} {}", String::from_utf8_lossy(version)))
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn a_program_tells_who_made_it() {
        let own = env::current_exe().expect("this test has a file");
        let facts = facts_of(&own).expect("it is ELF");
        assert!(facts.compiler.is_some_and(|compiler| compiler.contains("rustc")));
        assert!(facts_of(Path::new("/etc/passwd")).is_none());
        assert!(facts_of(Path::new("/there/is/none")).is_none());
    }

    #[test]
    fn the_objects_of_a_process_are_found_once() {
        let mut mapped = MappedFiles::default();
        let program = "self".to_owned();
        mapped.meet(&ProcessNote { pid: std::process::id(), rank: None, program });
        let found = mapped.take();
        let own = env::current_exe().expect("this test has a file");
        assert!(found.contains(&own) && found.iter().any(|path| path.ends_with("libc.so.6")));
        assert_eq!(mapped.take(), Vec::<PathBuf>::new());
        let (rows, _) = described(&found);
        assert_eq!(rows.len(), found.len());
    }
}
