//! Objects as compilers and linkers make them: those of this machine, and some made for the purpose.

mod calls;
mod damage;
mod debug_files;
mod functions;
mod kept;
mod places;
mod workshop;
