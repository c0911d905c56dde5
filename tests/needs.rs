//! Checks the needs of tests: a program or a right that is missing fails the test, unless `WHYPERF_TEST_WITHOUT` names it.

use std::path::Path;
use std::{env, fs};

/// The variable with the names of what may be missing, with spaces between them; the project's own checks do not set it.
const WITHOUT: &str = "WHYPERF_TEST_WITHOUT";

/// Whether a program can be started; it is searched for as a shell does.
pub(crate) fn program(name: &str) -> bool {
    one_of(&[name]).is_some()
}

/// The first of these programs that can be started, which are called for by the first name.
pub(crate) fn one_of<'a>(names: &[&'a str]) -> Option<&'a str> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let is_there = |name: &&&str| folders.iter().any(|folder| is_file(&folder.join(name)));
    let found = names.iter().find(is_there).copied();
    is_met(names[0], found.is_some()).then_some(found).flatten()
}

/// Whether a need is met. One that is not fails the test, unless the variable names it.
pub(crate) fn is_met(need: &str, met: bool) -> bool {
    let excused = env::var(WITHOUT).unwrap_or_default();
    assert!(
        met || excused.split_whitespace().any(|name| name == need),
        "this test needs {need}, which is not here: `cargo xtask packages` installs programs; \
         {WITHOUT}=\"{need}\" leaves the test out"
    );
    met
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file())
}
