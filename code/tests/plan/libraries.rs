//! The libraries of the system that planning is tried on.

use std::env;
use std::path::Path;

use whyperf_code::plan::{Islands, Plan, Refusal, plan};
use whyperf_code::{FunctionId, FunctionKind, Object};

use crate::needs;

/// Those that every function of is run: C, mathematics, C++, Fortran, MPI.
pub(crate) const LIBRARIES: [&str; 5] =
    ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libgfortran.so.5", "libmpi.so.40"];

const FOLDERS: [&str; 3] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"];

/// Set to run every function from many states instead of three, and to decode every library again.
const WHOLE: &str = "WHYPERF_PLAN_WHOLE";

/// Whether the tests may take minutes.
pub(crate) fn is_whole() -> bool {
    env::var_os(WHOLE).is_some_and(|value| !value.is_empty())
}

/// A library of this system; `None` where it may be missing.
pub(crate) fn open(name: &str) -> Option<Object> {
    let path = FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists());
    needs::is_met(name, path.is_some());
    path.map(|path| Object::open(&path).expect("a library of the system can be read"))
}

/// Plans every function.
pub(crate) fn plan_all(object: &Object) -> Vec<(FunctionId, Result<Plan, Refusal>)> {
    let mut islands = Islands::new();
    let count = u32::try_from(object.functions().len()).expect("few functions");
    (0..count).map(|id| (FunctionId(id), plan(object, FunctionId(id), &mut islands))).collect()
}

/// The function of a name, not a stub that leads to one.
pub(crate) fn named(object: &Object, name: &str) -> Option<FunctionId> {
    let count = u32::try_from(object.functions().len()).expect("few functions");
    let is_own = |id: &FunctionId| object.functions()[id.index()].kind != FunctionKind::PltStub;
    (0..count)
        .map(FunctionId)
        .filter(is_own)
        .find(|id| object.names(*id).iter().any(|one| one.text == name))
}
