//! Runs a command without the library, with it and measured, and asks for no difference.

use std::path::Path;
use std::process::Command;

use crate::release::library;
use crate::stage::{Deed, Stage};

/// A command to be run several times.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) stage: Stage,
    words: Vec<String>,
    prepare: fn(&Path),
    sorted: bool,
}

impl Trial {
    /// `words` are the command and its arguments.
    pub(crate) fn of(name: &str, words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { stage: Stage::new(name), words, prepare: |_| (), sorted: false }
    }

    /// The same trial of another program.
    pub(crate) fn calling(mut self, program: &Path) -> Self {
        self.words = vec![program.display().to_string()];
        self
    }

    /// Fills the working directory before each run.
    pub(crate) fn after(self, prepare: fn(&Path)) -> Self {
        Self { prepare, ..self }
    }

    /// The order of what is printed is not the program's to decide.
    pub(crate) fn in_any_order(self) -> Self {
        Self { sorted: true, ..self }
    }

    /// The same with and without the library, measured and not; answers what it was.
    pub(crate) fn is_unchanged(&self) -> Deed {
        let bare = self.bare();
        self.is_same(&bare, &[("LD_PRELOAD", &library().display().to_string())]);
        self.is_same_in(&bare, &self.stage.run().display().to_string());
        bare
    }

    /// The same as it was `bare`, with this run directory.
    pub(crate) fn is_same_in(&self, bare: &Deed, run: &str) {
        let library = library().display().to_string();
        self.is_same(bare, &[("LD_PRELOAD", &library), ("WHYPERF_DIR", run)]);
    }

    /// The same as it was `bare`, with these variables.
    pub(crate) fn is_same(&self, bare: &Deed, variables: &[(&str, &str)]) {
        let deed = self.with(variables);
        assert_eq!(deed.status, bare.status, "{self:?} {variables:?}: {deed:?}");
        assert_eq!(deed.stdout, bare.stdout, "{self:?} {variables:?}");
        assert_eq!(deed.stderr, bare.stderr, "{self:?} {variables:?}");
        let names = |deed: &Deed| deed.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&deed), names(bare), "{self:?} {variables:?}");
        for (path, content) in &deed.files {
            let same = bare.files.get(path) == Some(content);
            assert!(same, "{self:?} {variables:?}: {} differs", path.display());
        }
    }

    /// Without the library.
    pub(crate) fn bare(&self) -> Deed {
        self.with(&[])
    }

    /// With these variables.
    pub(crate) fn with(&self, variables: &[(&str, &str)]) -> Deed {
        let (program, arguments) = self.words.split_first().expect("a command has a name");
        let mut command = Command::new(program);
        command.args(arguments).env("LC_ALL", "C").env_remove("MAKEFLAGS");
        command.envs(variables.iter().copied());
        let mut deed = self.stage.perform(&mut command, self.prepare);
        if self.sorted {
            deed.stdout = sorted(&deed.stdout);
            deed.stderr = sorted(&deed.stderr);
        }
        deed
    }
}

fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}
