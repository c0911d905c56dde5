//! The header and the Fortran module: the same bytes as the library, and no effect without it.

use crate::folder::{Folder, make_private};
use crate::output::{output, project};
use crate::release::library;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use whyperf_layout::geometry::{NODES_IN_SLOT, REGIONS, STRINGS, slot_offset};
use whyperf_layout::{
    Header, Kind, METADATA_CAPACITY, MetadataEntry, MetadataTable, Node, RegionRecord,
    UserEventPart,
};

/// Ways to link a program; in the first its weak references are settled by the linker.
const LINKED: [&[&str]; 3] =
    [&["-fno-pie", "-no-pie"], &["-fPIE", "-pie"], &["-fPIE", "-pie", "-Wl,-z,now"]];

fn folder(name: &str) -> Folder {
    Folder::below(&env::temp_dir(), &format!("contract-{name}"))
}

fn compile(compiler: &str, options: &[&str], sources: &[PathBuf], program: &Path) {
    let include = format!("-I{}", project("include").display());
    let mut all: Vec<OsString> =
        vec!["-O2".into(), "-Wall".into(), "-Wextra".into(), "-Werror".into()];
    all.extend(options.iter().map(Into::into));
    all.extend([include.into(), "-o".into(), program.into()]);
    all.extend(sources.iter().map(Into::into));
    let all: Vec<_> = all.iter().map(OsString::as_os_str).collect();
    output(compiler, &all);
}

/// What the program prints, and the regions it leaves, without and with the library.
fn run(program: &Path, folder: &Path) -> (Vec<u8>, Vec<u8>, Vec<PathBuf>) {
    let output = |command: &mut Command| {
        let output = command.output().expect("the program starts");
        assert!(output.status.success(), "{}: {}", program.display(), output.status);
        assert!(output.stderr.is_empty(), "{:?}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let alone = output(Command::new(program).env_remove("LD_PRELOAD").env_remove("WHYPERF_DIR"));
    let mut preloaded = Command::new(program);
    let preloaded = output(preloaded.env("LD_PRELOAD", library()).env("WHYPERF_DIR", folder));
    let entries = fs::read_dir(folder).expect("the folder is ours");
    let paths = entries.map(|entry| entry.expect("the folder is ours").path());
    // What was found out about the machine lies there, too.
    let left = paths.filter(|path| path.extension().is_some_and(|ending| ending == "region"));
    (alone, preloaded, left.collect())
}

/// Visits by name of the program's own regions, summed over all nodes of the first thread.
fn visits(region: &Path) -> Vec<(String, u64)> {
    let file = File::open(region).expect("a region opens");
    let word = |at: usize| {
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, at as u64).expect("inside the file");
        u32::from_le_bytes(bytes)
    };
    let mut found: Vec<(String, u64)> = Vec::new();
    for index in 3..64 {
        let node = slot_offset(0) + NODES_IN_SLOT + index * size_of::<Node>();
        let id = word(node + core::mem::offset_of!(Node, region)) as usize;
        let record = REGIONS + id * size_of::<RegionRecord>();
        let kind = Kind::from_number(word(record + core::mem::offset_of!(RegionRecord, kind)));
        let site = word(node + core::mem::offset_of!(Node, site));
        let is_main = [UserEventPart::Squares, UserEventPart::Extremes]
            .iter()
            .all(|part| part.site() as u32 != site);
        if id == 0 || !matches!(kind, Some(Kind::User | Kind::UserEvent)) || !is_main {
            continue;
        }
        assert_ne!(word(record + core::mem::offset_of!(RegionRecord, address)), 0, "no address");
        let name_at = STRINGS + word(record + core::mem::offset_of!(RegionRecord, name)) as usize;
        let mut name = vec![0; word(name_at) as usize];
        file.read_exact_at(&mut name, name_at as u64 + 4).expect("inside the file");
        let name = String::from_utf8(name).expect("a name in letters");
        let count = u64::from(word(node));
        match found.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => found.push((name, count)),
        }
    }
    found.sort();
    found
}

/// What the program said of itself.
fn said(path: &Path) -> Vec<(String, String)> {
    let file = File::open(path).expect("a region opens");
    let word = |at: usize| {
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, at as u64).expect("inside the file");
        u32::from_le_bytes(bytes) as usize
    };
    let text = |at: usize| {
        let mut text = vec![0; if at == 0 { 0 } else { word(STRINGS + at) }];
        file.read_exact_at(&mut text, (STRINGS + at) as u64 + 4).expect("inside the file");
        String::from_utf8(text).expect("a text in letters")
    };
    let table = offset_of!(Header, metadata);
    let entries = table + offset_of!(MetadataTable, entries);
    let count = word(table + offset_of!(MetadataTable, count));
    let entry = |number: usize| entries + number * size_of::<MetadataEntry>();
    let value = |number| text(word(entry(number) + offset_of!(MetadataEntry, value)));
    (0..count).map(|number| (text(word(entry(number))), value(number))).collect()
}

