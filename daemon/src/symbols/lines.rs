//! Debug information of one object: the functions around an address and the line of a call.

use std::collections::{BTreeMap, BTreeSet};

use addr2line::{Context, LookupResult};
use gimli::{DwLang, Dwarf, EndianSlice, LittleEndian};
use object::{Object, ObjectSection};

type Bytes = EndianSlice<'static, LittleEndian>;

/// What debug information says of a call.
#[derive(Debug)]
pub(super) struct Call {
    /// The compiled function, as its symbol is spelled.
    pub(super) function: Option<String>,
    pub(super) fortran: bool,
    /// The source file of that function.
    pub(super) module: Option<String>,
    /// The line of the call, in an inlined function if that is where it is written.
    pub(super) line: Option<(String, u32)>,
}

/// The debug information of an object, read as far as it is asked for.
pub(super) struct Lines {
    context: Context<Bytes>,
    /// Base names that several source files share.
    shared: BTreeSet<String>,
}

impl Lines {
    /// Of a file that stays in memory; `None` when it holds none.
    pub(super) fn of(file: &object::File<'static>) -> Option<Self> {
        file.section_by_name(".debug_info")?;
        let section = |id: gimli::SectionId| -> Result<Bytes, gimli::Error> {
            let section = file.section_by_name(id.name());
            let bytes = section.and_then(|section| section.data().ok()).unwrap_or(&[]);
            Ok(EndianSlice::new(bytes, LittleEndian))
        };
        let dwarf = Dwarf::load(section).ok()?;
        let shared = shared_names(&dwarf);
        Some(Self { context: Context::from_dwarf(dwarf).ok()?, shared })
    }

    /// What is written around an address.
    pub(super) fn call(&self, address: u64) -> Option<Call> {
        let mut lookup = self.context.find_frames(address);
        let mut frames = loop {
            match lookup {
                LookupResult::Output(frames) => break frames.ok()?,
                // Parts kept in files of their own are not followed.
                LookupResult::Load { continuation, .. } => {
                    lookup = addr2line::LookupContinuation::resume(continuation, None);
                }
            }
        };
        let mut call = None::<Call>;
        let mut lines: Vec<(String, u32)> = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            let location = frame.location.as_ref();
            let module = location.and_then(|location| location.file).map(|path| self.module(path));
            lines.extend(module.clone().zip(location.and_then(|location| location.line)));
            let function = frame.function.as_ref();
            call = Some(Call {
                function: function.and_then(|f| f.raw_name().ok()).map(|name| name.into_owned()),
                fortran: function.is_some_and(|f| is_fortran(f.language)),
                module,
                line: None,
            });
        }
        let mut call = call?;
        if call.module.as_deref().is_some_and(is_of_whyperf) {
            // Not inlined: a copy of its own in each program file, which the unit is named after.
            call.module = self.unit(address).or(call.module);
        }
        // Inlined system headers call on behalf of the function; their lines say nothing about it.
        let own = lines.iter().find(|(file, _)| Some(file) == call.module.as_ref());
        call.line = own.or_else(|| lines.iter().find(|(file, _)| !is_of_whyperf(file))).cloned();
        Some(call).filter(|call| call.function.is_some() || call.line.is_some())
    }

    /// The source file that was compiled to what is at an address.
    fn unit(&self, address: u64) -> Option<String> {
        let mut lookup = self.context.find_dwarf_and_unit(address);
        loop {
            match lookup {
                LookupResult::Output(found) => {
                    return Some(self.module(&found?.name?.to_string_lossy()));
                }
                LookupResult::Load { continuation, .. } => {
                    lookup = addr2line::LookupContinuation::resume(continuation, None);
                }
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
fn shared_names(dwarf: &Dwarf<Bytes>) -> BTreeSet<String> {
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
