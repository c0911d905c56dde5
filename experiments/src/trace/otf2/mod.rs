//! Traces in the Open Trace Format 2, which Score-P writes and Vampir, Scalasca and others read.
//!
//! ```text
//!   NAME.otf2          the anchor: versions, chunk sizes, how many locations and definitions
//!   NAME.def           definitions: strings, clock, system tree, locations, regions, groups, communicators
//!   NAME/0.def, .evt   of each location: numbers that are its own, and its events
//! ```
//! Files are made of chunks of one size, the last one shorter; a chunk begins with a header that says which events it has. A record
//! is a byte that says which, its length unless it has one member, and its members; numbers take as many bytes as they need.
//! The format is described by the headers and the documentation of the OTF2 library, whose own tools check what is written here.

mod buffer;
mod kinds;
mod reader;
mod volume;
mod writer;

pub use reader::import_otf2;
pub use writer::export_otf2;
