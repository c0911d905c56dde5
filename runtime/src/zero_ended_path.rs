//! A path as system calls want it, in room of its own: there is no memory to be had, and a thread of the program may have little stack.

use core::ffi::CStr;

/// A path of less than so many bytes, and the zero that ends it.
#[derive(Debug)]
pub(crate) struct ZeroEndedPath<const ROOM: usize>([u8; ROOM]);

impl<const ROOM: usize> ZeroEndedPath<ROOM> {
    /// The path of nothing.
    pub(crate) const EMPTY: Self = Self([0; ROOM]);

    /// Becomes these parts, one behind the other; false where there is no room for them and the zero.
    pub(crate) fn take(&mut self, parts: &[&[u8]]) -> bool {
        *self = Self::EMPTY;
        let mut length = 0;
        parts.iter().all(|part| {
            let begin = length;
            length += part.len();
            let room = self.0.get_mut(begin..length).filter(|_| length < ROOM);
            room.map(|room| room.copy_from_slice(part)).is_some()
        })
    }

    /// As the kernel wants it.
    pub(crate) fn as_c_str(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.0).unwrap_or(c"/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_fit_with_their_end_are_a_path() {
        let mut path = ZeroEndedPath::<8>::EMPTY;
        assert!(path.take(&[b"/proc", b"/1"]));
        assert_eq!(path.as_c_str(), c"/proc/1");
        assert!(!path.take(&[b"/proc", b"/12"]), "the end has no room");
        assert!(path.take(&[b"/a"]));
        assert_eq!(path.as_c_str(), c"/a", "nothing is left of what was there");
    }
}
