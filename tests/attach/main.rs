//! Tests `whyperf attach`: programs that run already are watched, go on as they were, and end as they would have.

mod alike;
mod as_before;
mod attached;
#[path = "../busy_shells.rs"]
mod busy_shells;
#[path = "../copied.rs"]
mod copied;
#[path = "../folder.rs"]
mod folder;
mod jobs;
mod killed;
#[path = "../live/launcher.rs"]
mod launcher;
mod left;
#[path = "../needs.rs"]
mod needs;
#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../live/programs.rs"]
mod programs;
mod refusals;
#[path = "../release.rs"]
mod release;
#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../live/report.rs"]
mod report;
mod requested;
mod rights;
#[expect(dead_code, reason = "the live tests use all of it")]
#[path = "../live/shipped.rs"]
mod shipped;
mod storms;
mod target;
mod text;
mod watching;
