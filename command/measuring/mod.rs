//! The verbs that watch programs while they run: `run`, `exec` and `attach`.

pub(crate) mod attach;
pub(crate) mod counters;
pub(crate) mod elf;
pub(crate) mod environment;
pub(crate) mod event;
pub(crate) mod event_queue;
pub(crate) mod exec;
pub(crate) mod keys;
pub(crate) mod launch;
pub(crate) mod leaving;
pub(crate) mod library;
pub(crate) mod mapped_files;
pub(crate) mod options;
pub(crate) mod panic_handler;
mod pass_times;
pub(crate) mod phase_messages;
pub(crate) mod real_time;
pub(crate) mod recording;
pub(crate) mod requested;
pub(crate) mod run;
pub(crate) mod summary;
pub(crate) mod supervision;
pub(crate) mod target;
pub(crate) mod throttle;
mod unheard_signals;
mod unmeasured;
pub(crate) mod watch;
