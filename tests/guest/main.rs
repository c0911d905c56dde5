//! Checks that the library disturbs no program: preloaded into any program, it changes nothing that the program prints,
//! returns or makes.

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
mod stacks;
mod stage;
