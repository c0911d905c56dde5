//! The report as people read it, on standard error: at most a hundred columns, aligned, the reason before the numbers.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use whyperf_consultant::{Conclusion, Truth};

use super::{
    Report, ReportedEfficiency, ReportedHotCode, ReportedPhase, ReportedRefusal, ReportedScale,
    TimeShares, Unmeasured, counters, profile, rank_lines, tree, user_events,
};
use crate::output::terminal::{self, OutputStyle, phase_name, plain, readable, shortened, wrapped};

/// The whole report.
pub(crate) fn render(report: &Report, rows: usize, output_style: OutputStyle) -> String {
    let mut text = String::from("\n");
    write_head(report, output_style, &mut text);
    if report.processes > 0 {
        write_bottlenecks(report, output_style, &mut text);
        write_undecided(report, output_style, &mut text);
        write_phases(report, output_style, &mut text);
        write_hot_code(report, output_style, &mut text);
        write_messages(report, output_style, &mut text);
        write_measured(report, output_style, &mut text);
        write_counters(report, output_style, &mut text);
        write_user_events(report, output_style, &mut text);
        write_metadata(report, output_style, &mut text);
        write_cost(report, output_style, &mut text);
        write_refusals(report, output_style, &mut text);
        write_left_out(report, output_style, &mut text);
        write_profile(report, rows, output_style, &mut text);
    }
    for note in &report.remarks.notes {
        write_note(note, output_style, &mut text);
    }
    text
}

/// The line for a conclusion as it is drawn: that something is so, or no longer is. Nobody wants to hear of all that never was.
pub(crate) fn conclusion(
    drawn: &Conclusion,
    seconds: f64,
    output_style: OutputStyle,
) -> Option<String> {
    let is_so = drawn.truth == Truth::True;
    if drawn.is_duplicate || !is_so && drawn.was != Truth::True {
        return None;
    }
    let hypothesis = format!("{:<24}", drawn.subject.hypothesis);
    let style = if is_so { terminal::ALARM } else { terminal::FAINT };
    let relation = if drawn.value > drawn.threshold { '>' } else { '<' };
    let scale = ReportedScale { unit: drawn.unit, relation };
    let comparison = scale.comparison(drawn.value, drawn.threshold);
    let (name, hypothesis) =
        (output_style.paint("whyperf", terminal::FAINT), output_style.paint(hypothesis, style));
    let passed = if is_so { "" } else { "  no longer" };
    let focus = &drawn.subject.focus;
    Some(format!("{name} {seconds:>6.2} s  {hypothesis}  {comparison}  {focus}{passed}\n"))
}

/// A share of the time as people write it.
pub(crate) fn share(value: f64) -> String {
    format!("{:.1} %", 100.0 * value)
}

fn write_head(report: &Report, output_style: OutputStyle, text: &mut String) {
    let rule = output_style.either("─", "-").repeat(output_style.width);
    let command = one_line(&report.command, output_style.width - 9, output_style);
    line(text, &output_style.paint(rule, terminal::FAINT));
    line(text, &format!("{}  {command}", output_style.paint("whyperf", terminal::TITLE)));
    let mut facts = vec![report.length()];
    if report.processes > 0 {
        facts.push(counted(report.processes, "process", "processes"));
        facts.push(counted(report.threads, "thread", "threads"));
        if report.hosts > 0 {
            facts.push(counted(report.hosts, "host", "hosts"));
        }
    }
    if report.processors > 0 {
        facts.push(counted(report.processors, "processor", "processors"));
    }
    facts.extend(report.exit_status.map(|status| match status {
        0 => output_style.paint("exit status 0", terminal::GOOD),
        status => output_style.paint(ending(status), terminal::ALARM),
    }));
    line(text, &format!("         {}", facts.join(output_style.either(" · ", ", "))));
    if let Some(placement) = &report.placement {
        for each in wrapped(&placement.told(), output_style.width - 9) {
            line(text, &format!("         {each}"));
        }
    }
    if let Some(time) = &report.time {
        let parts = time
            .told(report.waiting())
            .into_iter()
            .map(|(name, part)| format!("{name} {}", share(part)));
        let parts: Vec<String> = parts.collect();
        let dot = output_style.either(" · ", ", ");
        for each in wrapped(&format!("time: {}", parts.join(dot)), output_style.width - 9) {
            line(text, &format!("         {each}"));
        }
    }
    if let Some(efficiency) = &report.efficiency {
        line(text, &format!("         {}", efficient(efficiency, output_style)));
    }
    write_causes(report, output_style, text);
    for one in &report.unmeasured {
        write_unmeasured(one, output_style, text);
    }
}

