//! Builds objects from assembly and C text with the system's compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use whyperf_code::Object;
use whyperf_code::plan::{Islands, Plan, Refusal, plan};

use crate::libraries::named;
use crate::oracle::Image;

/// Whether there are dead bytes near a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// Padding follows it.
    Roomy,
    /// Other code lies against it on both sides.
    Crowded,
    /// Nothing lies between it and the next.
    Tight,
}

/// Builds a shared object from text in the language of `extension`.
pub(crate) fn build(name: &str, extension: &str, text: &str, flags: &[&str]) -> Object {
    Object::open(&built(name, extension, text, flags)).expect("what gcc builds can be read")
}

pub(crate) fn built(name: &str, extension: &str, text: &str, flags: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = folder.join(format!("{name}.{extension}"));
    let object = folder.join(format!("{name}.so"));
    fs::write(&source, text).expect("the source can be written");
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-nostdlib", "-fPIC"]).args(flags).arg("-o").arg(&object).arg(&source);
    let output = gcc.output().expect("gcc can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    object
}

/// A function with what lies around it.
pub(crate) fn function(name: &str, room: Room, body: &str) -> String {
    let live = |side: &str| {
        let name = format!("{name}_{side}");
        format!(
            ".type {name}, @function\n{name}: .cfi_startproc\n.rept 199\npush %rbp\n.endr\nret\n\
             .cfi_endproc\n.size {name}, .-{name}\n"
        )
    };
    let own = format!(
        ".type {name}, @function\n{name}: .cfi_startproc\n{body}\n.cfi_endproc\n.size {name}, .-{name}\n"
    );
    match room {
        Room::Roomy => format!("{own}.skip 32, 0xcc\n"),
        Room::Tight => own,
        Room::Crowded => format!("{}{own}{}", live("before"), live("after")),
    }
}

/// Plans the function of a name alone.
pub(crate) fn plan_of(object: &Object, name: &str) -> Result<Plan, Refusal> {
    let id = named(object, name).unwrap_or_else(|| panic!("{name} is a function"));
    plan(object, id, &mut Islands::new())
}

/// Runs plans of an object as they were and as they become.
pub(crate) fn run(object: &Object, plans: &[Plan], states: u64) {
    let image = Image::of(object.path());
    let mut cases = Vec::new();
    for plan in plans {
        let (encoded, word) = image.encode(plan, cases.len()).expect("within reach");
        cases.push((plan.entry, encoded, word));
    }
    let verdict = image.ask(&cases, states);
    assert_eq!(verdict.mismatches, 0, "{}", verdict.text);
    assert_eq!(verdict.cases, cases.len());
}
