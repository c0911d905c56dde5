//! A function of an object: where its code begins and ends, what kind of code it is, its names.

use std::fmt;

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

/// One name of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As the symbol table has it, without version.
    pub text: String,
    /// The version of it that this function is.
    pub version: Option<String>,
    /// Where the name is visible.
    pub scope: Scope,
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.version {
            Some(version) => write!(f, "@{version}"),
            None => Ok(()),
        }
    }
}

/// Where a name is visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// All objects.
    Global,
    /// All objects, unless another one is found first.
    Weak,
    /// One source file.
    Local,
    /// It is that of a function of another object, which a stub jumps to.
    Imported,
}
