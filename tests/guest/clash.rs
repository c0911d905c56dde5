//! Names of the C library that a program's own library has as well, with another meaning.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::comparison::Trial;
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
