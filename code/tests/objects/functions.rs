//! Functions of objects agree with what other tools say.

use std::collections::BTreeSet;

use whyperf_code::{FunctionId, FunctionKind, Object, Scope};

use crate::temporary_folder::{TemporaryFolder, compilers, installed, listed, named, told};

#[test]
fn each_symbol_of_a_function_is_one() {
    for path in installed() {
        let object = Object::open(&path).expect("an installed object can be read");
        let symbols = listed(&path);
        assert!(!symbols.is_empty(), "{} has functions", path.display());
        for (address, symbols) in &symbols {
            let id = object.function_beginning(*address);
            let id = id.unwrap_or_else(|| panic!("{address:#x} in {}", path.display()));
            let function = object.functions()[id.index()];
            let names: BTreeSet<String> =
                object.names(id).into_iter().map(|name| name.text).collect();
            for symbol in symbols {
                let is_choice = symbol.kind == "IFUNC";
                assert!(!is_choice || function.kind == FunctionKind::Ifunc, "{symbol:?}");
                assert!(names.contains(&symbol.name), "{symbol:?} among {names:?}");
                assert!(function.entry + symbol.size <= function.end, "{symbol:?} {function:?}");
            }
        }
    }
}

#[test]
fn entries_are_in_order_and_inside_the_code() {
    for path in installed() {
        let object = Object::open(&path).expect("an installed object can be read");
        let functions = object.functions();
        assert!(functions.is_sorted_by(|a, b| a.entry < b.entry));
        for (at, function) in functions.iter().enumerate() {
            assert!(function.entry <= function.end, "{function:?}");
            assert!(object.text(function.entry..function.end).is_some(), "{function:?}");
            if function.entry < function.end {
                let id = FunctionId(at as u32);
                assert_eq!(object.function_at(function.entry), Some(id));
                // The last byte belongs to it or to one that lies inside.
                let last = object.function_at(function.end - 1).expect("a byte of a function");
                assert!(last >= id, "{function:?}");
            }
        }
    }
}

#[test]
fn what_the_unwind_table_knows_is_known() {
    for path in installed().into_iter().filter(|path| !path.ends_with("libmpich.so.12")) {
        let object = Object::open(&path).expect("an installed object can be read");
        let text = told("readelf", &["--debug-dump=frames", "-W"], &path);
        let mut count = 0;
        for range in text.lines().filter_map(|line| line.split_once("pc=")?.1.split_once("..")) {
            let begin = u64::from_str_radix(range.0, 16).expect("readelf prints hexadecimal");
            let end = u64::from_str_radix(range.1.trim(), 16).expect("readelf prints hexadecimal");
            if begin >= end {
                continue;
            }
            count += 1;
            assert_eq!(
                object.frame(begin).map(|frame| (frame.begin, frame.end)),
                Some((begin, end))
            );
            let is_code = object.function_at(begin).is_some();
            assert!(is_code, "{begin:#x} in {}", path.display());
        }
        assert!(count > 10, "{} has an unwind table", path.display());
    }
}

/// Exported, local, inlined, with a seldom executed part, and some that the linker makes.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#define SELDOM __attribute__((cold, noinline))
SELDOM static void complain(int n) { fprintf(stderr, "bad %d\n", n); abort(); }
__attribute__((noinline)) static int twice(int n) { if (n < 0) { complain(n); } return 2 * n; }
__attribute__((noinline)) int work(int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += twice(a[i]);
  if (__builtin_expect(s == 77, 0)) { puts("seldom"); puts("indeed"); s = rand(); }
  return s;
}
int main(int argc, char **argv) { int a[3] = {argc, 2, 3}; return work(a, argc + 1); }
"#;

#[test]
fn stripped_programs_have_the_same_functions() {
    for compiler in compilers() {
        let folder = TemporaryFolder::new(&format!("strip-{compiler}"));
        folder.write("a.c", PROGRAM);
        for flags in
            ["-O2 -fpie -pie", "-O2 -fno-pie -no-pie", "-O2 -static", "-O1 -fcf-protection"]
        {
            folder.run(&format!("{compiler} {flags} a.c -o whole"));
            folder.run("strip whole -o bare");
            let (whole, bare) = (folder.open("whole"), folder.open("bare"));
            for name in ["main", "work", "twice", "complain"] {
                let function = whole.functions()[named(&whole, name).index()];
                let same = bare.function_beginning(function.entry).expect("its range is known");
                let same = bare.functions()[same.index()];
                // Symbols end with the last instruction and the unwind table does too.
                assert_eq!(same.end, function.end, "{name} with {compiler} {flags}");
                assert_eq!(same.kind, FunctionKind::Ordinary, "{name} with {compiler} {flags}");
            }
        }
    }
}

#[test]
fn seldom_executed_parts_belong_to_their_functions() {
    let folder = TemporaryFolder::new("cold");
    folder.write("a.c", PROGRAM);
    // The same static functions once more: parts go by their source file.
    folder.write("b.c", &PROGRAM.replace("work", "other").replace("main", "second"));
    folder.run("gcc -O2 -freorder-blocks-and-partition a.c b.c -o both");
    let object = folder.open("both");
    let mut parts = 0;
    for function in object.functions() {
        let FunctionKind::Fragment { of } = function.kind else { continue };
        let names =
            object.names(object.function_beginning(function.entry).expect("it begins there"));
        let whole = of.unwrap_or_else(|| panic!("{names:?} is part of something"));
        let is_whole = object.names(whole)[0].text == names[0].text.trim_end_matches(".cold");
        assert!(is_whole, "{names:?} and {:?}", object.names(whole));
        let jumps = object.branches().into(function.entry..function.end);
        let from = object.functions()[whole.index()];
        assert!(jumps.into_iter().any(|b| (from.entry..from.end).contains(&b.from)), "{names:?}");
        parts += 1;
    }
    assert!(parts >= 2, "GCC parts both functions: {parts}");
}