/// Why ranks wait, of the first bottleneck for which that is known; or else what the leading one says, where all others change with it.
fn write_causes(report: &Report, output_style: OutputStyle, text: &mut String) {
    let first = report.bottlenecks.iter().find(|one| !one.causes.is_empty());
    let causes = first.iter().flat_map(|one| &one.causes).take(MOST_CAUSES);
    let mut sentences: Vec<String> =
        causes.filter(|cause| cause.share >= LEAST_CAUSE).map(|cause| cause.sentence()).collect();
    if sentences.is_empty() {
        sentences.extend(report.bottlenecks.iter().find_map(|one| one.explains.clone()));
    }
    for sentence in sentences {
        let mut title = output_style.paint("because", terminal::TITLE);
        for each in wrapped(&sentence, output_style.width - 9 - 9) {
            line(text, &format!("         {title}  {each}"));
            title = " ".repeat(7);
        }
    }
}

/// What is in none of the numbers that follow.
pub(super) fn write_unmeasured(one: &Unmeasured, output_style: OutputStyle, text: &mut String) {
    let Unmeasured { program, processes, cpu_s, reason } = one;
    let (dot, times) = (output_style.either("·", ","), output_style.either("×", "x"));
    let count = if *processes > 1 { format!("{processes} {times} ") } else { String::new() };
    let ran = match *cpu_s {
        little if little < 0.1 => String::new(),
        seconds => format!("ran for at least {seconds:.1} s {dot} "),
    };
    let told = format!("{count}{} {dot} {ran}{reason}", plain(program));
    let mut title = output_style.paint("not measured", terminal::ALARM);
    for each in wrapped(&told, output_style.width - 9 - 14) {
        line(text, &format!("         {title}  {each}"));
        title = " ".repeat(12);
    }
}

fn efficient(efficiency: &ReportedEfficiency, output_style: OutputStyle) -> String {
    let ReportedEfficiency { parallel, load_balance, communication, input_output } = *efficiency;
    let times = output_style.either("×", "x");
    let (balance, communication) = (share(load_balance), share(communication));
    let mut parts = format!("load balance {balance} {times} communication {communication}");
    // Most jobs read and write next to nothing.
    if input_output < NO_FILES {
        let _ = write!(parts, " {times} I/O {}", share(input_output));
    }
    format!("parallel efficiency {} = {parts}", share(parallel))
}

fn write_bottlenecks(report: &Report, output_style: OutputStyle, text: &mut String) {
    heading(
        "Bottlenecks",
        "share of the time, and the value from which on it counts",
        output_style,
        text,
    );
    if report.bottlenecks.is_empty() {
        let search = &report.search;
        let is_well = report.time.as_ref().is_none_or(TimeShares::is_mostly_computing);
        let style = if is_well { terminal::GOOD } else { terminal::TITLE };
        line(
            text,
            &format!(
                "  {}: {} tested, {} left undecided",
                output_style.paint("none found", style),
                counted(search.pairs_tested, "pair", "pairs"),
                search.pairs_unknown
            ),
        );
    }
    for each in tree::lines(&report.bottlenecks, MOST_ROWS, output_style) {
        line(text, &each);
    }
}

