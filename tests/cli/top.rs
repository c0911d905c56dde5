//! `whyperf top`: a run on a terminal of its own, what the program prints meanwhile, and the terminal afterwards.

use crate::keys::{Typist, WAITS};

/// A terminal that has a size, as those of people have. Of what is drawn single words are looked for: blanks are no letters that are written.
fn sized(run: &str) -> String {
    format!("stty rows 24 cols 110; {run}; status=$?; stty rows 0 cols 0; (exit $status)")
}

/// What a terminal is told to show its first screen again.
const BACK: &str = "\x1b[?1049l";

#[test]
fn a_run_is_drawn_while_it_goes_on_and_what_the_program_prints_comes_afterwards() {
    let does = format!("echo held$((1+1))back; {WAITS}; echo after$((1+1))wards; exit 5");
    let run = format!("whyperf top --no-store -- dash -c '{does}'");
    let mut typist = Typist::new("top", &sized(&run));
    typist.sees("searching");
    typist.sees("spend");
    typist.press(" ");
    typist.sees("paused");
    typist.let_it_end();
    let seen = typist.end();
    assert!(seen.contains("status 5"), "{seen}");
    let (drawn, rest) = seen.rsplit_once(BACK).expect("the first screen is shown again");
    assert!(!drawn.contains("held2back"), "{seen}");
    assert!(rest.contains("held2back"), "it is printed in the end: {rest}");
    let said = rest.find("the search pauses").expect("so is what whyperf says");
    let printed = rest.find("after2wards").expect("it is printed, too");
    assert!(said < printed, "in the order in which it came: {rest}");
}

#[test]
fn who_leaves_the_screen_sees_what_the_program_prints() {
    let run =
        format!("whyperf top --no-store -- dash -c 'echo held$((1+1))back; {WAITS}; echo the end'");
    let mut typist = Typist::new("top-left", &sized(&run));
    typist.sees("spend");
    typist.press("q");
    typist.sees(BACK);
    typist.sees("held2back");
    typist.let_it_end();
    assert!(typist.end().contains("the end"));
}

#[test]
fn what_goes_to_a_file_is_not_held_back() {
    let run = format!("whyperf top --no-store -- dash -c 'echo pr$((1+1))nted; {WAITS}' > out");
    let mut typist = Typist::new("top-file", &sized(&run));
    typist.sees("spend");
    while typist.file("out") != "pr2nted\n" {}
    typist.let_it_end();
    assert!(!typist.end().contains("pr2nted"));
}

#[test]
fn a_run_of_the_store_is_drawn_until_it_is_left() {
    let run = "whyperf run -q --store runs -- cat before > out; whyperf top --store runs";
    let mut typist = Typist::new("top-run", &sized(&format!("export WHYPERF_NO_STORE=; {run}")));
    typist.sees("over");
    typist.sees("cat");
    typist.press("q");
    assert!(typist.end().contains("status 0"));
}
