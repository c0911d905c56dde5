//! The options that say which store a verb reads, and how it prints.

use std::path::PathBuf;

use clap::Args;

use crate::output::terminal::Colour;

/// Which store, and how it is printed.
#[derive(Clone, Debug, Args)]
pub(crate) struct StoreOptions {
    /// The store to read
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true, global = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto, global = true)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}