/// What a reader would miss among the bottlenecks: a line for each, and why it is not there.
fn write_undecided(report: &Report, output_style: OutputStyle, text: &mut String) {
    if report.undecided.is_empty() {
        return;
    }
    heading(
        "Undecided",
        "near the threshold or beyond it, and not surely true",
        output_style,
        text,
    );
    for one in report.undecided.iter().take(MOST_UNDECIDED) {
        let place = tree::restricting(&one.focus);
        let name = readable(format!("{} {place}", one.hypothesis).trim_end());
        let relation = if one.value < one.threshold { '<' } else { '>' };
        let scale = ReportedScale { relation, ..one.scale };
        let comparison = scale.comparison(one.value, one.threshold);
        let error = one.plus_minus.map(|error| {
            let (error, symbol) = scale.unit.parts(error);
            format!(" {} {error} {symbol}", output_style.either("±", "+-"))
        });
        let told = format!("{comparison}{}: {}", error.unwrap_or_default(), one.reason);
        let told = told.trim_start();
        let mut lines = wrapped(&format!("{name} {told}"), output_style.width - 4).into_iter();
        lines.next().into_iter().for_each(|first| line(text, &format!("  {first}")));
        lines.for_each(|more| line(text, &format!("    {more}")));
    }
    let more = report.undecided.len().saturating_sub(MOST_UNDECIDED);
    if more > 0 {
        line(text, &format!("  and {more} more; --json keeps them all"));
    }
}

fn write_phases(report: &Report, output_style: OutputStyle, text: &mut String) {
    let says_nothing =
        |phase: &ReportedPhase| phase.bottlenecks.is_empty() && phase.efficiency.is_none();
    let alike = report.phases.chunk_by(|one, next| says_nothing(one) && says_nothing(next));
    for phases in alike {
        match phases {
            [first, .., last] => {
                write_nothing_found(phases.len(), [first, last], output_style, text)
            }
            phases => phases.iter().for_each(|phase| write_phase(phase, output_style, text)),
        }
    }
}

/// Where the program computes, whether or not the search got there.
fn write_hot_code(report: &Report, output_style: OutputStyle, text: &mut String) {
    if report.hot_code.is_empty() {
        return;
    }
    let about = "share of all computing in the function's own code, by stack samples";
    heading("Hot code", about, output_style, text);
    let columns = output_style.width - 24;
    for ReportedHotCode { function, share: part, plus_minus, .. } in
        report.hot_code.iter().take(MOST_HOT)
    {
        let name = shortened(&readable(function), columns, output_style);
        let gap = " ".repeat(columns - name.chars().count());
        let sign = output_style.either("±", "+-");
        line(text, &format!("  {name}{gap}{:>8}  {sign} {:>6}", share(*part), share(*plus_minus)));
    }
    if report.not_sampled >= LEAST_NOT_SAMPLED {
        let rest = "not sampled: in the kernel, or in threads that were there for a moment";
        let rest = format!("  {rest:columns$}{:>8}", share(report.not_sampled));
        line(text, &output_style.paint(rest, terminal::FAINT));
    }
}

/// Many steps of which there is nothing to be told are not to hide those of which there is.
fn write_nothing_found(
    count: usize,
    [first, last]: [&ReportedPhase; 2],
    output_style: OutputStyle,
    text: &mut String,
) {
    let names = [first, last].map(|phase| phase_name(&phase.name, output_style));
    let title = format!("Phases {}", names.join(" to "));
    let about = format!("from {:.2} s to {:.2} s", first.begin_s, last.end_s);
    heading(&title, &about, output_style, text);
    line(text, &format!("  none found in any of {count}"));
}

fn write_phase(phase: &ReportedPhase, output_style: OutputStyle, text: &mut String) {
    let ReportedPhase { name, begin_s, end_s, efficiency, search, bottlenecks, .. } = phase;
    let title = format!("Phase {}", phase_name(name, output_style));
    heading(&title, &format!("from {begin_s:.2} s to {end_s:.2} s"), output_style, text);
    if let Some(efficiency) = efficiency {
        line(text, &format!("  {}", efficient(efficiency, output_style)));
    }
    if bottlenecks.is_empty() {
        let tested = counted(search.pairs_tested, "pair", "pairs");
        line(text, &format!("  none found: {tested} tested"));
    }
    for each in tree::lines(bottlenecks, MOST_ROWS_OF_PHASE, output_style) {
        line(text, &each);
    }
}

