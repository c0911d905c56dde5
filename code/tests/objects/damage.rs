//! Files that are no objects, objects for other machines, and objects that were spoilt: each ends in
//! an error or in fewer functions, never in a panic.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use whyperf_code::{FunctionId, Object, ObjectError, Opening};

use crate::temporary_folder::TemporaryFolder;

/// Small and with all there is: exceptions, parts, debug information, stubs.
const PROGRAM: &str = "#include <stdexcept>\n#include <cstdio>\n\
    int f(int n) { if (n > 3) throw std::runtime_error(\"a\"); return puts(\"b\"); }\n\
    int main(int c, char **) { try { return f(c); } catch (std::exception &) { return 1; } }\n";

fn of(bytes: Vec<u8>) -> Result<Object, ObjectError> {
    Object::of(Opening::new(Path::new("/nowhere/spoilt")), Arc::new(bytes))
}

/// Asks an object everything.
fn ask(object: &Object) {
    let functions = object.functions();
    for (at, function) in functions.iter().enumerate() {
        let id = FunctionId(at as u32);
        assert!(function.entry <= function.end);
        black_box((object.names(id), object.calls(id)));
        black_box((object.frame(function.entry), object.function_at(function.end)));
    }
    black_box(object.branches().into(0..u64::MAX).count());
    for function in functions.iter().step_by(functions.len() / 8 + 1) {
        black_box((object.place(function.entry + 1), object.inlined(function.entry)));
        black_box(object.caller(function.end));
    }
    black_box((object.variable(0x4010), object.place(u64::MAX), object.caller(0)));
    black_box((object.address(u64::MAX), object.data_address(0x3000)));
    assert!(object.text(u64::MAX - 3..u64::MAX).is_none());
    assert!(object.read(8..u64::MAX).is_none());
}

#[test]
fn what_is_no_object_for_this_machine_is_refused() {
    let folder = TemporaryFolder::new("foreign");
    folder.write("a.cpp", PROGRAM);
    folder.run("g++ -O2 a.cpp -o prog");
    let good = fs::read(folder.path("prog")).expect("it was just made");
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        of(bytes).expect_err("it is not for this machine")
    };
    // Class, byte order and machine stand at fixed places.
    assert!(matches!(changed(4, 1), ObjectError::Machine { found: "32 bits", .. }));
    assert!(matches!(changed(5, 2), ObjectError::Machine { found: "big endian", .. }));
    assert!(matches!(changed(18, 183), ObjectError::Machine { found: "AArch64", .. }));
    assert!(matches!(changed(18, 243), ObjectError::Machine { .. }));
    assert!(matches!(changed(0, 0), ObjectError::NotElf { .. } | ObjectError::Malformed { .. }));
    for bytes in [Vec::new(), b"#!/bin/sh\n".to_vec(), vec![0; 4096], good[..20].to_vec()] {
        let error = of(bytes).expect_err("it is no object");
        assert!(error.to_string().contains("/nowhere/spoilt"), "{error}");
    }
    for path in ["missing", "."] {
        let error = Object::open(&folder.path(path)).expect_err("it is no file");
        assert!(matches!(error, ObjectError::Read { .. }), "{error}");
    }
    folder.run("mkfifo pipe");
    assert!(matches!(Object::open(&folder.path("pipe")), Err(ObjectError::Read { .. })));
}

/// Numbers without order, the same ones each time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("less than a length")
    }
}

#[test]
fn spoilt_objects_answer_or_are_refused() {
    let folder = TemporaryFolder::new("damage");
    folder.write("a.cpp", PROGRAM);
    let mut chance = Chance(0x5eed);
    let mut refused = 0;
    for flags in ["-O2", "-O2 -s", "-g1 -O2 -static-pie", "-g -O2"] {
        folder.run(&format!("g++ {flags} a.cpp -o prog"));
        let good = fs::read(folder.path("prog")).expect("it was just made");
        let rounds = if good.len() < 1 << 20 { 350 } else { 2 };
        for round in 0..rounds {
            let bytes = if round % 5 == 0 {
                good[..chance.below(good.len())].to_vec()
            } else {
                spoilt(&good, &mut chance)
            };
            match of(bytes) {
                Ok(object) => ask(&object),
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().contains("/nowhere/spoilt"), "{error}");
                }
            }
        }
    }
    assert!(refused > 0, "some were spoilt beyond use");
}

/// Some bytes changed: often in the headers and tables, which all else depends on.
fn spoilt(good: &[u8], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let tables = bytes.len() * 2 / 3;
    for _ in 0..=chance.below(12) {
        let at = match chance.below(4) {
            0 => chance.below(64),
            1 => chance.below(2048.min(bytes.len())),
            2 => tables + chance.below(bytes.len() - tables),
            _ => chance.below(bytes.len()),
        };
        bytes[at] = match chance.below(4) {
            0 => 0,
            1 => 0xff,
            2 => bytes[at] ^ (1 << chance.below(8)),
            _ => chance.next() as u8,
        };
    }
    bytes
}
