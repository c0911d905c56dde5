//! Switches every function of a program, and of every one of its libraries, on and off at random while the program runs.
//!
//! Each program works in rounds, and prints the result of one round and whether all were equal; it goes on until a file
//! exists. It runs by itself, then tortured: what it prints and how it ends must be the same, and once everything is
//! disarmed its code must be that of the files.
//!
//! `WHYPERF_TEST_SECONDS_OF_TORTURE` makes it longer, and then no function of a large library is left out.

#[path = "../building.rs"]
mod building;
mod driver;
#[path = "../folder.rs"]
mod folder;
mod headers;
mod module;
mod program;
mod region;
#[path = "../release.rs"]
mod release;

use program::{Program, check};

#[test]
fn exceptions_cross_ten_frames() {
    check(&Program::built("exceptions.cpp"));
}

#[test]
fn jumps_leave_many_frames() {
    check(&Program::built("jumps.c"));
}

#[test]
fn threads_come_go_and_are_cancelled() {
    check(&Program::built("threads.c"));
}

#[test]
fn contexts_take_turns() {
    check(&Program::built("contexts.c"));
}

#[test]
fn recursion_and_tail_calls() {
    check(&Program::built("calls.c"));
}

#[test]
fn threads_are_watched_by_a_sanitizer() {
    check(&Program::sanitized("numbers.c"));
}

#[test]
fn signals_come_at_any_time() {
    check(&Program::built("signals.c"));
}

#[test]
fn signals_are_blocked_at_any_time() {
    check(&Program::built("blocking.c"));
}

#[test]
fn stacks_are_small() {
    check(&Program::built("small_stacks.c"));
}

#[test]
fn nobody_who_waits_is_interrupted() {
    check(&Program::built("waiting.c"));
}

#[test]
fn traps_are_the_programs() {
    check(&Program::built("traps.c"));
}

#[test]
fn processes_are_made() {
    check(&Program::built("processes.c"));
}

#[test]
fn libraries_come_and_go() {
    check(&Program::built("libraries.c"));
}

#[test]
fn text_is_written_read_and_sorted() {
    check(&Program::built("text.c"));
}

#[test]
fn functions_of_mathematics_keep_their_results() {
    check(&Program::built("mathematics.c"));
}

#[test]
fn functions_of_strings_keep_their_results() {
    check(&Program::built("strings.c"));
}

#[test]
fn further_numbers_keep_their_results() {
    check(&Program::built("numbers.c"));
}

#[test]
fn further_text_keeps_its_results() {
    check(&Program::built("letters.c"));
}

#[test]
fn fortran_computes_and_writes() {
    check(&Program::built("fortran.f90"));
}

#[test]
fn ranks_of_open_mpi_exchange() {
    check(&Program::ranks("openmpi"));
}

#[test]
fn ranks_of_mpich_exchange() {
    check(&Program::ranks("mpich"));
}

#[test]
fn python_reads_and_matches() {
    check(&Program::python());
}
