//! The `whyperf` command: one file per verb.
#![forbid(unsafe_code)]

mod arguments;
mod library;
mod report;
mod target;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::{Arguments, Verb};

fn main() -> ExitCode {
    ExitCode::SUCCESS
}
