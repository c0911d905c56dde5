//! Every function that the headers of mathematics and text declare is called by one of the programs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::building::succeed;
use crate::folder::Folder;
use crate::program::sources;

/// The programs that call them.
pub(crate) const CALLERS: [&str; 5] =
    ["mathematics.c", "strings.c", "numbers.c", "letters.c", "text.c"];
/// What keeps the compiler from putting something else in the place of a call.
pub(crate) const OPTIONS: [&str; 2] = ["-fno-builtin", "-fno-inline"];

/// Functions that a program exports or lacks, by name, with where they are.
fn symbols(kind: &str, path: &Path) -> Vec<(String, String)> {
    let output = Command::new("nm").args(["-D", kind]).arg(path).output().expect("nm is installed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = text.lines().filter_map(|line| {
        let (rest, name) = line.rsplit_once(' ')?;
        let place = rest.split_whitespace().next().unwrap_or_default();
        let name = name.split('@').next().unwrap_or_default();
        Some((name.to_owned(), format!("{} {place}", path.display())))
    });
    named.collect()
}

/// The names of all functions that the headers declare.
fn declared() -> BTreeSet<String> {
    let mut compiler = Command::new("gcc");
    compiler.args(["-E", "-P", "-D_GNU_SOURCE", "-x", "c", "-"]);
    let mut child = compiler
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the compiler is installed");
    let mut input = child.stdin.take().expect("it was piped");
    let lines = HEADERS.map(|name| format!("#include <{name}.h>\n")).concat();
    input.write_all(lines.as_bytes()).expect("it reads all of it");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let declarations = text.split(';').filter(|one| one.trim_start().starts_with("extern"));
    let names = declarations.filter_map(|one| {
        let before = one.split_once('(')?.0.trim_end();
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        (!name.is_empty() && !name.starts_with("__")).then(|| name.to_owned())
    });
    names.collect()
}

/// Where the functions of the libraries are that the programs call.
fn called(places: &BTreeMap<String, BTreeSet<String>>, folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for source in CALLERS {
        let program = folder.join(source.trim_end_matches(".c"));
        let mut compile = Command::new("gcc");
        compile.args(["-O2", "-w", "-pthread"]).args(OPTIONS).arg(sources().join(source));
        succeed(compile.arg("-o").arg(&program).arg("-lm"));
        let wanted = symbols("--undefined-only", &program);
        found.extend(wanted.iter().filter_map(|(name, _)| places.get(name)).flatten().cloned());
    }
    found
}

#[test]
fn all_that_the_headers_declare_are_called() {
    let folder = Folder::below(&env::temp_dir(), "headers");
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for library in ["libc.so.6", "libm.so.6"] {
        let output = Command::new("gcc").arg(format!("-print-file-name={library}")).output();
        let path = String::from_utf8(output.expect("it is installed").stdout).expect("a path");
        let path = PathBuf::from(path.trim());
        for (name, place) in symbols("--defined-only", &path) {
            places.entry(name).or_default().insert(place);
        }
    }
    let called = called(&places, &folder.0);
    let declared = declared();
    assert!(declared.len() > 500, "{declared:?}");
    // A name that stands for the same code as another one is called as that.
    let is_called = |name: &String| places.get(name).is_none_or(|all| !all.is_disjoint(&called));
    let missing: Vec<&String> = declared.iter().filter(|name| !is_called(name)).collect();
    let missing: Vec<_> = missing.iter().filter(|name| !is_of_standard_streams(name)).collect();
    assert!(missing.is_empty(), "nobody calls {missing:?}");
}

/// Those would mix wide text into what the programs print; and names that headers give to others.
fn is_of_standard_streams(name: &str) -> bool {
    let scans = ["fwscanf", "swscanf", "vfwscanf", "vswscanf"];
    ["wprintf", "vwprintf", "wscanf", "vwscanf"].contains(&name)
        || name.starts_with("getwchar")
        || name.starts_with("putwchar")
        || scans.contains(&name)
}

const HEADERS: [&str; 8] =
    ["math", "complex", "fenv", "string", "strings", "wchar", "wctype", "ctype"];
