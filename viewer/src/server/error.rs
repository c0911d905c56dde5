//! Why there is no server: what was attempted at which address.

use std::io;

/// A server that did not begin.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Nothing can listen there.
    #[error(
        "listening at {address}: {error}; another address, or port 0 for any that is free, may do"
    )]
    Listen {
        /// Where.
        address: String,
        /// Why not.
        error: io::Error,
    },
    /// There is no thread for it.
    #[error("starting the thread of the view: {error}")]
    Thread {
        /// Why not.
        error: io::Error,
    },
}
