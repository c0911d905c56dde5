//! What other tools write and read: profiles come in as runs like any other, and runs go out in the formats of the field.
//!
//! ```text
//!   gprof, callgrind, …: callpath_sums.rs ─┐
//!   TAU profile.n.c.t, ppk ► ForeignProfile ──► a run of the store: profile, record, facts     importing.rs
//!                              │                 and, to the letter, what a run has no room for   (table foreign_part)
//!   a run of the store ────────┴──► TAU, speedscope, pprof, Parquet, …                      exported/
//! ```
//! What a format cannot say is told in a note, and never guessed.

mod caliper_json;
mod caliper_records;
mod callgrind;
mod callpath_sums;
mod chrome_trace;
mod collapsed_stacks;
mod cube;
mod darshan;
mod error;
mod exported;
mod foreign_format;
mod gprof;
mod hpctoolkit;
mod imported_run;
mod importing;
mod markup;
mod mpip;
mod packed_profile;
mod perf_script;
mod pprof_profile;
mod protobuf_fields;
mod speedscope_profile;
mod tau;
mod taudb;
mod unpacking;
mod whyperf_report;

pub use caliper_json::caliper_json;
pub use caliper_records::caliper_records;
pub use callgrind::callgrind;
pub use chrome_trace::chrome_trace;
pub use collapsed_stacks::{StackWeight, collapsed_stacks};
pub use cube::cube;
pub use darshan::darshan;
pub use error::ExchangeError;
pub use exported::{ExportedRun, ExportedTables, TableFormat};
pub use foreign_format::ForeignFormat;
pub use gprof::gprof;
pub use hpctoolkit::hpctoolkit;
pub use importing::{ForeignSource, ImportError, ImportedProfile, import_threads};
pub use markup::markup_escaped;
pub use mpip::mpip;
pub use packed_profile::packed_profile;
pub use perf_script::perf_script;
pub use pprof_profile::pprof_profile;
pub use speedscope_profile::speedscope;
pub use tau::{TauFolder, tau_files};
pub use taudb::{WantedTrial, taudb};
pub use whyperf_report::whyperf_report;
