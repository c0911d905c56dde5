//! Finds the trace that a word names: a file, or a run of the store that was traced.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use whyperf_experiments::{Access, MISSING, Selector, Store, TraceFile, trace_of};

use crate::output::terminal::{self, plain};

/// The store whose runs have traces.
#[derive(Clone, Debug, Args)]
pub(crate) struct TraceStore {
    /// The store of the run
    #[arg(long, value_name = "FILE", env = "WHYPERF_STORE", hide_env_values = true)]
    #[arg(default_value = "whyperf.db")]
    store: PathBuf,
}

impl TraceStore {
    /// The trace that this names.
    pub(crate) fn find(&self, named: &Path) -> Result<PathBuf> {
        find(&self.store, named)
    }
}

/// The trace that this names: a file, or else a run of that store.
pub(crate) fn find(store: &Path, named: &Path) -> Result<PathBuf> {
    let selector = named.to_str().and_then(|text| text.parse::<Selector>().ok());
    // What reads like a path is one, also where nothing is.
    let is_path = named.exists() || named.extension().is_some() || named.components().count() > 1;
    let Some(selector) =
        selector.filter(|_| !is_path && (Store::is_server(store) || store.exists()))
    else {
        return Ok(named.to_owned());
    };
    let run = Store::open(store, Access::Read)?.find(&selector)?;
    let path = trace_of(store, run.as_str());
    if !path.exists() {
        bail!("run {} was not traced; `whyperf run --trace` records one that is", run.short());
    }
    Ok(path)
}

/// Says what is missing in a trace, so that what is simulated of it is not taken for the whole.
pub(crate) fn tell_missing(trace: &TraceFile) {
    let missing = trace.about().facts.iter().filter(|(name, _)| name == MISSING);
    for (_, what) in missing {
        let path = trace.path().display().to_string();
        terminal::put(&format!("whyperf: missing in {}: {}\n", plain(&path), plain(what)));
    }
}
