//! The expectation of a test program, read from its head comment.

use crate::programs;

/// The lines `hypothesis:`, `function:`, `object:` of a program's head, and what is said of other hypotheses.
#[derive(Debug)]
pub(crate) struct Expectation {
    pub(crate) hypothesis: String,
    pub(crate) function: String,
    pub(crate) object: String,
    /// What it is a program for that is true of it.
    pub(crate) shows: Vec<String>,
    /// What may be true of it, by what else the machine does.
    pub(crate) may_show: Vec<String>,
    /// What it is a program for that is false of it.
    pub(crate) refutes: Vec<String>,
}

/// Reads the head of a source under `tests/programs`.
pub(crate) fn of(source: &str) -> Expectation {
    let path = programs::sources().join(source);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = |name: &str| {
        let marked = text.lines().find_map(|line| line.split_once(&format!("{name}: ")));
        let (_, rest) = marked.unwrap_or_else(|| panic!("{source} has no line `{name}:`"));
        let word = rest.split([';', '(']).next().unwrap_or(rest);
        word.trim().to_owned()
    };
    let names = |name: &str| {
        let marked = text.lines().find_map(|line| line.strip_prefix(&format!(" * {name}: ")));
        let names = marked.into_iter().flat_map(|names| names.split(','));
        names.map(|name| name.trim().to_owned()).collect()
    };
    Expectation {
        shows: names("shows"),
        may_show: names("may show"),
        refutes: names("refutes"),
        hypothesis: line("hypothesis").split(' ').next().unwrap_or_default().to_owned(),
        function: line("function"),
        object: line("object"),
    }
}
