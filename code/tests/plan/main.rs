//! Planning against real libraries, hand-written code, an oracle that runs what was planned, and damaged files.

mod assembly;
mod branches;
mod compilers;
mod damage;
mod differential;
mod libraries;
mod oracle;
mod prototypes;
mod shapes;
