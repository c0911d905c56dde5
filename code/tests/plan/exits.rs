//! Checks how control leaves functions, and which function the code before a return address names.

use whyperf_code::plan::{CodeExit, exit};

use crate::assembly::build;
use crate::libraries::named;

const TEXT: &str = "
    __attribute__((noinline)) long leaf(long x) { __asm__ volatile(\"\"); return 3 * x; }
    long (*volatile chosen)(long) = leaf;
    __attribute__((noinline)) long returns(long x) { return 1 + leaf(x); }
    __attribute__((noinline)) long jumps_on(long x) { return leaf(x + 1); }
    __attribute__((noinline)) long jumps_somewhere(long x) { return chosen(x); }
    long caller(long x) { return 7 + jumps_on(x); }
";

#[test]
fn a_function_returns_or_jumps_on() {
    let object = build("exits", "c", TEXT, &["-O2", "-fvisibility=hidden"]);
    let of = |name: &str| exit(&object, named(&object, name).expect(name));
    let exits = ["leaf", "returns", "jumps_on", "jumps_somewhere"].map(of);
    let [returns, jumps_on] = [CodeExit::Returns, CodeExit::JumpsOn];
    assert_eq!(exits, [returns, returns, jumps_on, jumps_on]);
}

#[test]
fn a_call_names_the_function_that_jumps_on() {
    let object = build("called", "c", TEXT, &["-O2", "-fvisibility=hidden"]);
    let caller = named(&object, "caller").expect("it is there");
    let function = object.functions()[caller.index()];
    let called = (function.entry..function.end).filter_map(|address| object.called(address));
    let expected = named(&object, "jumps_on").expect("it is there");
    assert_eq!(called.collect::<Vec<_>>(), [expected]);
}
