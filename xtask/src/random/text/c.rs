//! Random programs in C, and what those in C++ share with them.

use super::super::kind::ProgramKind;
use super::super::manner::FunctionManner;
use super::{GeneratedProgram, RandomFunction, cpp};

pub(super) fn text(program: &GeneratedProgram) -> String {
    let GeneratedProgram { kind, functions, threads, rounds, switch, is_entered_once } = program;
    let mut text = format!(
        "enum {{ FUNCTIONS = {}, THREADS = {threads}, ROUNDS = {rounds}, SWITCH = {switch} }};\n",
        functions.len(),
    );
    text += BEGIN;
    for at in (0..functions.len()).rev() {
        text += &definition(program, at);
    }
    let first = cpp::call(functions[0].form, 0, "0");
    let body = match kind {
        ProgramKind::ShortThreads => format!("{{ {first}; }}"),
        _ if *is_entered_once => format!("{first};"),
        _ => format!(
            "for (long round = 0; round < ROUNDS; round++) {{ begin_round(round); {first}; }}"
        ),
    };
    let main = if *kind == ProgramKind::ShortThreads { SHORT } else { CREW };
    text + &format!("#define BODY {body}\n") + END + main
}

fn definition(program: &GeneratedProgram, at: usize) -> String {
    let GeneratedProgram { functions, is_entered_once, .. } = program;
    let function = &functions[at];
    let (last, others) = match function.callees.split_last() {
        Some((last, others)) if function.manner.jumps() => (Some(*last), others),
        _ => (None, &function.callees[..]),
    };
    let calls: String = others.iter().map(|callee| call(functions, *callee)).collect();
    let mut body = body(function, at, &calls);
    if at == 0 && *is_entered_once {
        body = format!("for (long n = 0; n < ROUNDS; n++) {{ begin_round(n); {body} }}");
    }
    let timed = || format!("enter({at}); {body} leave({at}); return r + 1;");
    match (function.manner, last) {
        (FunctionManner::JumpsOn, Some(last)) => {
            format!("static NOINLINE long f{at}(long r) {{ {body} return f{last}(r + 1); }}\n")
        }
        (FunctionManner::JumpsSomewhere, Some(last)) => format!(
            "static long (*volatile chosen{at})(long) = f{last};\n\
             static NOINLINE long f{at}(long r) {{ {body} return chosen{at}(r + 1); }}\n"
        ),
        (FunctionManner::Inlined, _) => {
            format!("INLINE long f{at}(long r) {{ {body} return r + 1; }}\n")
        }
        _ if function.manner == FunctionManner::CallsTiny => {
            tiny(at) + &cpp::defined(function.form, at, &timed())
        }
        _ => cpp::defined(function.form, at, &timed()),
    }
}

/// What a function does between its begin and its end.
fn body(function: &RandomFunction, at: usize, calls: &str) -> String {
    let work = match function.work {
        [first, second] if first == second => first.to_string(),
        [first, second] => format!("(phase ? {second} : {first})"),
    };
    match function.manner {
        FunctionManner::Sleeps => format!("SPIN({work}); {calls} nap({});", function.nap()),
        FunctionManner::Recurses => {
            let again = cpp::call_from_inside(function.form, at);
            format!(
                "SPIN({work} / 4.0); if (depth_of({at}) < 4) {{ r += {again}; }} else {{ {calls} }}"
            )
        }
        FunctionManner::CallsTiny => format!("CALL_FOR({work}, tiny{at}); {calls}"),
        FunctionManner::Plain
        | FunctionManner::JumpsOn
        | FunctionManner::JumpsSomewhere
        | FunctionManner::Inlined => {
            format!("SPIN({work}); {calls}")
        }
    }
}

fn call(functions: &[RandomFunction], callee: usize) -> String {
    let call = format!("r += {}; ", cpp::call(functions[callee].form, callee, "r"));
    let is_timed_here = functions[callee].manner.jumps();
    if is_timed_here { format!("enter({callee}); {call}leave({callee}); ") } else { call }
}

fn tiny(at: usize) -> String {
    format!("static NOINLINE long tiny{at}(long x) {{ return 3 * x + {at}; }}\n")
}

const BEGIN: &str = include_str!("begin.c");
const END: &str = include_str!("end.c");
const CREW: &str = include_str!("crew.c");
const SHORT: &str = include_str!("short.c");
