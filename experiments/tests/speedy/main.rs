//! The experiments of *Speedy* (Mohr, Malony and Shanmugam) repeated: MatMul in nine distributions, and a Poisson solver, on the CM-5.
//!
//! The programs are written here as what their threads do. `docs/studies/speedy.md` has the figures, and is compared with what comes out.

mod matmul;
mod page;
mod poisson;
mod target;
