//! Encodes a plan as the words by which an agent patches its function.

use whyperf_code::plan::{Plan, Refusal, STUB_LENGTH};
use whyperf_layout::ThunkForm;
use whyperf_layout::patch::{BOUNDARIES, Boundary, CODE, Patch, StubCode};

const _: () = assert!(STUB_LENGTH == CODE);

/// The words for an object that lies `bias` above the addresses in its file, and a stub and a word in its arena.
///
/// # Errors
/// When something is out of reach from there, or the copy does not read as what was copied.
pub fn patch_of(plan: &Plan, bias: u64, stub: u64, word: u64) -> Result<Patch, Refusal> {
    let encoded = plan.encode(bias, stub, word)?;
    if encoded.code.len() > CODE || encoded.boundaries.len() > BOUNDARIES {
        // A part of it would be no copy.
        return Err(Refusal::CopyDiffers { at: plan.entry });
    }
    let mut code = StubCode::default();
    code.0[..encoded.code.len()].copy_from_slice(&encoded.code);
    let mut boundaries = [Boundary::default(); BOUNDARIES];
    for (pair, (old, new)) in boundaries.iter_mut().zip(&encoded.boundaries) {
        *pair = Boundary { old: *old, new: *new };
    }
    let island = encoded.island;
    let five = |bytes: [u8; 5]| {
        let [a, b, c, d, e] = bytes;
        u64::from_le_bytes([a, b, c, d, e, 0, 0, 0])
    };
    Ok(Patch {
        entry: plan.entry.wrapping_add(bias),
        site: encoded.site,
        length: u64::from(encoded.length),
        thunk: form(plan) as u64 | u64::from(plan.stacked.unwrap_or(0)) << 8,
        original: u64::from_le_bytes(encoded.original),
        patched: u64::from_le_bytes(encoded.patched),
        island: island.map_or(0, |island| island.at),
        island_original: island.map_or(0, |island| five(island.original)),
        island_patched: island.map_or(0, |island| five(island.patched)),
        stub: encoded.stub,
        copy: encoded.copy,
        word,
        code_length: encoded.code.len() as u64,
        boundary_count: encoded.boundaries.len() as u64,
        boundaries,
        code,
    })
}

const fn form(plan: &Plan) -> ThunkForm {
    match plan.stacked {
        Ok(0) => ThunkForm::Shift,
        Ok(_) => ThunkForm::Copy,
        Err(_) => ThunkForm::Anchor,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use whyperf_code::plan::{Islands, plan};
    use whyperf_code::{FunctionId, Object};
    use whyperf_layout::MovedCode;

    use super::*;

    /// The agent refuses what is not the function's own code, so all that is planned has to be.
    #[test]
    fn the_copy_of_each_function_of_a_library_is_known_as_its_code() {
        let maps = std::fs::read_to_string("/proc/self/maps").expect("this process runs");
        let path = maps.split_ascii_whitespace().find(|word| word.ends_with("/libc.so.6"));
        let object = Object::open(Path::new(path.expect("the C library is loaded")));
        let object = object.expect("it can be read");
        let mut islands = Islands::new();
        let (mut known, mut unknown) = (0, Vec::new());
        for id in 0..u32::try_from(object.functions().len()).expect("few functions") {
            let Ok(plan) = plan(&object, FunctionId(id), &mut islands) else { continue };
            let Ok(patch) = patch_of(&plan, BIAS, BIAS - 0x40_0000, BIAS - 0x80_0000) else {
                continue;
            };
            if is_known(&object, &patch) {
                known += 1;
            } else {
                unknown.push(object.names(FunctionId(id)).first().map(|name| name.text.clone()));
            }
        }
        assert!(unknown.is_empty(), "of {known}: {unknown:?}");
        assert!(known > 1000, "{known}");
    }

    const BIAS: u64 = 0x7f00_0000_0000;

    fn is_known(object: &Object, patch: &Patch) -> bool {
        let site = patch.site - BIAS;
        let most = (1..=CODE as u64).rev().find_map(|length| object.text(site..site + length));
        let original = most.unwrap_or(&[]);
        let before = usize::try_from(patch.copy - patch.stub).expect("a stub is short");
        let end = usize::try_from(patch.code_length).expect("a stub is short");
        let copy = &patch.code.0[before..end];
        let length = usize::try_from(patch.length).expect("a site is short");
        let (entry, site, at) = (patch.entry, patch.site, patch.copy);
        MovedCode { entry, site, original, length, at, copy }.is_true()
    }
}
