//! A function of an object: where its code begins and ends, and what kind of code it is.

/// A function, by its place in [`Object::functions`](crate::Object::functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// The place as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Address of its first byte.
    pub entry: u64,
    /// Address behind its last byte; `entry` where nothing says how long it is.
    pub end: u64,
    /// What it is.
    pub kind: FunctionKind,
}

/// What the code of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// It is called and returns.
    Ordinary,
    /// It chooses, when the object is loaded, which function stands for a name.
    Ifunc,
    /// The seldom executed part of another, entered by a jump and never called.
    Fragment {
        /// The function it is part of, where that is known.
        of: Option<FunctionId>,
    },
    /// A few instructions of the linker's that jump to a function of another object.
    PltStub,
}
