//! The manners of a guest: preloaded into any program, the library changes nothing that the program prints, returns
//! or makes.

mod alone;
mod built;
mod calls;
mod clash;
mod comparison;
mod faults;
mod guests;
#[path = "../needs.rs"]
mod needs;
mod places;
mod programs;
#[path = "../release.rs"]
mod release;
mod stage;
