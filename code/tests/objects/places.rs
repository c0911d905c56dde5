//! Modules, functions and lines come out as they were written.

use whyperf_code::{FunctionId, FunctionKind};

use crate::needs;
use crate::temporary_folder::{TemporaryFolder, compilers, named};

const PROGRAM: &str = r#"#include <stdio.h>
#include <stdexcept>
namespace grid {
struct Mesh {
  int cells;
  __attribute__((always_inline)) int inner(int n) const { return printf("%d\n", n * cells); }
  __attribute__((noinline)) int sweep(int n) const;
};
int Mesh::sweep(int n) const {
  int s = inner(n);
  if (s < 0) throw std::runtime_error("no");
  return s;
}
template <typename T> __attribute__((noinline)) T total(T a, T b) { return a + b * printf("%d\n", 1); }
}
int main(int argc, char **) { grid::Mesh m{argc}; return m.sweep(3) + grid::total(argc, 2); }
"#;

#[test]
fn functions_are_called_as_they_were_written() {
    for compiler in ["g++", "clang++-14"] {
        let folder = TemporaryFolder::new(&format!("places-{compiler}"));
        if !needs::program(compiler) {
            continue;
        }
        folder.write("mesh.cpp", PROGRAM);
        for flags in ["-g -O2", "-O2", "-g -O2 -gz", "-g -gdwarf-4 -O2 -gz"] {
            folder.run(&format!("{compiler} {flags} mesh.cpp -o prog"));
            let object = folder.open("prog");
            let has_lines = flags.contains("-g");
            let sweep = object.place_of(named(&object, "_ZNK4grid4Mesh5sweepEi"));
            let module = if has_lines { "mesh.cpp" } else { "prog" };
            assert_eq!(
                (sweep.module.as_str(), sweep.function.as_str()),
                (module, "grid::Mesh::sweep")
            );
            assert_eq!(
                sweep.line.as_ref().map(|(file, _)| file == "mesh.cpp"),
                has_lines.then_some(true)
            );
            let total = object.place_of(named(&object, "_ZN4grid5totalIiEET_S1_S1_"));
            assert_eq!(total.function, "grid::total<int>");
        }
    }
}

/// Two lambdas and two functions that the linker does not see, and that are called alike.
const HIDDEN: &str = r#"#include <stdio.h>
namespace left { static __attribute__((noinline)) int turn(int n) { return printf("%d\n", n); } }
namespace right { static __attribute__((noinline)) int turn(int n) { return printf("%d\n", 2 * n); } }
static int first(int n) {
  auto step = [](int k) __attribute__((noinline)) { return printf("%d\n", 3 * k); };
  return step(n);
}
static int second(int n) {
  auto step = [](int k) __attribute__((noinline)) { return printf("%d\n", 4 * k); };
  return step(n);
}
int main(int argc, char **) { return left::turn(argc) + right::turn(argc) + first(argc) + second(argc); }
"#;

#[test]
fn functions_that_the_linker_does_not_see_have_names_of_their_own() {
    for compiler in ["g++", "clang++-14"] {
        let folder = TemporaryFolder::new(&format!("hidden-{compiler}"));
        if !needs::program(compiler) {
            continue;
        }
        folder.write("hidden.cpp", HIDDEN);
        for flags in ["-g -O1", "-O1", "-g -O0"] {
            folder.run(&format!("{compiler} {flags} hidden.cpp -o prog"));
            let object = folder.open("prog");
            let ids = (0..object.functions().len() as u32).map(FunctionId);
            let names: Vec<String> = ids.map(|id| object.place_of(id).function).collect();
            for wanted in ["left::turn", "right::turn"] {
                let count = names.iter().filter(|name| *name == wanted).count();
                assert_eq!(count, 1, "{compiler} {flags}: {wanted} of {names:?}");
            }
            let mut lambdas: Vec<&String> =
                names.iter().filter(|name| name.contains("operator()")).collect();
            lambdas.sort();
            lambdas.dedup();
            assert_eq!(lambdas.len(), 2, "{compiler} {flags}: {names:?}");
        }
    }
}

#[test]
fn every_address_of_a_function_has_its_name() {
    let folder = TemporaryFolder::new("one-name");
    folder.write("mesh.cpp", PROGRAM);
    for flags in ["-g -O2", "-O2", "-g -O0"] {
        folder.run(&format!("g++ {flags} mesh.cpp -o prog"));
        let object = folder.open("prog");
        for (at, function) in object.functions().iter().enumerate() {
            let home = object.place_of(FunctionId(at as u32));
            for address in function.entry..function.end {
                let place = object.place(address);
                assert_eq!((&place.module, &place.function), (&home.module, &home.function));
            }
            if let FunctionKind::Fragment { of: Some(whole) } = function.kind {
                assert_eq!(home, object.place_of(whole), "a part goes by its function's name");
            }
        }
    }
}

#[test]
fn inlined_functions_are_known_as_such() {
    let folder = TemporaryFolder::new("inlined");
    folder.write("mesh.cpp", PROGRAM);
    folder.run("g++ -g -O2 mesh.cpp -o prog");
    let object = folder.open("prog");
    let sweep = object.functions()[named(&object, "_ZNK4grid4Mesh5sweepEi").index()];
    let found = (sweep.entry..sweep.end).map(|address| object.inlined(address));
    let nested = found.into_iter().find(|frames| frames.len() == 2).expect("one is inlined");
    assert_eq!(nested[0].function, "grid::Mesh::inner");
    assert_eq!(nested[0].position().as_deref(), Some("mesh.cpp:6"));
    assert_eq!(nested[1].function, "grid::Mesh::sweep");
    assert_eq!(nested[1].position().as_deref(), Some("mesh.cpp:10"));
}

#[test]
fn copies_that_compilers_make_go_by_the_name_of_the_original() {
    let folder = TemporaryFolder::new("copies");
    folder.write(
        "a.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         __attribute__((noinline)) static int work(int n, int k)\n\
         { int s = 0; for (int i = 0; i < n; i++) s += rand() % k; return s; }\n\
         int main(int c, char **v) { return work(c, 7) + work(c + 1, 7); }\n",
    );
    for compiler in compilers() {
        for flags in ["-O3", "-g -O3", "-O3 -flto"] {
            folder.run(&format!("{compiler} {flags} a.c -o prog"));
            let object = folder.open("prog");
            let ids = (0..object.functions().len() as u32).map(FunctionId);
            let works =
                ids.filter(|id| object.names(*id).iter().any(|name| name.text.starts_with("work")));
            let places: Vec<String> = works.map(|id| object.place_of(id).function).collect();
            assert!(places.iter().all(|name| name == "work"), "{compiler} {flags}: {places:?}");
        }
    }
}
