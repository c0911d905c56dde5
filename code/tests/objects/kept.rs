//! Checks the cache between runs: its files are used when they are right, and only then.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use whyperf_code::{Branch, Callee, FunctionId, Object, Opening};

use crate::temporary_folder::TemporaryFolder;

const PROGRAM: &str = "#include <stdio.h>\nint f(int n) { while (n-- > 3) puts(\"a\"); return n; }\n\
                       int main(int c, char **v) { return f(c) + f(7); }\n";

fn opened(program: &Path, cache: &Path) -> Object {
    let opening = Opening { cache: Some(cache.to_owned()), ..Opening::new(program) };
    opening.open().expect("the program was just made")
}

fn branches(program: &Path, cache: &Path) -> Vec<Branch> {
    opened(program, cache).branches().into(0..u64::MAX).collect()
}

fn only_file(cache: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(cache)
        .expect("the folder was made")
        .map(|entry| entry.expect("an entry can be read").path())
        .collect();
    assert_eq!(files.len(), 1, "one file for one build, and no drafts: {files:?}");
    files[0].clone()
}

fn temporary_folder(name: &str) -> (TemporaryFolder, PathBuf, PathBuf) {
    let folder = TemporaryFolder::new(name);
    folder.write("a.c", PROGRAM);
    folder.run("gcc -O2 a.c -o prog");
    let (program, cache) = (folder.path("prog"), folder.path("cache/code"));
    (folder, program, cache)
}

#[test]
fn a_second_run_reads_what_the_first_found() {
    let (_folder, program, cache) = temporary_folder("kept");
    let first = branches(&program, &cache);
    let file = only_file(&cache);
    let written = fs::metadata(&file).expect("it is there");
    assert_eq!(written.mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&cache).expect("it is there").mode() & 0o777, 0o700);
    assert_eq!(branches(&program, &cache), first);
    let decodes = |folder: &Path| {
        let object = opened(&program, folder);
        assert!(!object.branches().is_empty() && !object.functions().is_empty());
        object.was_decoded()
    };
    assert!(!decodes(&cache), "the second run decodes nothing again");
    assert!(decodes(&cache.with_file_name("elsewhere")), "the first one does");
    let read = fs::metadata(&file).expect("it is there");
    assert_eq!(read.ino(), written.ino(), "it was not written again");
    let calls = |object: &Object| {
        object
            .functions()
            .iter()
            .map(|f| object.function_beginning(f.entry))
            .map(|id| object.calls(id.expect("it begins there")))
            .collect::<Vec<_>>()
    };
    let (kept, alone) = (opened(&program, &cache), Object::open(&program).expect("it is there"));
    assert!(!kept.branches().is_empty());
    assert_eq!(calls(&kept), calls(&alone), "calls are the same by either way");
}

#[test]
fn damaged_files_are_written_anew() {
    let (_folder, program, cache) = temporary_folder("spoilt");
    let right = branches(&program, &cache);
    let file = only_file(&cache);
    let good = fs::read(&file).expect("it is ours");
    let mut spoilt: Vec<Vec<u8>> =
        (0..good.len()).step_by(7).map(|at| good[..at].to_vec()).collect();
    for at in (0..good.len()).step_by(3) {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        spoilt.push(bytes);
    }
    spoilt.push([good.as_slice(), b"more"].concat());
    for bytes in spoilt {
        fs::write(&file, &bytes).expect("it is ours");
        assert_eq!(branches(&program, &cache), right);
        assert_eq!(fs::read(only_file(&cache)).expect("it is ours"), good);
    }
}

