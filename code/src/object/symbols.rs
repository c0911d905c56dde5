//! Symbols of functions, as the tables of one file have them.

use std::sync::Arc;

use object::elf::{
    SHN_ABS, SHN_UNDEF, SHT_DYNSYM, SHT_SYMTAB, STB_GLOBAL, STB_LOCAL, STT_FILE, STT_FUNC,
    STT_GNU_IFUNC, STT_NOTYPE, SectionType, VersionIndex,
};
use object::read::elf::{Sym, VersionTable};
use object::{StringTable, SymbolIndex};

use super::headers::{ENDS, Ends, Headers};
use super::shape::Shape;
use crate::function::Scope;
use crate::storage::Storage;

/// Which table of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// All symbols, unless they were stripped.
    Whole,
    /// Those that other objects see.
    Dynamic,
}

impl Which {
    const fn section(self) -> SectionType {
        match self {
            Self::Whole => SHT_SYMTAB,
            Self::Dynamic => SHT_DYNSYM,
        }
    }
}

/// Where names are found again.
#[derive(Debug)]
pub(crate) struct Strings {
    storage: Arc<dyn Storage>,
    start: u64,
    end: u64,
    versions: Vec<Option<String>>,
}

/// A name, as a place in one of several tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameRef {
    pub(crate) table: u8,
    pub(crate) scope: Scope,
    version: u16,
    offset: u32,
}

/// A symbol that stands for code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) name: NameRef,
    /// The source file it is local to, as a number; 0 for what is not local.
    pub(crate) unit: u32,
    pub(crate) form: Form,
}

/// What a symbol says of its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Function,
    Ifunc,
    /// Nothing: of assembly that does not say.
    Label,
}

impl Strings {
    /// A name; empty where the file has none there.
    pub(crate) fn name(&self, name: NameRef) -> &[u8] {
        let table = StringTable::new(self.storage.bytes(), self.start, self.end);
        table.get(name.offset).unwrap_or_default()
    }

    pub(crate) fn version(&self, name: NameRef) -> Option<&str> {
        self.versions.get(usize::from(name.version))?.as_deref()
    }
}

/// The functions in one table of a file, and where their names are; `None` without such a table.
/// Only addresses in the code of `shape` count: those of the object itself, also for a file with
/// debug information, whose own parts are empty.
pub(crate) fn read(
    storage: &Arc<dyn Storage>,
    headers: &Headers<'_>,
    which: Which,
    table: u8,
    shape: &Shape,
) -> Option<(Strings, Vec<Symbol>)> {
    let symbols = headers.sections.symbols(ENDS, headers.bytes, which.section()).ok()?;
    if symbols.is_empty() {
        return None;
    }
    let strings = headers.sections.section(symbols.string_section()).ok()?;
    let (start, length) = object::read::elf::SectionHeader::file_range(strings, ENDS)?;
    let versions = match which {
        Which::Dynamic => headers.sections.versions(ENDS, headers.bytes).ok().flatten(),
        Which::Whole => None,
    };
    let mut unit = 0;
    let mut found = Vec::new();
    for (index, symbol) in symbols.enumerate() {
        if symbol.st_type() == STT_FILE {
            unit += 1;
        }
        let Some(form) = form(symbol) else { continue };
        let address = symbol.st_value(ENDS);
        if shape.code_at(address).is_none() {
            continue;
        }
        let scope = scope(symbol);
        found.push(Symbol {
            address,
            size: symbol.st_size(ENDS),
            name: NameRef {
                table,
                scope,
                version: versions.as_ref().map_or(0, |versions| version(versions, index)),
                offset: symbol.st_name(ENDS),
            },
            unit: if scope == Scope::Local { unit } else { 0 },
            form,
        });
    }
    let strings = Strings {
        storage: Arc::clone(storage),
        start,
        end: start.saturating_add(length),
        versions: versions.map_or_else(Vec::new, |versions| version_names(&versions)),
    };
    Some((strings, found))
}

/// A name that another object defines, in the table of dynamic symbols.
pub(crate) fn imported(symbol: &object::elf::Sym64<Ends>, table: u8) -> NameRef {
    NameRef { table, scope: Scope::Imported, version: 0, offset: symbol.st_name(ENDS) }
}

fn form(symbol: &object::elf::Sym64<Ends>) -> Option<Form> {
    let section = symbol.st_shndx(ENDS);
    if section == SHN_UNDEF || section == SHN_ABS {
        return None;
    }
    match symbol.st_type() {
        STT_FUNC => Some(Form::Function),
        STT_GNU_IFUNC => Some(Form::Ifunc),
        // Local ones are places inside functions.
        STT_NOTYPE if symbol.st_bind() != STB_LOCAL => Some(Form::Label),
        _ => None,
    }
}

fn scope(symbol: &object::elf::Sym64<Ends>) -> Scope {
    match symbol.st_bind() {
        STB_LOCAL => Scope::Local,
        STB_GLOBAL => Scope::Global,
        _ => Scope::Weak,
    }
}

fn version(versions: &VersionTable<'_, object::elf::FileHeader64<Ends>>, at: SymbolIndex) -> u16 {
    versions.version_index(ENDS, at).index().0
}

fn version_names(
    versions: &VersionTable<'_, object::elf::FileHeader64<Ends>>,
) -> Vec<Option<String>> {
    let name = |index| {
        let version = versions.version(VersionIndex(index)).ok().flatten()?;
        Some(String::from_utf8_lossy(version.name()).into_owned())
    };
    // A table has far fewer versions than symbols; what is behind the last one has no name.
    (0..VERSIONS).map(name).collect()
}

/// More than any library has: glibc has 46.
const VERSIONS: u16 = 512;
