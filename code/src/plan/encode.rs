//! The plan of one function, and the bytes it becomes once the places in memory are known.

use super::check;
use super::displace::{Displaced, Place, distance};
use super::proof::{Unproved, Words};
use super::refusal::Refusal;
use super::site::{Site, SiteClass};

/// How the calls of a function are caught: a form of thunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThunkForm {
    /// The thunk's frame lies on the program's stack, above the function's: proved that it is not looked at.
    Shift,
    /// So do copies of the arguments that lie on the stack, so far as the function uses them.
    Copy,
    /// The stack stays as it is: nothing is known of what the function looks at.
    Anchor,
}

impl ThunkForm {
    /// A word for programs that never changes.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Shift => "shift",
            Self::Copy => "copy",
            Self::Anchor => "anchor",
        }
    }
}

/// How a function can be switched on. Addresses are those of the object file.
#[derive(Clone, Debug)]
pub struct Plan {
    /// First byte of the function.
    pub entry: u64,
    /// First byte that changes.
    pub site: u64,
    /// How much changes.
    pub class: SiteClass,
    /// How its calls may be caught.
    pub thunk: ThunkForm,
    /// Words of arguments on the stack that are to be copied.
    pub copied: u8,
    /// Why the thunk's frame may not lie above the function's, where it may not.
    pub unproved: Option<Unproved>,
    /// How many bytes change at the site: 2 or 5.
    pub length: u8,
    /// Where the original code goes on behind what is moved.
    pub resume: u64,
    /// Whether a way through it returns or jumps to another function.
    pub returns: bool,
    /// Whether it jumps to its own entry: then each time round counts as a call.
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

/// A plan at its place in memory. All addresses are those of the process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// First byte that changes.
    pub site: u64,
    /// How many bytes change: 2 or 5.
    pub length: u8,
    /// Eight bytes from the site on, as they are.
    pub original: [u8; 8],
    /// The same bytes as they become.
    pub patched: [u8; 8],
    /// Where a short jump leads first.
    pub island: Option<Island>,
    /// Where the site leads.
    pub stub: u64,
    /// The bytes at the stub: a jump through the word, the moved instructions, the jump back.
    pub code: Vec<u8>,
    /// Address of the moved instructions.
    pub copy: u64,
    /// For each moved instruction but the first: its distance from the site, and that of its copy from `copy`.
    pub boundaries: Vec<(u8, u8)>,
}

/// Dead bytes that become a long jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Island {
    /// First byte.
    pub at: u64,
    /// The bytes as they are.
    pub original: [u8; 5],
    /// The bytes as they become.
    pub patched: [u8; 5],
}

/// Most bytes a stub may have.
pub const STUB_LENGTH: usize = 112;
/// Bytes of a stub before the copy.
const HEAD: u64 = 8;

impl Plan {
    pub(crate) fn new(
        entry: u64,
        site: Site,
        proof: Result<Words, Unproved>,
        ways: Ways,
        original: [u8; 8],
        island: Option<[u8; 5]>,
    ) -> Self {
        Self {
            entry,
            site: site.at,
            class: site.class,
            thunk: match proof {
                Ok(0) => ThunkForm::Shift,
                Ok(_) => ThunkForm::Copy,
                Err(_) => ThunkForm::Anchor,
            },
            copied: proof.unwrap_or(0),
            unproved: proof.err(),
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
        let starts = self.starts();
        let site = self.site.wrapping_add(bias);
        let code = self.code(bias, stub, word, &starts)?;
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
        let boundaries = self.displaced.iter().zip(&starts).skip(1);
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
        check::same(&encoded, &self.displaced, bias, self)?;
        Ok(encoded)
    }

    /// Distance of each copy from the first.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let ends = self.displaced.iter().scan(0, |end, one| {
            let start = *end;
            *end += one.moved_length() as u64;
            Some(start)
        });
        ends.collect()
    }

    fn code(&self, bias: u64, stub: u64, word: u64, starts: &[u64]) -> Result<Vec<u8>, Refusal> {
        let copy = stub.wrapping_add(HEAD);
        let back = self.resume.wrapping_add(bias);
        let mut code = vec![0xff, 0x25];
        code.extend(distance(stub.wrapping_add(6), word)?.to_le_bytes());
        code.extend([0xcc, 0xcc]);
        let copied = |target| self.copied(target, starts).map(|start| copy.wrapping_add(start));
        for (one, start) in self.displaced.iter().zip(starts) {
            let place = Place { at: copy.wrapping_add(*start), back, bias, copied: &copied };
            one.write(&place, &mut code)?;
        }
        if self.displaced.last().is_none_or(Displaced::goes_on) {
            let at = stub.wrapping_add(code.len() as u64);
            code.extend(long_jump(at, back)?);
        }
        Ok(code)
    }

    /// Distance of the copy that stands for an address from the first. A jump to the entry starts a new
    /// time round, not a call, so it stays in the copy.
    pub(crate) fn copied(&self, target: u64, starts: &[u64]) -> Option<u64> {
        if target == self.entry {
            return Some(0);
        }
        let index = self.displaced.iter().position(|one| one.at == target)?;
        starts.get(index).copied()
    }
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
