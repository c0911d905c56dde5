//! Tests trace files: what is written is read again, and what is wrong with a file or a text is told.

mod damaged;
mod events;
mod text;
mod written;
