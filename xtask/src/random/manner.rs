//! The manner of a function in a random program: what it does beside computing, and how its language expresses it.

/// What a function does beside computing and calling its callees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FunctionManner {
    Plain,
    /// It sleeps in a call that no event tells of.
    Sleeps,
    /// It calls itself.
    Recurses,
    /// It ends in a jump to its last callee.
    JumpsOn,
    /// The same through a pointer.
    JumpsSomewhere,
    /// Its work is calls of a function of a few nanoseconds.
    CallsTiny,
    /// It is a part of its caller once it is compiled, and takes no time of its own.
    Inlined,
}

impl FunctionManner {
    pub(super) const ALL: [Self; 7] = [
        Self::Plain,
        Self::Sleeps,
        Self::Recurses,
        Self::JumpsOn,
        Self::JumpsSomewhere,
        Self::CallsTiny,
        Self::Inlined,
    ];

    /// What the page calls it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "computes and calls others",
            Self::Sleeps => "sleeps, too",
            Self::Recurses => "calls itself",
            Self::JumpsOn => "ends in a jump to a function",
            Self::JumpsSomewhere => "ends in a jump through a pointer",
            Self::CallsTiny => "calls a function of a few nanoseconds",
            Self::Inlined => "is inlined into its caller",
        }
    }

    pub(super) const fn jumps(self) -> bool {
        matches!(self, Self::JumpsOn | Self::JumpsSomewhere)
    }
}

/// What a function is in the language of its program. In C each is plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionForm {
    Plain,
    /// C++: of a namespace, and seen by the linker.
    Namespace,
    /// C++: of a namespace without a name.
    Nameless,
    /// C++: an instance of a template.
    Template,
    /// C++: a method that is called through a table.
    Virtual,
    /// C++: a lambda.
    Lambda,
    /// Fortran: a procedure of a module.
    Module,
    /// Fortran: a procedure of no module.
    External,
    /// Fortran: a procedure inside its caller.
    Internal,
}
