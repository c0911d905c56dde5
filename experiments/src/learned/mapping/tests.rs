//! Tests that the right names are paired, and for the right reasons.

use std::collections::BTreeSet;

use super::super::earlier_run::example::{earlier_run, placed, with};
use super::*;

fn mapped(first: EarlierRun, second: EarlierRun) -> Vec<(String, String)> {
    let all = map(&first, &second).into_iter();
    all.map(|one| (one.from.to_string(), one.to.to_string())).collect()
}

fn pair(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

#[test]
fn a_renamed_module_takes_its_functions_along() {
    let first = with(
        earlier_run("aa", &[]),
        &["/Code/oned.c/exchng1", "/Code/oned.c/sweep", "/Code/main.c/main"],
    );
    let second = with(
        earlier_run("bb", &[]),
        &["/Code/onednb.c/exchng1nb", "/Code/onednb.c/sweep", "/Code/main.c/main"],
    );
    assert_eq!(
        mapped(first, second),
        [
            pair("/Code/oned.c", "/Code/onednb.c"),
            pair("/Code/oned.c/exchng1", "/Code/onednb.c/exchng1nb"),
        ]
    );
}

#[test]
fn code_of_a_program_that_was_not_run_yet_is_found_in_its_file() {
    let old = [
        "/Code/oned.c/exchng1",
        "/Code/oned.c/sweep",
        "/Code/main.c/main",
        "/Code/libm.so.6/exp",
        "/SyncObject/Message/3",
    ];
    let new = [
        "/Code/onednb.c/exchng1nb",
        "/Code/onednb.c/sweep",
        "/Code/onednb.c/begin",
        "/Code/onednb.c/end",
        "/Code/main.c/main",
        "/Code/main.c/usage",
    ];
    let functions = new.iter().map(|name| name.parse().expect("well formed")).collect();
    let found =
        map_to_program(&with(earlier_run("aa", &[]), &old), &functions, &CodeStructure::default());
    let said: Vec<String> =
        found.iter().map(|one| format!("{} {} {}", one.from, one.to, one.is_sure())).collect();
    assert_eq!(
        said,
        [
            "/Code/oned.c /Code/onednb.c false",
            "/Code/oned.c/exchng1 /Code/onednb.c/exchng1nb false",
        ]
    );
}

#[test]
fn behaviour_decides_where_names_do_not() {
    let questions = |hot: &'static str, cold: &'static str| {
        [("CPUbound", hot, 't', 0.8, &[] as &[u64]), ("CPUbound", cold, 'f', 0.1, &[])]
    };
    let first = earlier_run("aa", &questions("</Code/a.c/work_1>", "</Code/a.c/work_2>"));
    let second = earlier_run("bb", &questions("</Code/a.c/work_b>", "</Code/a.c/work_a>"));
    let first = with(first, &["/Code/a.c/work_1", "/Code/a.c/work_2"]);
    let second = with(second, &["/Code/a.c/work_a", "/Code/a.c/work_b"]);
    assert_eq!(
        mapped(first, second),
        [
            pair("/Code/a.c/work_1", "/Code/a.c/work_b"),
            pair("/Code/a.c/work_2", "/Code/a.c/work_a"),
        ]
    );
}

#[test]
fn hosts_go_by_their_order_and_what_is_unlike_stays_alone() {
    let first =
        with(earlier_run("aa", &[]), &["/Machine/node7", "/Machine/node8", "/Code/a.c/init"]);
    let second = with(earlier_run("bb", &[]), &["/Machine/x1", "/Machine/x2", "/Code/a.c/tqrzw"]);
    let found = map(&first, &second);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|one| one.from.hierarchy() == Hierarchy::Machine));
    assert!(found.iter().all(|one| one.confidence < Mapped::SURE));
    assert_eq!(Mapped::directives(&found, Mapped::SURE).entries.len(), 0);
}

