//! Tests the daemon on synthetic regions, under a virtual clock.

mod comparing;
mod ends;
mod golden;
mod hostile;
mod idle;
mod live;
mod messages;
mod over_run;
mod places;
mod sampling;
mod stage;
mod threads;
