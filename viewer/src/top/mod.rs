//! A run on a terminal, for people on a node without a browser: what was found, what measuring costs and how time is spent, as it goes on.
//!
//! ```text
//!  ⏵ searching  mpirun -n 4 ./app      12.4 s   4 processes   21 pairs measured, 3 wait
//!  ┌ cost of measuring ────────┐┌ how threads spend their time ─────────────┐
//!  │ 1.2 % of 5 %  ▁▁▂▁▁▁▁▁    ││ computing  61 % ▆▆▇▆▅▆▇  waiting …        │
//!  ├ bottlenecks ──────────────┴┴───────────────────────────────────────────┤
//!  │ ExcessiveSyncWaitingTime  /Code/a.c/f   36.2 %  > 20 %  ▃▄▅▅▄▄▅▆        │
//! ```

mod content;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line as TextLine, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Row, Table};

use self::content::{Finding, Line, TopContent};
use crate::document::RunState;
use crate::viewed_run::ViewedRun;

/// Draws a run as it is known by now; the findings from one of them on. Answers with the one that is on top: a list ends somewhere.
pub fn draw_top(frame: &mut Frame<'_>, run: &ViewedRun, first: usize) -> usize {
    let area = frame.area();
    let columns = usize::from(area.width.saturating_sub(60)).clamp(8, MOST_COLUMNS);
    match TopContent::of(run, columns) {
        Ok(content) => draw(frame, &content, first),
        Err(error) => {
            frame.render_widget(Paragraph::new(error.to_string()), area);
            first
        }
    }
}

/// More columns of a series tell nothing more.
const MOST_COLUMNS: usize = 80;
/// On a narrower terminal each thing has fewer columns, and a finding two lines.
const WIDE: u16 = 76;
const FAINT: Style = Style::new().fg(Color::DarkGray);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);

fn draw(frame: &mut Frame<'_>, content: &TopContent, first: usize) -> usize {
    let area = frame.area();
    let head_lines = head_lines(content, area.width);
    let height = |rows: usize| u16::try_from(rows).unwrap_or(u16::MAX);
    // Where there is little room, findings have half of it.
    let times = height(content.uses.len() + 3).min((area.height / 2).max(4));
    let rows = [
        Constraint::Length(height(head_lines.len())),
        Constraint::Length(times),
        Constraint::Min(4),
        Constraint::Length(1),
    ];
    let [head, times, found, keys] = Layout::vertical(rows).areas(area);
    frame.render_widget(Paragraph::new(head_lines), head);
    draw_times(frame, content, times);
    let first = draw_found(frame, content, first, found);
    let help = if area.width < WIDE {
        " q leave  space pause  p phase  ↑ ↓"
    } else {
        " q leaves this screen   space pauses the search   p begins a phase   ↑ ↓ move"
    };
    frame.render_widget(Paragraph::new(Span::styled(help, FAINT)), keys);
    first
}

fn head_lines(content: &TopContent, width: u16) -> Vec<TextLine<'_>> {
    let progress = &content.progress;
    let (word, colour) = match progress.state {
        RunState::Searching => ("searching", Color::Blue),
        RunState::Paused => ("paused", Color::Yellow),
        RunState::Over => ("over", Color::DarkGray),
    };
    let state = Style::new().fg(Color::White).bg(colour).add_modifier(Modifier::BOLD);
    let mut about = vec![
        format!("{:.1} s", progress.elapsed_s),
        counted(content.processes, "process", "processes"),
    ];
    about.extend(progress.measured.map(|pairs| counted(pairs, "pair measured", "pairs measured")));
    about.extend(progress.waiting.map(|some| counted(some, "waits", "wait")));
    about.push(format!("{} asked, {} true", content.asked, content.found.len()));
    let title = TextLine::from(vec![
        Span::styled(format!(" {word} "), state),
        Span::raw(" "),
        Span::styled(harmless(&content.command), STRONG),
    ]);
    let about = flowing(&about, usize::from(width));
    let about = about.into_iter().map(|line| TextLine::from(Span::styled(line, FAINT)));
    std::iter::once(title).chain(about).collect()
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Words beside each other as far as they fit into so many columns, then on the next line.
fn flowing(words: &[String], width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words {
        let last = lines.last_mut().expect("there is one");
        if last.is_empty() {
            *last = format!(" {word}");
        } else if last.chars().count() + 3 + word.chars().count() <= width {
            last.push_str("   ");
            last.push_str(word);
        } else {
            lines.push(format!(" {word}"));
        }
    }
    lines
}

