//! The errors of a view: what was attempted on what.

use whyperf_experiments::StoreError;

/// Why something cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The store does not give the run.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The report that the store holds is not JSON.
    #[error(
        "the report of run {run} in the store makes no sense: {reason}; `whyperf diagnose {run}` makes another"
    )]
    BadReport {
        /// Which run.
        run: String,
        /// Why not.
        reason: serde_json::Error,
    },
    /// A document cannot be written as JSON.
    #[error("writing what is shown as JSON: {0}")]
    Json(#[from] serde_json::Error),
}