#[test]
fn choices_at_load_time_and_versions_are_known() {
    let folder = TemporaryFolder::new("choice");
    folder.write(
        "a.c",
        "static int one(void) { return 1; }\n\
         static void *choose(void) { return one; }\n\
         int chosen(void) __attribute__((ifunc(\"choose\")));\n\
         int old_f(int n) { return n; }\nint new_f(int n) { return n + 1; }\n\
         __asm__(\".symver old_f,f@V1\\n.symver new_f,f@@V2\");\n\
         int alias(int) __attribute__((weak, alias(\"new_f\")));\n\
         int use(void) { return chosen() + old_f(1); }\n",
    );
    folder.write(
        "map",
        "V1 { global: f; local: old_f; };\nV2 { global: f; chosen; alias; use; } V1;\n",
    );
    folder.run("gcc -O1 -fPIC -shared a.c -Wl,--version-script=map -o libchoice.so");
    for name in ["libchoice.so", "stripped.so"] {
        let object = folder.open("libchoice.so");
        folder.run("strip libchoice.so -o stripped.so");
        let chosen = object.functions()[named(&object, "chosen").index()];
        assert_eq!(chosen.kind, FunctionKind::Ifunc, "{name}");
        let shown = |id| object.names(id).iter().map(ToString::to_string).collect::<Vec<_>>();
        let (new, alias) = (named(&object, "alias"), named(&object, "f"));
        assert!(shown(new).contains(&"f@V2".to_owned()), "{name}: {:?}", shown(new));
        assert!(shown(alias).contains(&"f@V1".to_owned()), "{name}: {:?}", shown(alias));
        let scope = object.names(new).into_iter().find(|known| known.text == "alias");
        assert_eq!(scope.map(|known| known.scope), Some(Scope::Weak));
    }
}

/// Sizes that are missing or wrong, and entries inside others, as assembly has them.
const ASSEMBLY: &str = r#"
.text
.macro function name
.globl \name
.type \name, @function
\name:
.endm
function outer
  nop
  nop
function inner
  nop
  ret
.size inner, . - inner
  nop
  ret
.size outer, . - outer
function unsized
.cfi_startproc
  nop
  ret
.cfi_endproc
function bare
  ret
function long
  ret
.size long, 64
function covered
  nop
  ret
.size covered, . - covered
function endless
  ret
.size endless, 0x7fffffffffffffff
.globl label
label:
  ret
.type unwound, @function
unwound:
.cfi_startproc
  nop
  ret
.cfi_endproc
"#;

#[test]
fn sizes_that_are_missing_or_wrong_do_no_harm() {
    let folder = TemporaryFolder::new("sizes");
    folder.write("a.S", ASSEMBLY);
    folder.run("gcc -shared -nostdlib a.S -o liba.so");
    let object = folder.open("liba.so");
    let function = |name| object.functions()[named(&object, name).index()];
    let length = |name| function(name).end - function(name).entry;
    let at = |address| object.function_at(address).expect("code of a function");
    assert_eq!((length("outer"), length("inner"), length("unsized")), (6, 2, 2));
    assert_eq!(at(function("inner").entry + 1), named(&object, "inner"));
    assert_eq!(at(function("inner").end), named(&object, "outer"));
    assert_eq!((length("bare"), length("covered"), length("unwound")), (0, 2, 2));
    assert!(object.function_at(function("bare").entry).is_none());
    assert!(length("long") > 1 && length("endless") > 1);
    assert_eq!(at(function("covered").entry), named(&object, "covered"));
    let code = object.executable().iter().map(|range| range.end).max();
    assert!(Some(function("endless").end) <= code, "nothing reaches beyond the code");
    let label = function("endless").entry + 1;
    assert!(object.function_beginning(label).is_none(), "a label in a function is none");
}

#[test]
fn objects_without_section_headers_have_functions() {
    let folder = TemporaryFolder::new("sstrip");
    folder.write("a.c", PROGRAM);
    folder.run("gcc -O2 a.c -o whole");
    let whole = folder.open("whole");
    let mut bytes = std::fs::read(folder.path("whole")).expect("it was just made");
    // Place, size, number and names of the section headers.
    bytes[0x28..0x30].fill(0);
    bytes[0x3a..0x40].fill(0);
    std::fs::write(folder.path("bare"), &bytes).expect("the folder is ours");
    let bare = folder.open("bare");
    assert!(bare.section(".text").is_none());
    let entry = whole.functions()[named(&whole, "work").index()].entry;
    let work = bare.function_beginning(entry).expect("the unwind table is found by its segment");
    assert_eq!(
        bare.functions()[work.index()].end,
        whole.functions()[named(&whole, "work").index()].end
    );
    assert!(bare.names(work).is_empty());
    assert_eq!(bare.build_id(), whole.build_id());
}
