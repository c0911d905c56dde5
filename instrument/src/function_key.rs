//! The key of a function, under which everything about it is stored: which function of which object.

use whyperf_code::FunctionId;

/// A function of an object that some process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FunctionKey {
    /// Place of its object among all that were opened.
    pub(crate) module: u32,
    pub(crate) function: FunctionId,
}