#[test]
fn hosts_are_counted_and_not_spelled() {
    let hosts = |from: u32| -> Vec<String> {
        (from..from + 4).map(|nth| format!("/Machine/n{nth}")).collect()
    };
    let named = |hosts: &[String]| -> EarlierRun {
        with(earlier_run("aa", &[]), &hosts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (first, second) = (hosts(8), hosts(123));
    let expected: Vec<(String, String)> = first.iter().cloned().zip(second.clone()).collect();
    assert_eq!(mapped(named(&first), named(&second)), expected);
}

#[test]
fn hosts_of_the_same_ranks_belong_together() {
    let (names, others) = (["/Machine/a", "/Machine/b"], ["/Machine/x", "/Machine/y"]);
    let ranks = ["/Process/0", "/Process/1"];
    let run = |hosts: [&str; 2], there: [&str; 2]| {
        let earlier_run = with(earlier_run("aa", &[]), &[hosts, ranks].concat());
        placed(earlier_run, &[(ranks[0], there[0]), (ranks[1], there[1])])
    };
    let found = map(&run(names, names), &run(others, ["/Machine/y", "/Machine/x"]));
    let said: Vec<String> =
        found.iter().map(|one| format!("{} {} {}", one.from, one.to, one.is_sure())).collect();
    assert_eq!(said, ["/Machine/a /Machine/y true", "/Machine/b /Machine/x true"]);
}

#[test]
fn a_function_that_is_in_another_file_now_has_moved_there() {
    let f = |place: &'static str| [("CPUbound", place, 't', 0.8, &[] as &[u64])];
    let first = earlier_run("aa", &f("</Code/a.c/work>"));
    let second = earlier_run("bb", &f("</Code/b.c/work>"));
    let first = with(first, &["/Code/a.c/main", "/Code/a.c/work", "/Code/a.c/init"]);
    let second =
        with(second, &["/Code/a.c/main", "/Code/a.c/work_not", "/Code/b.c/work", "/Code/a.c/init"]);
    assert_eq!(mapped(first.clone(), second.clone()), [pair("/Code/a.c/work", "/Code/b.c/work")]);
    assert!(map(&first, &second)[0].is_sure());
    let there = ["/Code/a.c/main", "/Code/b.c/work", "/Code/c.c/work"];
    let old = with(first, &["/Code/a.c/main", "/Code/a.c/work"]);
    let found = mapped(old.clone(), with(second, &there));
    assert_eq!(found, [pair("/Code/a.c/work", "/Code/b.c/work")], "it takes the same time there");
    let found = mapped(old, with(earlier_run("bb", &[]), &there));
    assert_eq!(found, [], "nobody knows which of the two");
}

#[test]
fn a_few_names_are_found_among_thousands_of_functions() {
    let new = (0..8000).map(|at| format!("/Code/program/function_{at:04}_of_many"));
    let functions = new.map(|name| name.parse().expect("well formed")).collect();
    let old = ["/Code/program/function_17_of_many", "/Code/program/function_4711_for_many"];
    let found =
        map_to_program(&with(earlier_run("aa", &[]), &old), &functions, &CodeStructure::default());
    let to: Vec<String> = found.iter().map(|one| one.to.to_string()).collect();
    assert_eq!(to.len(), 2);
    assert!(to.contains(&"/Code/program/function_4711_of_many".to_owned()), "{to:?}");
}

#[test]
fn nothing_is_proposed_twice_and_what_was_renamed_is_found_among_thousands() {
    let names = |change: &dyn Fn(usize) -> String| -> EarlierRun {
        let names: Vec<String> = (0..5000).map(|at| format!("/Code/a.c/{}", change(at))).collect();
        with(earlier_run("aa", &[]), &names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let word = |at: usize| format!("{:x}", at.wrapping_mul(2_654_435_761) % 1_000_003);
    let found = map(
        &names(&|at| format!("compute_{}", word(at))),
        &names(&|at| format!("compute_{}_new", word(at))),
    );
    let to: BTreeSet<&Resource> = found.iter().map(|one| &one.to).collect();
    assert_eq!((found.len(), to.len()), (5000, 5000));
    let right = found.iter().filter(|one| format!("{}_new", one.from) == one.to.to_string());
    assert!(right.count() > 4900);
}

/// A program of two modules in which everything has another name, seen by who calls whom.
fn structure(names: [&str; 5]) -> CodeStructure {
    let [main, swap, relax, norm, _] =
        names.map(|name| name.parse::<Resource>().expect("well formed"));
    let mut structure = CodeStructure::default();
    for callee in [&swap, &relax, &norm] {
        structure.add_call(&main, callee);
    }
    structure.add_wrapped(&main, "MPI_Init");
    structure.add_wrapped(&swap, "MPI_Send");
    structure.add_wrapped(&swap, "MPI_Recv");
    structure.add_wrapped(&norm, "MPI_Allreduce");
    structure
}

const OLD: [&str; 5] = [
    "/Code/solve.c/main",
    "/Code/solve.c/exchange",
    "/Code/sweep.c/relax",
    "/Code/sweep.c/norm",
    "/Code/sweep.c/unused",
];
const NEW: [&str; 5] = [
    "/Code/poisson.cc/main",
    "/Code/poisson.cc/halo",
    "/Code/kernel.cc/jacobi",
    "/Code/kernel.cc/distance",
    "/Code/kernel.cc/zzz",
];

#[test]
fn renamed_functions_of_renamed_modules_are_known_by_what_they_call_and_take() {
    let run = |name: &str, names: [&'static str; 5]| {
        let focus = names.map(|name| format!("<{name}>"));
        let asked = [
            ("CPUbound", focus[2].as_str(), 't', 0.8, &[] as &[u64]),
            ("CPUbound", focus[3].as_str(), 'f', 0.02, &[]),
            ("ExcessiveSyncWaitingTime", focus[1].as_str(), 't', 0.4, &[]),
        ];
        let mut run = with(earlier_run(name, &asked), &names);
        run.structure = structure(names);
        run
    };
    let found = map(&run("aa", OLD), &run("bb", NEW));
    let said: BTreeSet<(String, String)> =
        found.iter().map(|one| (one.from.to_string(), one.to.to_string())).collect();
    for (old, new) in OLD.iter().zip(NEW).skip(1).take(3) {
        assert!(said.contains(&((*old).to_owned(), new.to_owned())), "{old}: {said:?}");
    }
    for (old, new) in [("/Code/solve.c", "/Code/poisson.cc"), ("/Code/sweep.c", "/Code/kernel.cc")]
    {
        assert!(said.contains(&pair(old, new)), "{said:?}");
    }
    let text = Mapped::directives(&found, 0.0).to_string();
    let line = text.lines().find(|line| line.contains("/Code/poisson.cc/halo")).expect("mapped");
    for words in [
        "called by main",
        "makes calls of mpi_recv, mpi_send",
        "ExcessiveSyncWaitingTime 0.40 and 0.40",
    ] {
        assert!(line.contains(words), "{line}");
    }
}

#[test]
fn renamed_functions_are_found_in_the_file_of_a_program_that_was_not_run_yet() {
    let mut old = with(earlier_run("aa", &[]), &OLD);
    old.structure = structure(OLD);
    let mut new = structure(NEW);
    let [main, .., zzz] = NEW.map(|name| name.parse::<Resource>().expect("well formed"));
    // What the run did not meet says nothing against it.
    new.add_wrapped(&main, "exit");
    new.add_call(&main, &zzz);
    let functions = NEW.iter().map(|name| name.parse().expect("well formed")).collect();
    let found = map_to_program(&old, &functions, &new);
    let to = |from: &str| {
        let one = found.iter().find(|one| one.from.path() == from);
        one.map(|one| one.to.to_string())
    };
    assert_eq!(to(OLD[1]).as_deref(), Some(NEW[1]), "{found:?}");
    assert_eq!(to(OLD[3]).as_deref(), Some(NEW[3]), "{found:?}");
}

#[test]
fn the_last_of_more_processes_has_another_name_and_the_first_has_not() {
    let run = |ranks: usize| {
        let names: Vec<String> = (0..ranks).map(|rank| format!("/Process/{rank}")).collect();
        with(earlier_run("aa", &[]), &names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let found = mapped(run(4), run(8));
    assert_eq!(found, [pair("/Process/3", "/Process/7"), pair("/Process/2", "/Process/6")]);
    assert_eq!(
        mapped(run(6), run(8)),
        [pair("/Process/5", "/Process/7"), pair("/Process/4", "/Process/6")]
    );
    assert_eq!(mapped(run(8), run(4)), [], "the third is no other one now");
    let comment = Mapped::directives(&map(&run(4), &run(8)), 0.0).to_string();
    assert!(comment.contains("please check: the last of 4 processes, and of 8"), "{comment}");
}

#[test]
fn an_object_is_known_by_the_code_that_works_on_it() {
    let run = |name: &str, objects: [&'static str; 2]| {
        let [first, second] = ["</Code/a.c/up,", "</Code/a.c/down,"];
        let foci = [(first, objects[0]), (second, objects[1])]
            .map(|(code, object)| format!("{code}{object}>"));
        let asked = foci
            .each_ref()
            .map(|focus| ("ExcessiveSyncWaitingTime", focus.as_str(), 't', 0.4, &[] as &[u64]));
        let code = ["/Code/a.c/up", "/Code/a.c/down"];
        let mut run = with(earlier_run(name, &asked), &[objects, code].concat());
        for (code, object) in code.iter().zip(objects) {
            run.structure.add_object(
                &code.parse().expect("well formed"),
                &object.parse().expect("well formed"),
            );
        }
        run
    };
    let old = ["/SyncObject/Message/w/3", "/SyncObject/Message/w/4"];
    let new = ["/SyncObject/Message/w/8", "/SyncObject/Message/w/7"];
    let found: BTreeSet<(String, String)> =
        mapped(run("aa", old), run("bb", new)).into_iter().collect();
    assert!(
        found.contains(&pair(old[0], new[0])) && found.contains(&pair(old[1], new[1])),
        "{found:?}"
    );
}

#[test]
fn another_communicator_with_other_tags_is_known_by_code_and_shares() {
    let run = |name: &str, function: &str, communicator: &str, tag: &str| {
        let object = format!("/SyncObject/Message/{communicator}/{tag}");
        let code = format!("/Code/{function}");
        let focus = format!("<{code},{object}>");
        let asked = [("ExcessiveSyncWaitingTime", focus.as_str(), 't', 0.5, &[] as &[u64])];
        let mut run = with(earlier_run(name, &asked), &[&code, "/Code/a.c/main", &object]);
        let code: Resource = code.parse().expect("well formed");
        let object: Resource = object.parse().expect("well formed");
        run.structure.add_object(&code, &object.parent().expect("a tag is of a communicator"));
        run.structure.add_object(&code, &object);
        run
    };
    let first = run("aa", "a.c/exchange1", "MPI_COMM_WORLD", "3");
    let found = mapped(first, run("bb", "a.c/exchange2", "grid", "5"));
    let [world, grid] = ["MPI_COMM_WORLD", "grid"].map(|one| format!("/SyncObject/Message/{one}"));
    assert!(found.contains(&pair(&world, &grid)), "{found:?}");
    assert!(found.contains(&pair(&format!("{world}/3"), &format!("{grid}/5"))), "{found:?}");
}
