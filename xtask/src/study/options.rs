//! The options of a study.

use anyhow::{Context as _, Result, bail};

use super::PaperTable;
use super::verdict::Verdict;

/// How many runs, of what, how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StudyOptions {
    /// Whether it is only to be seen that all works.
    pub(super) quick: bool,
    /// Whether the release build is taken as it is.
    pub(super) built: bool,
    /// One table alone.
    pub(super) only: Option<PaperTable>,
    /// One way to judge alone; base runs, which tell what is true, are judged in both.
    pub(super) verdict: Option<Verdict>,
    /// Repeats of each experiment.
    pub(super) runs: usize,
    /// How long a classic verdict is held, in seconds, but in the rows that say otherwise.
    pub(super) hold: f64,
    /// Points on a side of the grid.
    pub(super) grid: u32,
}

impl StudyOptions {
    /// Reads the words after the name of the study.
    pub(super) fn of(words: &[&str]) -> Result<Self> {
        let mut options = Self {
            quick: false,
            built: false,
            only: None,
            verdict: None,
            runs: 3,
            hold: 2.0,
            grid: 1200,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} takes a value"));
            match *word {
                "--quick" => options = Self { quick: true, runs: 1, hold: 1.0, ..options },
                "--built" => options.built = true,
                "--only" => options.only = Some(part(value()?)?),
                "--verdict" => options.verdict = Some(judged(value()?)?),
                "--runs" => options.runs = number(word, value()?)?,
                "--hold" => options.hold = number(word, value()?)?,
                "--grid" => options.grid = number(word, value()?)?,
                _ => bail!(
                    "`study sc99` takes --quick, --built, --only TABLE, --verdict NAME, --runs N, --hold SECONDS and --grid POINTS; got {word}"
                ),
            }
        }
        Ok(Self { runs: options.runs.max(1), ..options })
    }

    /// The ways to judge that belong to it.
    pub(super) fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        let only = self.verdict;
        Verdict::ALL.into_iter().filter(move |one| only.is_none_or(|only| only == *one))
    }

    /// Whether a table belongs to it.
    pub(super) fn wants(&self, part: PaperTable) -> bool {
        self.only.is_none_or(|only| only == part)
    }
}

fn part(text: &str) -> Result<PaperTable> {
    let found = PaperTable::ALL.into_iter().find(|part| part.number() == text);
    found.with_context(|| format!("the tables of the paper are 1, 2, 3 and 4; got {text}"))
}

fn judged(text: &str) -> Result<Verdict> {
    let found = Verdict::ALL.into_iter().find(|one| one.name() == text);
    found.with_context(|| format!("it is judged in the way `classic` or `sequential`; got {text}"))
}

fn number<T: std::str::FromStr>(word: &str, text: &str) -> Result<T> {
    text.parse().ok().with_context(|| format!("{word} takes a number; got {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_in_any_order_and_others_are_refused() {
        let options = StudyOptions::of(&["--only", "3", "--quick", "--runs", "2"]).expect("known");
        assert_eq!((options.only, options.runs), (Some(PaperTable::Three), 2));
        assert!(options.quick && !options.wants(PaperTable::One));
        assert!(StudyOptions::of(&["--only", "5"]).is_err());
        assert!(StudyOptions::of(&["--runs"]).is_err());
        assert!(StudyOptions::of(&["--slow"]).is_err());
    }
}
