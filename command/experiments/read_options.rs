//! The options of the verbs about several runs that say which store they read, and how they print.

use std::path::PathBuf;

use clap::Args;

use crate::output::terminal::{Colour, OutputStyle};

/// Which store is read, and in which colours it is told.
#[derive(Debug, Args)]
pub(crate) struct ReadOptions {
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(super) store: PathBuf,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    color: Colour,
}

impl ReadOptions {
    /// How standard output is printed on.
    pub(super) fn style(&self) -> OutputStyle {
        OutputStyle::of_stdout(self.color)
    }
}
