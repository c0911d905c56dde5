//! Finds functions whose address is taken: they may be called by it where no call names them.
//!
//! Code is searched for distances and addresses that are the beginning of a function, at every
//! byte: what is found by accident is one function more to ask about. Tables in data are read whole.

use std::collections::BTreeSet;

use whyperf_code::{FunctionId, FunctionKind, Object};

/// Functions of the object whose address this one's code holds, itself among them.
pub(crate) fn in_code(object: &Object, function: FunctionId) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    let Some(body) = object.functions().get(function.index()) else { return found };
    let Some(code) = object.text(body.entry..body.end) else { return found };
    for (at, word) in code.windows(4).enumerate() {
        let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        let next = body.entry + at as u64 + 4;
        let distant = next.wrapping_add_signed(i64::from(value.cast_signed()));
        found.extend([distant, u64::from(value)].into_iter().filter_map(|to| called(object, to)));
    }
    found
}

/// Functions of the object whose address lies in its data: tables of functions, virtual ones.
pub(crate) fn in_data(object: &Object) -> BTreeSet<FunctionId> {
    let mut found = BTreeSet::new();
    for name in DATA {
        let Some((_, bytes)) = object.section(name) else { continue };
        found.extend(words(bytes).filter_map(|address| called(object, address)));
    }
    // A relocation holds the address as its third word.
    if let Some((_, bytes)) = object.section(".rela.dyn") {
        found.extend(words(bytes).skip(2).step_by(3).filter_map(|to| called(object, to)));
    }
    found
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes).unwrap_or(0);
    bytes.chunks_exact(8).map(word)
}

fn called(object: &Object, address: u64) -> Option<FunctionId> {
    let function = object.function_beginning(address)?;
    let kind = object.functions().get(function.index())?.kind;
    (kind == FunctionKind::Ordinary).then_some(function)
}

/// Sections with tables of functions; the list of what runs before `main` is none of them.
const DATA: [&str; 3] = [".data.rel.ro", ".data", ".rodata"];
