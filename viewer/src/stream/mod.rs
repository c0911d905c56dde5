//! Streams: record-oriented data of other sources that is shown beside a run, on the same axis of time.
//!
//! ```text
//!   lines of a file or a command ──► StreamReader ──► DataStream ──► StreamDocument ──► pictures of the page
//!                                        ▲              columns, and what is wrong with which line
//!        attribute names and types ──────┘
//!        in a small TOML, or a header
//! ```
//!
//! It is the model of Devise: a stream has records of *attributes*, whose names and types a schema tells, and a picture maps attributes to
//! graphical ones: x, y, colour, size and shape. A line that is malformed is named with line and column, and left out.

mod attribute;
mod declaration;
mod document;
mod fields;
mod pictures;
mod reader;
mod records;

pub use attribute::{AttributeKind, StreamAttribute, StreamClock};
pub use declaration::{DeclarationError, PictureKind, StreamDeclaration, StreamPicture};
pub use document::{ColumnDocument, MalformedRow, StreamDocument};
pub use records::DataStream;
