//! The refusal of a function: the reason why it is not patched, in a sentence for the user and a short code for programs.

use std::fmt;

use super::deny::Group;

/// A reason why a function cannot be switched on. Addresses are those of the object file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its name is on the deny list: see `deny.rs`, which also keeps it from being searched.
    Denied(Group),
    /// Neither its symbol nor its unwind table says where it ends.
    NoSize,
    /// Its bytes are not in an executable segment of the file.
    NotExecutableFile,
    /// An instruction that has to be understood cannot be decoded.
    NotDecodable {
        /// Where decoding stopped.
        at: u64,
    },
    /// There is no room for a jump and nothing dead behind it.
    TooShort,
    /// Another instruction of the object jumps into the bytes that would change.
    BranchIntoPatch {
        /// The instruction that jumps.
        from: u64,
    },
    /// A jump through a table that could not be read may land in the bytes that would change.
    UnknownJumpTable {
        /// The jump.
        at: u64,
    },
    /// An exception handler begins in the bytes that would change.
    LandingPadInPatch {
        /// Where the handler begins.
        at: u64,
    },
    /// A call that would have to be moved returns into the bytes that would change.
    CallIntoPatch {
        /// The call.
        at: u64,
    },
    /// A second function begins in the bytes that would change.
    SecondEntryInPatch {
        /// Where it begins.
        entry: u64,
    },
    /// It is a piece of a function, entered by a jump.
    ColdFragment,
    /// It chooses an implementation while the program is being loaded.
    IfuncResolver,
    /// It is a stub of the procedure linkage table.
    PltStub,
    /// An instruction that would have to be moved works only where it is.
    CannotRelocate {
        /// The instruction.
        at: u64,
        /// What it is.
        what: Unmovable,
    },
    /// What is addressed lies more than 2 GiB from the place of the copy.
    ArenaOutOfReach,
    /// The function around it runs on into its entry.
    InsideAnother {
        /// Entry of the function around it.
        outer: u64,
    },
    /// Another function jumps to its entry while something of that function's frame is left.
    EnteredByJump {
        /// Entry of the other function.
        from: u64,
    },
    /// It jumps to its own entry while its frame is open.
    LoopToEntry {
        /// The jump.
        from: u64,
    },
    /// It looks at its own return address.
    ReadsReturnAddress {
        /// The instruction that looks.
        at: u64,
    },
    /// It moves to another stack.
    StackSwitch {
        /// The instruction that moves.
        at: u64,
    },
    /// It removes its arguments from the stack when it returns.
    RetImm {
        /// The returning instruction.
        at: u64,
    },
    /// The object's functions are called by rules of their own.
    PrivateCallingConvention(Language),
    /// The copy, decoded again, is not what was copied.
    CopyDiffers {
        /// The instruction whose copy differs.
        at: u64,
    },
}

/// Instructions that work only where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmovable {
    /// A thread may wait in the kernel with its address.
    SystemCall,
    /// It begins a transaction, which may resume at its address.
    Transaction,
    /// It traps, and its address tells why.
    Trap,
    /// It leaves this code segment, or returns from an interrupt.
    FarTransfer,
    /// Its form depends on the processor or truncates the address.
    ShortAddress,
    /// A call through memory at the stack pointer, which moving it would move.
    StackCall,
}

/// Languages whose functions are not called by the rules of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Go moves stacks and keeps its own state in registers.
    Go,
    /// GHC passes arguments in preserved registers.
    Haskell,
    /// OCaml keeps its own state in preserved registers.
    OCaml,
}

