//! The verbs about the machine and the command itself: `doctor`, `clean`, `completions` and `manual`.

pub(crate) mod clean;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod listing;
pub(crate) mod manual;
