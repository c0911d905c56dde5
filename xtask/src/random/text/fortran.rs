//! Random programs in Fortran: procedures of a module, external ones, and some inside others; threads by OpenMP.

use super::super::manner::{FunctionForm, FunctionManner};
use super::{GeneratedProgram, RandomFunction};

pub(super) fn text(program: &GeneratedProgram) -> String {
    let GeneratedProgram { functions, threads, rounds, is_entered_once, .. } = program;
    let turns = if *is_entered_once { 1 } else { *rounds };
    let numbers = format!(
        "integer, parameter :: procedures = {}, threads = {threads}, turns = {turns}",
        functions.len()
    );
    let of = |form: FunctionForm| -> String {
        let those = (0..functions.len()).filter(|at| functions[*at].form == form);
        those.map(|at| definition(program, at)).collect()
    };
    let sizes = format!("module sizes\n  {numbers}\nend module sizes\n\n");
    let module = format!(
        "module mill\n  use clocks\n  implicit none\ncontains\n{}{}end module mill\n\n",
        tiny_functions(functions),
        of(FunctionForm::Module)
    );
    sizes + CLOCKS + &module + &of(FunctionForm::External) + MAIN
}

/// A procedure, with those that are inside.
fn definition(program: &GeneratedProgram, at: usize) -> String {
    let GeneratedProgram { functions, rounds, is_entered_once, .. } = program;
    let function = &functions[at];
    let with_form = |form: FunctionForm| {
        let callees = function.callees.iter().copied();
        callees.filter(move |callee| functions[*callee].form == form)
    };
    let is_external = function.form == FunctionForm::External;
    let uses = if is_external { "use clocks\nuse mill\nimplicit none\n" } else { "" };
    let externals: String = with_form(FunctionForm::External)
        .map(|one| format!("integer(8), external :: f{one}\n"))
        .collect();
    let mut body = body(function, at);
    if at == 0 && *is_entered_once {
        body = format!("do n = 1, {rounds}\n{body}end do\n");
    }
    let inside: String =
        with_form(FunctionForm::Internal).map(|one| definition(program, one)).collect();
    let contains = if inside.is_empty() { String::new() } else { format!("contains\n{inside}") };
    format!(
        "recursive function f{at}(r) result(s)\n{uses}integer(8), intent(in) :: r\n\
         integer(8) :: s, k, n\nreal(8) :: until\n{externals}\
         call enter({at})\ns = r\nk = 0\nn = 0\nuntil = 0\n{body}call leave({at})\ns = iand(s, 1023_8) + 1\n{contains}end function f{at}\n\n"
    )
}

/// What a procedure does between its begin and its end.
fn body(function: &RandomFunction, at: usize) -> String {
    let [work, _] = function.work;
    let calls: String = function.callees.iter().map(|one| format!("s = s + f{one}(s)\n")).collect();
    let part = if function.manner == FunctionManner::Recurses { work / 4 } else { work };
    let step = match function.manner {
        FunctionManner::CallsTiny => format!("s = s + tiny{at}(s)"),
        _ => "sink = sink + 0.5d0 * real(k, 8)".to_owned(),
    };
    let spin = format!(
        "until = seconds_of(of_thread) + {part}d-6\n\
         do while (seconds_of(of_thread) < until)\ndo k = 1, 20000\n{step}\nend do\nend do\n"
    );
    match function.manner {
        FunctionManner::Sleeps => format!("{spin}{calls}call nap({})\n", function.nap()),
        FunctionManner::Recurses => {
            format!("{spin}if (depth({at}) < 4) then\ns = s + f{at}(s)\nelse\n{calls}end if\n")
        }
        _ => spin + &calls,
    }
}

/// Those of a few nanoseconds.
fn tiny_functions(functions: &[RandomFunction]) -> String {
    let those =
        functions.iter().enumerate().filter(|(_, one)| one.manner == FunctionManner::CallsTiny);
    let tiny = |(at, _)| {
        format!(
            "integer(8) function tiny{at}(x)\ninteger(8), intent(in) :: x\n\
             tiny{at} = iand(3_8 * x + {at}_8, 1023_8)\nend function tiny{at}\n\n"
        )
    };
    those.map(tiny).collect()
}

const CLOCKS: &str = include_str!("clocks.f90");
const MAIN: &str = include_str!("main.f90");
