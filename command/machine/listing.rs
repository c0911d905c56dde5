//! The output options of a verb that runs no program.

use clap::Args;

use crate::output::terminal::Colour;

/// How a verb prints that runs nothing.
#[derive(Clone, Debug, Args)]
pub(crate) struct Listing {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Use colour always, never, or (auto) on a terminal unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Colour::Auto)]
    #[arg(hide_possible_values = true)]
    pub(crate) color: Colour,
}
