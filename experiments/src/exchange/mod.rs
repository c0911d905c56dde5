//! What other tools write and read: profiles come in as runs like any other, and runs go out in the formats of the field.
//!
//! ```text
//!   TAU profile.n.c.t, ppk ► ForeignProfile ──► a run of the store: profile, record, facts     imported_run.rs
//!                              │                 and, to the letter, what a run has no room for   (table foreign_profile)
//!   a run of the store ────────┴──► TAU, collapsed stacks, speedscope, pprof, …             exported/
//! ```
//! What a format cannot say is told in a note, and never guessed.

mod collapsed_stacks;
mod error;
mod exported;
mod imported_run;
mod packed_profile;
mod tau;

pub use collapsed_stacks::{StackWeight, collapsed_stacks};
pub use error::ExchangeError;
pub use exported::ExportedRun;
pub use packed_profile::packed_profile;
pub use tau::{TauFile, tau_files};
