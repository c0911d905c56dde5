//! The promises of the shared object, checked on the machine code that is shipped.

mod interface;
mod machine_code;
mod shipped;
mod symbols;
