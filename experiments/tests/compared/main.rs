//! How often a comparison names what was planted into one of two programs, over hundreds of simulated pairs of experiments.
//!
//! The machine of `machine.rs` is as noisy as one that was measured with other programs beside; `program.rs` says what each planted regression
//! changes. Seeds are fixed, so each count is the same on every machine.

mod machine;
mod program;
mod rates;
