//! Places in programs that are compiled here, in the ways programs are compiled.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{AskedAddress, SourceLocation, Symbols};

use crate::needs;

/// Answers the return address of its own call: the caller's code.
const SITE: &str = "void site(void **at) { *at = __builtin_return_address(0); }\n";

const PROGRAM: &str = r#"
#include <stdio.h>
#ifdef __cplusplus
extern "C"
#endif
void site(void **at);
static int table[4];
#ifdef __cplusplus
namespace grid {
#endif
static inline __attribute__((always_inline)) void *post(void) {
  void *at;
  site(&at); /* line 13 */
  return at;
}
__attribute__((noinline)) void *exchng1(int n) { return n ? post() : 0; }
#ifdef __cplusplus
}
using namespace grid;
#endif
int main(int argc, char **argv) {
  printf("%p %p\n", exchng1(argc), (void *)&table[2]);
  fflush(stdout);
  return getchar() == argc + table[argc & 3];
}
"#;

/// The wrapped function is always in another object than its caller.
const LINKED: &str = "-Wl,-rpath,$ORIGIN -L. -lsite";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("whyperf-sym-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir(&path).expect("the temporary directory is writable");
        let folder = Self(path);
        folder.write("site.c", SITE);
        folder.run("gcc -O1 -fPIC -shared site.c -o libsite.so");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the folder is ours");
    }

    fn run(&self, line: &str) {
        let mut words = line.split(' ');
        let status = Command::new(words.next().expect("a command has a name"))
            .args(words)
            .current_dir(&self.0)
            .env("LC_ALL", "C")
            .status();
        assert!(status.is_ok_and(|status| status.success()), "{line} failed in {:?}", self.0);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program that printed its addresses and waits.
struct Running(Child, Vec<u64>);

impl Running {
    fn start(program: &Path) -> Self {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was just compiled");
        let mut line = String::new();
        let output = child.stdout.take().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it prints one line");
        let number = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok();
        let addresses = line.split_ascii_whitespace().filter_map(number).collect();
        Self(child, addresses)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn places(folder: &Folder, program: &str) -> Vec<Option<SourceLocation>> {
    let running = Running::start(&folder.0.join(program));
    let kinds = [AskedAddress::Code as fn(u64) -> AskedAddress, AskedAddress::Data];
    let wanted = running.1.iter().zip(kinds).map(|(address, kind)| kind(*address)).collect();
    let mut symbols = Symbols::start(Arc::default()).expect("a thread can be started");
    symbols.watch(7, running.0.id(), None);
    symbols.ask(7, wanted);
    let answers = symbols.all_answers(soon());
    answers.into_iter().map(|answer| answer.place.map(|place| (*place).clone())).collect()
}

fn place(module: &str, function: &str, line: Option<(&str, u32)>) -> Option<SourceLocation> {
    let line = line.map(|(file, line)| (file.to_owned(), line));
    Some(SourceLocation { module: module.to_owned(), function: function.to_owned(), line })
}

#[test]
fn the_compiled_function_and_the_line_of_the_call() {
    let folder = Folder::new("plain");
    folder.write("oned.c", PROGRAM);
    for flags in ["-g -O1 -fpie -pie", "-g -O1 -no-pie -fno-pie", "-gdwarf-4 -O2", "-g -O0"] {
        folder.run(&format!("gcc {flags} oned.c -o prog {LINKED}"));
        let found = places(&folder, "prog");
        assert_eq!(found[0], place("oned.c", "exchng1", Some(("oned.c", 13))), "{flags}");
        assert_eq!(found[1], place("prog", "table+8", None), "{flags}");
    }
}

#[test]
fn without_debug_information_the_object_file_is_the_module() {
    let folder = Folder::new("bare");
    folder.write("oned.c", PROGRAM);
    folder.run(&format!("gcc -O1 oned.c -o prog {LINKED}"));
    assert_eq!(places(&folder, "prog")[0], place("prog", "exchng1", None));
    folder.run("strip prog");
    let stripped = places(&folder, "prog");
    let function = stripped[0].as_ref().map(|place| place.function.clone()).unwrap_or_default();
    assert!(function.starts_with("0x"), "{stripped:?}");
    assert_eq!(stripped[0], place("prog", &function, None));
    let shown = stripped[0].as_ref().map(SourceLocation::caller);
    assert_eq!(shown, Some(format!("prog+{function}")));
    assert_eq!(stripped[1], None);
}

#[test]
fn debug_information_in_a_file_of_its_own_is_found() {
    let folder = Folder::new("apart");
    folder.write("oned.c", PROGRAM);
    folder.run(&format!("gcc -g -O1 oned.c -o prog {LINKED}"));
    folder.run("objcopy --only-keep-debug prog prog.debug");
    folder.run("objcopy --strip-all --add-gnu-debuglink=prog.debug prog");
    let found = places(&folder, "prog");
    assert_eq!(found[0], place("oned.c", "exchng1", Some(("oned.c", 13))));
}

#[test]
fn a_call_in_tail_position_belongs_to_the_function_that_jumped() {
    let folder = Folder::new("tail");
    folder.write(
        "oned.c",
        "#include <stdio.h>\nvoid site(void **);\n\
         __attribute__((noipa)) void exchng1(void **at) { site(at); }\n\
         int main(void) { void *a, *b; exchng1(&a); site(&b);\n\
         printf(\"%p %p\\n\", a, b); fflush(stdout); return getchar() == 7; }\n",
    );
    let flags = ["-g -O2", "-O2", "-O2 -s", "-g -O2 -no-pie -fno-pie", "-g -O2 -fno-plt"];
    for flags in flags {
        folder.run(&format!("gcc {flags} oned.c -o prog {LINKED}"));
        let running = Running::start(&folder.0.join("prog"));
        let mut symbols = Symbols::start(Arc::default()).expect("a thread can be started");
        symbols.watch(1, running.0.id(), None);
        symbols.ask(1, running.1.iter().map(|address| AskedAddress::Code(*address)).collect());
        let names: Vec<String> = symbols
            .all_answers(soon())
            .into_iter()
            .filter_map(|answer| Some(answer.place?.function.clone()))
            .collect();
        if flags.contains("-s") {
            assert!(names.len() == 2 && names[0] != names[1], "{flags}: {names:?}");
        } else {
            assert_eq!(names, ["exchng1", "main"], "{flags}");
        }
    }
}

#[test]
fn regions_belong_to_the_file_that_names_them_and_lines_to_the_file_of_the_function() {
    let folder = Folder::new("header");
    let header =
        "void site(void **);\nstatic inline void *look(void) { void *at; site(&at); return at; }\n";
    folder.write("whyperf.h", header);
    let program = "#include <stdio.h>\n#include \"whyperf.h\"\n\
         int main(void) {\n  void *at = look();\n\
         printf(\"%p\\n\", at); fflush(stdout); return getchar() == 7; }\n";
    folder.write("oned.c", program);
    for flags in ["-g -O0", "-g -O2"] {
        folder.run(&format!("gcc {flags} oned.c -o prog {LINKED}"));
        let found = places(&folder, "prog")[0].clone().expect("it has debug information");
        assert_eq!(found.module, "oned.c", "{flags}");
        assert!(found.line.is_none_or(|line| line == ("oned.c".to_owned(), 4)), "{flags}");
    }
    folder.write("threads.h", header);
    folder.write("oned.c", &program.replace("whyperf.h", "threads.h"));
    folder.run(&format!("gcc -g -O2 oned.c -o prog {LINKED}"));
    assert_eq!(places(&folder, "prog")[0], place("oned.c", "main", Some(("oned.c", 4))));
}

#[test]
fn shared_libraries_have_their_own_places() {
    let folder = Folder::new("shared");
    folder.write("oned.c", PROGRAM);
    folder.run("gcc -g -O1 -fPIC -shared -Dmain=library oned.c site.c -o libhalo.so");
    folder.write(
        "main.c",
        "int library(int, char **); int main(int c, char **v) { return library(c, v); }",
    );
    folder.run("gcc main.c -o prog -Wl,-rpath,$ORIGIN -L. -lhalo");
    let found = places(&folder, "prog");
    assert_eq!(found[0], place("oned.c", "exchng1", Some(("oned.c", 13))));
    assert_eq!(found[1], place("libhalo.so", "table+8", None));
}

#[test]
fn files_that_were_replaced_are_read_as_they_run() {
    let folder = Folder::new("replaced");
    folder.write("oned.c", PROGRAM);
    folder.write(
        "main.c",
        "int library(int, char **); int main(int c, char **v) { return library(c, v); }",
    );
    let library = "gcc -O1 -fPIC -shared -Dmain=library oned.c site.c -o libhalo.so";
    let program = format!("gcc -O1 oned.c -o prog {LINKED}");
    folder.run(&program);
    folder.run(library);
    folder.run("gcc main.c -o user -Wl,-rpath,$ORIGIN -L. -lhalo");
    let running = ["prog", "user"].map(|name| Running::start(&folder.0.join(name)));
    for name in ["prog", "libhalo.so"] {
        std::fs::remove_file(folder.0.join(name)).expect("it was just made");
    }
    folder
        .write("oned.c", &PROGRAM.replace("exchng1", "impostor").replace("table[4]", "table[40]"));
    folder.run(&program);
    folder.run(library);
    let mut symbols = Symbols::start(Arc::default()).expect("a thread can be started");
    for (process, running) in (0..).zip(&running) {
        symbols.watch(process, running.0.id(), None);
        symbols.ask(process, vec![AskedAddress::Code(running.1[0])]);
    }
    let mut answers = symbols.all_answers(soon());
    answers.sort_by_key(|answer| answer.process);
    let function = |at: usize| answers[at].place.as_ref().map(|place| place.function.as_str());
    assert_eq!(function(0), Some("exchng1"), "the kernel still has the program");
    // What only some users can still reach is better not named than named wrongly.
    assert!(function(1).is_none_or(|name| name == "exchng1"), "{:?}", function(1));
}

#[test]
fn cpp_names_are_read_back() {
    let folder = Folder::new("cpp");
    folder.write("oned.cpp", PROGRAM);
    folder.run(&format!("g++ -g -O1 oned.cpp -o prog {LINKED}"));
    assert_eq!(
        places(&folder, "prog")[0],
        place("oned.cpp", "grid::exchng1", Some(("oned.cpp", 13)))
    );
    folder.run(&format!("g++ -O1 oned.cpp -o prog {LINKED}"));
    assert_eq!(places(&folder, "prog")[0], place("prog", "grid::exchng1", None));
}

#[test]
fn fortran_procedures_lose_their_underscores() {
    if !needs::program("gfortran") {
        return;
    }
    let folder = Folder::new("fortran");
    let body = "use iso_c_binding\ninterface\nsubroutine site(a) bind(c)\nimport\n\
                type(c_ptr) :: a\nend subroutine\nend interface\ntype(c_ptr) :: a\n\
                call site(a)\nprint '(Z0)', transfer(a, 0_8)\nflush(6)\nread(*,*,end=1)\n1 end ";
    for (name, text, function) in [
        (
            "outer",
            format!("subroutine exchng1()\n{body}subroutine\nprogram p\ncall exchng1()\nend"),
            "exchng1",
        ),
        (
            "module",
            format!(
                "module halo\ncontains\nsubroutine swap()\n{body}subroutine\nend module\nprogram p\nuse halo\ncall swap()\nend"
            ),
            "halo::swap",
        ),
        ("main", format!("program poisson\n{body}program\n"), "poisson"),
    ] {
        let file = format!("{name}.f90");
        folder.write(&file, &text);
        folder.run(&format!("gfortran -g -O1 {file} -o {name} {LINKED}"));
        let found = places(&folder, name)[0].clone().expect("it has debug information");
        assert_eq!((found.module.as_str(), found.function.as_str()), (file.as_str(), function));
    }
}

#[test]
fn equal_names_of_files_are_told_apart_by_their_folders() {
    let folder = Folder::new("twice");
    for name in ["one", "two"] {
        std::fs::create_dir(folder.0.join(name)).expect("the folder is ours");
        folder.write(&format!("{name}/halo.c"), &PROGRAM.replace("main", name));
    }
    folder
        .write("main.c", "int one(int, char **); int main(int c, char **v) { return one(c, v); }");
    folder.run("gcc -g -O1 -c main.c");
    folder.run("gcc -g -O1 one/halo.c -c -o one.o");
    folder.run("gcc -g -O1 two/halo.c -c -o two.o -Dexchng1=other");
    folder.run(&format!("gcc main.o one.o two.o -o prog {LINKED}"));
    assert_eq!(
        places(&folder, "prog")[0],
        place("one/halo.c", "exchng1", Some(("one/halo.c", 13)))
    );
}

#[test]
fn what_is_not_there_has_no_place() {
    let mut symbols = Symbols::start(Arc::default()).expect("a thread can be started");
    symbols.watch(1, std::process::id(), None);
    symbols.watch(2, u32::MAX, None);
    symbols
        .ask(1, vec![AskedAddress::Code(0), AskedAddress::Code(16), AskedAddress::Data(u64::MAX)]);
    symbols.ask(2, vec![AskedAddress::Code(4096)]);
    symbols.ask(3, vec![AskedAddress::Code(4096)]);
    let answers = symbols.all_answers(soon());
    assert_eq!(answers.len(), 5);
    assert!(answers.iter().all(|answer| answer.place.is_none()));
}

#[inline(never)]
fn own_function() -> u64 {
    // What is looked up is the byte before: the function's first.
    own_function as *const () as u64 + 1
}

#[test]
fn rust_names_are_read_back() {
    let mut symbols = Symbols::start(Arc::default()).expect("a thread can be started");
    symbols.watch(1, std::process::id(), None);
    symbols.ask(1, vec![AskedAddress::Code(own_function())]);
    let place = symbols.all_answers(soon()).remove(0).place.expect("the test has symbols");
    assert!(place.function.ends_with("symbols::tests::own_function"), "{place:?}");
    assert_eq!(place.module, "tests.rs");
}

/// Later than any answer comes.
fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}
