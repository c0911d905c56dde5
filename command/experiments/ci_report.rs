//! What `whyperf ci` writes: JUnit XML for a build system, with a test for each rule, and Markdown for a pull request.

use whyperf_experiments::{Comparison, RankedDifference, markup_escaped};

use crate::experiments::amounts::{change, short_focus};
use crate::experiments::failure_rules::RuleOutcome;
use crate::experiments::markdown;
use crate::experiments::rule_verdict::RuleVerdict;
use crate::output::terminal::plain;

/// What became of the runs.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The program itself failed in a run.
    Failed { trial: u32, status: i32 },
    /// There is nothing to compare with.
    NoBaseline,
    /// They were compared, and each rule was asked.
    Compared { comparison: Box<Comparison>, outcomes: Vec<RuleOutcome> },
}

/// The text of the file for a build system.
pub(super) fn junit(branch: &str, verdict: &Verdict) -> String {
    let mut cases = vec![match verdict {
        Verdict::Failed { trial, status } => {
            let message = format!("the program ended with status {status} in run {trial}");
            case("program", &format!("<error message=\"{message}\"/>"))
        }
        _ => case("program", ""),
    }];
    let (mut failures, errors) = (0, usize::from(matches!(verdict, Verdict::Failed { .. })));
    match verdict {
        Verdict::Failed { .. } => {}
        Verdict::NoBaseline => {
            let message = format!("the branch {branch} has no baseline");
            cases.push(case(
                "comparison",
                &format!("<skipped message=\"{}\"/>", markup_escaped(&message)),
            ));
        }
        Verdict::Compared { comparison, outcomes } => {
            for RuleOutcome { rule, verdict } in outcomes {
                failures += usize::from(verdict.is_failed());
                let message = markup_escaped(verdict.text().unwrap_or_default());
                let told = match verdict {
                    RuleVerdict::Passed => String::new(),
                    RuleVerdict::NotKnown(_) => format!("<skipped message=\"{message}\"/>"),
                    RuleVerdict::Failed(_) => {
                        let reason = markup_escaped(&reason(comparison));
                        format!("<failure message=\"{message}\">{reason}</failure>")
                    }
                };
                cases.push(case(rule, &told));
            }
        }
    }
    let (count, cases) = (cases.len(), cases.concat());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\
         <testsuite name=\"whyperf\" tests=\"{count}\" failures=\"{failures}\" errors=\"{errors}\">\n{cases}</testsuite>\n</testsuites>\n"
    )
}

fn case(name: &str, inside: &str) -> String {
    format!(
        "<testcase classname=\"whyperf\" name=\"{}\">{inside}</testcase>\n",
        markup_escaped(name)
    )
}

/// The first causes, one a line.
fn reason(comparison: &Comparison) -> String {
    let named = comparison.differences.iter().filter(|one| one.is_cause).take(3);
    let lines: Vec<String> = named.map(cause).collect();
    if lines.is_empty() { "no cause is known".to_owned() } else { lines.join("\n") }
}

fn cause(one: &RankedDifference) -> String {
    // What the machine did to all of a run is no reason.
    let grown = change(one.beside.or(one.change));
    format!("{} at {}: {grown}", one.metric, short_focus(&one.focus))
}

/// The text for a pull request.
pub(super) fn markdown(branch: &str, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Failed { trial, status } => {
            format!("### The program failed\n\nIt ended with status {status} in run {trial}.\n")
        }
        Verdict::NoBaseline => {
            format!("### No baseline\n\nThe branch `{}` has none to compare with.\n", plain(branch))
        }
        Verdict::Compared { comparison, outcomes } => {
            let told = |head: &str, is_told: &dyn Fn(&RuleVerdict) -> bool| {
                let verdicts = outcomes.iter().map(|outcome| &outcome.verdict);
                let texts = verdicts.filter(|one| is_told(one)).filter_map(RuleVerdict::text);
                let lines: String = texts.map(|text| format!("- {}\n", plain(text))).collect();
                if lines.is_empty() { lines } else { format!("\n**{head}:**\n\n{lines}") }
            };
            let failed = told("It fails", &RuleVerdict::is_failed);
            let not_known = told("Not checked", &|one| matches!(one, RuleVerdict::NotKnown(_)));
            markdown::render(comparison) + &failed + &not_known
        }
    }
}

#[cfg(test)]
mod tests {
    use whyperf_experiments::{ComparisonSettings, Operand, StatedResults, compare};

    use super::*;

    #[test]
    fn a_rule_that_holds_is_a_failure_with_its_reason() {
        let stated = |seconds: &str| {
            let text = format!("whyperf results 1\nwall <> {seconds} s\n");
            let results = StatedResults::parse(&text).expect("well formed");
            Operand::stated(seconds.to_owned(), results)
        };
        let settings = ComparisonSettings::default();
        let comparison = Box::new(compare(&mut stated("1"), &mut stated("1"), &settings));
        let outcomes = vec![
            RuleOutcome {
                rule: "wall > +5%".into(),
                verdict: RuleVerdict::Failed("2 s \"before\"".into()),
            },
            RuleOutcome { rule: "slower".into(), verdict: RuleVerdict::Passed },
            RuleOutcome {
                rule: "cpu > +5%".into(),
                verdict: RuleVerdict::NotKnown("not known of A".into()),
            },
        ];
        let text = junit("main", &Verdict::Compared { comparison, outcomes });
        assert!(text.contains("tests=\"4\" failures=\"1\" errors=\"0\""), "{text}");
        assert!(text.contains(
            "name=\"wall &gt; +5%\"><failure message=\"2 s &quot;before&quot;\">no cause"
        ));
        assert!(text.contains("name=\"cpu &gt; +5%\"><skipped message=\"not known of A\"/>"));
    }

    #[test]
    fn without_a_baseline_the_comparison_is_skipped() {
        let text = junit("a<b", &Verdict::NoBaseline);
        assert!(
            text.contains("<skipped message=\"the branch a&lt;b has no baseline\"/>"),
            "{text}"
        );
        let text = junit("main", &Verdict::Failed { trial: 2, status: 7 });
        assert!(text.contains("errors=\"1\"") && text.contains("status 7 in run 2"), "{text}");
    }
}
