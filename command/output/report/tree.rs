//! The bottlenecks as a tree: each line says what it adds to the one above, the most specific ones last.

use std::collections::BTreeSet;

use owo_colors::Style;

use super::ReportedBottleneck;
use super::advice::advice;
use crate::output::terminal::{self, OutputStyle, readable, shortened, wrapped};

/// The lines of the tree; beyond `most` rows the least of its leaves are only counted.
pub(crate) fn lines(
    bottlenecks: &[ReportedBottleneck],
    most: usize,
    output_style: OutputStyle,
) -> Vec<String> {
    let kept = kept(bottlenecks, most);
    let shown = bottlenecks.iter().zip(&kept).filter(|(_, kept)| **kept);
    let widths = shown.filter_map(|(one, _)| Some(one.when()?.chars().count()));
    let when_width = widths.max().unwrap_or_default();
    let given = BTreeSet::new();
    let mut tree =
        Tree { bottlenecks, kept: &kept, output_style, when_width, given, lines: Vec::new() };
    tree.write_children(None, "");
    let mut lines = tree.lines;
    let leading = leading_on(bottlenecks);
    let hidden = kept.iter().zip(&leading).filter(|(kept, leads)| **leads && !**kept).count();
    if hidden > 0 {
        lines.push(format!("  and {hidden} more specific ones; --json keeps them all"));
    }
    lines
}

struct Tree<'a> {
    bottlenecks: &'a [ReportedBottleneck],
    kept: &'a [bool],
    output_style: OutputStyle,
    /// Columns of the longest text that says when it was.
    when_width: usize,
    /// Advice that stands above already.
    given: BTreeSet<String>,
    lines: Vec<String>,
}

impl Tree<'_> {
    fn children(&self, parent: Option<usize>) -> Vec<usize> {
        (0..self.bottlenecks.len())
            .filter(|&at| self.kept[at] && self.bottlenecks[at].parent == parent)
            .collect()
    }

    fn write_children(&mut self, parent: Option<usize>, margin: &str) {
        let children = self.children(parent);
        for (nth, &at) in children.iter().enumerate() {
            let is_last = nth + 1 == children.len();
            let (branch, below) = match parent {
                None => ("  ", "  "),
                Some(_) if is_last => (self.output_style.either("└─ ", "`- "), "   "),
                Some(_) => {
                    (self.output_style.either("├─ ", "|- "), self.output_style.either("│  ", "|  "))
                }
            };
            let below = format!("{margin}{below}");
            self.write_one(at, &format!("{margin}{branch}"), &below);
            self.write_children(Some(at), &below);
        }
    }

    fn write_one(&mut self, at: usize, branch: &str, below: &str) {
        let bottleneck = &self.bottlenecks[at];
        let numbers = self.numbers(bottleneck);
        let taken = [branch, &numbers].iter().map(|text| text.chars().count()).sum::<usize>();
        let room = self.output_style.width.saturating_sub(taken + LEAST_DOTS);
        let source = bottleneck.source.as_ref().map(|line| format!("  {line}"));
        let source = source.filter(|source| source.chars().count() + LEAST_NAME <= room);
        let source = source.unwrap_or_default();
        // Of a deep row that is too long for the terminal the name is what must not be missing.
        let room = room.saturating_sub(source.chars().count()).max(LEAST_NAME);
        let parent = bottleneck.parent.map(|parent| &self.bottlenecks[parent]);
        let name = readable(&addition(bottleneck, parent));
        let name = shortened(&name, room, self.output_style);
        let dots = ".".repeat(room - name.chars().count() + LEAST_DOTS - 2);
        let style = if parent.is_none() { terminal::ALARM } else { Style::new() };
        let line = format!(
            "{}{}{} {} {numbers}",
            self.output_style.paint(branch, terminal::FAINT),
            self.output_style.paint(name, style),
            self.output_style.paint(source, terminal::PLACE),
            self.output_style.paint(dots, terminal::FAINT),
        );
        self.lines.push(line.trim_end().to_owned());
        if let Some(worth) = &bottleneck.worth {
            self.lines
                .push(format!("{}   {worth}", self.output_style.paint(below, terminal::FAINT)));
        }
        if self.children(Some(at)).is_empty() {
            self.write_advice(&advice(bottleneck), below);
        }
    }

    /// Value against threshold, and when it was if not all the time: the same columns in every row.
    fn numbers(&self, bottleneck: &ReportedBottleneck) -> String {
        let comparison = bottleneck.comparison();
        match self.when_width {
            0 => comparison,
            width => format!("{comparison}  {:<width$}", bottleneck.when().unwrap_or_default()),
        }
    }

    /// Leaves of one kind get one advice, at the first of them.
    fn write_advice(&mut self, advice: &str, below: &str) {
        if !self.given.insert(advice.to_owned()) {
            return;
        }
        let margin = format!("{}   ", self.output_style.paint(below, terminal::FAINT));
        let columns = self.output_style.width.saturating_sub(below.chars().count() + 3).max(30);
        let lines = wrapped(advice, columns).into_iter();
        self.lines.extend(lines.map(|line| format!("{margin}{line}")));
    }
}

