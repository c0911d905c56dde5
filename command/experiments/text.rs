//! A comparison as text for a terminal.

use whyperf_experiments::{
    ComparedConclusion, ComparedPart, ComparedWall, Comparison, JointStructure, RankedDifference,
    StructuralDifference, WallVerdict,
};

use crate::experiments::amounts::{change, short_focus, with_spread};
use crate::output::terminal::{self, OutputStyle, plain};

/// Resources that only one operand had, of which more are not listed.
const MOST_RESOURCES: usize = 20;
/// Conclusions of one kind, of which more are not listed.
const MOST_CONCLUSIONS: usize = 10;

/// All of it.
pub(super) fn render(comparison: &Comparison, style: OutputStyle) -> String {
    let mut text = head(comparison, style);
    text += &differences(comparison, style);
    text += &conclusions(comparison, style);
    text += &structure(comparison, style);
    text += &parts(&comparison.parts, style);
    if let [Some(euclidean), Some(mean)] = comparison.distance {
        text += &format!(
            "\nPerformance distance {euclidean:.3} (Euclidean), {mean:.3} (mean by weight)\n"
        );
    }
    for note in &comparison.notes {
        text += &format!("{} {}\n", style.paint("note:", terminal::CAUTION), plain(note));
    }
    text
}

fn title(text: &str, style: OutputStyle) -> String {
    format!("\n{}\n", style.paint(text, terminal::TITLE))
}

fn head(comparison: &Comparison, style: OutputStyle) -> String {
    let name = |number: usize| {
        let run = &comparison.runs[number];
        let trials =
            if run.trials > 1 { format!(" ({} trials)", run.trials) } else { String::new() };
        format!("{}{trials}", plain(&run.name))
    };
    let mut text = format!("{} compared with {}\n", name(1), name(0));
    if let Some(wall) = &comparison.wall {
        text += &wall_line(wall, style);
    }
    text
}

fn wall_line(wall: &ComparedWall, style: OutputStyle) -> String {
    let (a, b) = (wall.a_s * 1e9, wall.b_s * 1e9);
    let [of_a, of_b] = wall.spread.map(|spread| spread.map(|seconds| seconds * 1e9));
    let arrow = style.either("→", "->");
    let (a, b) = (with_spread(a, of_a, "ns"), with_spread(b, of_b, "ns"));
    let (word, colour) = match wall.verdict {
        WallVerdict::Slower => ("slower", terminal::ALARM),
        WallVerdict::Faster => ("faster", terminal::GOOD),
        WallVerdict::NoDifference => ("no difference", terminal::FAINT),
    };
    let mut line =
        format!("wall  {a} {arrow} {b}  {}  {}\n", change(wall.change), style.paint(word, colour));
    if let Some(trials) = wall.trials_to_settle {
        line +=
            &format!("      {trials} trials on each side would settle it, if they are as these\n");
    }
    line
}

fn differences(comparison: &Comparison, style: OutputStyle) -> String {
    if comparison.differences.is_empty() {
        return title("No difference in times and amounts", style);
    }
    let mut text = String::new();
    let (causes, others): (Vec<&RankedDifference>, Vec<_>) =
        comparison.differences.iter().partition(|one| one.is_cause);
    for (name, list) in [("What differs", causes), ("What may follow from it", others)] {
        if !list.is_empty() {
            text += &title(name, style);
            text.extend(list.iter().map(|one| difference(one, style)));
        }
    }
    text
}

fn difference(one: &RankedDifference, style: OutputStyle) -> String {
    let arrow = style.either("→", "->");
    let (a, b) =
        (with_spread(one.a, one.spread[0], one.unit), with_spread(one.b, one.spread[1], one.unit));
    let focus = style.paint(plain(&short_focus(&one.focus)), terminal::PLACE);
    let mut text = format!(
        "  {:<10} {focus}\n             {a} {arrow} {b}  {}",
        one.metric,
        change(one.change)
    );
    if let Some(beside) = one.beside {
        text += &format!(", {} beside the rest of its run", change(Some(beside)));
    }
    if let Some(share) = one.share_of_change {
        text += &format!(", {:.0} % of what the threads' time changed by", share * 100.0);
    }
    text.push('\n');
    for part in &one.parts {
        let focus = plain(&short_focus(&part.focus)).into_owned();
        let line = format!("               {:>4.0} %  {focus}", part.share * 100.0);
        text += &format!("{}\n", style.paint(line, terminal::FAINT));
    }
    text
}

