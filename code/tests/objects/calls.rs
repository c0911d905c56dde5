//! Branches agree with a disassembler, and calls with what was written.

use std::collections::BTreeSet;

use whyperf_code::{Callee, Object};

use crate::temporary_folder::{TemporaryFolder, compilers, installed, named, told};

/// Direct branches as `objdump` prints them: where they are and where they lead.
fn disassembled(path: &std::path::Path) -> BTreeSet<(u64, u64)> {
    let text = told("objdump", &["-d", "--no-show-raw-insn"], path);
    let branches = text.lines().filter_map(|line| {
        let (from, rest) = line.split_once(":\t")?;
        let from = u64::from_str_radix(from.trim(), 16).ok()?;
        let rest = rest.split('#').next()?.split('<').next()?;
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let (target, operations) = words.split_last()?;
        let is_branch = operations.iter().any(|word| {
            let word = word.split(',').next().unwrap_or(word);
            word.starts_with('j')
                || word.starts_with("call")
                || word.starts_with("loop")
                || word == "xbegin"
        });
        let is_direct = target.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_branch && is_direct).then(|| Some((from, u64::from_str_radix(target, 16).ok()?)))?
    });
    branches.collect()
}

#[test]
fn branches_agree_with_a_disassembler() {
    for path in installed() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !["libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ls"].contains(&name.as_str()) {
            continue;
        }
        let object = Object::open(&path).expect("an installed object can be read");
        let ours: BTreeSet<(u64, u64)> =
            object.branches().into(0..u64::MAX).map(|branch| (branch.from, branch.to)).collect();
        let theirs = disassembled(&path);
        assert!(theirs.len() > 100, "{name} has branches");
        let missing: Vec<_> = theirs.difference(&ours).collect();
        assert!(missing.is_empty(), "{name}: {} missing, first {:x?}", missing.len(), missing[0]);
        // Decoding begins anew at entries, so a few more are found where data lies between.
        let surplus = ours.difference(&theirs).count();
        assert!(surplus * 50 < theirs.len(), "{name}: {surplus} that nobody else sees");
    }
}

const CALLERS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noipa))
#endif
int elsewhere(int);
KEEP static int leaf(int n) { return n * 3; }
KEEP int plain(int n) { return leaf(n) + 1; }
KEEP int tail(int n) { return leaf(n + 1); }
KEEP int out(int n) { return elsewhere(n) + 1; }
KEEP int tail_out(int n) { return elsewhere(n + 1); }
KEEP int itself(int n) { return n ? itself(n - 1) * n + itself(n - 2) : 1; }
KEEP int pointed(int (*f)(int), int n) { return f(n) + 1; }
KEEP int loop(int n) { int s = 0; while (n--) s += n ^ s; return s; }
KEEP int seldom(int n) {
  if (__builtin_expect(n == 7, 0)) { puts("a"); puts("b"); return leaf(n) + rand(); }
  return n + 2;
}
int main(int argc, char **argv) {
  return plain(argc) + tail(argc) + out(argc) + tail_out(argc) + itself(argc)
    + pointed(leaf, argc) + loop(argc) + seldom(argc);
}
"#;

#[test]
fn calls_are_those_that_were_written() {
    for compiler in compilers() {
        let folder = TemporaryFolder::new(&format!("calls-{compiler}"));
        folder.write("a.c", CALLERS);
        folder.write("e.c", "int elsewhere(int n) { return n; }\n");
        folder.run(&format!("{compiler} -O2 -fPIC -shared e.c -o libe.so"));
        for flags in [
            "-O2",
            "-O2 -fno-plt",
            "-O2 -fno-pie -no-pie",
            "-O2 -Wl,-z,now",
            "-O2 -fcf-protection",
            "-O2 -Wl,-z,ibtplt",
        ] {
            folder.run(&format!("{compiler} {flags} a.c -o prog -L. -le -Wl,-rpath,$ORIGIN"));
            let object = folder.open("prog");
            for whole in [false, true] {
                if whole {
                    assert!(!object.branches().is_empty());
                }
                check(&object, &format!("{compiler} {flags} {whole}"));
            }
        }
    }
}

fn check(object: &Object, how: &str) {
    let here = |name: &str| Callee::Function(named(object, name));
    let there = |name: &str| Callee::Imported(name.to_owned());
    let callees = |name: &str| object.callees(named(object, name));
    assert_eq!(callees("plain"), [here("leaf")], "{how}");
    assert_eq!(callees("out"), [there("elsewhere")], "{how}");
    assert_eq!(callees("itself"), [here("itself")], "{how}");
    assert_eq!(callees("loop"), [], "{how}");
    assert_eq!(callees("leaf"), [], "{how}");
    assert_eq!(callees("tail"), [here("leaf")], "{how}");
    assert_eq!(callees("tail_out"), [there("elsewhere")], "{how}");
    let seldom = callees("seldom");
    for callee in [here("leaf"), there("puts"), there("rand")] {
        assert!(seldom.contains(&callee), "{how}: {seldom:?}");
    }
    let pointed = object.calls(named(object, "pointed"));
    assert_eq!((pointed.callees.len(), pointed.computed), (0, 1), "{how}");
    assert_eq!(callees("main").len(), 8, "{how}");
}

#[test]
fn calls_that_were_seen_are_added() {
    let folder = TemporaryFolder::new("learned");
    folder.write("a.c", CALLERS);
    folder.run("gcc -O2 a.c -o prog -Delsewhere=abs");
    let object = folder.open("prog");
    let (pointed, leaf) = (named(&object, "pointed"), named(&object, "leaf"));
    assert!(object.learn(pointed, Callee::Function(leaf)));
    assert!(!object.learn(pointed, Callee::Function(leaf)), "it is no news");
    assert!(!object.learn(named(&object, "plain"), Callee::Function(leaf)), "the code says so");
    assert_eq!(object.callees(pointed), [Callee::Function(leaf)]);
}
