//! The verbs about the machine itself: `doctor` and `clean`.

pub(crate) mod clean;
pub(crate) mod doctor;
pub(crate) mod listing;
