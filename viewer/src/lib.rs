//! Shows a run: as a page in the browser, as one file with the page and the data, and as text.
//!
//! ```text
//!   stored run ──► ViewedRun::stored ──┐
//!                                      ├──► ViewedRun ──► documents ──► page in a browser, report file, markdown
//!   live run ────► RunChange ──────────┘                  (docs/viewer.md)
//! ```
//!
//! A [`ViewedRun`] holds all that is shown of a run, whichever way it came in, and every way out of it is the same
//! [documents](document): so a report, a stored run and a live one cannot differ.
//!
//! This crate knows no process and measures nothing; each number that it shows can be printed by the command.
#![forbid(unsafe_code)]

mod change;
mod content;
mod document;
mod error;
mod figure;
mod image;
mod known_bins;
mod markdown;
mod page;
mod profile;
mod report_file;
mod rows;
mod series;
mod server;
mod stored;
mod stored_series;
mod stream;
mod top;
mod viewed_run;

pub use change::{RunChange, SeriesPart};
pub use content::RunHead;
pub use document::{ChangeDocument, GraphDocument, Progress, RunDocument, RunState, VERSION};
pub use error::ViewError;
pub use figure::{FigureLine, FigureRange, figure};
pub use image::{ImageError, png};
pub use markdown::markdown;
pub use profile::{CallpathRow, ProfileDocument};
pub use report_file::{DIVISION, report_file};
pub use rows::{
    HypothesisRow, LogRow, MessagesRow, MetricRow, ParentRow, PhaseRow, QuestionRow, ResourceRow,
};
pub use series::SeriesDocument;
pub use server::{
    AccessRules, Answer, Command, CommandRequest, CommandSender, PriorityLevel, ServeError, Shown,
    Token, ViewAddress, ViewServer,
};
pub use stream::{
    AttributeKind, ColumnDocument, DataStream, DeclarationError, MalformedRow, PictureKind,
    StreamAttribute, StreamClock, StreamDeclaration, StreamDocument, StreamPicture,
};
pub use top::draw_top;
pub use viewed_run::{Bins, ViewedRun};
