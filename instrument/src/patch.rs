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
