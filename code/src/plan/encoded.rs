//! The bytes that a plan becomes at its place in memory.

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
