//! Tests the simulation: against closed forms, against a second simulator, and by what holds for any trace.

mod closed_forms;
mod complaints;
mod naive;
mod programs;
mod properties;
mod remote_accesses;
mod traces;
