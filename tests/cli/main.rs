//! Tests the command line from outside: what it refuses, what it returns, and that it does not disturb the program.
//!
//! The command comes from `WHYPERF_TEST_BIN_DIR`, or else from the build of this test.

mod bad_input;
mod command;
mod compared;
mod control;
#[path = "../copied.rs"]
mod copied;
mod exec;
mod extrapolated;
mod hostile;
mod json;
mod keys;
mod kinds;
mod limits;
mod machines;
mod manners;
mod mistakes;
mod namespaces;
#[path = "../needs.rs"]
mod needs;
#[path = "../../experiments/tests/store/postgres_server.rs"]
mod postgres_server;
mod report;
mod run_directories;
mod schema;
mod server;
mod signals;
mod store;
mod top;
mod traces;
mod unmade;
mod verbs;
mod view;
