//! What is known of a pair that is passed too often to be measured all the time.

use whyperf_model::Time;

/// Since when, and how it is measured all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Heat {
    /// When it was found to be.
    pub(crate) since: Time,
    /// The share of the time that its windows cover.
    pub(crate) coverage: f64,
}
