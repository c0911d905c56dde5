//! A comparison as Markdown, for a build system or a discussion.

use whyperf_experiments::{
    ComparedConclusion, Comparison, JointStructure, RankedDifference, StructuralDifference,
    WallVerdict,
};

use crate::experiments::amounts::{change, short_focus, with_spread};
use crate::output::terminal::plain;

/// Rows of a table, of which more are not listed.
const MOST_ROWS: usize = 20;

/// All of it.
pub(super) fn render(comparison: &Comparison) -> String {
    let [a, b] = [0, 1].map(|number| code(&comparison.runs[number].name));
    let mut text = format!("### {b} compared with {a}\n\n");
    if let Some(wall) = &comparison.wall {
        let verdict = match wall.verdict {
            WallVerdict::Slower => "slower",
            WallVerdict::Faster => "faster",
            WallVerdict::NoDifference => "no difference",
        };
        let [of_a, of_b] = wall.spread.map(|spread| spread.map(|seconds| seconds * 1e9));
        let times =
            [with_spread(wall.a_s * 1e9, of_a, "ns"), with_spread(wall.b_s * 1e9, of_b, "ns")];
        text +=
            &format!("**{verdict}**: {} → {} ({})\n\n", times[0], times[1], change(wall.change));
    }
    if comparison.differences.is_empty() {
        text += "No difference in times and amounts.\n";
    } else {
        text += "| metric | where | before | now | change | of the threads' time | cause |\n|---|---|---|---|---|---|---|\n";
        text.extend(comparison.differences.iter().take(MOST_ROWS).map(difference));
    }
    text += &conclusions(comparison);
    if !comparison.structure.is_empty() {
        text += "\n| only in | resource |\n|---|---|\n";
        for one in comparison.structure.iter().take(MOST_ROWS) {
            let name = if one.label == 1 { &a } else { &b };
            text += &format!("| {name} | {} |\n", code(&one.resource));
        }
    }
    for note in &comparison.notes {
        text += &format!("\n> {}\n", plain(note));
    }
    text
}

/// Which operands had what, where that is not all of them; nothing where all had the same.
pub(super) fn structure_of_all(joint: &JointStructure) -> String {
    if joint.structure.is_empty() {
        return String::new();
    }
    let row = |one: &StructuralDifference| {
        let those = joint.runs.iter().filter(|run| one.is_of(run)).map(|run| code(&run.name));
        let those: Vec<String> = those.collect();
        format!("| {} | {} | {} |\n", one.label, those.join(", "), code(&one.resource))
    };
    let rows: String = joint.structure.iter().take(MOST_ROWS).map(row).collect();
    let head = "\n| label | in | resource |\n|---|---|---|\n";
    format!("### Structure of all {}\n{head}{rows}", joint.runs.len())
}

fn difference(one: &RankedDifference) -> String {
    let [a, b] = [(one.a, one.spread[0]), (one.b, one.spread[1])]
        .map(|(value, spread)| with_spread(value, spread, one.unit));
    let share =
        one.share_of_change.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0));
    let cause = if one.is_cause { "yes" } else { "follows" };
    let beside = one.beside.map_or_else(String::new, |beside| {
        format!(", {} beside the rest of its run", change(Some(beside)))
    });
    let (focus, change) = (code(&short_focus(&one.focus)), change(one.change) + &beside);
    format!("| {} | {focus} | {a} | {b} | {change} | {share} | {cause} |\n", one.metric)
}

fn conclusions(comparison: &Comparison) -> String {
    let all = &comparison.conclusions;
    let row = |word: &str, one: &ComparedConclusion| {
        format!("| {word} | {} | {} |\n", one.hypothesis, code(&short_focus(&one.focus)))
    };
    let mut rows = String::new();
    for (word, list) in
        [("new", &all.new), ("gone", &all.gone), ("grown", &all.grown), ("shrunk", &all.shrunk)]
    {
        rows.extend(list.iter().take(MOST_ROWS).map(|one| row(word, one)));
    }
    for one in all.moved.iter().take(MOST_ROWS) {
        let [from, to] = [&one.from, &one.to].map(|focus| code(&short_focus(focus)));
        rows += &format!("| moved | {} | {from} to {to} |\n", one.hypothesis);
    }
    if rows.is_empty() {
        rows
    } else {
        format!("\n| bottleneck | kind | where |\n|---|---|---|\n{rows}")
    }
}

/// As code, with what would end a cell or the code left out.
fn code(text: &str) -> String {
    let harmless: String =
        plain(text).chars().map(|one| if "`|".contains(one) { '_' } else { one }).collect();
    format!("`{harmless}`")
}