fn draw_times(frame: &mut Frame<'_>, content: &TopContent, area: Rect) {
    let is_wide = area.width >= WIDE;
    let title = if is_wide { " how threads spend their time " } else { " how time is spent " };
    let block = Block::new().borders(Borders::ALL).title(title);
    let told = |share: Option<f64>| share.map_or_else(String::new, percent);
    let now = content.progress.cost.or(content.whole_cost).or(content.cost.share);
    let limit = format!("of {}", percent(content.limit));
    let over_limit = now.is_some_and(|now| now > content.limit);
    let cost = [
        content.cost.name.to_owned(),
        told(now),
        if now.is_some() { limit } else { String::new() },
        sparks(&content.cost.values, content.limit),
    ];
    let cost = Row::new(cost).style(if over_limit { Style::new().fg(Color::Red) } else { FAINT });
    let uses = content.uses.iter().map(|line| {
        let Line { name, share, values } = line;
        let bar = share.map_or_else(String::new, bar);
        let cells = [(*name).to_owned(), told(*share), bar, sparks(values, 1.0)];
        Row::new(cells).style(Style::new().fg(colour_of(name)))
    });
    let widths = if is_wide { [20, 8, 12] } else { [18, 7, 9] }.map(Constraint::Length);
    let widths = widths.into_iter().chain([Constraint::Fill(1)]);
    // What does not fit is what is least: the cost always has its line.
    let room = usize::from(area.height.saturating_sub(3));
    let table = Table::new(uses.take(room).chain([cost]), widths).block(block);
    frame.render_widget(table, area);
}

/// The colours of the page, as near as all terminals have them.
fn colour_of(name: &str) -> Color {
    match name {
        "computing" => Color::Blue,
        "waiting for others" => Color::Yellow,
        "input and output" => Color::Green,
        "no processor" => Color::Red,
        _ => Color::Magenta,
    }
}

/// The findings from one of them on, or from the last one that leaves no room below; which one that is.
fn draw_found(frame: &mut Frame<'_>, content: &TopContent, first: usize, area: Rect) -> usize {
    let is_wide = area.width >= WIDE;
    let lines = if is_wide { 1 } else { 2 };
    let room = (usize::from(area.height.saturating_sub(3)) / lines).max(1);
    let first = first.min(content.found.len().saturating_sub(room));
    let more = content.found.len().saturating_sub(first + room);
    let title = match content.found.len() {
        0 => " no bottleneck was found so far ".to_owned(),
        _ if first + more == 0 => " bottlenecks ".to_owned(),
        all => format!(" bottlenecks {} to {} of {all} ", first + 1, all - more),
    };
    let block = Block::new().borders(Borders::ALL).title(title);
    let shown = content.found.iter().skip(first).take(room);
    let table = if is_wide { wide_table(shown) } else { narrow_table(shown, area.width) };
    frame.render_widget(table.block(block), area);
    first
}

fn wide_table<'f>(found: impl Iterator<Item = &'f Finding>) -> Table<'f> {
    let rows = found.map(|one| {
        let Finding { hypothesis, focus, value, threshold, values } = one;
        Row::new([
            harmless(hypothesis),
            harmless(focus),
            value.clone(),
            threshold.clone(),
            sparks(values, most(values)),
        ])
    });
    let widths = [
        Constraint::Length(26),
        Constraint::Fill(2),
        Constraint::Length(12),
        Constraint::Length(12),
        Constraint::Fill(1),
    ];
    let head = Row::new(["hypothesis", "where", "value", "from", "over time"]).style(FAINT);
    Table::new(rows, widths).header(head)
}

