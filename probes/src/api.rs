//! The exported C interface of `include/whyperf.h`.
