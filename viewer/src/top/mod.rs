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

/// Draws a run as it is known by now; the findings from one of them on.
pub fn draw_top(frame: &mut Frame<'_>, run: &ViewedRun, first: usize) {
    let area = frame.area();
    let columns = usize::from(area.width.saturating_sub(60)).clamp(8, MOST_COLUMNS);
    match TopContent::of(run, columns) {
        Ok(content) => draw(frame, &content, first),
        Err(error) => frame.render_widget(Paragraph::new(error.to_string()), area),
    }
}

/// More columns of a series tell nothing more.
const MOST_COLUMNS: usize = 80;
const FAINT: Style = Style::new().fg(Color::DarkGray);
const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);

fn draw(frame: &mut Frame<'_>, content: &TopContent, first: usize) {
    let uses = u16::try_from(content.uses.len()).unwrap_or(u16::MAX);
    let rows = [
        Constraint::Length(2),
        Constraint::Length(uses + 3),
        Constraint::Min(4),
        Constraint::Length(1),
    ];
    let [head, times, found, keys] = Layout::vertical(rows).areas(frame.area());
    frame.render_widget(Paragraph::new(head_lines(content)), head);
    draw_times(frame, content, times);
    draw_found(frame, content, first, found);
    let help = " q leaves this screen   space pauses the search   p begins a phase   ↑ ↓ move";
    frame.render_widget(Paragraph::new(Span::styled(help, FAINT)), keys);
}

fn head_lines(content: &TopContent) -> Vec<TextLine<'_>> {
    let progress = &content.progress;
    let (word, colour) = match progress.state {
        RunState::Searching => ("searching", Color::Blue),
        RunState::Paused => ("paused", Color::Yellow),
        RunState::Over => ("over", Color::DarkGray),
    };
    let state = Style::new().fg(Color::White).bg(colour).add_modifier(Modifier::BOLD);
    let told = |count: Option<usize>, what: &str| {
        count.map_or_else(String::new, |count| format!("   {count} {what}"))
    };
    let about = format!(
        " {:.1} s   {} processes{}{}   {} asked, {} true",
        progress.elapsed_s,
        content.processes,
        told(progress.measured, "pairs measured"),
        told(progress.waiting, "wait"),
        content.asked,
        content.found.len()
    );
    vec![
        TextLine::from(vec![
            Span::styled(format!(" {word} "), state),
            Span::raw(" "),
            Span::styled(harmless(&content.command), STRONG),
        ]),
        TextLine::from(Span::styled(about, FAINT)),
    ]
}

fn draw_times(frame: &mut Frame<'_>, content: &TopContent, area: Rect) {
    let block = Block::new().borders(Borders::ALL).title(" how threads spend their time ");
    let now = content.progress.cost.unwrap_or(content.cost.share);
    let cost = Row::new([
        content.cost.name.to_owned(),
        format!("{:.1} %", 100.0 * now),
        format!("of {:.1} %", 100.0 * content.limit),
        sparks(&content.cost.values, content.limit),
    ])
    .style(if now > content.limit { Style::new().fg(Color::Red) } else { FAINT });
    let uses = content.uses.iter().map(|line| {
        let Line { name, share, values } = line;
        let cells = [
            (*name).to_owned(),
            format!("{:.1} %", 100.0 * share),
            bar(*share),
            sparks(values, 1.0),
        ];
        Row::new(cells).style(Style::new().fg(colour_of(name)))
    });
    let widths =
        [Constraint::Length(20), Constraint::Length(8), Constraint::Length(12), Constraint::Min(8)];
    let table = Table::new(uses.chain([cost]), widths).block(block);
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

fn draw_found(frame: &mut Frame<'_>, content: &TopContent, first: usize, area: Rect) {
    let room = usize::from(area.height.saturating_sub(3));
    let last = content.found.len().saturating_sub(room.max(1));
    let first = first.min(last);
    let more = content.found.len().saturating_sub(first + room);
    let title = match content.found.len() {
        0 => " no bottleneck was found so far ".to_owned(),
        _ if first + more == 0 => " bottlenecks ".to_owned(),
        all => format!(" bottlenecks {} to {} of {all} ", first + 1, all - more),
    };
    let block = Block::new().borders(Borders::ALL).title(title);
    let head = Row::new(["hypothesis", "where", "value", "from", "over time"]).style(FAINT);
    let rows = content.found.iter().skip(first).take(room).map(|one| {
        let Finding { hypothesis, focus, value, threshold, values } = one;
        let most = values.iter().flatten().copied().fold(0.0, f64::max);
        Row::new([
            harmless(hypothesis),
            harmless(focus),
            value.clone(),
            threshold.clone(),
            sparks(values, most),
        ])
    });
    let widths = [
        Constraint::Length(26),
        Constraint::Fill(2),
        Constraint::Length(12),
        Constraint::Length(12),
        Constraint::Fill(1),
    ];
    frame.render_widget(Table::new(rows, widths).header(head).block(block), area);
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
        let mut terminal = Terminal::new(TestBackend::new(110, 18)).expect("it is in memory");
        terminal.draw(|frame| draw_top(frame, run, first)).expect("it is in memory");
        terminal.backend().to_string()
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
            "2.0 s   2 processes   7 pairs measured   3 wait",
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
}
