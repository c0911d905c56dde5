//! The findings that a user requires: they must be found, whatever threshold is learned.

use whyperf_consultant::Hypotheses;
use whyperf_model::Focus;

use super::earlier_run::{EarlierRun, EarlierVerdict};

/// A focus that must be found: of one hypothesis, or of all that found it in some run.
#[derive(Clone, Debug, PartialEq)]
pub struct Required {
    hypothesis: Option<String>,
    focus: Focus,
}

impl Required {
    /// Reads `FOCUS` or `HYPOTHESIS FOCUS`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str, hypotheses: &Hypotheses) -> Result<Self, String> {
        let text = text.trim();
        let (hypothesis, focus) = match text.split_once(char::is_whitespace) {
            Some((name, focus)) if !name.starts_with('<') => (Some(name.to_owned()), focus.trim()),
            _ => (None, text),
        };
        if let Some(name) = hypothesis.as_deref().filter(|name| hypotheses.named(name).is_none()) {
            return Err(format!("there is no hypothesis {name}; `whyperf hypotheses` lists them"));
        }
        let focus = focus.parse().map_err(|mistake| format!("{focus}: {mistake}"))?;
        Ok(Self { hypothesis, focus })
    }

    /// Whether a run can say from which value on it is found.
    ///
    /// # Errors
    /// Why no run can, in words.
    pub fn check(&self, earlier: &[EarlierRun]) -> Result<(), String> {
        let asked = earlier.iter().flat_map(|earlier_run| earlier_run.questions.values());
        let mut here = asked.filter(|asked| {
            asked.focus == self.focus
                && asked.answer != EarlierVerdict::Open
                && asked.value.is_some()
        });
        let Self { hypothesis, focus } = self;
        let is_known = match hypothesis {
            Some(name) => here.any(|asked| asked.hypothesis == *name),
            None => here.any(|asked| asked.answer == EarlierVerdict::True),
        };
        match hypothesis {
            _ if is_known => Ok(()),
            Some(name) => {
                Err(format!("no run asked {name} at {focus}, so no threshold for it is known"))
            }
            None => Err(format!(
                "no run found anything at {focus}; name the hypothesis before it to have it found all the same"
            )),
        }
    }

    /// The questions of a run that this is about, of one hypothesis.
    pub(super) fn questions(&self, earlier_run: &EarlierRun, hypothesis: &str) -> Vec<u64> {
        let is_named = self.hypothesis.as_deref() == Some(hypothesis);
        let here = earlier_run.questions.iter().filter(|(_, asked)| {
            let counts = match asked.answer {
                EarlierVerdict::True => is_named || self.hypothesis.is_none(),
                EarlierVerdict::False | EarlierVerdict::Alike => is_named,
                EarlierVerdict::Open => false,
            };
            counts
                && asked.hypothesis == hypothesis
                && asked.focus == self.focus
                && asked.value.is_some()
        });
        here.map(|(number, _)| *number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::earlier_run::example::earlier_run;
    use super::*;

    #[test]
    fn what_no_run_knows_is_refused_with_the_reason() {
        let table = Hypotheses::built_in();
        let run = earlier_run(
            "aa",
            &[("CPUbound", "<>", 't', 0.9, &[]), ("CPUbound", "</Code/a.c/g>", 'f', 0.1, &[0])],
        );
        let check = |text: &str| {
            let required = Required::parse(text, &table)?;
            required.check(std::slice::from_ref(&run))
        };
        assert_eq!(check("<>"), Ok(()));
        assert_eq!(check("CPUbound </Code/a.c/g>"), Ok(()));
        let refused = |text: &str| check(text).expect_err("not known");
        assert!(refused("</Code/a.c/g>").contains("name the hypothesis"), "it was false");
        assert!(refused("CPUbound </Code/a.c/h>").contains("no run asked CPUbound"));
        assert!(refused("Nothing <>").contains("there is no hypothesis Nothing"));
        assert!(refused("</Nowhere/a>").starts_with("</Nowhere/a>: "));
    }
}
