//! The options that say where a run is stored, under which names, and which directives lead its search.

use std::path::PathBuf;

use clap::builder::FalseyValueParser;
use clap::{ArgAction, Args};

use crate::search::directive_file::DirectiveFile;

/// Where a run is kept, and under which names.
#[derive(Clone, Debug, Args)]
pub(crate) struct StorageOptions {
    /// Keep the run in this store
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    pub(crate) store: PathBuf,
    /// Keep nothing of the run
    #[arg(long, env = "WHYPERF_NO_STORE", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) no_store: bool,
    /// Store the command's words as they are: else what looks like a password or a token is masked
    #[arg(long)]
    pub(crate) keep_arguments: bool,
    /// What program it is; its file name when nothing is said
    #[arg(long, value_name = "NAME", env = "WHYPERF_APPLICATION", hide_env_values = true)]
    pub(crate) application: Option<String>,
    /// The file of the program that is going to be measured, where it is known.
    #[arg(skip)]
    pub(crate) program: Option<PathBuf>,
    /// How many ranks the launcher is asked to start, where it says so.
    #[arg(skip)]
    pub(crate) ranks: Option<usize>,
    /// What is being varied
    #[arg(long, value_name = "NAME", env = "WHYPERF_EXPERIMENT", hide_env_values = true)]
    pub(crate) experiment: Option<String>,
    /// What this run is in the experiment; its time when nothing is said
    #[arg(long, value_name = "NAME", env = "WHYPERF_TRIAL", hide_env_values = true)]
    pub(crate) trial: Option<String>,
    /// Lead the search by these directives; may be repeated
    #[arg(long, value_name = "FILE", env = "WHYPERF_DIRECTIVES", hide_env_values = true)]
    #[arg(value_delimiter = ':', value_parser = DirectiveFile::parser())]
    pub(crate) directives: Vec<DirectiveFile>,
    /// Lead the search by what earlier runs of the same application found
    #[arg(long, env = "WHYPERF_LEARN", hide_env_values = true)]
    #[arg(action = ArgAction::SetTrue, value_parser = FalseyValueParser::new())]
    pub(crate) learn: bool,
}
