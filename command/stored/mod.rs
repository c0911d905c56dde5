//! The verbs about stored runs: `runs`, `show`, `report`, `view`, `plot`, `diagnose`, `directives` and `store`.

pub(crate) mod diagnose;
mod diagnosis_page;
pub(crate) mod directives;
mod messages;
pub(crate) mod plot;
mod reading;
pub(crate) mod report;
pub(crate) mod runs;
pub(crate) mod show;
pub(crate) mod store_copy;
pub(crate) mod top;
pub(crate) mod view;
mod viewed;
