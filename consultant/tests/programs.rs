//! Searches random programs, 1000 in a release build: every function on a true chain must be found, at most one in a
//! hundred findings may be false, and a program that is searched twice gives the same log.

use std::collections::BTreeSet;

use whyperf_consultant::{
    DirectivesInForce, Hypotheses, SearchResult, SearchScope, Searches, Settings, Step, drive,
};
use whyperf_model::{Hierarchy, Resource};
use whyperf_testkit::simulate::{Checked, RandomProgram};

/// All thousand where tests are compiled to be fast.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 200 } else { 1000 };
/// Of `CPUbound`.
const THRESHOLD: f64 = 0.30;

fn searched(program: &RandomProgram) -> (String, SearchResult) {
    let (table, settings) = (Hypotheses::built_in(), Settings::default());
    let mut searches = Searches::new(table, settings, DirectivesInForce::default());
    let mut source = Checked::new(program.source());
    let mut log = String::new();
    drive(&mut searches, &mut source, &mut |_: SearchScope, step: &Step| {
        log += &format!("{step}\n")
    });
    assert_eq!(
        source.complaints(),
        [] as [String; 0],
        "the simulated data source breaks its promises"
    );
    (log, searches.global().report())
}

fn found(report: &SearchResult) -> BTreeSet<Resource> {
    let computing = report.bottlenecks.iter().filter(|one| one.hypothesis == "CPUbound");
    computing
        .flat_map(|one| one.focus.part(Hierarchy::Code).to_vec())
        .filter(|code| !code.is_root())
        .collect()
}

#[test]
fn what_lies_on_a_true_chain_is_found_and_little_else() {
    let (mut due, mut missed, mut found_at_all, mut wrong) = (0_u64, Vec::new(), 0, 0);
    for seed in 0..PROGRAMS {
        let drawn = RandomProgram::draw(seed);
        let (log, report) = searched(&drawn);
        let found = found(&report);
        for function in drawn.due(THRESHOLD) {
            due += 1;
            if !found.contains(&function) {
                missed.push(format!("{seed}: {function} {}", drawn.share(&function)));
            }
        }
        found_at_all += found.len();
        wrong += found.iter().filter(|function| drawn.share(function) < THRESHOLD).count();
        if seed % 20 == 0 {
            assert_eq!(log, searched(&drawn).0, "program {seed} is searched in two ways");
        }
    }
    assert!(due > 2 * PROGRAMS, "only {due} functions to be found");
    assert!(missed.is_empty(), "{} of {due} missed: {missed:#?}", missed.len());
    assert!(wrong * 100 <= found_at_all, "{wrong} of {found_at_all} are not there");
}
