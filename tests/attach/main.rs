//! `whyperf attach`: programs that run already are watched, go on as they were, and end as they would have.

mod attached;
mod jobs;
mod killed;
#[path = "../live/launcher.rs"]
mod launcher;
mod refusals;
#[path = "../live/shipped.rs"]
mod shipped;
mod storms;
mod target;
mod watching;
