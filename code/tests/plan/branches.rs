//! Nothing that another decoder sees jumps into bytes that change, in any function of a library.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use whyperf_code::plan::{Plan, SiteClass};

use crate::assembly::plan_of;
use crate::libraries::{LIBRARIES, is_whole, open, plan_all};

/// Where direct branches and calls lead, with where they come from, as binutils decode them.
fn branches(path: &Path) -> BTreeMap<u64, Vec<u64>> {
    let mut objdump = Command::new("objdump")
        .args(["--disassemble", "--no-show-raw-insn", "--wide"])
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("objdump can be started");
    let output = BufReader::new(objdump.stdout.take().expect("its output is a pipe"));
    let mut found: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for line in output.lines() {
        let line = line.expect("its output can be read");
        if let Some((from, to)) = branch(&line) {
            found.entry(to).or_default().push(from);
        }
    }
    assert!(objdump.wait().expect("it ends").success(), "objdump reads {}", path.display());
    found
}

/// `  1234:\tjne    1240 <name+0x10>`
fn branch(line: &str) -> Option<(u64, u64)> {
    let (address, instruction) = line.split_once(":\t")?;
    let from = u64::from_str_radix(address.trim(), 16).ok()?;
    let words: Vec<&str> = instruction.split_whitespace().collect();
    let place = words.iter().position(|word| {
        word.starts_with('j') || word.starts_with("call") || word.starts_with("loop")
    })?;
    let to = u64::from_str_radix(words.get(place + 1)?, 16).ok()?;
    Some((from, to))
}

/// Bytes behind the first one that change, and the displaced ones they belong to.
fn changed(plan: &Plan) -> [(Range<u64>, Range<u64>); 2] {
    let site = plan.site + 1..plan.site + u64::from(plan.length);
    let island = plan.island().map_or(0..0, |at| at..at + 5);
    [(site, plan.site..plan.resume), (island, 0..0)]
}

#[test]
fn no_branch_leads_into_bytes_that_change() {
    let wanted = if is_whole() { LIBRARIES.len() } else { 1 };
    for name in LIBRARIES.iter().take(wanted) {
        let Some(object) = open(name) else { continue };
        let branches = branches(object.path());
        assert!(branches.len() > 1000, "{name}: {} branches are decoded", branches.len());
        let plans: Vec<Plan> =
            plan_all(&object).into_iter().filter_map(|(_, planned)| planned.ok()).collect();
        for plan in &plans {
            for (bytes, displaced) in changed(plan) {
                let mut inward = branches.range(bytes.clone()).flat_map(|(_, from)| from);
                let outside = inward.find(|from| !displaced.contains(from));
                assert_eq!(outside, None, "{name}: {plan:?} changes {bytes:x?}");
            }
        }
        let sites: BTreeSet<u64> = plans.iter().map(|plan| plan.site).collect();
        assert_eq!(sites.len(), plans.len(), "{name}: no two functions share a site");
    }
}

/// Its second instruction, three bytes behind its entry, is where it tries again.
#[test]
fn a_loop_behind_the_entry_is_kept_in_sem_trywait() {
    let Some(object) = open("libc.so.6") else { return };
    let plan = plan_of(&object, "sem_trywait").expect("there is an island near");
    let inward = branches(object.path());
    let into_long_patch: Vec<_> = inward.range(plan.site + 1..plan.site + 5).collect();
    if into_long_patch.is_empty() {
        eprintln!("sem_trywait of this C library has no loop at its start");
        return;
    }
    assert_eq!((plan.class, plan.length), (SiteClass::Short, 2), "{into_long_patch:x?}");
}
