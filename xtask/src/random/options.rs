//! The options of the study of random programs.

use anyhow::{Context as _, Result, bail};

use super::kind::ProgramKind;

/// The words after `study random`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RandomOptions {
    /// Whether the release build is taken as it is.
    pub(super) built: bool,
    /// Whether the files of all programs stay, and not only of those with something to look at.
    pub(super) keeps: bool,
    /// Of each program; where there is none they take turns.
    pub(super) kind: Option<ProgramKind>,
    pub(super) programs: u64,
    /// Of the first program; each has the next one.
    pub(super) seed: u64,
    /// For how long each thread computes.
    pub(super) seconds: u64,
}

impl RandomOptions {
    pub(super) fn of(words: &[&str]) -> Result<Self> {
        let mut options =
            Self { built: false, keeps: false, kind: None, programs: 500, seed: 1, seconds: 4 };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut argument = || words.next().with_context(|| format!("{word} takes a word more"));
            let number = |text: &str| {
                text.parse().with_context(|| format!("{word} takes a number; got {text}"))
            };
            match *word {
                "--built" => options.built = true,
                "--keep" => options.keeps = true,
                "--kind" => options.kind = Some(kind(argument()?)?),
                "--programs" => options.programs = number(argument()?)?,
                "--seed" => options.seed = number(argument()?)?,
                "--seconds" => options.seconds = number(argument()?)?,
                _ => bail!(
                    "`study random` takes --built, --keep, --kind KIND, --programs N, --seed N and --seconds N; got {word}"
                ),
            }
        }
        Ok(options)
    }

    /// The kind of the program of a seed.
    pub(super) fn kind_of(&self, seed: u64) -> ProgramKind {
        self.kind.unwrap_or_else(|| ProgramKind::of_seed(seed))
    }
}

fn kind(name: &str) -> Result<ProgramKind> {
    let all = || ProgramKind::ALL.map(ProgramKind::name).join(", ");
    ProgramKind::named(name).with_context(|| format!("--kind takes one of {}; got {name}", all()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_what_is_none_is_refused() {
        let options = RandomOptions::of(&["--kind", "c++", "--seed", "7"]).expect("both are known");
        assert_eq!(
            (options.kind, options.seed, options.programs),
            (Some(ProgramKind::Cpp), 7, 500)
        );
        for wrong in [&["--kind", "ada"][..], &["--kind"], &["--seed", "x"], &["seven"]] {
            assert!(RandomOptions::of(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn without_a_kind_all_take_turns() {
        let options = RandomOptions::of(&[]).expect("nothing is asked");
        let all: Vec<ProgramKind> = (6..12).map(|seed| options.kind_of(seed)).collect();
        assert_eq!(all, ProgramKind::ALL);
    }
}
