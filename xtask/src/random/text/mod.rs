//! Writes the text of a random program in its language.

mod c;
mod cpp;
mod fortran;

use super::function::RandomFunction;
use super::kind::ProgramKind;
use super::program::GeneratedProgram;

impl GeneratedProgram {
    /// Its text.
    pub(super) fn text(&self) -> String {
        if self.kind == ProgramKind::Fortran { fortran::text(self) } else { c::text(self) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::super::generator::Generator;
    use super::super::manner::FunctionManner;
    use super::*;

    fn program(kind: ProgramKind, seed: u64) -> GeneratedProgram {
        GeneratedProgram::random(&mut Generator::seeded(seed), kind, 4)
    }

    #[test]
    fn the_time_of_each_function_is_taken_once() {
        for (kind, seed) in
            ProgramKind::ALL.into_iter().flat_map(|kind| (0..200).map(move |seed| (kind, seed)))
        {
            let program = program(kind, seed);
            let text = program.text();
            for (at, function) in program.functions.iter().enumerate() {
                let taken = text.matches(&format!("enter({at})")).count();
                let callers = program.functions.iter().flat_map(|one| &one.callees);
                let called = callers.filter(|callee| **callee == at).count();
                let wanted = usize::from(function.manner != FunctionManner::Inlined);
                assert_eq!((taken, called), (wanted, usize::from(at > 0)), "{seed}: f{at}\n{text}");
            }
        }
    }

    #[test]
    fn compilers_take_the_text_of_each_kind() {
        let folder = std::env::temp_dir().join(format!("whyperf-random-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (kind, seed) in
            ProgramKind::ALL.into_iter().flat_map(|kind| (0..4).map(move |seed| (kind, seed)))
        {
            let compiler = kind.compiler(&mut Generator::seeded(seed));
            let source = folder.join("random").with_extension(kind.extension());
            fs::write(&source, program(kind, seed).text()).expect("written");
            let mut check = Command::new(compiler);
            check.current_dir(&folder).args(["-fsyntax-only", "-Werror"]);
            let output = check.args(kind.needed_options()).arg(&source).output();
            let output = output.unwrap_or_else(|error| panic!("{compiler}: {error}"));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{kind:?}, seed {seed}: {said}");
        }
        fs::remove_dir_all(&folder).expect("removed");
    }
}
