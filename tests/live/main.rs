//! Runs real programs under the real command, and checks that the report says what is known to be true.
//!
//! The head comment of each program of `tests/programs` states what the program is expected to show; the tests read it
//! there. The command and the shared object come from `WHYPERF_TEST_BIN_DIR`, or else from `target/release`.

mod asked;
mod bottlenecks;
#[path = "../building.rs"]
mod building;
#[path = "../busy_shells.rs"]
mod busy_shells;
mod bytes;
mod causes;
mod code;
mod compared;
#[path = "../copied.rs"]
mod copied;
mod cost;
mod counted;
mod creation;
mod diagnosed;
mod efficiency;
mod expectation;
mod hot;
mod launcher;
mod lessons;
mod long_receive;
mod machines;
mod manners;
mod messages;
#[path = "../needs.rs"]
mod needs;
mod odd_code;
mod pattern;
mod phases;
mod poisson;
mod programs;
#[path = "../release.rs"]
mod release;
mod report;
mod restored;
mod sampled;
mod shipped;
mod time;
mod told;
mod traced;
