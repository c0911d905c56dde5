//! The operators on program events agree with a brute-force oracle on random experiments, and keep the laws of the paper.
//!
//! An experiment is a random forest with a value for each combination of its leaves, from which every result is a sum. The oracle knows no
//! search: it takes each focus there is and asks what the definition says of it.

mod experiment;
mod operators;
mod sets;
mod structure;
