//! `whyperf attach`: programs that run already are watched, go on as they were, and end as they would have.

mod attached;
mod jobs;
mod launcher;
mod refusals;
mod shipped;
mod storms;
mod target;
mod watching;