/// Between a name and its numbers: a space, dots, a space.
const LEAST_DOTS: usize = 5;
/// Columns of a name at least.
const LEAST_NAME: usize = 16;

/// What it says beyond its parent: another hypothesis, or the resources that changed.
fn addition(bottleneck: &ReportedBottleneck, parent: Option<&ReportedBottleneck>) -> String {
    let Some(parent) = parent else {
        let place = restricting(&bottleneck.focus);
        let separator = if place.is_empty() { "" } else { " " };
        return format!("{}{separator}{place}", bottleneck.hypothesis);
    };
    let known = parts(&parent.focus);
    let new: Vec<&str> =
        parts(&bottleneck.focus).into_iter().filter(|part| !known.contains(part)).collect();
    match (parent.hypothesis == bottleneck.hypothesis, new.is_empty()) {
        (true, _) => new.join(" "),
        (false, true) => bottleneck.hypothesis.clone(),
        (false, false) => format!("{} {}", bottleneck.hypothesis, new.join(" ")),
    }
}

/// The parts of a focus that restrict something.
pub(super) fn restricting(focus: &str) -> String {
    let parts = parts(focus);
    let inner: Vec<&str> = parts.into_iter().filter(|part| part.matches('/').count() > 1).collect();
    inner.join(" ")
}

/// One text for each hierarchy; commas inside parentheses do not separate.
pub(super) fn parts(focus: &str) -> Vec<&str> {
    let inside = focus.trim_start_matches('<').trim_end_matches('>');
    let mut depth = 0_i32;
    let is_separator = |character| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth == 0
    };
    inside.split(is_separator).collect()
}

/// Which rows are shown: those that lead to a finding as specific as any; while there are too many, the least leaf goes.
fn kept(bottlenecks: &[ReportedBottleneck], most: usize) -> Vec<bool> {
    let mut kept = leading_on(bottlenecks);
    let mut shown = kept.iter().filter(|kept| **kept).count();
    while shown > most.max(1) {
        let has_child = |at: usize| {
            bottlenecks.iter().zip(&kept).any(|(other, kept)| *kept && other.parent == Some(at))
        };
        let leaves = (0..bottlenecks.len()).filter(|&at| kept[at] && !has_child(at));
        let value = |at: &usize| bottlenecks[*at].value;
        let Some(least) = leaves.min_by(|one, other| value(one).total_cmp(&value(other))) else {
            break;
        };
        kept[least] = false;
        shown -= 1;
    }
    kept
}

