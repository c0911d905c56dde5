//! The policy of a hypothesis says which refinements come, and which wait until the others gave nothing.

use whyperf_consultant::{
    DirectivesInForce, Happening, Hypotheses, SearchScope, Searches, Step, drive,
};
use whyperf_testkit::simulate::Scenario;

const PROGRAM: &str = "length 20s
processes 1 on n0
phase 0s 20s * period 70ms
  0.7 Write /Code/a.c/save /File/data ops SIZE
  0.3 User /Code/a.c/work
";

/// Along which axes the added hypothesis is refined at the whole program, in order.
fn axes(policy: &str, writes: &str) -> Vec<String> {
    let mut table = Hypotheses::built_in();
    let text = format!(
        "[[hypothesis]]\nname = \"Slow\"\nmetric = \"io_wait / wall\"\noperator = \">\"\n\
         threshold = 0.2\npolicy = \"{policy}\"\nmeaning = \"\"\nadvice = \"\"\n\
         [[hypothesis]]\nname = \"Small\"\nparent = \"Slow\"\nmetric = \"io_bytes / io_ops\"\n\
         normalization = \"focus\"\noperator = \"<\"\nthreshold = \"100 B/ops\"\n\
         policy = \"why-only\"\nmeaning = \"\"\nadvice = \"\"\n"
    );
    table.extend("slow.toml", &text).expect("right");
    let scenario = Scenario::parse(&PROGRAM.replace("SIZE", writes)).expect("well formed");
    let mut searches =
        Searches::new(table, scenario.settings.clone(), DirectivesInForce::default());
    let mut axes = Vec::new();
    let mut note = |_: SearchScope, step: &Step| {
        if let Happening::Refined { subject, along, .. } = &step.happening
            && subject.hypothesis == "Slow"
            && subject.focus.depth() == 0
        {
            axes.push(along.unwrap_or("why").to_owned());
        }
    };
    drive(&mut searches, &mut scenario.source(), &mut note);
    axes
}

const SMALL: &str = "10000 size 8";
const LARGE: &str = "100 size 1000000";

#[test]
fn only_the_kinds_that_a_policy_names() {
    assert_eq!(axes("why-and-where", LARGE), ["why", "Code", "File"]);
    assert_eq!(axes("where-and-why", LARGE), ["Code", "File", "why"]);
    assert_eq!(axes("why-only", SMALL), ["why"]);
    assert_eq!(axes("where-only", SMALL), ["Code", "File"]);
}

#[test]
fn the_second_kind_waits_for_nothing_from_the_first() {
    assert_eq!(axes("why-before-where", SMALL), ["why"]);
    assert_eq!(axes("why-before-where", LARGE), ["why", "Code", "File"]);
    assert_eq!(axes("where-before-why", SMALL), ["Code", "File"]);
}
