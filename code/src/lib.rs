//! Reads programs and libraries as files: their functions, their code, their call graph, and their source locations.
//!
//! Addresses are those an object was linked for; a caller that knows a process adds the address where it was loaded.
//! Nothing here knows a process, and everything is read from files that are not trusted: each index is checked, each length
//! bounded.

#![forbid(unsafe_code)]

mod branches;
mod cache;
mod demangle;
mod error;
mod function;
mod lines;
mod object;
mod opening;
pub mod plan;
mod scan;
mod source_location;
mod storage;

pub use branches::{Branch, Branches};
pub use error::ObjectError;
pub use function::{Function, FunctionId, FunctionKind, Name, Scope};
pub use object::{Callee, Calls, Frame, Object};
pub use opening::{Opening, StorageReader};
pub use source_location::SourceLocation;
pub use storage::Storage;
