//! The plan of one function, and the bytes it becomes once the places in memory are known.

use super::check;
use super::displace::{CopyPlaces, Displaced, distance};
use super::encoded::{Encoded, Island};
use super::moved_code::MovedCode;
use super::proof::{StackWords, Unproved};
use super::refusal::Refusal;
use super::site::{ChosenSite, SiteClass};

/// How a function can be switched on. Addresses are those of the object file.
#[derive(Clone, Debug)]
pub struct Plan {
    /// First byte of the function.
    pub entry: u64,
    /// First byte that changes.
    pub site: u64,
    /// How much changes.
    pub class: SiteClass,
    /// How many words of its arguments lie on the stack, so far as the function uses them; or why nothing is known
    /// of what it looks at.
    pub stacked: Result<u8, Unproved>,
    /// How many bytes change at the site: 2 or 5.
    pub length: u8,
    /// Where the original code goes on behind what is moved.
    pub resume: u64,
    /// Whether a way through it returns or jumps to another function.
    pub returns: bool,
    /// Whether it jumps to its own entry: then each repetition counts as a call.
    pub loops_to_entry: bool,
    displaced: Vec<Displaced>,
    original: [u8; 8],
    island: Option<(u64, [u8; 5])>,
}

/// What the ways through a function mean for counting its calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    pub(crate) returns: bool,
    pub(crate) loops_to_entry: bool,
}

/// Most bytes a stub may have.
pub const STUB_LENGTH: usize = 112;
/// Bytes of a stub before the copy.
const HEAD: u64 = 8;

impl Plan {
    pub(crate) fn new(
        entry: u64,
        site: ChosenSite,
        stacked: Result<StackWords, Unproved>,
        ways: Ways,
        original: [u8; 8],
        island: Option<[u8; 5]>,
    ) -> Self {
        Self {
            entry,
            site: site.at,
            class: site.class,
            stacked,
            length: site.length,
            resume: site.resume,
            returns: ways.returns,
            loops_to_entry: ways.loops_to_entry,
            displaced: site.displaced,
            original,
            island: site.island.zip(island),
        }
    }

    /// Where the copy has to reach to, besides the function: data and code of the object.
    pub fn reached(&self) -> impl Iterator<Item = u64> + '_ {
        self.displaced.iter().filter_map(Displaced::target)
    }

    /// First byte of the dead bytes it uses.
    #[must_use]
    pub fn island(&self) -> Option<u64> {
        self.island.map(|(at, _)| at)
    }

    /// The bytes, for an object loaded `bias` above its addresses, a stub at `stub` and the word that it
    /// jumps through at `word`.
    ///
    /// # Errors
    /// When something is out of reach from there, or the copy does not read as what was copied.
    pub fn encode(&self, bias: u64, stub: u64, word: u64) -> Result<Encoded, Refusal> {
        let copy = stub.wrapping_add(HEAD);
        let moved = self.moved();
        let site = self.site.wrapping_add(bias);
        let code = code(&moved, bias, stub, word)?;
        let mut patched = self.original;
        let island = match self.island {
            Some((at, original)) => {
                let at = at.wrapping_add(bias);
                patched[..2].copy_from_slice(&short_jump(site, at)?);
                Some(Island { at, original, patched: long_jump(at, stub)? })
            }
            None => {
                patched[..5].copy_from_slice(&long_jump(site, stub)?);
                None
            }
        };
        let boundaries = moved.displaced.iter().zip(&moved.starts).skip(1);
        let boundaries = boundaries.map(|(one, start)| ((one.at - self.site) as u8, *start as u8));
        let encoded = Encoded {
            site,
            length: self.length,
            original: self.original,
            patched,
            island,
            stub,
            code,
            copy,
            boundaries: boundaries.collect(),
        };
        check::same(&encoded, &moved, bias)?;
        Ok(encoded)
    }

    fn moved(&self) -> MovedCode<'_> {
        MovedCode::new(self.entry, &self.displaced, self.resume)
    }
}

/// The bytes at a stub: a jump through the word, the moved instructions, the jump back.
fn code(moved: &MovedCode<'_>, bias: u64, stub: u64, word: u64) -> Result<Vec<u8>, Refusal> {
    let copy = stub.wrapping_add(HEAD);
    let back = moved.resume.wrapping_add(bias);
    let mut code = vec![0xff, 0x25];
    code.extend(distance(stub.wrapping_add(6), word)?.to_le_bytes());
    code.extend([0xcc, 0xcc]);
    let copied = |target| moved.copied(target).map(|start| copy.wrapping_add(start));
    for (one, start) in moved.displaced.iter().zip(&moved.starts) {
        let place = CopyPlaces { at: copy.wrapping_add(*start), back, bias, copied: &copied };
        one.write(&place, &mut code)?;
    }
    if moved.goes_on() {
        let at = stub.wrapping_add(code.len() as u64);
        code.extend(long_jump(at, back)?);
    }
    Ok(code)
}

fn long_jump(at: u64, to: u64) -> Result<[u8; 5], Refusal> {
    let [a, b, c, d] = distance(at.wrapping_add(5), to)?.to_le_bytes();
    Ok([0xe9, a, b, c, d])
}

fn short_jump(at: u64, to: u64) -> Result<[u8; 2], Refusal> {
    let distance = distance(at.wrapping_add(2), to)?;
    let near = i8::try_from(distance).map_err(|_| Refusal::ArenaOutOfReach)?;
    Ok([0xeb, near.cast_unsigned()])
}
