//! Shells that keep processors busy.

use std::process::{Child, Command};

/// They spin until this is dropped.
#[derive(Debug)]
pub(crate) struct BusyShells(Vec<Child>);

impl BusyShells {
    /// So many, each started by such a command.
    pub(crate) fn start(count: usize, shell: impl Fn() -> Command) -> Self {
        let spin = |_| shell().args(["-c", "while :; do :; done"]).spawn();
        Self((0..count).map(|number| spin(number).expect("a shell starts")).collect())
    }
}

impl Drop for BusyShells {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
