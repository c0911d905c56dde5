//! Names of the C library that a program's own library has as well, with another meaning.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use whyperf_layout::geometry::STRINGS;

use crate::comparison::Trial;
use crate::release::library;
use crate::stage::Stage;

#[test]
fn functions_that_share_no_more_than_a_name_are_left_alone() {
    for (binding, early) in [("-Wl,-z,lazy", "lazy"), ("-Wl,-z,now", "now")] {
        let program = build(&Stage::new(&format!("clash-program-{early}")), binding);
        let trial = Trial::of(&format!("clash-{early}"), &[&program.display().to_string()]);
        let deed = trial.is_unchanged();
        let numbers = "292.5 100.5 4 8 12 ABC 7 1.5 42 2.5 4.5 45.5 4.5 0.5\n";
        let lines: Vec<&str> = deed.stdout.split_inclusive('\n').collect();
        assert_eq!(lines.len(), 9, "{deed:?}");
        let calls = lines.iter().filter_map(|line| line.split_once(": "));
        assert!(calls.clone().all(|(_, answers)| answers == numbers), "{deed:?}");
        assert_eq!(calls.count(), 7, "{deed:?}");
        assert_eq!(lines.get(7..), Some(&["3\n", "done\n"][..]), "{deed:?}");
    }
}

#[test]
fn a_preloaded_tool_is_called_and_measured() {
    let (tool, program) = tool_and_program("clash-tool-preloaded", false);
    let trial = Trial::of("clash-preloaded", &[&program]);
    let bare = trial.with(&[("LD_PRELOAD", &tool)]);
    assert_eq!((bare.stdout.as_str(), bare.stderr.as_str()), ("-1 9\n", "tool\n"));
    let library = library().display().to_string();
    for list in [format!("{library}:{tool}"), format!("{tool} {library}")] {
        trial.is_same(&bare, &[("LD_PRELOAD", &list)]);
        let run = trial.stage.run().display().to_string();
        trial.is_same(&bare, &[("LD_PRELOAD", &list), ("WHYPERF_DIR", &run)]);
        assert_eq!(regions_with_fsync(&trial), [true], "{list}");
        trial.stage.regions().iter().for_each(|path| fs::remove_file(path).expect("it is ours"));
    }
}

#[test]
fn a_linked_library_is_called_and_not_measured() {
    let (_, program) = tool_and_program("clash-tool-linked", true);
    let trial = Trial::of("clash-linked", &[&program]);
    assert_eq!(trial.is_unchanged().stderr, "tool\n");
    assert_eq!(regions_with_fsync(&trial), [false]);
}

/// For each region left behind, whether it knows the function that the tool stands in for.
fn regions_with_fsync(trial: &Trial) -> Vec<bool> {
    let knows = |path: PathBuf| {
        let file = File::open(path).expect("a region can be read");
        let mut names = vec![0; 1 << 16];
        let length = file.read_at(&mut names, STRINGS as u64).expect("it has names");
        names[..length].windows(5).any(|bytes| bytes == b"fsync")
    };
    trial.stage.regions().into_iter().map(knows).collect()
}

fn tool_and_program(name: &str, linked: bool) -> (String, String) {
    let stage = Stage::new(name);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guest/calls");
    let (tool, program) = (stage.beside("libtool.so"), stage.beside("program"));
    let path = |file: &Path| file.display().to_string();
    let shared = ["-shared", "-fPIC"].map(str::to_owned);
    compile(&tool, &[&shared[..], &[path(&sources.join("stand_in.c"))]].concat());
    let words = [path(&sources.join("syncing.c")), path(&tool)];
    compile(&program, if linked { &words } else { &words[..1] });
    (path(&tool), path(&program))
}

/// The program, its library, and another library that calls the same functions.
fn build(stage: &Stage, binding: &str) -> PathBuf {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/guest/calls");
    let (own, other) = (stage.beside("libown.so"), stage.beside("libother.so"));
    let program = stage.beside("program");
    let shared = ["-shared", "-fPIC"].map(str::to_owned);
    let names = |function: &str| format!("-DSHOW={function}");
    let path = |file: &Path| file.display().to_string();
    let link = format!("-Wl,-rpath,{}", path(own.parent().expect("it is in a folder")));
    let file = |name: &str| path(&sources.join(name));
    let common = [shared.as_slice(), &[file("clash_calls.c"), binding.to_owned()]].concat();
    compile(&own, &[&common[..], &[names("show"), file("clash_own.c")]].concat());
    let later = [names("show_here"), file("clash_other.c"), path(&own)];
    compile(&other, &[&common[..], &later].concat());
    compile(&program, &[file("clash.c"), binding.to_owned(), path(&other), path(&own), link]);
    program
}

fn compile(into: &Path, words: &[String]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-w", "-fno-builtin", "-o"]).arg(into).args(words);
    let built = compiler.output().expect("the compiler runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}