impl Refusal {
    /// A word for programs that never changes.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Denied(_) => "denied",
            Self::NoSize => "no-size",
            Self::NotExecutableFile => "not-executable-file",
            Self::NotDecodable { .. } => "not-decodable",
            Self::TooShort => "too-short",
            Self::BranchIntoPatch { .. } => "branch-into-patch",
            Self::UnknownJumpTable { .. } => "unknown-jump-table",
            Self::LandingPadInPatch { .. } => "landing-pad-in-patch",
            Self::CallIntoPatch { .. } => "call-into-patch",
            Self::SecondEntryInPatch { .. } => "second-entry-in-patch",
            Self::ColdFragment => "cold-fragment",
            Self::IfuncResolver => "ifunc-resolver",
            Self::PltStub => "plt-stub",
            Self::CannotRelocate { .. } => "cannot-relocate",
            Self::ArenaOutOfReach => "arena-out-of-reach",
            Self::InsideAnother { .. } => "inside-another",
            Self::EnteredByJump { .. } => "entered-by-jump",
            Self::LoopToEntry { .. } => "loop-to-entry",
            Self::ReadsReturnAddress { .. } => "reads-return-address",
            Self::StackSwitch { .. } => "stack-switch",
            Self::RetImm { .. } => "ret-imm",
            Self::PrivateCallingConvention(_) => "private-calling-convention",
            Self::CopyDiffers { .. } => "copy-differs",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied(group) => write!(to, "{group}"),
            Self::NotDecodable { at } => write!(to, "the bytes at {at:#x} are no instruction"),
            Self::BranchIntoPatch { from } => {
                write!(to, "the code at {from:#x} jumps behind its first byte")
            }
            Self::UnknownJumpTable { at } => {
                write!(to, "the indirect jump at {at:#x} may lead behind its first byte")
            }
            Self::LandingPadInPatch { at } => {
                write!(to, "an exception handler begins at {at:#x}, behind its first byte")
            }
            Self::CallIntoPatch { at } => {
                write!(to, "the call at {at:#x} returns into the bytes that would change")
            }
            Self::SecondEntryInPatch { entry } => {
                write!(to, "another function begins at {entry:#x}, behind its first byte")
            }
            Self::CannotRelocate { at, what } => write!(to, "{what} at {at:#x} cannot be moved"),
            Self::InsideAnother { outer } => {
                write!(to, "it lies inside of the function at {outer:#x}, which runs on into it")
            }
            Self::EnteredByJump { from } => {
                write!(to, "the function at {from:#x} jumps to it with its own frame open")
            }
            Self::LoopToEntry { from } => {
                write!(to, "the jump at {from:#x} leads to its entry while its frame is open")
            }
            Self::ReadsReturnAddress { at } => {
                write!(to, "the instruction at {at:#x} looks at its return address")
            }
            Self::StackSwitch { at } => write!(to, "it moves to another stack at {at:#x}"),
            Self::RetImm { at } => {
                write!(to, "the return at {at:#x} removes arguments from the stack")
            }
            Self::PrivateCallingConvention(language) => {
                write!(to, "{language} code is called by rules of its own")
            }
            Self::CopyDiffers { at } => {
                write!(to, "the copy of the instruction at {at:#x} could not be confirmed")
            }
            Self::NoSize => {
                to.write_str("neither its symbol nor its unwind table says where it ends")
            }
            Self::NotExecutableFile => {
                to.write_str("its code is not in an executable segment of the file")
            }
            Self::TooShort => to.write_str("it is shorter than a jump and other code follows"),
            Self::ColdFragment => {
                to.write_str("it is a piece of another function, entered by a jump")
            }
            Self::IfuncResolver => {
                to.write_str("it chooses an implementation while the program is loaded")
            }
            Self::PltStub => to.write_str("it only leads to a function of another object"),
            Self::ArenaOutOfReach => {
                to.write_str("no free memory lies within 2 GiB of its code and of its data")
            }
        }
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Unmovable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::SystemCall => "the system call",
            Self::Transaction => "the start of a transaction",
            Self::Trap => "the trap",
            Self::FarTransfer => "the far jump",
            Self::ShortAddress => "the instruction with a shortened address",
            Self::StackCall => "the call through the stack",
        })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Go => "Go",
            Self::Haskell => "Haskell",
            Self::OCaml => "OCaml",
        })
    }
}
