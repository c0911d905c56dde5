//! `doctor` and `clean`: the machine itself.

pub(crate) mod clean;
pub(crate) mod doctor;
pub(crate) mod listing;
