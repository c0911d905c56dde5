//! What fails a comparison: conditions on numbers, and what was found.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use whyperf_experiments::{Comparison, Operand, WallVerdict};

use crate::experiments::condition::Condition;
use crate::experiments::rule_verdict::RuleVerdict;
use crate::output::terminal;

/// The rules of a request.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FailureRules {
    /// End with status 3 where this holds, as 'wall > +5%' or 'sync_wait at </Code/a.c> > +2 s'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub(crate) fail_if: Vec<Condition>,
    /// End with status 3 where there is this; may be repeated
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(crate) fail_on: Vec<FailOn>,
}

/// What fails a comparison, beside conditions on numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A bottleneck that the reference had not, or that it had elsewhere
    NewBottleneck,
    /// A bottleneck that has grown
    GrownBottleneck,
    /// The run is slower
    Slower,
}

/// A rule, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RuleOutcome {
    pub(crate) rule: String,
    pub(crate) verdict: RuleVerdict,
}

impl FailureRules {
    /// The exit status of a comparison that fails by what was found.
    pub(crate) const STATUS: u8 = 3;

    /// What becomes of each rule.
    pub(crate) fn outcomes(
        &self,
        comparison: &Comparison,
        a: &mut Operand,
        b: &mut Operand,
    ) -> Vec<RuleOutcome> {
        let mut outcomes = Vec::new();
        for condition in &self.fail_if {
            let verdict = condition.verdict(comparison, a, b);
            outcomes.push(RuleOutcome { rule: condition.text().to_owned(), verdict });
        }
        for what in &self.fail_on {
            let rule = what
                .to_possible_value()
                .map_or_else(String::new, |value| value.get_name().to_owned());
            let failure = what.failure(comparison, b.name());
            let verdict = failure.map_or(RuleVerdict::Passed, RuleVerdict::Failed);
            outcomes.push(RuleOutcome { rule, verdict });
        }
        outcomes
    }

    /// Tells which rules fail comparisons, and which could not be checked; the status to end with, if one fails.
    pub(crate) fn complain(outcomes: &[RuleOutcome]) -> Option<ExitCode> {
        let verdicts = || outcomes.iter().map(|outcome| &outcome.verdict);
        verdicts().filter_map(RuleVerdict::text).for_each(terminal::complain);
        verdicts().any(RuleVerdict::is_failed).then(|| ExitCode::from(Self::STATUS))
    }
}

impl FailOn {
    fn failure(self, comparison: &Comparison, name: &str) -> Option<String> {
        let conclusions = &comparison.conclusions;
        let slower =
            comparison.wall.as_ref().is_some_and(|wall| wall.verdict == WallVerdict::Slower);
        let new = conclusions.new.len() + conclusions.moved.len();
        match self {
            Self::NewBottleneck if new > 0 => Some(format!("{name} has {new} new bottlenecks")),
            Self::GrownBottleneck if !conclusions.grown.is_empty() => {
                Some(format!("{name} has {} bottlenecks that have grown", conclusions.grown.len()))
            }
            Self::Slower if slower => Some(format!("{name} is slower")),
            _ => None,
        }
    }
}