/// A branch may end at what another branch says more precisely: one that holds no leaf tells nothing of its own.
fn leading_on(bottlenecks: &[ReportedBottleneck]) -> Vec<bool> {
    let mut leading = vec![false; bottlenecks.len()];
    for (at, bottleneck) in bottlenecks.iter().enumerate().filter(|(_, one)| one.leaf) {
        leading[at] = true;
        let mut above = bottleneck.parent;
        while let Some(parent) = above.filter(|parent| !leading[*parent]) {
            leading[parent] = true;
            above = bottlenecks[parent].parent;
        }
    }
    // A finding is never told by nothing at all.
    for (at, bottleneck) in bottlenecks.iter().enumerate() {
        let is_same =
            |(_, other): &(usize, &ReportedBottleneck)| other.hypothesis == bottleneck.hypothesis;
        let is_told = bottlenecks.iter().enumerate().filter(is_same).any(|(at, _)| leading[at]);
        leading[at] |= !is_told;
    }
    leading
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::report::{ReportedStretch, example};

    #[test]
    fn each_line_says_what_it_adds() {
        let report = example::report();
        let lines = lines(&report.bottlenecks, 30, OutputStyle::PLAIN);
        assert!(lines[0].starts_with("  ExcessiveSyncWaitingTime ..."), "{}", lines[0]);
        assert!(lines[0].ends_with("...  45.0 % > 20.0 %"), "{}", lines[0]);
        assert!(lines[1].starts_with("  └─ /Code/oned.c ..."), "{}", lines[1]);
        assert!(
            lines[2].starts_with("     └─ /Code/oned.c/exchng1  oned.c:88 ..."),
            "{}",
            lines[2]
        );
        assert_eq!(lines[3].trim(), "Share the work more evenly.");
        assert!(lines.iter().all(|line| line.chars().count() <= 100));
    }

    #[test]
    fn values_stand_below_each_other_and_those_of_a_part_say_when() {
        let mut bottlenecks = example::report().bottlenecks;
        bottlenecks[1].happened = vec![ReportedStretch { from_s: 2.0, to_s: 4.0, value: 0.88 }];
        let lines = lines(&bottlenecks, 30, OutputStyle::PLAIN);
        assert!(lines[0].ends_with("45.0 % > 20.0 %"), "{}", lines[0]);
        assert!(lines[1].ends_with("44.0 % > 20.0 %  88.0 % from 2.0 to 4.0 s"), "{}", lines[1]);
        let column =
            |line: &String| line.find(" > ").map(|at| line[..at].chars().count()).expect("a value");
        assert_eq!(column(&lines[0]), column(&lines[1]));
        assert!(lines.iter().all(|line| line.chars().count() <= 100));
    }

    #[test]
    fn rows_that_are_too_deep_for_the_terminal_keep_a_name_and_a_value() {
        let mut bottlenecks = example::report().bottlenecks;
        for parent in 2..20 {
            let focus = format!("</Code/oned.c/exchng1,/SyncObject/Message/{parent}>");
            bottlenecks.insert(
                parent + 1,
                ReportedBottleneck { parent: Some(parent), focus, ..bottlenecks[2].clone() },
            );
        }
        for width in [40, 60] {
            let lines = lines(&bottlenecks, 30, OutputStyle { width, ..OutputStyle::PLAIN });
            let deepest = lines.iter().find(|line| line.contains("Message/19 ."));
            assert!(deepest.is_some_and(|line| line.ends_with('%')), "{lines:#?}");
        }
    }

    #[test]
    fn without_unicode_the_lines_are_ascii() {
        let output_style = OutputStyle { unicode: false, width: 60, ..OutputStyle::PLAIN };
        let lines = lines(&example::report().bottlenecks, 30, output_style);
        assert!(lines.iter().all(|line| line.is_ascii() && line.len() <= 60), "{lines:#?}");
    }

    #[test]
    fn names_are_shown_as_they_were_given() {
        let mut bottlenecks = example::report().bottlenecks;
        let focus = "</Code/oned.c/exchng1,/SyncObject/Message/cart_create#1%280-3%29/3>";
        focus.clone_into(&mut bottlenecks[2].focus);
        let text = lines(&bottlenecks, 30, OutputStyle::PLAIN).join("\n");
        assert!(text.contains("/SyncObject/Message/cart_create#1(0-3)/3"), "{text}");
    }

    #[test]
    fn the_same_advice_is_given_once() {
        let mut bottlenecks = example::report().bottlenecks;
        bottlenecks.push(ReportedBottleneck { parent: Some(0), ..bottlenecks[2].clone() });
        let text = lines(&bottlenecks, 30, OutputStyle::PLAIN).join("\n");
        assert_eq!(text.matches("Share the work").count(), 1, "{text}");
    }

    #[test]
    fn a_finding_without_a_most_specific_place_is_told_where_it_begins() {
        let mut bottlenecks = example::report().bottlenecks;
        bottlenecks.iter_mut().for_each(|one| one.leaf = false);
        let text = lines(&bottlenecks, 30, OutputStyle::PLAIN).join("\n");
        assert!(text.contains("ExcessiveSyncWaitingTime") && !text.contains("exchng1"), "{text}");
    }

    #[test]
    fn a_branch_that_another_one_refines_is_not_repeated() {
        let mut bottlenecks = example::report().bottlenecks;
        bottlenecks.push(ReportedBottleneck {
            parent: Some(0),
            leaf: false,
            ..bottlenecks[1].clone()
        });
        assert_eq!(kept(&bottlenecks, 30), [true, true, true, false]);
    }

    #[test]
    fn too_many_rows_lose_their_least_leaves_first() {
        let report = example::report();
        assert_eq!(kept(&report.bottlenecks, 2), [true, true, false]);
        let lines = lines(&report.bottlenecks, 2, OutputStyle::PLAIN);
        assert!(lines.last().is_some_and(|line| line.contains("1 more")));
    }

    #[test]
    fn a_set_of_resources_is_one_part() {
        assert_eq!(parts("</Code,(/Process/0,/Process/1)>"), ["/Code", "(/Process/0,/Process/1)"]);
    }
}
