//! The first page of a report: the answer in its first line, then what a screen of 80 by 24 has room for. The rest is in the details.

use super::advice;
use super::findings::{Finding, findings};
use super::text::{
    counted, ending, line, one_line, precise, write_counters, write_measured, write_note,
    write_unmeasured,
};
use super::{Report, ReportedUndecided, TimeShares, share};
use crate::output::terminal::{self, OutputStyle, readable, wrapped};

/// The page, as it is printed at the end of a run.
pub(crate) fn page(report: &Report, output_style: OutputStyle) -> String {
    let kept = report.run.as_ref().map(|_| "`whyperf show latest --details`");
    paged(report, kept.unwrap_or("run it with --details"), output_style)
}

/// The page as it is kept with the run, to be shown again.
pub(super) fn stored_page(report: &Report) -> String {
    paged(report, "`whyperf show RUN --details`", OutputStyle::PLAIN)
}

/// `rest` says how the rest is seen.
fn paged(report: &Report, rest: &str, output_style: OutputStyle) -> String {
    let style = OutputStyle { width: output_style.width.min(COLUMNS), ..output_style };
    let mut text = String::from("\n");
    let found = findings(report);
    write_answer(report, &found, style, &mut text);
    write_facts(report, style, &mut text);
    for one in &report.unmeasured {
        write_unmeasured(one, style, &mut text);
    }
    for (at, one) in found.iter().take(MOST).enumerate() {
        let told = found[..at].iter().position(|other| other.advice == one.advice);
        let advice =
            told.map_or_else(|| one.advice.clone(), |told| format!("As for finding {}.", told + 1));
        write_finding(at + 1, one, &advice, style, &mut text);
    }
    if report.processes > 0 {
        // What was asked for by name is not a detail.
        write_measured(report, style, &mut text);
        write_counters(report, style, &mut text);
        write_end(report, found.len(), rest, style, &mut text);
    }
    for note in &report.remarks.notes {
        write_note(note, style, &mut text);
    }
    text
}

/// The findings as a page in a browser takes them: in the order and the words in which they are printed, with the bottleneck that each stands for.
pub(super) fn told_findings(report: &Report) -> Vec<serde_json::Value> {
    let told = |one: &Finding| {
        let (hypothesis, focus) = &one.lead;
        serde_json::json!({
            "title": title(one),
            "about": about(one),
            "advice": one.advice,
            "hypothesis": hypothesis,
            "focus": focus,
        })
    };
    findings(report).iter().map(told).collect()
}

/// `exchng1 (oned.c:23) waits for messages 90 % of the run`.
fn title(one: &Finding) -> String {
    let place = one.place.as_deref().unwrap_or("The program");
    format!("{place} {} {}", one.does, one.worth)
}

/// What else is known of it, and because of what it is so.
fn about(one: &Finding) -> String {
    about_with(one, MOST_ATTRIBUTES)
}

/// The same with so many attributes at most.
fn about_with(one: &Finding, attributes: usize) -> String {
    let mut told = one.attributes.iter().take(attributes).cloned().collect::<Vec<_>>();
    told.extend(one.because.as_ref().map(|because| format!("because {because}")));
    told.join(", ")
}

/// The same in the lines that a page has for it: attributes give way, the cause does not.
fn about_lines(one: &Finding, columns: usize) -> Vec<String> {
    let fitting = (0..=MOST_ATTRIBUTES).rev().map(|some| wrapped(&about_with(one, some), columns));
    let mut lines = fitting.skip_while(|lines| lines.len() > MOST_LINES);
    lines.next().unwrap_or_else(|| wrapped(&about_with(one, 0), columns))
}

/// One sentence with place, worth and cause: what a reader of one line is told.
pub(super) fn answer(report: &Report) -> String {
    answer_of(report, &findings(report))
}

fn answer_of(report: &Report, found: &[Finding]) -> String {
    match found.first() {
        Some(first) => sentence(first),
        None if report.processes == 0 => "Nothing was measured.".to_owned(),
        None => without_findings(report),
    }
}

fn write_answer(report: &Report, found: &[Finding], style: OutputStyle, text: &mut String) {
    let answer = answer_of(report, found);
    let colour = if found.is_empty() { terminal::TITLE } else { terminal::ALARM };
    for each in wrapped(&answer, style.width) {
        line(text, &style.paint(each, colour));
    }
}

fn sentence(first: &Finding) -> String {
    let because = first.because.as_ref().map(|because| format!(", because {because}"));
    format!("{}{}.", title(first), because.unwrap_or_default())
}

fn without_findings(report: &Report) -> String {
    if let Some(tool) = &report.imported_from {
        return imported(report, tool);
    }
    let hot = report.hot_code.first().map(|one| {
        let name = one.function.rsplit('/').next().unwrap_or(&one.function);
        format!(" Of its computing {:.0} % is in {}.", 100.0 * one.share, readable(name))
    });
    if report.elapsed_s < SHORTEST && hot.is_none() {
        return "The run was too short to find anything.".to_owned();
    }
    let is_well = report.time.as_ref().is_none_or(TimeShares::is_mostly_computing);
    let begin = if is_well {
        "No bottleneck was found: the program mostly computes."
    } else {
        "No bottleneck was found that is beyond its threshold."
    };
    format!("{begin}{}", hot.unwrap_or_default())
}

