//! Symbols and debug information in files of their own, and of other builds.

use std::fs;

use whyperf_code::{Object, ObjectError};

use crate::needs;
use crate::temporary_folder::{TemporaryFolder, named};

const PROGRAM: &str = "#include <stdio.h>\n\
    __attribute__((noinline)) static int hidden(int n) { return printf(\"%d\", n); }\n\
    int main(int c, char **v) { return hidden(c) + 1; }\n";

fn stripped(name: &str, flags: &str) -> TemporaryFolder {
    let folder = TemporaryFolder::new(name);
    folder.write("a.c", PROGRAM);
    folder.run(&format!("gcc -g -O2 {flags} a.c -o prog"));
    folder.run("objcopy --only-keep-debug prog prog.debug");
    folder.run("objcopy --strip-all --add-gnu-debuglink=prog.debug prog");
    folder
}

#[test]
fn symbols_and_lines_come_from_the_file_that_is_named() {
    for flags in ["", "-Wl,--build-id=none", "-gz"] {
        let folder = stripped("named", flags);
        let object = folder.open("prog");
        let place = object.place_of(named(&object, "hidden"));
        assert_eq!((place.module.as_str(), place.function.as_str()), ("a.c", "hidden"), "{flags}");
        assert_eq!(object.debug_path(), Some(folder.path("prog.debug").as_path()));
        assert!(object.refused().is_empty());
    }
}

#[test]
fn files_of_another_build_are_refused() {
    for flags in ["", "-Wl,--build-id=none"] {
        let folder = stripped("other", flags);
        folder.write("b.c", &PROGRAM.replace("+ 1", "+ 2 + c"));
        folder.run(&format!("gcc -g -O2 {flags} b.c -o other"));
        folder.run("objcopy --only-keep-debug other prog.debug");
        let object = folder.open("prog");
        assert!(object.functions().len() > 3);
        assert_eq!(object.debug_path(), None, "{flags}");
        let [ObjectError::Unrelated { path }] = object.refused() else {
            panic!("{:?}", object.refused());
        };
        assert_eq!(path, &folder.path("prog.debug"));
        assert!(object.refused()[0].to_string().contains("another build"));
    }
}

#[test]
fn symbols_that_are_packed_into_the_object_are_found() {
    let folder = TemporaryFolder::new("packed");
    if !needs::program("xz") {
        return;
    }
    folder.write("a.c", PROGRAM);
    folder.run("gcc -O2 a.c -o prog");
    folder.run("objcopy --strip-debug --remove-section=.comment prog mini");
    folder.run("xz -k mini");
    folder.run("objcopy --strip-all --add-section=.gnu_debugdata=mini.xz prog packed");
    let object = folder.open("packed");
    let place = object.place_of(named(&object, "hidden"));
    assert_eq!((place.module.as_str(), place.function.as_str()), ("packed", "hidden"));
    // What cannot be unpacked is not there.
    let mut bytes = fs::read(folder.path("packed")).expect("it was just made");
    let at = bytes.windows(6).position(|part| part == b"\xfd7zXZ\0").expect("it is packed by xz");
    bytes[at + 40..at + 60].fill(0x55);
    fs::write(folder.path("broken"), &bytes).expect("the folder is ours");
    let broken = folder.open("broken");
    let main = object.functions()[named(&object, "main").index()].entry;
    let main = broken.function_beginning(main).expect("the unwind table knows it");
    assert!(broken.names(main).is_empty());
}

#[test]
fn installed_debug_files_are_found_by_the_build_id() {
    let path = std::path::Path::new("/usr/lib/x86_64-linux-gnu/libc.so.6");
    let object = Object::open(path).expect("there is a C library");
    let excused = std::env::var("WHYPERF_TEST_WITHOUT").unwrap_or_default();
    if excused.split_whitespace().any(|need| need == "libc6-dbg") {
        return;
    }
    let debug = object
        .debug_path()
        .expect("the package libc6-dbg is there, or WHYPERF_TEST_WITHOUT names it");
    assert!(debug.starts_with("/usr/lib/debug/.build-id"), "{}", debug.display());
    // Static, so it is in no table of the library itself.
    let place = object.place_of(named(&object, "_IO_new_file_write"));
    assert_eq!(place.module, "fileops.c");
}
