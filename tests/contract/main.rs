//! The promises of the shared object, checked on the machine code that is shipped.
