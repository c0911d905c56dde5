//! Data sources and measured processes that need no machine, only for tests and benches.
//!
//! | module | what |
//! |---|---|
//! | `simulate/` | a data source made of a described program under virtual time, checks of the promises of any data source, and random programs and jobs whose truth is known |
//! | `synthetic.rs` | a region file that a test writes through the layout's own writer |
//!
//! No product crate depends on this one: it is a dev-dependency, and `tests/tidy/edges.rs` refuses it anywhere else.

pub mod simulate;
pub mod synthetic;
