//! A run as Markdown: what a build system or a discussion shows of it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::document::RunDocument;

/// The run in words and tables.
#[must_use]
pub fn markdown(run: &RunDocument) -> String {
    let mut text = format!("# {}\n\n", inline(&run.command.join(" ")));
    let _ = writeln!(text, "{}\n", head(run));
    let Some(report) = &run.report else {
        text.push_str(
            "Its end was not seen, or an older whyperf stored it: no report is known of it.\n",
        );
        return text;
    };
    if let Some(answer) = report["answer"].as_str() {
        let _ = writeln!(text, "**{}**\n", plain(answer));
    }
    efficiency(report, &mut text);
    findings(report, &mut text);
    causes(report, &mut text);
    time(report, &mut text);
    hot_code(report, &mut text);
    notes(report, &mut text);
    text
}

fn head(run: &RunDocument) -> String {
    let status = run
        .progress
        .exit_status
        .map_or_else(|| "not known".to_owned(), |status| status.to_string());
    let began = run.started.replace('T', " ");
    let name = run.run.as_deref().unwrap_or("not kept");
    format!(
        "Run {name}, began {began}, took {:.2} s, exit status {status}.",
        run.progress.elapsed_s
    )
}

fn efficiency(report: &Value, text: &mut String) {
    let found = &report["efficiency"];
    let share = |name: &str| found[name].as_f64().map(percent);
    let all = ["parallel", "load_balance", "communication", "input_output"].map(share);
    let [Some(parallel), Some(balance), Some(communication), Some(files)] = all else { return };
    let _ = writeln!(
        text,
        "Parallel efficiency {parallel} = load balance {balance} × communication {communication} × input and output {files}.\n"
    );
}

/// Because of whom is waited, of the findings that nothing is more specific than.
fn causes(report: &Value, text: &mut String) {
    let all = report["bottlenecks"].as_array().map_or(&[][..], Vec::as_slice);
    let leaves = all.iter().filter(|one| one["leaf"] == true);
    let rows: Vec<(&Value, &Value)> = leaves
        .flat_map(|one| {
            one["causes"].as_array().into_iter().flatten().map(move |cause| (one, cause))
        })
        .collect();
    if rows.is_empty() {
        return;
    }
    text.push_str("| waits | share | because of | which is |\n|---|--:|---|---|\n");
    for (place, cause) in rows {
        let word = |of: &Value, name: &str| inline(of[name].as_str().unwrap_or_default());
        let by = if cause["by"] == "processors" {
            "too few processors".to_owned()
        } else {
            word(cause, "focus")
        };
        let _ = writeln!(
            text,
            "| {} {} | {} | {by} | {} |",
            word(place, "hypothesis"),
            word(place, "focus"),
            percent(cause["share"].as_f64().unwrap_or(0.0)),
            cause["state"].as_str().map(plain).unwrap_or_default(),
        );
    }
    text.push('\n');
}

fn findings(report: &Value, text: &mut String) {
    let all = report["bottlenecks"].as_array().map_or(&[][..], Vec::as_slice);
    if all.is_empty() {
        // What another tool told may well hold some.
        let is_open = report["imported_from"].is_string();
        text.push_str(if is_open {
            "No question was decided.\n\n"
        } else {
            "No bottleneck was found.\n\n"
        });
        return;
    }
    text.push_str("| bottleneck | where | value | threshold | found at | source |\n|---|---|--:|--:|--:|---|\n");
    for one in all {
        let number = |name: &str| one[name].as_f64().unwrap_or(0.0);
        let word = |name: &str| inline(one[name].as_str().unwrap_or_default());
        let (value, threshold) = (number("value"), number("threshold"));
        let shown =
            |value: f64| if threshold < 1.0 { percent(value) } else { format!("{value:.0}") };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} s | {} |",
            word("hypothesis"),
            word("focus"),
            shown(value),
            shown(threshold),
            number("found_s"),
            word("source"),
        );
    }
    text.push('\n');
}