fn check(compiler: &str, source: &str, expected: &[(&str, u64)]) {
    let source_path = project("tests/programs/api").join(source);
    for (number, options) in LINKED.iter().enumerate() {
        let folder = folder(&format!("{source}-{number}"));
        let program = folder.0.join("program");
        let regions = folder.0.join("regions");
        make_private(&regions);
        compile(compiler, options, std::slice::from_ref(&source_path), &program);
        let (alone, preloaded, left) = run(&program, &regions);
        assert_eq!(alone, preloaded, "{source} {options:?} prints something else");
        assert_eq!(left.len(), 1, "{source} {options:?}: regions {left:?}");
        let seen = visits(&left[0]);
        let seen: Vec<_> = seen.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(seen, expected, "{source} {options:?}");
    }
}

#[test]
fn begin_and_end() {
    check("gcc", "begin_end.c", &[("descend", 4000), ("solve", 1000), ("step", 3000)]);
}

#[test]
fn scopes_in_c() {
    check("gcc", "scope.c", &[("look", 550), ("search", 100)]);
}

#[test]
fn scopes_in_cpp() {
    check("g++", "scope.cpp", &[("even\0numbers", 50), ("half", 100)]);
}

#[test]
fn counters() {
    check("gcc", "counter.c", &[("cells", 1000), ("level [m]", 1000), ("solve", 1000)]);
}

#[test]
fn what_the_program_says_of_itself() {
    let source = project("tests/programs/api/metadata.c");
    for (number, options) in LINKED.iter().enumerate() {
        let folder = folder(&format!("metadata-{number}"));
        let program = folder.0.join("program");
        let regions = folder.0.join("regions");
        make_private(&regions);
        compile("gcc", options, std::slice::from_ref(&source), &program);
        let (alone, preloaded, left) = run(&program, &regions);
        assert_eq!(alone, preloaded, "{options:?} prints something else");
        let said = said(&left[0]);
        let first: Vec<_> = said.iter().take(3).map(|(key, value)| [&key[..], value]).collect();
        let odd = ["odd \u{1b}[31m<&\">\n", "a\tb</value>\\"];
        assert_eq!(first, [["mesh", "fine"], ["empty", ""], odd], "{options:?}");
        assert_eq!(said.len(), METADATA_CAPACITY, "{options:?}");
    }
}

#[test]
fn pause_and_resume() {
    check("gcc", "pause.c", &[("seen", 200)]);
}

#[test]
fn phases() {
    let folder = folder("phases");
    let regions = folder.0.join("regions");
    make_private(&regions);
    let program = folder.0.join("program");
    compile("gcc", &["-no-pie"], &[project("tests/programs/api/phase.c")], &program);
    let (alone, preloaded, left) = run(&program, &regions);
    assert_eq!(alone, preloaded);
    assert_eq!(left.len(), 1, "regions {left:?}");
    let file = File::open(&left[0]).expect("a region opens");
    let mut count = [0; 4];
    let at = core::mem::offset_of!(Header, phase_count) as u64;
    file.read_exact_at(&mut count, at).expect("inside the file");
    assert_eq!(u32::from_le_bytes(count), 3);
}

#[test]
fn every_call_from_fortran() {
    let folder = folder("fortran");
    let regions = folder.0.join("regions");
    make_private(&regions);
    let program = folder.0.join("program");
    let objects = format!("-J{}", folder.0.display());
    let sources = [project("include/whyperf.f90"), project("tests/programs/api/api.f90")];
    compile("gfortran", &[&objects], &sources, &program);
    let (alone, preloaded, left) = run(&program, &regions);
    assert_eq!(alone, preloaded);
    assert_eq!(left.len(), 1, "regions {left:?}");
    let seen = visits(&left[0]);
    let seen: Vec<_> = seen.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(seen, [("cells", 3000), ("level", 1000), ("solve", 1000), ("step\0inner", 3000)]);
    assert_eq!(said(&left[0]), [("mesh".to_owned(), "fine".to_owned())]);
}

#[test]
fn the_header_has_the_bytes_of_the_library() {
    let folder = folder("bytes");
    let source = folder.0.join("bytes.c");
    let text = "#include \"whyperf.h\"\n#include <stddef.h>\n\
        _Static_assert(sizeof(whyperf_region) == 16, \"region\");\n\
        _Static_assert(sizeof(whyperf_counter) == 16, \"counter\");\n\
        _Static_assert(offsetof(whyperf_region, name) == 0, \"name\");\n\
        _Static_assert(offsetof(whyperf_region, id) == 8, \"id\");\n\
        _Static_assert(offsetof(whyperf_region, kind) == 12, \"kind\");\n\
        int main(void) { return 0; }\n";
    fs::write(&source, text).expect("the folder is ours");
    compile("gcc", &["-std=c99"], std::slice::from_ref(&source), &folder.0.join("c"));
    let cpp = folder.0.join("bytes.cpp");
    fs::write(&cpp, "#include \"whyperf.h\"\nint main() { WHYPERF_SCOPE(\"a\"); }\n").unwrap();
    compile("g++", &["-std=c++11"], &[cpp], &folder.0.join("cpp"));
}