/// Of sums alone nothing is sure, and of what a tool does not tell nothing is known: neither means that there is no bottleneck.
fn imported(report: &Report, tool: &str) -> String {
    let beyond =
        |one: &&ReportedUndecided| (one.value > one.threshold) == (one.scale.relation == '>');
    report.undecided.first().filter(beyond).map_or_else(
        || format!("What {tool} tells answers none of the questions."),
        |one| {
            let comparison = one.scale.comparison(one.value, one.threshold);
            format!("{} is {}, as far as {tool} tells.", one.hypothesis, comparison.trim())
        },
    )
}

/// What ran, and how its time was spent.
fn write_facts(report: &Report, style: OutputStyle, text: &mut String) {
    let dot = style.either(" · ", ", ");
    line(text, &format!("  {}", one_line(&report.command, style.width - 2, style)));
    let mut facts = vec![report.length()];
    if report.processes > 0 {
        facts.push(counted(report.processes, "process", "processes"));
        facts.push(counted(report.threads, "thread", "threads"));
    }
    if report.processors > 0 {
        facts.push(counted(report.processors, "processor", "processors"));
    }
    facts.extend(report.exit_status.map(|status| match status {
        0 => style.paint("exit status 0", terminal::GOOD),
        status => style.paint(ending(status), terminal::ALARM),
    }));
    line(text, &format!("  {}", facts.join(dot)));
    let told = report.time.as_ref().map(|time| time.told(report.waiting())).unwrap_or_default();
    let parts: Vec<String> =
        told.iter().take(4).map(|(name, part)| format!("{name} {}", share(*part))).collect();
    if !parts.is_empty() {
        line(text, &format!("  {}", parts.join(dot)));
    }
    if let Some(efficiency) = &report.efficiency {
        let [parallel, balance, communication] =
            [efficiency.parallel, efficiency.load_balance, efficiency.communication].map(share);
        let times = style.either("×", "x");
        let said = format!(
            "parallel efficiency {parallel} = load balance {balance} {times} communication {communication}"
        );
        line(text, &format!("  {said}"));
    }
}

fn write_finding(
    number: usize,
    one: &Finding,
    advice: &str,
    style: OutputStyle,
    text: &mut String,
) {
    let title = format!("{number}. {}", title(one));
    let mut lines = wrapped(&title, style.width).into_iter();
    text.push('\n');
    lines.next().into_iter().for_each(|first| line(text, &style.paint(first, terminal::TITLE)));
    lines.for_each(|more| line(text, &format!("   {more}")));
    for each in about_lines(one, style.width - 3) {
        line(text, &format!("   {each}"));
    }
    for each in one.saves.iter().flat_map(|saves| wrapped(saves, style.width - 3)) {
        line(text, &format!("   {each}"));
    }
    let arrow = style.either("→", ">");
    // That of whyperf's own is short enough; a user's is not cut.
    for (at, each) in wrapped(advice, style.width - 5).iter().enumerate() {
        let mark = if at == 0 { arrow } else { " " };
        line(text, &format!("   {mark} {each}"));
    }
}

/// Cost and confidence in a line, and where the rest is.
fn write_end(report: &Report, found: usize, rest: &str, style: OutputStyle, text: &mut String) {
    let (said, limit, colour) = match &report.cost {
        Some(cost) => (
            format!("Measuring cost {}", precise(cost.whole())),
            format!(" of the run (limit {})", share(cost.limit)),
            if cost.whole() > cost.limit { terminal::CAUTION } else { terminal::GOOD },
        ),
        None => ("What measuring cost is not known".to_owned(), String::new(), terminal::FAINT),
    };
    let tested = counted(report.search.pairs_tested, "question", "questions");
    let open = match report.search.pairs_unknown {
        0 => format!("{tested} answered"),
        some => format!("{some} of {tested} left open"),
    };
    let length: usize = [&said, &limit, &open].map(|part| part.chars().count()).iter().sum();
    let cost = format!("{}{limit};", style.paint(said, colour));
    text.push('\n');
    // With a semicolon, a blank and a full stop.
    if length + 3 > style.width {
        line(text, &cost);
        line(text, &format!("{open}."));
    } else {
        line(text, &format!("{cost} {open}."));
    }
    let checked = report.cost.iter().flat_map(|cost| &cost.checked);
    for each in checked.flat_map(|one| wrapped(&advice::sentence(&one.told()), style.width)) {
        line(text, &each);
    }
    let more = found.saturating_sub(MOST);
    let more = if more > 0 {
        format!("{} more, and all numbers", counted(more, "finding", "findings"))
    } else {
        "All numbers".to_owned()
    };
    line(text, &style.paint(format!("{more}: {rest}."), terminal::FAINT));
}

