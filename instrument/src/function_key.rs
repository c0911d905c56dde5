//! Which function of which object: the key of everything that is known of a function.

use whyperf_code::FunctionId;

/// A function of an object that some process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionKey {
    /// Place of its object among all that were opened.
    pub(crate) module: u32,
    pub(crate) function: FunctionId,
}
