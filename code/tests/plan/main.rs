//! Planning against real libraries, hand-written code, an oracle that runs what was planned, and damaged files.

mod assembly;
mod branches;
mod compilers;
mod damage;
mod differential;
mod exits;
mod libraries;
#[expect(dead_code, reason = "it needs libraries, no programs")]
#[path = "../../../tests/needs.rs"]
mod needs;
mod oracle;
mod prototypes;
mod shapes;