/// Who waited for whom. A program without ranks is told nothing of them.
fn write_messages(report: &Report, output_style: OutputStyle, text: &mut String) {
    let rows = report.messages.as_deref().unwrap_or_default();
    if rows.is_empty() {
        return;
    }
    let about = "between ranks; the receiver waits, the longest waits first";
    heading("Messages", about, output_style, text);
    for each in rank_lines(rows, MOST_PAIRS, output_style) {
        line(text, each.trim_end());
    }
}

pub(super) fn write_measured(report: &Report, output_style: OutputStyle, text: &mut String) {
    if report.measured.is_empty() {
        return;
    }
    heading("Measured", "what was asked for by name, over the whole run", output_style, text);
    for each in &report.measured {
        let total = each.total.map_or_else(|| "unknown".to_owned(), |one| amount(one, each.unit));
        let error = each.plus_minus.filter(|error| *error > 0.0);
        let sign = output_style.either("±", "+-");
        let error = error.map(|error| format!(" {sign} {}", amount(error, each.unit)));
        let total = format!("{total:>16}{} {:<6}", error.unwrap_or_default(), each.unit);
        let over = format!("over {:.2} s", each.covered_s);
        line(text, &format!("  {:<14} {total} {over}", each.metric));
        line(text, &format!("    {}", output_style.paint(&each.focus, terminal::FAINT)));
        for piece in each.note.iter().flat_map(|note| wrapped(note, output_style.width - 4)) {
            line(text, &format!("    {}", output_style.paint(piece, terminal::CAUTION)));
        }
    }
}

pub(super) fn write_counters(report: &Report, output_style: OutputStyle, text: &mut String) {
    let lines = counters::lines(&report.counters, output_style);
    if lines.is_empty() {
        return;
    }
    let is_exact = report.counters.iter().all(|one| one.is_exact());
    let exact = if is_exact { "totals are exact; " } else { "" };
    let about =
        format!("{exact}of functions in their own code, and with what they call, by samples");
    heading("Counters", &about, output_style, text);
    lines.iter().for_each(|each| line(text, each));
}

/// What the program counts and tells of itself.
fn write_user_events(report: &Report, output_style: OutputStyle, text: &mut String) {
    let lines = user_events::lines(&report.user_events, output_style);
    if !lines.is_empty() {
        let about = "counters that it adds to, and gauges that it sets: in the program's own units";
        heading("Of the program", about, output_style, text);
        lines.iter().for_each(|each| line(text, each));
    }
}

fn write_metadata(report: &Report, output_style: OutputStyle, text: &mut String) {
    if !report.metadata.is_empty() {
        heading("Said by the program", "what it is and how it was set", output_style, text);
        report.metadata.iter().for_each(|one| line(text, &one.line(report.processes)));
    }
}

/// A number of calls, events or bytes in whole, anything else to the microsecond.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "totals are no less than 0"
)]
fn amount(total: f64, unit: &str) -> String {
    match unit {
        "calls" | "B" | "events" => profile::count(total as u64),
        _ => format!("{total:.6}"),
    }
}

