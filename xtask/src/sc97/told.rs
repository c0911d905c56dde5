//! What a comparison says, in the words of the page.

use std::fmt::Write as _;

use serde_json::Value;

/// What `whyperf compare` printed, and the same in JSON.
pub(super) struct Comparison {
    pub(super) markdown: String,
    pub(super) json: Value,
}

/// The head of a table of comparisons.
pub(super) const HEAD: &str = "\n| from | to | time, s | time then, s | change | verdict | first cause | before | then |\n|---|---|---|---|---|---|---|---|---|\n";

impl Comparison {
    /// As a row of such a table: times with their standard deviation, and what the comparison names first.
    pub(super) fn row(&self) -> String {
        let wall = &self.json["wall"];
        let name = |number: usize| {
            let name = self.json["runs"][number]["name"].as_str().unwrap_or_default();
            name.trim_start_matches("experiment:").to_owned()
        };
        let time = |side: usize| value(&wall[["a_s", "b_s"][side]], &wall["spread"][side], 1.0);
        let change = wall["change"].as_f64().map_or_else(String::new, percent);
        let verdict = wall["verdict"].as_str().unwrap_or("not known");
        let (first, before, then) = self.first_cause();
        format!(
            "| `{}` | `{}` | {} | {} | {change} | {verdict} | {first} | {before} | {then} |\n",
            name(0),
            name(1),
            time(0),
            time(1)
        )
    }

    /// The first difference that is a cause, with its values.
    fn first_cause(&self) -> (String, String, String) {
        let all = self.json["differences"].as_array().into_iter().flatten();
        let Some(first) = all.clone().find(|one| one["is_cause"] == true) else {
            return ("none".to_owned(), String::new(), String::new());
        };
        let unit = first["unit"].as_str().unwrap_or_default();
        let (by, unit) = if unit == "ns" { (1e-9, "s") } else { (1.0, unit) };
        let side = |at: usize| {
            format!("{} {unit}", value(&first[["a", "b"][at]], &first["spread"][at], by))
        };
        let metric = first["metric"].as_str().unwrap_or_default();
        let focus = first["focus"].as_str().unwrap_or_default();
        (format!("`{metric}` at `{}`", short(focus)), side(0), side(1))
    }

    /// Everything that the verb prints, below headings of this page.
    pub(super) fn whole(&self) -> String {
        let mut text = String::new();
        for line in self.markdown.lines() {
            let below = if line.starts_with('#') { "#" } else { "" };
            let _ = writeln!(text, "{below}{line}");
        }
        text
    }
}

/// A focus without the hierarchies that restrict nothing.
fn short(focus: &str) -> String {
    let inside = focus.trim_start_matches('<').trim_end_matches('>');
    let roots = ["/Code", "/Machine", "/Process", "/SyncObject", "/File"];
    let parts: Vec<&str> = inside.split(',').filter(|part| !roots.contains(part)).collect();
    if parts.is_empty() { "the whole program".to_owned() } else { format!("<{}>", parts.join(",")) }
}

fn value(mean: &Value, spread: &Value, by: f64) -> String {
    let shown = |value: f64| {
        let value = value * by;
        if value.abs() < 100.0 { format!("{value:.3}") } else { format!("{value:.0}") }
    };
    let mean = mean.as_f64().map_or_else(|| "not known".to_owned(), shown);
    spread.as_f64().map_or_else(|| mean.clone(), |spread| format!("{mean} ± {}", shown(spread)))
}

fn percent(share: f64) -> String {
    format!("{:+.1} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_is_a_row_of_its_time_and_first_cause() {
        let json = serde_json::json!({
            "runs": [{"name": "experiment:a"}, {"name": "experiment:b"}],
            "wall": {"a_s": 2.0, "b_s": 1.0, "change": -0.5, "spread": [0.1, null], "verdict": "faster"},
            "differences": [
                {"metric": "sync_wait", "is_cause": false},
                {"metric": "cpu", "unit": "ns", "focus": "</Code/m.c/f,/Machine,/Process,/SyncObject>",
                 "a": 1e9, "b": 0.0, "spread": [1e7, 0.0], "is_cause": true}
            ]
        });
        let row = Comparison { markdown: String::new(), json }.row();
        let expected = "| `a` | `b` | 2.000 ± 0.100 | 1.000 | -50.0 % | faster | `cpu` at `</Code/m.c/f>` | 1.000 ± 0.010 s | 0.000 ± 0.000 s |\n";
        assert_eq!(row, expected);
    }
}
