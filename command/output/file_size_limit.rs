//! The limit of a file's size: what is written beyond it is an error of that write, and does not end whyperf.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;
use whyperf_inject::ProcessStatus;

/// From now on a write beyond `RLIMIT_FSIZE` answers an error. A program started later has the disposition that whyperf was
/// started with: a handler does not survive `exec`, and a signal that was ignored is left ignored.
pub(crate) fn answer_errors() -> Result<()> {
    if ProcessStatus::of("self").is_none_or(|status| !status.has("SigIgn", SIGXFSZ)) {
        // The handler is what is wanted; nobody reads the flag.
        flag::register(SIGXFSZ, Arc::default()).context("catching SIGXFSZ")?;
    }
    Ok(())
}
