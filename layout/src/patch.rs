//! A function to be patched: what the daemon planned, as words that the agent checks.
//!
//! ```text
//!   site      e9 ──────────► stub    ff 25 [word]      word = copy   while it is off
//!             (eb ► island ► stub)   copy of the       word = a slot of the runtime's while on
//!                                    first bytes
//!                                    e9 ──────────► behind them
//! ```
//! The daemon fills records, then sends the command that names them; it fills them again only after the reply. Beside each
//! record the process stores a word: the outcome.

use crate::sync::{AtomicU64, Ordering};

/// Bytes of code that one function may need in an arena.
pub const CODE: usize = 112;
/// Bytes behind them, in which the agent puts code that counts calls.
pub const COUNTING: usize = 16;
/// Pairs of places that one patch may have inside.
pub const BOUNDARIES: usize = 16;

/// Where an instruction began, and where its copy does: distances from site and from copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Bytes from the site.
    pub old: u8,
    /// Bytes from the copy.
    pub new: u8,
}

/// How the runtime surrounds a function; stored in records and in regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum ThunkForm {
    /// It keeps what it needs below the return address: for functions without arguments on the
    /// stack.
    #[default]
    Shift = 1,
    /// It leaves the stack as it is: nothing is known of what the function looks at.
    Anchor = 2,
    /// As the first, and copies the words of arguments that lie on the stack below them.
    Copy = 3,
}

/// Words of arguments that can be copied.
pub const COPIED: u64 = 16;

impl ThunkForm {
    /// The one with this number.
    #[must_use]
    pub const fn from_number(number: u64) -> Option<Self> {
        match number {
            1 => Some(Self::Shift),
            2 => Some(Self::Anchor),
            3 => Some(Self::Copy),
            _ => None,
        }
    }
}

impl Patch {
    /// The form of its thunk and the words of arguments that are copied; `None` for what cannot be.
    #[must_use]
    pub fn form(&self) -> Option<(ThunkForm, u64)> {
        let (form, words) = (ThunkForm::from_number(self.thunk & 0xff)?, self.thunk >> 8);
        let fits = if form == ThunkForm::Copy { 1..=COPIED } else { 0..=0 };
        fits.contains(&words).then_some((form, words))
    }
}

macro_rules! outcomes {
    ($($(#[$doc:meta])* $name:ident = $value:literal,)*) => {
        /// What became of a function that was to be patched, or to get its bytes back.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum Outcome { $($(#[$doc])* $name = $value,)* }

        impl Outcome {
            /// The one with this number.
            #[must_use]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number { $($value => Some(Self::$name),)* _ => None }
            }
        }
    };
}

outcomes! {
    /// It was done.
    Done = 0,
    /// The record made no sense: a length, an address or a jump that cannot be.
    Nonsense = 1,
    /// The site lies in no executable mapping of a file, or the stub in no arena.
    NotMapped = 2,
    /// Other bytes than planned were found: another tool patched, or the object is another one.
    TextChanged = 3,
    /// All slots of this form are taken, or there is no room for another region.
    SlotPoolFull = 4,
    /// This form of surrounding a function is not to be had.
    NoThunk = 5,
    /// A debugger follows the process.
    TracerPresent = 6,
    /// A thread blocks the trap that a change of code needs.
    SigtrapBlocked = 7,
    /// The processes' return addresses are kept twice, by the processor, too.
    ShadowStack = 8,
    /// The kernel allows no process to write to code.
    NoTextWrite = 9,
    /// The kernel has no way to make all processors read code anew.
    NoCoreSync = 10,
    /// A thread may stand between the instructions to be replaced.
    ThreadInside = 11,
    /// A thread or a process is being made, with every signal blocked: try again.
    Busy = 12,
    /// The object is gone, and its code with it.
    ModuleGone = 13,
    /// The program handles every signal by which code could be changed.
    TrapHandled = 14,
    /// The program has an alternate signal stack on which a trap finds no room.
    SmallSignalStack = 15,
}

/// In which state the code of a function is; stored in its region's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CodeState {
    /// Its bytes are the compiler's, or its object is gone.
    Own = 0,
    /// Its entry leads to its stub.
    Patched = 1,
    /// Its first byte is a trap that leads to the copy: a change could not be finished.
    Trapped = 2,
    /// Its bytes are the compiler's, but those of its island are ours.
    Island = 3,
}

impl CodeState {
    /// The one with this number; an unknown number counts as patched.
    #[must_use]
    pub const fn from_number(number: u32) -> Self {
        match number {
            0 => Self::Own,
            2 => Self::Trapped,
            3 => Self::Island,
            _ => Self::Patched,
        }
    }
}

