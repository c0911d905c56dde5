//! Numbers and texts at places of a file, the least significant byte first. Places are told by the file itself, so each is checked.

/// The bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct LittleWords<'a>(pub(super) &'a [u8]);

/// Sections are listed behind the name and version of a file.
const SECTIONS: u64 = 16;

impl LittleWords<'_> {
    fn array<const N: usize>(self, at: u64) -> Option<[u8; N]> {
        let at = usize::try_from(at).ok()?;
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub(super) fn byte(self, at: u64) -> Option<u8> {
        self.array::<1>(at).map(|[byte]| byte)
    }

    pub(super) fn short(self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(super) fn int(self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(super) fn long(self, at: u64) -> Option<u64> {
        self.array(at).map(u64::from_le_bytes)
    }

    pub(super) fn real(self, at: u64) -> Option<f64> {
        self.array(at).map(f64::from_le_bytes)
    }

    /// A text that ends with a zero.
    pub(super) fn text(self, at: u64) -> Option<String> {
        let rest = self.0.get(usize::try_from(at).ok()?..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        Some(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    /// A place within the file, told at another: a little behind it is still a number.
    pub(super) fn place(self, at: u64) -> Option<u64> {
        self.long(at).filter(|place| *place <= self.0.len() as u64)
    }

    /// Where a section begins.
    pub(super) fn section(self, number: u64) -> Option<u64> {
        self.place(SECTIONS + 16 * number + 8)
    }

    /// The place of an element of a list within the file.
    pub(super) fn element(self, list: u64, number: u64, size: u64) -> Option<u64> {
        let place = list.checked_add(number.checked_mul(size)?)?;
        Some(place).filter(|place| *place <= self.0.len() as u64)
    }
}