/// Seconds of a run of which anything can be said.
const SHORTEST: f64 = 0.5;
/// Columns of the page at most.
const COLUMNS: usize = 80;
/// Findings on it.
const MOST: usize = 3;
const MOST_ATTRIBUTES: usize = 4;
/// Lines of what else is known of a finding.
const MOST_LINES: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::report::{Cost, ReportedBottleneck, ReportedScale, example};

    #[test]
    fn the_first_line_is_the_answer_and_the_page_fits_a_screen() {
        let report = example::report();
        let text = page(&report, OutputStyle::PLAIN);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines[0], "exchng1 (oned.c:88) waits for others 43 % of the run.", "{text}");
        assert!(lines.len() < 24 && lines.iter().all(|one| one.chars().count() <= 80), "{text}");
        assert!(
            text.contains("\n1. exchng1 (oned.c:88) waits for others 43 % of the run\n"),
            "{text}"
        );
        assert!(!text.contains("\n2."), "one fact is told once: {text}");
        assert!(text.contains(
            "Measuring cost 2.10 % of the run (limit 5.0 %); 2 of 40 questions left open."
        ));
    }

    #[test]
    fn no_line_is_wider_than_the_page_whatever_the_numbers_are() {
        let mut report = example::report();
        report.search.pairs_tested = 12_345;
        report.search.pairs_unknown = 1_234;
        report.cost = report.cost.map(|cost| Cost { total: 0.125, limit: 0.1, ..cost });
        let text = page(&report, OutputStyle::PLAIN);
        let told = "Measuring cost 12.50 % of the run (limit 10.0 %);\n1234 of 12345 questions left open.\n";
        assert!(text.contains(told), "{text}");
        report.search.pairs_unknown = 0;
        let text = page(&report, OutputStyle::PLAIN);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn advice_is_given_once() {
        let mut report = example::report();
        let other = |name: &str| ReportedBottleneck {
            hypothesis: "CPUbound".to_owned(),
            focus: format!("</Code/a.c/{name},/Machine,/Process,/SyncObject>"),
            value: 0.3,
            advice: "make it faster".to_owned(),
            ..ReportedBottleneck::default()
        };
        let whole = ReportedBottleneck { value: 0.7, ..other("all") };
        report.bottlenecks = vec![
            ReportedBottleneck { focus: "</Code,/Machine,/Process,/SyncObject>".into(), ..whole },
            ReportedBottleneck { parent: Some(0), ..other("solve") },
            ReportedBottleneck { parent: Some(0), ..other("print") },
        ];
        let text = page(&report, OutputStyle::PLAIN);
        assert_eq!(text.matches("Make it faster.").count(), 1, "{text}");
        assert!(text.contains("As for finding 1."), "{text}");
    }

    #[test]
    fn attributes_give_way_to_the_cause_and_advice_is_not_cut() {
        let attributes =
            ["a", "b", "c", "d"].map(|one| format!("file /{}", one.repeat(60))).to_vec();
        let one = Finding {
            place: Some("write_all (a.c:7)".to_owned()),
            does: "reads and writes files".to_owned(),
            worth: "40 % of the run".to_owned(),
            attributes,
            because: Some("process 3 computes meanwhile, mostly in solve".to_owned()),
            saves: None,
            advice: String::new(),
            lead: (String::new(), String::new()),
        };
        let mut text = String::new();
        let style = OutputStyle { width: 80, ..OutputStyle::PLAIN };
        write_finding(1, &one, "word ".repeat(60).trim(), style, &mut text);
        let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains("because process 3 computes meanwhile, mostly in solve"), "{text}");
        assert!(joined.contains(&"a".repeat(60)) && !joined.contains(&"c".repeat(60)), "{text}");
        assert_eq!(joined.matches("word").count(), 60, "{text}");
    }

    #[test]
    fn a_browser_is_told_the_same_findings_with_the_bottleneck_of_each() {
        let told = told_findings(&example::report());
        let title = "exchng1 (oned.c:88) waits for others 43 % of the run";
        let focus = "</Code/oned.c/exchng1,/Machine,/Process,/SyncObject>";
        let named: Vec<_> = told.iter().map(|one| [&one["title"], &one["focus"]]).collect();
        assert_eq!(named, [[title, focus]]);
    }

    #[test]
    fn a_run_without_findings_says_where_it_computes() {
        let mut report = example::report();
        report.bottlenecks.clear();
        report.time = None;
        let text = page(&report, OutputStyle::PLAIN);
        assert!(text.contains("No bottleneck was found: the program mostly computes."), "{text}");
    }

    #[test]
    fn nothing_is_said_to_be_well_of_which_another_tool_tells_nothing() {
        let mut report = example::report();
        report.bottlenecks.clear();
        (report.time, report.imported_from) = (None, Some("gprof".to_owned()));
        let nothing = answer(&report);
        report.undecided.push(ReportedUndecided {
            hypothesis: "ExcessiveSyncWaitingTime".to_owned(),
            value: 0.928,
            threshold: 0.2,
            scale: ReportedScale::default(),
            ..ReportedUndecided::default()
        });
        let told = [nothing, answer(&report)];
        let undecided = "ExcessiveSyncWaitingTime is 92.8 % > 20.0 %, as far as gprof tells.";
        assert_eq!(told, ["What gprof tells answers none of the questions.", undecided]);
    }
}
