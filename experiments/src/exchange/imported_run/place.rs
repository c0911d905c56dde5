//! What the name of a timer says of where it is, and of what it does.

use whyperf_model::{Category, Hierarchy, Resource};

/// What a name says: `exchange [{/src/solver.c} {20,1}]`.
pub(super) struct Place<'a> {
    pub(super) function: &'a str,
    file: Option<&'a str>,
    line: Option<&'a str>,
}

impl<'a> Place<'a> {
    pub(super) fn of(name: &'a str) -> Self {
        let plain = Self { function: name, file: None, line: None };
        let Some((function, place)) = name.split_once(" [{") else { return plain };
        let Some((file, rest)) = place.split_once('}') else { return plain };
        let line =
            rest.trim_start().strip_prefix('{').and_then(|rest| rest.split([',', '}']).next());
        Self { function: function.trim(), file: Some(file), line }
    }

    fn is_mpi(&self) -> bool {
        self.function.starts_with("MPI_")
    }

    /// Where it is in the hierarchy of code; what only waits has no place of its own.
    pub(super) fn resource(&self) -> Option<Resource> {
        if self.is_mpi() {
            return None;
        }
        let code = Resource::root(Hierarchy::Code);
        let module = self.file.map(|file| file.rsplit('/').next().unwrap_or(file));
        Some(module.map_or_else(|| code.clone(), |module| code.child(module)).child(self.function))
    }

    pub(super) fn source(&self) -> Option<String> {
        let file = self.file?.rsplit('/').next()?;
        Some(self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
    }

    /// What it does, and on what.
    pub(super) fn meaning(&self) -> (Category, Option<Resource>) {
        if !self.is_mpi() {
            return (Category::User, None);
        }
        let name = self.function.trim_end_matches("()");
        let object = |name: &str| Some(Resource::root(Hierarchy::SyncObject).child(name));
        let collective = || object("Collective").map(|all| all.child(&name[4..]));
        match name {
            "MPI_Init" | "MPI_Init_thread" | "MPI_Finalize" => (Category::Setup, None),
            "MPI_Send" | "MPI_Ssend" | "MPI_Bsend" | "MPI_Rsend" => {
                (Category::Send, object("Message"))
            }
            "MPI_Recv" | "MPI_Mrecv" => (Category::Receive, object("Message")),
            "MPI_Sendrecv" | "MPI_Sendrecv_replace" => (Category::Exchange, object("Message")),
            "MPI_Isend" | "MPI_Issend" | "MPI_Ibsend" | "MPI_Irsend" | "MPI_Irecv"
            | "MPI_Start" | "MPI_Startall" => (Category::Post, object("Message")),
            "MPI_Barrier" => (Category::Barrier, object("Barrier")),
            _ if name.starts_with("MPI_Wait")
                || name.starts_with("MPI_Test")
                || name.contains("robe") =>
            {
                (Category::Wait, object("Message"))
            }
            _ if name.starts_with("MPI_File_") => (Category::MpiFile, None),
            _ if name.starts_with("MPI_Win_") => (Category::OneSided, object("Window")),
            _ if COLLECTIVES.iter().any(|one| name[4..].starts_with(one)) => {
                (Category::Collective, collective())
            }
            _ => (Category::MpiOther, None),
        }
    }
}

/// How the names of collectives begin.
const COLLECTIVES: [&str; 8] =
    ["Allreduce", "Reduce", "Bcast", "Gather", "Scatter", "Allgather", "Alltoall", "Scan"];
