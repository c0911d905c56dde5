//! The two MPI launchers of the machine.

/// An MPI implementation that programs are built for and run by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mpi {
    OpenMpi,
    Mpich,
}

impl Mpi {
    /// Its name in the programs' Makefile.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// The words that start so many ranks of what follows.
    pub(crate) fn launch(self, ranks: usize) -> Vec<String> {
        let words = match self {
            Self::OpenMpi => {
                format!("mpirun.openmpi --oversubscribe {} -n {ranks}", root_permission())
            }
            Self::Mpich => format!("mpirun.mpich -n {ranks}"),
        };
        words.split_whitespace().map(str::to_owned).collect()
    }
}

/// Open MPI refuses to run as root unless told twice.
fn root_permission() -> &'static str {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let root = status.lines().any(|line| line.starts_with("Uid:\t0\t"));
    if root { "--allow-run-as-root" } else { "" }
}