fn write_cost(report: &Report, output_style: OutputStyle, text: &mut String) {
    let about = "share of the time of the process that paid most";
    heading("Cost of measuring", about, output_style, text);
    let Some(cost) = &report.cost else {
        return line(text, "  not known");
    };
    let all = cost.whole();
    let style = if all > cost.limit { terminal::CAUTION } else { terminal::GOOD };
    let numbers = format!("{} in all, limit {}", precise(all), share(cost.limit));
    line(text, &format!("  {}", output_style.paint(numbers, style)));
    for each in wrapped(&cost.parts_told(), output_style.width - 2) {
        line(text, &format!("  {each}"));
    }
    // A second that is mostly before the run would look better than the run.
    if report.elapsed_s >= 1.0 {
        line(text, &format!("  worst second while it ran {}", precise(cost.max)));
    }
    for each in cost.checked.iter().flat_map(|one| wrapped(&one.told(), output_style.width - 2)) {
        line(text, &format!("  {each}"));
    }
    let stated = match cost.compensated_s {
        Some(seconds) => format!(
            "compensated: times are without what events cost, {seconds:.3} s over all threads"
        ),
        None => "not compensated: times hold what events cost".to_owned(),
    };
    line(text, &format!("  {}", output_style.paint(stated, terminal::FAINT)));
}

fn write_refusals(report: &Report, output_style: OutputStyle, text: &mut String) {
    if report.refusals.is_empty() {
        return;
    }
    heading(
        "Left alone",
        "functions that cannot be measured, their time is that of their callers",
        output_style,
        text,
    );
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for ReportedRefusal { function, reason } in &report.refusals {
        let name = function.strip_prefix("/Code/").unwrap_or(function);
        by_reason.entry(reason).or_default().push(readable(name));
    }
    for (reason, functions) in by_reason {
        for piece in wrapped(reason, output_style.width - 2) {
            line(text, &format!("  {}", output_style.paint(piece, terminal::FAINT)));
        }
        let more = functions.len().saturating_sub(MOST_REFUSALS);
        let mut names = functions[..functions.len() - more].join(", ");
        if more > 0 {
            names.push_str(&format!(" and {more} more; --json names them all"));
        }
        for piece in wrapped(&names, output_style.width - 4) {
            line(text, &format!("    {piece}"));
        }
    }
}

fn write_left_out(report: &Report, output_style: OutputStyle, text: &mut String) {
    let left_out = &report.remarks.left_out;
    if left_out.is_empty() {
        return;
    }
    heading(
        "Left out",
        "the numbers above do not tell these apart, or lack them",
        output_style,
        text,
    );
    for (count, what) in left_out {
        let count =
            output_style.paint(format!("{:>10}", profile::count(*count)), terminal::CAUTION);
        for (nth, piece) in wrapped(what, output_style.width - 14).into_iter().enumerate() {
            let margin = if nth == 0 { count.as_str() } else { "          " };
            line(text, &format!("{margin}  {piece}"));
        }
    }
}

fn write_profile(report: &Report, rows: usize, output_style: OutputStyle, text: &mut String) {
    if rows == 0 || report.profile.is_empty() {
        return;
    }
    heading(
        "Profile",
        "by caller and call; share of all threads' time; seen: for what part of the run",
        output_style,
        text,
    );
    for each in profile::lines(&report.profile, rows, report.remarks.thread_time, output_style) {
        line(text, &each);
    }
}

pub(super) fn write_note(note: &str, output_style: OutputStyle, text: &mut String) {
    text.push('\n');
    for (nth, piece) in wrapped(note, output_style.width - 6).into_iter().enumerate() {
        let margin = if nth == 0 { "Note: " } else { "      " };
        line(text, &format!("{}{piece}", output_style.paint(margin, terminal::CAUTION)));
    }
}

fn heading(title: &str, about: &str, output_style: OutputStyle, text: &mut String) {
    let title = output_style.paint(title, terminal::TITLE);
    text.push('\n');
    line(text, &format!("{title}  {}", output_style.paint(about, terminal::FAINT)));
}

/// The command with its beginning and its end, as a shell would take it.
pub(super) fn one_line(words: &[String], columns: usize, output_style: OutputStyle) -> String {
    let quoted = |word: &String| {
        let is_plain = |letter: char| letter.is_alphanumeric() || "_-+=./,:@%".contains(letter);
        if !word.is_empty() && word.chars().all(is_plain) {
            return word.clone();
        }
        let words: Vec<_> = word.split_whitespace().collect();
        format!("'{}'", plain(&words.join(" ")))
    };
    let text = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
    if text.chars().count() <= columns {
        return text;
    }
    let beginning: String = text.chars().take(columns / 2).collect();
    beginning + &shortened(&text, columns - columns / 2, output_style)
}

