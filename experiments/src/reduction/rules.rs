//! The language of the rules.
//!
//! ```text
//!   # comment
//!   TAU_USER : usec < 100                 of a group
//!   sort* : numcalls > 1000               of what is called so; * is any text, ? any letter
//!   usec < 100 & numcalls = 1             both
//!   usecs/call < 100                      or this one
//! ```
//! A name in double quotes may hold any sign. Without rules that is `numcalls > 1000000 & usecs/call < 2`, as in TAU.

use std::str::FromStr;

use thiserror::Error;
use whyperf_model::NamePattern;

use super::function_sum::{Field, FunctionSum};

/// Rules, of which one is enough.
#[derive(Clone, Debug, PartialEq)]
pub struct ReductionRules(Vec<Rule>);

/// Conditions that hold together.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    /// A group or a pattern of names; of all where there is none.
    of: Option<String>,
    clauses: Vec<Clause>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Clause {
    field: Field,
    operator: Operator,
    number: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Below,
    Above,
    Is,
    BelowOrIs,
    AboveOrIs,
    IsNot,
}

/// Why a text has no rules: where, the first line and column being 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct RuleError {
    /// In which line.
    pub line: usize,
    /// In which column of it.
    pub column: usize,
    /// What is wrong there.
    pub problem: RuleProblem,
}

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RuleProblem {
    /// There is no such field.
    #[error(
        "'{0}' is no field; there are numcalls, numsubrs, percent, usec, cumusec, count, totalcount, stddev, usecs/call and counts/call"
    )]
    Field(String),
    /// A comparison is missing.
    #[error("expected <, >, =, <=, >= or != after the field")]
    Operator,
    /// A number is missing.
    #[error("'{0}' is no number")]
    Number(String),
    /// A condition is missing.
    #[error("expected a condition, as numcalls > 1000")]
    Clause,
    /// A name in quotes has no end.
    #[error("the name has no closing quote")]
    Quote,
}

const FIELDS: [(&str, Field); 10] = [
    ("numcalls", Field::Calls),
    ("numsubrs", Field::Subcalls),
    ("percent", Field::Percent),
    ("usec", Field::Own),
    ("cumusec", Field::All),
    ("count", Field::Count),
    ("totalcount", Field::TotalCount),
    ("stddev", Field::Deviation),
    ("usecs/call", Field::PerCall),
    ("counts/call", Field::CountsPerCall),
];

/// Longer ones first: one begins like the other.
const OPERATORS: [(&str, Operator); 6] = [
    ("<=", Operator::BelowOrIs),
    (">=", Operator::AboveOrIs),
    ("!=", Operator::IsNot),
    ("<", Operator::Below),
    (">", Operator::Above),
    ("=", Operator::Is),
];

impl Default for ReductionRules {
    fn default() -> Self {
        let clause = |field, operator, number| Clause { field, operator, number };
        let clauses = vec![
            clause(Field::Calls, Operator::Above, 1e6),
            clause(Field::PerCall, Operator::Below, 2.0),
        ];
        Self(vec![Rule { of: None, clauses }])
    }
}

impl FromStr for ReductionRules {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rules = Vec::new();
        for (line, words) in (1..).zip(text.lines()) {
            if words.trim().is_empty() || words.trim_start().starts_with('#') {
                continue;
            }
            let rule = rule(words).map_err(|(at, problem)| {
                let column = words[..at.min(words.len())].chars().count() + 1;
                RuleError { line, column, problem }
            })?;
            rules.push(rule);
        }
        Ok(Self(rules))
    }
}

/// A problem, and the byte of the line where it is.
type Misfit = (usize, RuleProblem);

fn rule(line: &str) -> Result<Rule, Misfit> {
    let (of, mut at) = subject(line)?;
    let mut clauses = Vec::new();
    for text in line[at..].split('&') {
        clauses.push(clause(text).map_err(|(inside, problem)| (at + inside, problem))?);
        at += text.len() + 1;
    }
    Ok(Rule { of, clauses })
}

/// The name before a colon, and where the conditions begin. A colon that stands beside another one is a part of a name.
fn subject(line: &str) -> Result<(Option<String>, usize), Misfit> {
    let start = line.len() - line.trim_start().len();
    if let Some(rest) = line[start..].strip_prefix('"') {
        let end = rest.find('"').ok_or((start, RuleProblem::Quote))?;
        let after = start + end + 2;
        let colon = line[after..].find(':').ok_or((after, RuleProblem::Clause))?;
        return Ok((Some(rest[..end].to_owned()), after + colon + 1));
    }
    let bytes = line.as_bytes();
    let is_alone = |at: usize| {
        bytes[at] == b':' && bytes.get(at + 1) != Some(&b':') && (at == 0 || bytes[at - 1] != b':')
    };
    let colon = (start..line.len()).rev().find(|at| is_alone(*at));
    Ok(colon.map_or((None, start), |at| (Some(line[start..at].trim().to_owned()), at + 1)))
}

