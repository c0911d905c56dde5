//! A trace as text: one event a line, for people and for generators.
//!
//! ```text
//! whyperf trace 1
//! name MatMul (BLOCK,WHOLE)
//! ranks 4
//! communicator 1 0 2             # its number, and its members by their ranks
//! rank 0-3                       # what follows is done by each of these
//!   repeat 10
//!     compute solve 12.5us
//!     isend +1 1024 tag=5 request=1    # +1: the next rank around
//!     recv -1 tag=5
//!     wait 1
//!   end
//!   allreduce 8 comm=0
//! ```

mod importer;
mod printed;
mod words;

pub use importer::import;
pub use printed::{write_event, write_head};

const FIRST_LINE: &str = "whyperf trace 1";
