//! The variables of an object, by address.

use std::path::Path;
use std::sync::Arc;

use object::elf::{SHN_UNDEF, SHT_DYNSYM, SHT_SYMTAB, STT_OBJECT};
use object::read::elf::Sym;

use super::headers::{ENDS, Headers};
use crate::storage::Storage;

/// A variable.
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) address: u64,
    size: u64,
    pub(crate) name: String,
}

/// All of them, sorted by address and size.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    sorted: Vec<Variable>,
}

impl Variables {
    /// Of all files that tell of one object.
    pub(crate) fn of(path: &Path, files: &[Arc<dyn Storage>]) -> Self {
        let mut sorted = Vec::new();
        for file in files {
            if let Ok(headers) = Headers::of(path, file.bytes()) {
                collect(&headers, &mut sorted);
            }
        }
        sorted.sort_by_key(|variable| (variable.address, variable.size));
        Self { sorted }
    }

    /// The variable around an address.
    pub(crate) fn around(&self, address: u64) -> Option<&Variable> {
        let after = self.sorted.partition_point(|variable| variable.address <= address);
        // Of several at one address the largest stands last; a small one may lie inside a larger.
        let near = self.sorted[..after].iter().rev().take(8);
        near.into_iter().find(|variable| address - variable.address < variable.size)
    }
}

fn collect(headers: &Headers<'_>, variables: &mut Vec<Variable>) {
    for which in [SHT_SYMTAB, SHT_DYNSYM] {
        let Ok(table) = headers.sections.symbols(ENDS, headers.bytes, which) else { continue };
        for symbol in table.iter() {
            let (address, size) = (symbol.st_value(ENDS), symbol.st_size(ENDS));
            let is_here = symbol.st_shndx(ENDS) != SHN_UNDEF;
            if symbol.st_type() == STT_OBJECT && is_here && size > 0 {
                let name = symbol.name(ENDS, table.strings()).unwrap_or_default();
                let name = String::from_utf8_lossy(name);
                let name = name.split('@').next().unwrap_or_default().to_owned();
                if !name.is_empty() {
                    variables.push(Variable { address, size, name });
                }
            }
        }
    }
}
