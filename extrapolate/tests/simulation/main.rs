//! Tests the simulation: against closed forms, against a second simulator, and by what holds for any trace.

mod barriers;
mod closed_forms;
mod collective_calls;
mod complaints;
mod formulas;
mod naive;
mod programs;
mod properties;
mod remote_accesses;
mod traces;
