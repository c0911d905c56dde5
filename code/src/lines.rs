//! Debug information of one object: the functions around an address and their lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use addr2line::{Context, FrameIter, LookupContinuation, LookupResult};
use gimli::{DwLang, Dwarf, EndianSlice, LittleEndian, SectionId};

type DebugBytes = EndianSlice<'static, LittleEndian>;

/// What debug information says of an address.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    /// The compiled function, as its symbol is spelled.
    pub(crate) function: Option<String>,
    pub(crate) fortran: bool,
    /// The source file of that function.
    pub(crate) module: Option<String>,
    /// The line, in an inlined function if that is where it is written.
    pub(crate) line: Option<(String, u32)>,
}

/// The debug information of an object, read as far as it is asked for.
pub(crate) struct Lines {
    context: Context<DebugBytes>,
    /// Base names that several source files share.
    shared: BTreeSet<String>,
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("shared", &self.shared).finish_non_exhaustive()
    }
}

impl Lines {
    /// From the sections of a file, and of one that several files share parts of; `None` when they
    /// hold none.
    pub(crate) fn of(
        section: impl Fn(SectionId) -> &'static [u8],
        shared: Option<impl Fn(SectionId) -> &'static [u8]>,
    ) -> Option<Self> {
        if section(SectionId::DebugInfo).is_empty() {
            return None;
        }
        let slice = |bytes| Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian));
        let mut dwarf = Dwarf::load(|id| slice(section(id))).ok()?;
        if let Some(shared) = shared {
            dwarf.load_sup(|id| slice(shared(id))).ok()?;
        }
        let shared = shared_names(&dwarf);
        Some(Self { context: Context::from_dwarf(dwarf).ok()?, shared })
    }

    /// The source file of the compiled function around an address, with its folders.
    pub(crate) fn path(&self, address: u64) -> Option<String> {
        let mut frames = self.found(address)?;
        let mut path = None;
        while let Ok(Some(frame)) = frames.next() {
            path = frame.location.and_then(|location| location.file).map(str::to_owned);
        }
        path
    }

    /// What is written around an address: the compiled function last, what is inlined there before.
    pub(crate) fn frames(&self, address: u64) -> Vec<Written> {
        let Some(mut frames) = self.found(address) else { return Vec::new() };
        let mut found = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let location = frame.location.as_ref();
            let module = location.and_then(|location| location.file).map(|path| self.module(path));
            let function = frame.function.as_ref();
            found.push(Written {
                function: function.and_then(|f| f.raw_name().ok()).map(|name| name.into_owned()),
                fortran: function.is_some_and(|f| is_fortran(f.language)),
                line: module.clone().zip(location.and_then(|location| location.line)),
                module,
            });
            if found.len() == INLINED {
                break;
            }
        }
        found
    }

    fn found(&self, address: u64) -> Option<FrameIter<'_, DebugBytes>> {
        // The library counts one further.
        if address == u64::MAX {
            return None;
        }
        let mut lookup = self.context.find_frames(address);
        loop {
            match lookup {
                LookupResult::Output(frames) => return frames.ok(),
                // Parts kept in files of their own are not followed.
                LookupResult::Load { continuation, .. } => lookup = continuation.resume(None),
            }
        }
    }

    /// The compiled function around an address, and the line there.
    pub(crate) fn written(&self, address: u64) -> Option<Written> {
        let frames = self.frames(address);
        let mut whole = frames.last()?.clone();
        if whole.module.as_deref().is_some_and(is_of_whyperf) {
            // Not inlined: a copy of its own in each program file, which the unit is named after.
            whole.module = self.unit(address).or(whole.module);
        }
        // Inlined system headers call on behalf of the function; their lines say nothing about it.
        let lines = || frames.iter().filter_map(|frame| frame.line.as_ref());
        let own = lines().find(|(file, _)| Some(file) == whole.module.as_ref());
        whole.line = own.or_else(|| lines().find(|(file, _)| !is_of_whyperf(file))).cloned();
        Some(whole).filter(|whole| whole.function.is_some() || whole.line.is_some())
    }

    /// The source file that was compiled to what is at an address.
    fn unit(&self, address: u64) -> Option<String> {
        let mut lookup = self.context.find_dwarf_and_unit(address);
        loop {
            match lookup {
                LookupResult::Output(found) => {
                    return Some(self.module(&found?.name?.to_string_lossy()));
                }
                LookupResult::Load { continuation, .. } => lookup = continuation.resume(None),
            }
        }
    }

    /// A source file's base name; with its folder where the program has several of that name.
    fn module(&self, path: &str) -> String {
        let base = base_name(path);
        if !self.shared.contains(base) {
            return base.to_owned();
        }
        match path[..path.len() - base.len()].trim_end_matches('/').rsplit('/').next() {
            Some(folder) if !folder.is_empty() => format!("{folder}/{base}"),
            _ => base.to_owned(),
        }
    }
}

/// What a program includes to name its regions: never where they are.
fn is_of_whyperf(file: &str) -> bool {
    matches!(base_name(file), "whyperf.h" | "whyperf.f90")
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_fortran(language: Option<DwLang>) -> bool {
    matches!(
        language,
        Some(
            gimli::DW_LANG_Fortran77
                | gimli::DW_LANG_Fortran90
                | gimli::DW_LANG_Fortran95
                | gimli::DW_LANG_Fortran03
                | gimli::DW_LANG_Fortran08
        )
    )
}

/// Base names under which the object has more than one source file.
fn shared_names(dwarf: &Dwarf<DebugBytes>) -> BTreeSet<String> {
    let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        let Some(name) = unit.name else { continue };
        let folder = unit.comp_dir.map(|dir| dir.to_string_lossy().into_owned());
        let name = name.to_string_lossy();
        let path = match folder {
            Some(folder) if !name.starts_with('/') => format!("{folder}/{name}"),
            _ => name.clone().into_owned(),
        };
        paths.entry(base_name(&name).to_owned()).or_default().insert(path);
    }
    paths.into_iter().filter(|(_, paths)| paths.len() > 1).map(|(base, _)| base).collect()
}

/// Functions inlined in each other at one address; more would be a circle.
const INLINED: usize = 256;