fn conclusions(comparison: &Comparison, style: OutputStyle) -> String {
    let all = &comparison.conclusions;
    let lists =
        [("new", &all.new), ("gone", &all.gone), ("grown", &all.grown), ("shrunk", &all.shrunk)];
    let mut text = String::new();
    for (word, list) in lists {
        text.extend(list.iter().take(MOST_CONCLUSIONS).map(|one| conclusion(word, one)));
        text += &more(list.len(), MOST_CONCLUSIONS);
    }
    for one in all.moved.iter().take(MOST_CONCLUSIONS) {
        let [from, to] = [&one.from, &one.to].map(|focus| plain(&short_focus(focus)).into_owned());
        text += &format!("  moved  {}  {from} to {to}\n", one.hypothesis);
    }
    if text.is_empty() { text } else { title("Conclusions of the search", style) + &text }
}

fn conclusion(word: &str, one: &ComparedConclusion) -> String {
    let value = |value: Option<f64>| {
        value.map_or_else(|| "not asked".to_owned(), |value| format!("{value:.3}"))
    };
    let (a, b) = (value(one.a), value(one.b));
    format!(
        "  {word:<6} {}  {}  {a} before, {b} now\n",
        one.hypothesis,
        plain(&short_focus(&one.focus))
    )
}

fn structure(comparison: &Comparison, style: OutputStyle) -> String {
    if comparison.structure.is_empty() {
        return String::new();
    }
    let line = |one: &StructuralDifference| {
        let name =
            comparison.runs.iter().find(|run| run.label == one.label).map(|run| run.name.as_str());
        format!(
            "  {}  {}  only in {}\n",
            one.label,
            plain(&one.resource),
            plain(name.unwrap_or("some"))
        )
    };
    let lines: String = comparison.structure.iter().take(MOST_RESOURCES).map(line).collect();
    title("Structure", style) + &lines + &more(comparison.structure.len(), MOST_RESOURCES)
}

/// Which operands had what, where that is not all of them; nothing where all had the same.
pub(super) fn structure_of_all(joint: &JointStructure, style: OutputStyle) -> String {
    if joint.structure.is_empty() {
        return String::new();
    }
    let line = |one: &StructuralDifference| {
        let those = joint.runs.iter().filter(|run| one.is_of(run)).map(|run| plain(&run.name));
        let those: Vec<_> = those.collect();
        format!("  {:<4} {}  in {}\n", one.label, plain(&one.resource), those.join(", "))
    };
    let lines: String = joint.structure.iter().take(MOST_RESOURCES).map(line).collect();
    let name = format!("Structure of all {}", joint.runs.len());
    title(&name, style) + &lines + &more(joint.structure.len(), MOST_RESOURCES)
}

fn more(all: usize, shown: usize) -> String {
    if all > shown { format!("  {} more\n", all - shown) } else { String::new() }
}

fn parts(parts: &[ComparedPart], style: OutputStyle) -> String {
    if parts.iter().all(|part| part.differing.is_empty()) {
        return String::new();
    }
    let line = |part: &ComparedPart| {
        let differing: Vec<String> = part
            .differing
            .iter()
            .map(|(metric, change)| format!("{metric} {:+.0} %", change * 100.0))
            .collect();
        let arrow = style.either("→", "->");
        let times = format!("{:.3} s {arrow} {:.3} s", part.a_s, part.b_s);
        format!("  {:<16} {times}  {}\n", plain(&part.name), differing.join(", "))
    };
    title("The same parts of both", style) + &parts.iter().map(line).collect::<String>()
}
