//! Names that steer terminals, in everything that a program can name: nothing that whyperf writes has them raw.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Folder, Said, whyperf};

/// Clears the screen, sets the title, hides text, goes to the line's start, begins a line of its own.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[8m\r\u{9b}31m\nINJECTED";

/// Names a region, a phase, a lock's file and a file after its arguments, and computes in a function.
const PROGRAM: &str = r#"
#include <fcntl.h>
#include <unistd.h>
#include "whyperf.h"
static volatile double sum;
int main(int argc, char **argv)
{
    whyperf_region region = WHYPERF_REGION(argv[1]);
    char block[4096];
    (void)argc;
    for (int round = 0; round < 300; round++) {
        int file = open(argv[2], O_RDONLY);
        whyperf_begin(&region);
        for (int i = 1; i < 400000; i++)
            sum += 1.0 / i;
        while (read(file, block, sizeof block) > 0)
            ;
        whyperf_end(&region);
        close(file);
        if (round == 150)
            whyperf_phase(argv[1]);
    }
    return 0;
}
"#;

struct Place(Folder);

impl Place {
    fn new(name: &str) -> Self {
        Self(Folder::new(name))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.0.join(name)
    }

    fn program(&self) -> PathBuf {
        let source = self.path("program.c");
        fs::write(&source, PROGRAM).expect("the folder is ours");
        let program = self.path(&format!("evil{EVIL}"));
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
        let mut compiler = Command::new("gcc");
        compiler.args(["-O1", "-g", include, "-o"]).arg(&program).arg(&source);
        let built = compiler.output().expect("the compiler is installed");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        program
    }

    fn say(&self, words: &[&str]) -> Said {
        let mut command = whyperf();
        command.args(words).env_remove("WHYPERF_NO_STORE").current_dir(&self.0.0);
        command.output().expect("the command was built").into()
    }
}

/// What was written steers nothing, and no name made a line of its own.
fn is_harmless(words: &[&str], said: &Said) {
    for (stream, bytes) in [("stdout", &said.stdout[..]), ("stderr", said.stderr.as_bytes())] {
        let text = String::from_utf8_lossy(bytes);
        let steers = |character: &char| character.is_control() && *character != '\n';
        let steering: Vec<char> = text.chars().filter(steers).collect();
        assert!(steering.is_empty(), "{words:?} wrote {steering:?} to {stream}: {text:?}");
        let line = text.lines().find(|line| line.trim_start().starts_with("INJECTED"));
        assert_eq!(line, None, "{words:?}, {stream}: {text}");
    }
}

#[test]
fn names_that_steer_terminals_are_spelt_out_by_every_verb_and_format() {
    let place = Place::new("hostile-names");
    let program = place.program().display().to_string();
    let input = place.path(&format!("in{EVIL}"));
    fs::write(&input, vec![b'x'; 1 << 16]).expect("the folder is ours");
    fs::set_permissions(&input, fs::Permissions::from_mode(0o600)).expect("it is ours");
    let input = input.display().to_string();
    let named = format!("region{EVIL}");
    let application = format!("app{EVIL}");
    let words = ["run", "--application", &application, "--", &program, &named, &input];
    let said = place.say(&words);
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.stderr.contains("\\u{1b}[8m"), "{}", said.stderr);
    is_harmless(&words, &said);
    let directives = place.path("found.directives").display().to_string();
    let verbs: [&[&str]; 16] = [
        &["runs"],
        &["runs", "--json"],
        &["runs", "tag", "latest", &application],
        &["show", "latest"],
        &["show", "latest", "--json"],
        &["show", "latest", "--search"],
        &["show", "latest", "--profile"],
        &["show", "latest", "--profile", "--json"],
        &["show", "latest", "--resources"],
        &["show", "latest", "--log"],
        &["show", "latest", "--messages"],
        &["show", "latest", "--histogram", "cpu", "</Code>"],
        &["diagnose", "latest"],
        &["directives", "extract", "latest"],
        &["directives", "extract", "latest", "-o", &directives],
        &["directives", "check", &directives],
    ];
    for words in verbs {
        is_harmless(words, &place.say(words));
    }
    assert!(Path::new(&directives).exists());
}

#[test]
fn mistakes_that_steer_terminals_are_spelt_out() {
    let place = Place::new("hostile-mistakes");
    let file = place.path(&format!("file{EVIL}"));
    fs::write(&file, format!("whyperf directives 1\n{EVIL}\n")).expect("the folder is ours");
    let (file, folder) = (file.display().to_string(), place.0.0.display().to_string());
    let absent = format!("{folder}/absent{EVIL}");
    for words in [
        &["directives", "check", &file][..],
        &["run", "--", &absent],
        &["run", "--directives", &file, "--", "true"],
        &["runs", "--store", &absent],
        &["show", "latest", "--store", &file],
        &["run", "-q", "--json", &folder, "--", "true"],
    ] {
        is_harmless(words, &place.say(words));
    }
}