/// A function to be patched, as the daemon plans and the agent reads it. Addresses are those of the
/// running process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// The function's first byte, which names its region.
    pub entry: u64,
    /// First byte that changes.
    pub site: u64,
    /// Bytes that change there: 5, or 2 where an island helps.
    pub length: u64,
    /// A [`ThunkForm`], and from the second byte on how many words of arguments it copies.
    pub thunk: u64,
    /// What the site holds, its first byte lowest.
    pub original: u64,
    /// What it is to hold.
    pub patched: u64,
    /// The five bytes that a short jump leads to, 0 for none.
    pub island: u64,
    /// What they hold.
    pub island_original: u64,
    /// What they are to hold.
    pub island_patched: u64,
    /// Where the code of this record goes, inside an arena's code.
    pub stub: u64,
    /// Where in it the copy of the first instructions begins.
    pub copy: u64,
    /// The word inside an arena's data that the stub jumps through.
    pub word: u64,
    /// Bytes of code.
    pub code_length: u64,
    /// Boundaries in use.
    pub boundary_count: u64,
    /// Where a thread may stand when more than one instruction is replaced.
    pub boundaries: [Boundary; BOUNDARIES],
    /// The stub and the copy.
    pub code: StubCode,
}

/// The bytes of a stub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StubCode(pub [u8; CODE]);

impl Default for StubCode {
    fn default() -> Self {
        Self([0; CODE])
    }
}

/// The place of a [`Patch`] in the region.
#[derive(Debug, Default)]
#[repr(C)]
pub struct PatchRecord {
    words: [AtomicU64; WORDS],
}

const WORDS: usize = 32;
const HEAD: usize = 14;
const PAIRS: usize = BOUNDARIES * 2 / 8;
const _: () = assert!(HEAD + PAIRS + CODE / 8 == WORDS);

impl PatchRecord {
    /// Daemon: fills the record; the command that is sent afterwards publishes it.
    pub fn write(&self, patch: &Patch) {
        let head = head_of(patch);
        let pairs = (0..PAIRS).map(|at| {
            let word = patch.boundaries.iter().skip(4 * at).take(4).rev();
            word.fold(0, |sum, pair| sum << 16 | u64::from(pair.new) << 8 | u64::from(pair.old))
        });
        let code =
            patch.code.0.chunks_exact(8).map(|bytes| {
                bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte))
            });
        for (word, value) in self.words.iter().zip(head.into_iter().chain(pairs).chain(code)) {
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Agent: what is there now. Each word is read once, so what is checked is what is used.
    #[must_use]
    pub fn read(&self) -> Patch {
        let word = |at: usize| self.words.get(at).map_or(0, |word| word.load(Ordering::Relaxed));
        let mut boundaries = [Boundary::default(); BOUNDARIES];
        for (group, at) in boundaries.chunks_exact_mut(4).zip(HEAD..) {
            let mut pairs = word(at);
            for pair in group {
                *pair = Boundary { old: pairs as u8, new: (pairs >> 8) as u8 };
                pairs >>= 16;
            }
        }
        let mut code = StubCode::default();
        for (bytes, at) in code.0.chunks_exact_mut(8).zip(HEAD + PAIRS..) {
            let word = word(at).to_le_bytes();
            bytes.iter_mut().zip(word).for_each(|(byte, new)| *byte = new);
        }
        Patch {
            entry: word(0),
            site: word(1),
            length: word(2),
            thunk: word(3),
            original: word(4),
            patched: word(5),
            island: word(6),
            island_original: word(7),
            island_patched: word(8),
            stub: word(9),
            copy: word(10),
            word: word(11),
            code_length: word(12),
            boundary_count: word(13),
            boundaries,
            code,
        }
    }
}

const fn head_of(patch: &Patch) -> [u64; HEAD] {
    [
        patch.entry,
        patch.site,
        patch.length,
        patch.thunk,
        patch.original,
        patch.patched,
        patch.island,
        patch.island_original,
        patch.island_patched,
        patch.stub,
        patch.copy,
        patch.word,
        patch.code_length,
        patch.boundary_count,
    ]
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_record_gives_back_what_was_written() {
        let mut patch = Patch { entry: 1, site: 2, length: 3, thunk: 4, ..Patch::default() };
        patch.boundary_count = 3;
        for (at, pair) in patch.boundaries.iter_mut().enumerate() {
            *pair = Boundary { old: at as u8 + 1, new: at as u8 + 101 };
        }
        for (at, byte) in patch.code.0.iter_mut().enumerate() {
            *byte = at as u8 + 7;
        }
        patch.word = u64::MAX - 1;
        let record = PatchRecord::default();
        record.write(&patch);
        assert_eq!(record.read(), patch);
        assert_eq!(size_of::<PatchRecord>(), 256);
    }

    #[test]
    fn numbers_return() {
        assert_eq!(Outcome::from_number(Outcome::ModuleGone as u32), Some(Outcome::ModuleGone));
        assert_eq!(Outcome::from_number(99), None);
        assert_eq!(ThunkForm::from_number(2), Some(ThunkForm::Anchor));
        assert_eq!(ThunkForm::from_number(3), Some(ThunkForm::Copy));
        assert_eq!(ThunkForm::from_number(0), None);
    }
}
