//! The kinds of random programs, and how each is compiled.

use super::generator::Generator;
use super::manner::FunctionManner;

/// What a program is written in, and what is special about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProgramKind {
    C,
    /// C, and some functions are inlined into their callers.
    Inlined,
    /// C, and another function is the hot one from the middle of the run on.
    Phases,
    /// C, and threads that live for 20 to 300 milliseconds.
    ShortThreads,
    /// Namespaces, templates, virtual methods and lambdas.
    Cpp,
    /// Modules, external and internal procedures.
    Fortran,
}

impl ProgramKind {
    pub(super) const ALL: [Self; 6] =
        [Self::C, Self::Inlined, Self::Phases, Self::ShortThreads, Self::Cpp, Self::Fortran];

    /// What the options and the tables call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Inlined => "inlined",
            Self::Phases => "phases",
            Self::ShortThreads => "threads",
            Self::Cpp => "c++",
            Self::Fortran => "fortran",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a program where none was asked for: they take turns.
    pub(super) fn of_seed(seed: u64) -> Self {
        let turn = seed % Self::ALL.len() as u64;
        usize::try_from(turn).map_or(Self::C, |turn| Self::ALL[turn])
    }

    /// What its functions do.
    pub(super) const fn manners(self) -> &'static [FunctionManner] {
        use FunctionManner::{
            CallsTiny, Inlined, JumpsOn, JumpsSomewhere, Plain, Recurses, Sleeps,
        };
        match self {
            Self::C | Self::ShortThreads => {
                &[Plain, Sleeps, Recurses, JumpsOn, JumpsSomewhere, CallsTiny]
            }
            Self::Inlined => &[Plain, Inlined, Inlined, Inlined, Recurses, JumpsOn, CallsTiny],
            // Nothing but the phases decides what is hot when.
            Self::Phases => &[Plain, Plain, Sleeps, Recurses, CallsTiny],
            Self::Cpp | Self::Fortran => &[Plain, Plain, Sleeps, Recurses, CallsTiny],
        }
    }

    /// The ending of its source file.
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::Cpp => "cpp",
            Self::Fortran => "f90",
            _ => "c",
        }
    }

    /// A compiler, and the options that it takes beside those that all take.
    pub(super) fn compiler(self, random: &mut Generator) -> &'static str {
        match self {
            Self::Cpp => "g++",
            Self::Fortran => "gfortran",
            _ => random.one_of(&["gcc", "gcc", "clang-14"]),
        }
    }

    /// Without them it does not compile to the functions that its text has.
    pub(super) const fn needed_options(self) -> &'static [&'static str] {
        match self {
            // There is no word in the text that keeps a procedure from being inlined.
            Self::Fortran => &["-fno-inline", "-ffree-line-length-none", "-fopenmp"],
            _ => &["-pthread"],
        }
    }
}