fn time(report: &Value, text: &mut String) {
    let rows = report["time_by_process"].as_array().map_or(&[][..], Vec::as_slice);
    let Some(uses) = report["time"].as_object() else { return };
    let used: Vec<&String> = uses
        .iter()
        .filter(|(_, share)| share.as_f64().unwrap_or(0.0) >= LEAST)
        .map(|(name, _)| name)
        .collect();
    let _ = writeln!(
        text,
        "| process | {} |",
        used.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" | ")
    );
    let _ = writeln!(text, "|---|{}", "--:|".repeat(used.len()));
    let line = |name: &str, shares: &Value| {
        let cells = used.iter().map(|one| percent(shares[one.as_str()].as_f64().unwrap_or(0.0)));
        format!("| {} | {} |\n", inline(name), cells.collect::<Vec<_>>().join(" | "))
    };
    text.push_str(&line("all", &report["time"]));
    for row in rows.iter().take(MOST_PROCESSES) {
        text.push_str(&line(row["process"].as_str().unwrap_or_default(), &row["time"]));
    }
    if rows.len() > MOST_PROCESSES {
        let _ = writeln!(
            text,
            "\n{} more processes are in the JSON report.",
            rows.len() - MOST_PROCESSES
        );
    }
    text.push('\n');
}

fn hot_code(report: &Value, text: &mut String) {
    let all = report["hot_code"].as_array().map_or(&[][..], Vec::as_slice);
    if all.is_empty() {
        return;
    }
    text.push_str("| function | share of all computing | ± |\n|---|--:|--:|\n");
    for one in all {
        let share = |name: &str| percent(one[name].as_f64().unwrap_or(0.0));
        let function = inline(one["function"].as_str().unwrap_or_default());
        let _ = writeln!(text, "| {function} | {} | {} |", share("share"), share("plus_minus"));
    }
    text.push('\n');
}

fn notes(report: &Value, text: &mut String) {
    let _ = writeln!(text, "{}", cost(&report["cost"]));
    for note in report["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let _ = writeln!(text, "\n{}", plain(note));
    }
}

/// What measuring cost: all of it, and the mean alone of a run of which no more is known.
fn cost(cost: &Value) -> String {
    if cost.is_null() {
        return "What measuring cost is not known.".to_owned();
    }
    let share = |name: &str| cost[name].as_f64().unwrap_or(0.0);
    let (all, of) = match share("total") {
        total if total > 0.0 => (total, "of the run"),
        _ => (share("mean"), "while it ran"),
    };
    let limit = percent(share("limit"));
    format!("Measuring cost {:.2} % {of}; the limit was {limit}.", 100.0 * all)
}

/// A share from which on a way to spend time has a column.
const LEAST: f64 = 0.0005;
/// More processes than this make a table that nobody reads.
const MOST_PROCESSES: usize = 16;

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A name as code, whatever is in it: no markup of Markdown or HTML works there.
fn inline(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|").replace(['\n', '\r'], " "))
}

/// A sentence of ours, in which names of the program stand.
fn plain(text: &str) -> String {
    let mut told = String::new();
    for letter in text.chars() {
        if matches!(letter, '<' | '&' | '*' | '_' | '[' | '`' | '\\') {
            told.push('\\');
        }
        told.push(letter);
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_all_of_it() {
        let parts = serde_json::json!({ "limit": 0.05, "mean": 0.006, "total": 0.0251 });
        assert_eq!(cost(&parts), "Measuring cost 2.51 % of the run; the limit was 5.0 %.");
    }

    #[test]
    fn names_cannot_leave_their_cell() {
        assert_eq!(inline("a|b"), "`a\\|b`");
        assert_eq!(inline("<script>`x`"), "`` <script>`x` ``");
        assert_eq!(plain("a_b <i>"), "a\\_b \\<i>");
    }
}
