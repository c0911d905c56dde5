//! The functions that other objects find in an object by name, by the hash table that the loader uses: no other symbol of the file is read.

use object::elf::{SHN_UNDEF, SHT_DYNSYM, STT_FUNC, STT_GNU_IFUNC, gnu_hash};
use object::read::elf::Sym;

use super::headers::{ENDS, Ends, Headers};

/// What the table says of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableEntry {
    /// A function begins at this address.
    Function(u64),
    /// No function has the name.
    Missing,
    /// The object has no such table.
    NoTable,
}

/// Looks a name up.
pub(crate) fn find(headers: &Headers<'_>, name: &str) -> TableEntry {
    found(headers, name.as_bytes()).unwrap_or(TableEntry::NoTable)
}

fn found(headers: &Headers<'_>, name: &[u8]) -> Option<TableEntry> {
    let (sections, bytes) = (&headers.sections, headers.bytes);
    let (table, _) = sections.gnu_hash(ENDS, bytes).ok().flatten()?;
    let symbols = sections.symbols(ENDS, bytes, SHT_DYNSYM).ok()?;
    let versions = sections.versions(ENDS, bytes).ok()?.unwrap_or_default();
    let found = table.find(ENDS, name, gnu_hash(name), None, &symbols, &versions);
    let function = found.filter(|(_, symbol)| is_function(symbol));
    let address = function.map(|(_, symbol)| symbol.st_value(ENDS));
    Some(address.map_or(TableEntry::Missing, TableEntry::Function))
}

/// Whether the name of a function that others find begins so, in capital or small letters.
pub(crate) fn any_begins(headers: &Headers<'_>, start: &str) -> bool {
    let Ok(symbols) = headers.sections.symbols(ENDS, headers.bytes, SHT_DYNSYM) else {
        return false;
    };
    let strings = symbols.strings();
    symbols.iter().filter(|symbol| is_function(symbol)).any(|symbol| {
        let name = symbol.name(ENDS, strings).unwrap_or_default();
        name.get(..start.len()).is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()))
    })
}

fn is_function(symbol: &object::elf::Sym64<Ends>) -> bool {
    symbol.st_shndx(ENDS) != SHN_UNDEF && matches!(symbol.st_type(), STT_FUNC | STT_GNU_IFUNC)
}