/// Each on two lines: what and how much, then where, of whose name the end tells most.
fn narrow_table<'f>(found: impl Iterator<Item = &'f Finding>, width: u16) -> Table<'f> {
    let [figures, borders] = [13, 3];
    let room = usize::from(width.saturating_sub(figures + borders));
    let rows = found.map(move |one| {
        let Finding { hypothesis, focus, value, threshold, .. } = one;
        let place = ended(&harmless(focus), room.saturating_sub(1));
        let what = format!("{}\n {place}", harmless(hypothesis));
        Row::new([what, format!("{value}\nfrom {threshold}")]).height(2)
    });
    let head = Row::new(["hypothesis, where", "value"]).style(FAINT);
    Table::new(rows, [Constraint::Fill(1), Constraint::Length(figures)]).header(head)
}

/// The end of a name, in so many columns.
fn ended(name: &str, room: usize) -> String {
    let count = name.chars().count();
    if count <= room {
        return name.to_owned();
    }
    let end: String = name.chars().skip(count + 1 - room.max(1)).collect();
    format!("…{end}")
}

fn most(values: &[Option<f64>]) -> f64 {
    values.iter().flatten().copied().fold(0.0, f64::max)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Eighths of a line.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Values as a line of bars; what was not measured is empty.
fn sparks(values: &[Option<f64>], most: f64) -> String {
    let level = |value: f64| {
        let share = if most > 0.0 { (value / most).clamp(0.0, 1.0) } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
        LEVELS[(share * 7.0).round() as usize]
    };
    values.iter().map(|value| value.map_or(' ', level)).collect()
}

/// A share as a bar of ten columns.
fn bar(share: f64) -> String {
    let full = (share.clamp(0.0, 1.0) * 10.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10")]
    "█".repeat(full as usize)
}

/// A name without anything that steers a terminal.
fn harmless(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use whyperf_consultant::Hypotheses;
    use whyperf_experiments::{ResourceSpan, StoredVerdict};
    use whyperf_model::{Bin, Focus, Metric, Nanos, Pair, Time};

    use super::*;
    use crate::change::{RunChange, SeriesPart};
    use crate::content::RunHead;
    use crate::rows::HypothesisRow;

    fn shown(run: &ViewedRun, first: usize) -> String {
        shown_at(run, first, [110, 18]).0
    }

    /// What a terminal of so many columns and lines shows, and which finding is on top of it.
    fn shown_at(run: &ViewedRun, first: usize, [wide, high]: [u16; 2]) -> (String, usize) {
        let mut terminal = Terminal::new(TestBackend::new(wide, high)).expect("it is in memory");
        let mut top = 0;
        terminal.draw(|frame| top = draw_top(frame, run, first)).expect("it is in memory");
        (terminal.backend().to_string(), top)
    }

    fn run() -> ViewedRun {
        let hypotheses = HypothesisRow::all(&Hypotheses::built_in());
        let command = vec!["mpirun".to_owned(), "./a\u{1b}[2Jpp".to_owned()];
        ViewedRun::live(RunHead { hypotheses, command, ..RunHead::default() })
    }

    fn part(number: u32, metric: Metric, millis: u64, bins: usize) -> SeriesPart {
        let amount = i128::from(millis) * 1_000_000;
        let width = Nanos::from_millis(100);
        let bins = vec![Bin { amount, covered: width, extremes: None }; bins];
        let pair = Pair::new(metric, Focus::whole_program());
        SeriesPart { pair, part: SeriesPart::WHOLE_RUN - number, width, from: 0, bins }
    }

    fn found(number: u64) -> StoredVerdict {
        StoredVerdict {
            number,
            hypothesis: "ExcessiveSyncWaitingTime".into(),
            focus: format!("</Code/a.c/f{number},/Machine,/Process,/SyncObject>"),
            truth: "true".into(),
            value: Some(0.9 - 0.01 * number as f64),
            threshold: 0.2,
            confidence: 0.99,
            asked: 1,
            found: Some(Time::ZERO),
            cost: 0.0,
            origin: "search".into(),
            split: None,
        }
    }

    #[test]
    fn what_was_found_stands_below_how_time_is_spent() {
        let run = run();
        let mut change = RunChange::new(RunState::Searching, Duration::from_secs(2));
        change.counts = [7, 3];
        change.cost = 0.012;
        let span =
            |name: &str| ResourceSpan { name: name.into(), appeared: Time::ZERO, retired: None };
        change.resources = ["/Process/0", "/Process/1", "/Process/1/2"].map(span).into();
        change.series = vec![part(0, Metric::Wall, 200, 20), part(1, Metric::Cpu, 50, 20)];
        change.questions = vec![(0, vec![found(1), found(0)], Vec::new())];
        run.apply(change);
        let screen = shown(&run, 0);
        for told in [
            " searching ",
            "mpirun ./a?[2Jpp",
            "2.0 s   2 processes   7 pairs measured   3 wait   2 asked, 2 true",
            "computing            25.0 %",
            "cost of measuring    1.2 %    of 5.0 %",
            "ExcessiveSyncWaitingTime",
            "/Code/a.c/f0",
            "90.0 %",
            "20.0 %",
        ] {
            assert!(screen.contains(told), "{told:?} is not there:\n{screen}");
        }
        assert!(screen.find("/Code/a.c/f0") < screen.find("/Code/a.c/f1"), "the worst is first");
        assert!(screen.contains("▃▃▃"), "a quarter of the threads' time over time:\n{screen}");
    }

    #[test]
    fn a_long_list_is_moved_and_stops_at_its_end() {
        let run = run();
        assert!(shown(&run, 3).contains("no bottleneck was found so far"));
        let mut change = RunChange::new(RunState::Over, Duration::from_secs(2));
        change.questions = vec![(0, (0..40).map(found).collect(), Vec::new())];
        run.apply(change);
        assert!(shown(&run, 0).contains("bottlenecks 1 to "));
        let end = shown(&run, 1000);
        assert!(end.contains("/Code/a.c/f39") && end.contains("to 40 of 40"), "{end}");
        assert!(end.contains(" over "), "{end}");
    }
    #[test]
    fn one_is_no_plural_and_what_is_asked_in_a_phase_is_its_own() {
        let run = run();
        let mut change = RunChange::new(RunState::Searching, Duration::from_secs(2));
        change.counts = [1, 1];
        let process =
            ResourceSpan { name: "/Process/0".into(), appeared: Time::ZERO, retired: None };
        change.resources = vec![process];
        change.questions =
            vec![(0, vec![found(1)], Vec::new()), (1, vec![found(1), found(2)], Vec::new())];
        run.apply(change);
        let screen = shown(&run, 0);
        let told = "1 process   1 pair measured   1 waits   1 asked, 1 true";
        assert!(screen.contains(told), "{screen}");
    }

    #[test]
    fn what_is_not_known_is_empty_and_no_zero() {
        let run = run();
        run.apply(RunChange::new(RunState::Over, Duration::from_secs(2)));
        let screen = shown(&run, 0);
        assert!(screen.contains("computing") && !screen.contains("0.0 %"), "{screen}");
    }

    #[test]
    fn a_narrow_terminal_has_all_that_matters_whole() {
        let run = run();
        let mut change = RunChange::new(RunState::Searching, Duration::from_secs(2));
        change.counts = [7, 3];
        change.cost = 0.012;
        change.series = vec![part(0, Metric::Wall, 200, 20), part(1, Metric::Cpu, 50, 20)];
        change.questions = vec![(0, vec![found(1), found(0)], Vec::new())];
        run.apply(change);
        let (screen, _) = shown_at(&run, 0, [40, 20]);
        let missing: Vec<&str> = [
            "7 pairs measured",
            "2 asked, 2 true",
            "computing          25.0 %",
            "cost of measuring  1.2 %   of 5.0 %",
            "ExcessiveSyncWaitingTime 90.0 %",
            " /Code/a.c/f0 ",
            " from 20.0 %",
            "q leave  space pause  p phase",
        ]
        .into_iter()
        .filter(|told| !screen.contains(told))
        .collect();
        assert_eq!(missing, [""; 0], "{screen}");
    }

    #[test]
    fn a_list_that_was_moved_beyond_its_end_comes_back_with_one_step() {
        let run = run();
        let mut change = RunChange::new(RunState::Over, Duration::from_secs(2));
        change.questions = vec![(0, (0..40).map(found).collect(), Vec::new())];
        run.apply(change);
        let (end, top) = shown_at(&run, 1000, [110, 30]);
        let (before, _) = shown_at(&run, top - 1, [110, 30]);
        assert!(end.contains("to 40 of 40") && before.contains("to 39 of 40"), "{end}{before}");
    }
}
