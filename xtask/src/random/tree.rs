//! The tree of a random program: which function calls which, what each does, and what it is in its language.

use super::function::{MILLI, RandomFunction};
use super::generator::Generator;
use super::kind::ProgramKind;
use super::manner::{FunctionForm, FunctionManner};

/// The functions of a program, with what each does.
pub(super) fn planted(random: &mut Generator, kind: ProgramKind) -> Vec<RandomFunction> {
    let per_unit = if kind == ProgramKind::ShortThreads { MILLI / SHORTER } else { MILLI };
    let function = |manner, work| RandomFunction {
        manner,
        form: FunctionForm::Plain,
        work: [work * per_unit; 2],
        callees: Vec::new(),
    };
    let count = 4 + usize::try_from(random.below(7)).unwrap_or(0);
    let mut functions = vec![function(FunctionManner::Plain, 1 + random.below(4))];
    for at in 1..count {
        let caller = usize::try_from(random.below(at as u64)).unwrap_or(0);
        functions[caller].callees.push(at);
        let work = random.one_of(&[1, 2, 5, 10, 20, 40]);
        functions.push(function(random.one_of(kind.manners()), work));
    }
    for at in 1..count {
        let is_jumped_to =
            functions.iter().any(|one| one.manner.jumps() && one.callees.last() == Some(&at));
        let has_nothing_to_jump_to = functions[at].callees.is_empty();
        // Nobody could take the time of one that is jumped to and jumps on.
        if functions[at].manner.jumps() && (is_jumped_to || has_nothing_to_jump_to) {
            functions[at].manner = FunctionManner::Plain;
        }
    }
    functions
}

/// Chooses what the functions are in their language.
pub(super) fn form(functions: &mut [RandomFunction], random: &mut Generator, kind: ProgramKind) {
    let forms: &[FunctionForm] = match kind {
        ProgramKind::Cpp => &[
            FunctionForm::Namespace,
            FunctionForm::Nameless,
            FunctionForm::Template,
            FunctionForm::Virtual,
            FunctionForm::Lambda,
        ],
        ProgramKind::Fortran => &[
            FunctionForm::Module,
            FunctionForm::Module,
            FunctionForm::External,
            FunctionForm::Internal,
        ],
        _ => return,
    };
    functions[0].form = forms[0];
    for at in 1..functions.len() {
        let form = random.one_of(forms);
        let caller = functions.iter().find(|one| one.callees.contains(&at));
        // One inside another has none inside.
        let is_inside = caller.is_some_and(|caller| caller.form == FunctionForm::Internal);
        // A lambda has no name to call itself by.
        let calls_itself = functions[at].manner == FunctionManner::Recurses;
        functions[at].form = match form {
            FunctionForm::Internal if is_inside => FunctionForm::Module,
            FunctionForm::Lambda if calls_itself => FunctionForm::Namespace,
            _ => form,
        };
    }
}

/// By this factor the rounds of short threads are shorter than others.
const SHORTER: u64 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn each_tree(kind: ProgramKind, check: impl Fn(&[RandomFunction])) {
        for seed in 0..300 {
            let mut random = Generator::seeded(seed);
            let mut functions = planted(&mut random, kind);
            form(&mut functions, &mut random, kind);
            check(&functions);
        }
    }

    #[test]
    fn who_ends_in_a_jump_has_a_caller_that_takes_its_time() {
        for kind in ProgramKind::ALL {
            each_tree(kind, |functions| {
                let jumpers = functions.iter().filter(|one| one.manner.jumps());
                for last in jumpers.map(|one| *one.callees.last().expect("it jumps to one")) {
                    assert!(!functions[last].manner.jumps(), "{functions:?}");
                }
            });
        }
    }

    #[test]
    fn nothing_is_inside_of_what_is_inside() {
        each_tree(ProgramKind::Fortran, |functions| {
            for inner in functions.iter().filter(|one| one.form == FunctionForm::Internal) {
                let is_outer = |one: &usize| functions[*one].form == FunctionForm::Internal;
                assert!(!inner.callees.iter().any(is_outer), "{functions:?}");
            }
        });
    }

    #[test]
    fn a_lambda_does_not_call_itself() {
        each_tree(ProgramKind::Cpp, |functions| {
            let calls_itself = |one: &RandomFunction| {
                one.form == FunctionForm::Lambda && one.manner == FunctionManner::Recurses
            };
            assert!(!functions.iter().any(calls_itself), "{functions:?}");
        });
    }
}