fn clause(text: &str) -> Result<Clause, Misfit> {
    let start = text.len() - text.trim_start().len();
    if text.trim().is_empty() {
        return Err((start, RuleProblem::Clause));
    }
    let end = text.find(['<', '>', '=', '!']).unwrap_or(text.len());
    let name = text[start..end].trim_end();
    let field = FIELDS.into_iter().find(|(known, _)| *known == name);
    let (_, field) = field.ok_or_else(|| {
        let word = name.split_whitespace().next().unwrap_or_default();
        (start, RuleProblem::Field(word.to_owned()))
    })?;
    let found = OPERATORS.into_iter().find(|(sign, _)| text[end..].starts_with(sign));
    let (sign, operator) = found.ok_or((end, RuleProblem::Operator))?;
    let rest = &text[end + sign.len()..];
    let at = end + sign.len() + rest.len() - rest.trim_start().len();
    let number = rest.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.ok_or_else(|| (at, RuleProblem::Number(rest.trim().to_owned())))?;
    Ok(Clause { field, operator, number })
}

impl ReductionRules {
    /// Whether a function is left out by them. What is not known of it is no match.
    pub(super) fn leave_out(&self, function: &FunctionSum, threads: usize) -> bool {
        self.0.iter().any(|rule| rule.holds(function, threads))
    }
}

impl Rule {
    fn holds(&self, function: &FunctionSum, threads: usize) -> bool {
        let is_of = self.of.as_ref().is_none_or(|of| {
            function.groups.iter().any(|group| matches(of, group)) || matches(of, &function.name)
        });
        is_of && self.clauses.iter().all(|clause| clause.holds(function, threads))
    }
}

impl Clause {
    fn holds(&self, function: &FunctionSum, threads: usize) -> bool {
        let Some(value) = function.value(self.field, threads) else { return false };
        match self.operator {
            Operator::Below => value < self.number,
            Operator::Above => value > self.number,
            Operator::Is => is_same(value, self.number),
            Operator::BelowOrIs => value <= self.number,
            Operator::AboveOrIs => value >= self.number,
            Operator::IsNot => !is_same(value, self.number),
        }
    }
}

/// Sums of fractions are hardly ever exact.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs())
}

/// Whether a name is as a pattern says: `*` is any text, `?` any letter.
fn matches(pattern: &str, name: &str) -> bool {
    NamePattern::with_signs(pattern, '*', '?').matches(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function() -> FunctionSum {
        FunctionSum {
            name: "list::sort(int)".into(),
            groups: vec!["TAU_USER".into()],
            calls: 100.0,
            subcalls: 7.0,
            own: Some(2_000.0),
            all: Some(5_000.0),
            percent: Some(25.0),
            counts: Some([3_000.0, 9_000.0]),
            own_by_thread: vec![500.0, 1_500.0],
        }
    }

    fn holds(text: &str) -> bool {
        text.parse::<ReductionRules>().expect("well formed").leave_out(&function(), 2)
    }

    #[test]
    fn each_field_is_what_it_says() {
        for (field, value) in [
            ("numcalls", "100"),
            ("numsubrs", "7"),
            ("percent", "25"),
            ("usec", "2000"),
            ("cumusec", "5000"),
            ("count", "3000"),
            ("totalcount", "9000"),
            ("stddev", "500"),
            ("usecs/call", "50"),
            ("counts/call", "90"),
        ] {
            assert!(holds(&format!("{field} = {value}")), "{field} is {value}");
            assert!(!holds(&format!("{field} != {value}")), "{field} is {value}");
        }
    }

    #[test]
    fn each_operator_compares() {
        let all =
            [("<", [false, false, true]), (">", [true, false, false]), ("=", [false, true, false])];
        let more =
            [("<=", [false, true, true]), (">=", [true, true, false]), ("!=", [true, false, true])];
        for (operator, expected) in all.into_iter().chain(more) {
            let told = [99, 100, 101].map(|number| holds(&format!("numcalls {operator} {number}")));
            assert_eq!(told, expected, "100 {operator} 99, 100, 101");
        }
    }

    #[test]
    fn conditions_of_a_line_hold_together_and_one_line_is_enough() {
        assert!(holds("usec < 1e4 & numcalls = 100"));
        assert!(!holds("usec < 1e4 & numcalls = 1"));
        assert!(holds("# none\n\nnumcalls = 1\nusecs/call<100"));
    }

    #[test]
    fn a_rule_may_be_of_a_group_or_of_names() {
        assert!(holds("TAU_USER : usec > 100") && !holds("MPI: usec > 100"));
        assert!(holds("list::sort(int): usec > 100") && holds("list::*:usec > 100"));
        assert!(holds("\"list::sort(int)\" : usec > 100") && holds("*sor?(int) : usec > 100"));
        assert!(!holds("sort : usec > 100"));
    }

    #[test]
    fn what_is_not_known_is_no_match() {
        let unknown = FunctionSum { counts: None, calls: 0.0, ..function() };
        for text in ["count > 0", "count != 5", "usecs/call > 0"] {
            let rules: ReductionRules = text.parse().expect("well formed");
            assert!(!rules.leave_out(&unknown, 2), "{text}");
        }
    }

    #[test]
    fn a_mistake_is_pointed_at() {
        let place = |text: &str| {
            let error = text.parse::<ReductionRules>().expect_err("it is wrong");
            (error.line, error.column)
        };
        assert_eq!(place("usec < 1\n  calls > 2"), (2, 3));
        assert_eq!(place("usec < 1 & numcalls"), (1, 20));
        assert_eq!(place("usec < much"), (1, 8));
        assert_eq!(place("usec < 1 & "), (1, 12));
        assert_eq!(place("\"f : usec < 1"), (1, 1));
    }
}