/// Two digits where a percent is much.
pub(super) fn precise(value: f64) -> String {
    format!("{:.2} %", 100.0 * value)
}

/// `1 process`, `2 processes`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How a program ended whose exit status is not zero.
pub(super) fn ending(status: i32) -> String {
    let name = match status {
        129 => "SIGHUP",
        130 => "SIGINT",
        131 => "SIGQUIT",
        134 => "SIGABRT",
        135 => "SIGBUS",
        136 => "SIGFPE",
        137 => "SIGKILL",
        139 => "SIGSEGV",
        141 => "SIGPIPE",
        143 => "SIGTERM",
        _ => return format!("exit status {status}"),
    };
    format!("exit status {status} ({name})")
}

/// Adds a line: a name with an end of line in it does not make two of it.
pub(super) fn line(text: &mut String, content: &str) {
    let _ = writeln!(text, "{}", content.trim_end().replace('\n', "\\n"));
}

/// The efficiency of input and output from which on it is not told.
const NO_FILES: f64 = 0.995;
/// Rows of the tree that a reader may be expected to read.
const MOST_ROWS: usize = 30;
/// The same of each phase.
const MOST_ROWS_OF_PHASE: usize = 12;
/// A part of the computing from which on it is told that it was not sampled.
const LEAST_NOT_SAMPLED: f64 = 0.02;
/// Causes of waiting in the head.
const MOST_CAUSES: usize = 3;
/// A smaller part of the waiting is none for the head.
const LEAST_CAUSE: f64 = 0.1;
/// Undecided questions that are shown.
const MOST_UNDECIDED: usize = 5;
/// Pairs of ranks whose messages are shown; the others are one line.
const MOST_PAIRS: usize = 4;
/// Functions that are shown with their part of the computing.
const MOST_HOT: usize = 8;
/// Functions left alone that are named.
const MOST_REFUSALS: usize = 6;

#[cfg(test)]
mod tests {
    use super::super::ReportedUndecided;
    use super::*;
    use crate::output::report::RankMessages;
    use whyperf_consultant::ValueUnit;
    use whyperf_model::Unit;

    use crate::output::report::example;

    #[test]
    fn the_reason_comes_before_the_numbers_and_nothing_is_too_wide() {
        let text = render(&example::report(), 12, OutputStyle::PLAIN);
        let place = |part: &str| text.find(part).expect("every part is there");
        assert!(place("mpirun -n 2 ./app") < place("Bottlenecks"));
        assert!(place("Bottlenecks") < place("Cost of measuring"));
        assert!(place("Cost of measuring") < place("Profile"));
        let times = OutputStyle::PLAIN.either("×", "x");
        let parts = format!("71.4 % = load balance 83.0 % {times} communication 86.0 %");
        assert!(text.contains(&format!("{parts}\n")), "{text}");
        assert!(text.contains("  2.10 % in all, limit 5.0 %\n"));
        assert!(text.contains("  events 0.40 %, analysis of code 0.30 %, sampling 0.20 %, "));
        assert!(text.contains("  worst second while it ran 1.10 %\n"));
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(!text.contains("Left out"));
    }

    #[test]
    fn what_is_in_none_of_the_numbers_stands_above_them() {
        let one = Unmeasured {
            program: "worker".into(),
            processes: 3,
            cpu_s: 12.34,
            reason:
                "it runs as user 65534, who may not write into this run: run whyperf as that user"
                    .into(),
        };
        let report = Report { unmeasured: vec![one], ..example::report() };
        let text = render(&report, 12, OutputStyle::PLAIN);
        let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        let head = format!("not measured  3 {} worker", OutputStyle::PLAIN.either("×", "x"));
        assert!(place(&head) < place("65534") && place("65534") < place("Bottlenecks"));
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }

    #[test]
    fn what_may_be_true_stands_in_a_line_with_its_reason() {
        let one = |focus: &str, value, plus_minus| ReportedUndecided {
            hypothesis: "CPUbound".into(),
            focus: focus.into(),
            value,
            plus_minus,
            threshold: 0.3,
            reason: "the run ended before the evidence was enough".into(),
            scale: ReportedScale::default(),
        };
        let place = "</Code/a.c/leaf,/Machine,/Process,/SyncObject>";
        let near = one("</Code,/Machine,/Process,/SyncObject>", 0.29, None);
        let undecided = vec![one(place, 0.93, Some(0.042)), near];
        let text = render(&Report { undecided, ..example::report() }, 12, OutputStyle::PLAIN);
        let leaf = "CPUbound /Code/a.c/leaf 93.0 % > 30.0 % ± 4.2 %: the run ended before";
        assert!(
            text.contains(leaf) && text.contains("CPUbound 29.0 % < 30.0 %: the run"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(!render(&example::report(), 12, OutputStyle::PLAIN).contains("Undecided"));
    }

    #[test]
    fn what_is_read_and_written_stands_beside_the_other_factors() {
        let efficiency = ReportedEfficiency {
            parallel: 0.357,
            load_balance: 0.83,
            communication: 0.86,
            input_output: 0.5,
        };
        let report = Report { efficiency: Some(efficiency), ..example::report() };
        let text = render(&report, 12, OutputStyle::PLAIN);
        let line = text.lines().find(|line| line.contains("parallel efficiency")).expect("a line");
        assert!(line.ends_with("I/O 50.0 %") && line.chars().count() <= 100, "{line}");
    }

    #[test]
    fn the_head_says_what_leads_where_no_cause_is_known() {
        let said = |explains: Option<&str>| {
            let mut report = example::report();
            report.bottlenecks[0].explains = explains.map(str::to_owned);
            render(&report, 12, OutputStyle::PLAIN)
        };
        assert!(!said(None).contains("because"), "{}", said(None));
        let polls = said(Some("threads poll on processors that others wait for"));
        assert!(
            polls.contains("because  threads poll on processors that others wait for"),
            "{polls}"
        );
    }

    #[test]
    fn hot_code_is_told_with_what_it_may_be_off() {
        let hot = |function: &str, share| ReportedHotCode {
            function: function.into(),
            share,
            plus_minus: 0.031,
        };
        let functions = vec![hot("/Code/sweep.c/sweep", 0.7423), hot(&"long/".repeat(40), 0.1)];
        let text =
            render(&Report { hot_code: functions, ..example::report() }, 12, OutputStyle::PLAIN);
        let row = text.lines().find(|line| line.contains("sweep.c/sweep")).expect("a row");
        assert!(row.contains("74.2 %") && row.ends_with("3.1 %"), "{row}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(!render(&example::report(), 12, OutputStyle::PLAIN).contains("Hot code"));
    }

    #[test]
    fn who_waits_for_whom_stands_in_a_few_lines() {
        let row = |from: u32, waiting_s| RankMessages {
            from: Some(from),
            to: Some(from + 1),
            calls: 1000,
            bytes: 2048,
            waiting_s,
            ..RankMessages::default()
        };
        let with =
            |messages| render(&Report { messages, ..example::report() }, 12, OutputStyle::PLAIN);
        let rows = (0..64).map(|from| row(from, f64::from(from))).collect();
        let text = with(Some(rows));
        let (_, table) = text.split_once("\nMessages  between ranks").expect("it has a heading");
        let (table, _) = table.split_once("\n\n").expect("something follows");
        let lines: Vec<&str> = table.lines().skip(1).collect();
        assert_eq!(lines.len(), 1 + MOST_PAIRS + 1, "{table}");
        assert!(lines[1].contains("63 → 64") && lines[1].contains("63.00 s"), "{table}");
        assert!(lines[1 + MOST_PAIRS].contains("60 more"), "{table}");
        for none in [Some(Vec::new()), None] {
            assert!(!with(none).contains("Messages  between"), "a program without ranks has none");
        }
    }

    #[test]
    fn a_run_without_measured_processes_says_only_what_it_knows() {
        let mut report = Report { exit_status: Some(139), ..Report::default() };
        report.remarks.notes.push("nothing was measured".into());
        let text = render(&report, 12, OutputStyle::PLAIN);
        assert!(text.contains("exit status 139 (SIGSEGV)"));
        assert!(text.contains("Note: nothing was measured"));
        assert!(!text.contains("Bottlenecks"));
    }

    #[test]
    fn a_long_command_keeps_its_beginning_and_its_end() {
        let words = ["mpirun", "a b\nc", "./app"].map(String::from);
        assert_eq!(one_line(&words, 40, OutputStyle::PLAIN), "mpirun 'a b c' ./app");
        assert_eq!(one_line(&words, 12, OutputStyle::PLAIN), "mpirun…./app");
    }

    #[test]
    fn names_that_a_program_gives_cannot_write_on_the_terminal() {
        let mut report = example::report();
        report.command = ["./app", "a\u{1b}[31mb"].map(String::from).to_vec();
        let name = format!("{}\n\u{1b}[2J", "x".repeat(10_000));
        report.phases.push(ReportedPhase { name, ..ReportedPhase::default() });
        let text = render(&report, 12, OutputStyle::PLAIN);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        assert_eq!(phase_name(" \n", OutputStyle::PLAIN), "without a name");
    }

    #[test]
    fn a_narrow_terminal_has_the_whole_report() {
        for width in [60, 66, 80] {
            let text = render(&example::report(), 12, OutputStyle { width, ..OutputStyle::PLAIN });
            assert!(text.contains("Profile  by caller"), "{text}");
        }
    }

    #[test]
    fn phases_with_nothing_to_tell_are_told_together() {
        let mut report = example::report();
        let named =
            |name: &str| ReportedPhase { name: name.to_owned(), ..ReportedPhase::default() };
        report.phases.push(named("alone"));
        let text = render(&report, 12, OutputStyle::PLAIN);
        assert!(text.contains("\nPhase alone  from"), "{text}");
        report.phases.extend((0..98).map(|step| named(&format!("step {step}"))));
        let text = render(&report, 12, OutputStyle::PLAIN);
        assert!(text.contains("\nPhases alone to step 97  from"), "{text}");
        assert!(
            text.contains("none found in any of 99\n") && !text.contains("Phase step"),
            "{text}"
        );
    }

    #[test]
    fn losses_say_how_much_and_what() {
        let mut report = example::report();
        report.remarks.left_out.push((12_000, "events of callpaths beyond the table's size"));
        let text = render(&report, 0, OutputStyle::PLAIN);
        assert!(text.contains("    12 000  events of callpaths"), "{text}");
        assert!(!text.contains("Profile"));
    }

    #[test]
    fn a_conclusion_is_one_line() {
        let mut drawn = example::conclusion("</Code/oned.c/exchng1>");
        let line = "whyperf   0.75 s  ExcessiveSyncWaitingTime   43.0 % > 20.0 %  \
                    </Code/oned.c/exchng1,/Machine,/Process,/SyncObject>\n";
        assert_eq!(conclusion(&drawn, 0.75, OutputStyle::PLAIN).as_deref(), Some(line));
        let rate = ValueUnit::Per(Unit::Operations, Unit::Nanoseconds);
        let rate = Conclusion { value: 1520.4, threshold: 100.0, unit: rate, ..drawn.clone() };
        let line = conclusion(&rate, 0.75, OutputStyle::PLAIN);
        assert!(line.is_some_and(|line| line.contains("     1520 > 100.0 ops/s  </Code")));
        drawn.truth = Truth::False;
        assert_eq!(conclusion(&drawn, 0.75, OutputStyle::PLAIN), None);
        drawn.was = Truth::True;
        let passed = conclusion(&drawn, 0.75, OutputStyle::PLAIN);
        assert!(passed.is_some_and(|line| line.ends_with("no longer\n")));
    }
}
