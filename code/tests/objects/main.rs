//! Objects as compilers and linkers make them: those of this machine, and some made for the purpose.

mod calls;
mod damage;
mod debug_files;
mod functions;
mod kept;
#[path = "../../../tests/needs.rs"]
mod needs;
mod places;
mod temporary_folder;

/// Objects are asked by several threads at once.
const fn is_for_threads<T: Send + Sync>() {}
const _: () = is_for_threads::<whyperf_code::Object>();