#[test]
fn other_code_of_the_same_build_id_is_decoded() {
    let (folder, program, cache) = temporary_folder("edited");
    let before = branches(&program, &cache);
    let mut bytes = fs::read(&program).expect("it was just made");
    let object = Object::open(&program).expect("it was just made");
    let (start, text) = object.section(".text").expect("it has code");
    let offset =
        bytes.windows(text.len()).position(|part| part == text).expect("it is in the file");
    let inside = before.iter().find(|branch| branch.from >= start).expect("code has branches");
    bytes[offset + (inside.from - start) as usize] = 0x90;
    fs::write(folder.path("edited"), &bytes).expect("the folder is ours");
    let edited = folder.open("edited");
    assert_eq!(edited.build_id(), object.build_id());
    let fresh: Vec<Branch> = edited.branches().into(0..u64::MAX).collect();
    assert_ne!(fresh, before);
    assert_eq!(branches(&folder.path("edited"), &cache), fresh);
}

#[test]
fn a_folder_that_others_can_write_is_not_used() {
    let (_folder, program, cache) = temporary_folder("public");
    fs::create_dir_all(&cache).expect("the folder is ours");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o777)).expect("it is ours");
    assert!(!branches(&program, &cache).is_empty());
    assert_eq!(fs::read_dir(&cache).expect("it is there").count(), 0);
    // Nor is a file in its place.
    fs::remove_dir(&cache).expect("it is empty");
    fs::write(&cache, "in the way").expect("the folder is ours");
    assert!(!branches(&program, &cache).is_empty());
}

#[test]
fn calls_that_were_seen_are_known_to_later_runs() {
    let (_folder, program, cache) = temporary_folder("learned");
    let find = |object: &Object, name: &str| {
        let all = (0..).map(FunctionId).zip(object.functions());
        let mut ids = all.map(|(id, _)| id);
        ids.find(|id| object.names(*id).iter().any(|one| one.text == name)).expect("it has one")
    };
    let seen = |object: &Object| {
        let (f, main) = (find(object, "f"), find(object, "main"));
        [Callee::Function(main), Callee::Imported("qsort".to_owned())]
            .map(|callee| object.callees(f).contains(&callee))
    };
    let first = opened(&program, &cache);
    let (f, main) = (find(&first, "f"), find(&first, "main"));
    assert_eq!(seen(&first), [false, false]);
    assert!(first.learn(f, Callee::Function(main)));
    assert!(!first.learn(f, Callee::Function(main)), "once");
    assert!(first.learn(f, Callee::Imported("qsort".to_owned())));
    let named = first.callees(f).into_iter().next().expect("it calls puts");
    assert!(!first.learn(f, named), "an instruction names it");
    assert_eq!(seen(&opened(&program, &cache)), [true, true]);
    let file = only_file(&cache);
    let good = fs::read(&file).expect("it is ours");
    fs::write(&file, &good[..good.len() - 1]).expect("it is ours");
    assert_eq!(seen(&opened(&program, &cache)), [false, false], "a cut file is none");
    assert_eq!(seen(&opened(&program, &cache.with_file_name("other"))), [false, false]);
}

#[test]
fn where_functions_were_written_is_kept_for_the_same_debug_information() {
    let folder = TemporaryFolder::new("places");
    let text: String =
        (0..6).map(|at| format!("int f{at}(int x) {{ return x + {at}; }}\n")).collect();
    folder.write("a.c", &(text + "int main(void) { return f0(1) + f5(2); }\n"));
    folder.run("gcc -O0 -g a.c -o prog -Wl,--build-id");
    let (program, cache) = (folder.path("prog"), folder.path("cache/code"));
    let places = |cache: &Path| {
        let object = opened(&program, cache);
        let all = (0..object.functions().len()).map(|at| FunctionId(at as u32));
        let places = all.map(|id| object.place_of(id)).filter(|place| place.module == "a.c");
        places.map(|place| (place.position(), place.function)).collect::<Vec<_>>()
    };
    let first = places(&cache);
    assert_eq!(first.len(), 7, "{first:?}");
    let file = only_file(&cache);
    assert!(file.to_string_lossy().ends_with(".places"), "{}", file.display());
    let written = fs::metadata(&file).expect("it is there").ino();
    assert_eq!(places(&cache), first);
    assert_eq!(fs::metadata(&file).expect("it is there").ino(), written, "nothing was new");
    folder.run("strip -g prog");
    assert_eq!(places(&cache), [], "the build is the same, and what it says of its lines is not");
}
