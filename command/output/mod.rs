//! What whyperf prints: the report, and the terminal it goes to.

pub(crate) mod delivery;
pub(crate) mod report;
pub(crate) mod terminal;
