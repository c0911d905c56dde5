//! The manners of a guest: preloaded into any program, the library changes nothing that the program prints, returns
//! or makes.

mod alone;
mod calls;
mod clash;
mod comparison;
mod guests;
mod places;
mod programs;
mod shipped;
mod stage;
