//! Cells of tables: a middle value with its spread, and how it compares.

use crate::spread::Spread;

/// Times of repeated runs. A run that did not get there has none.
pub(super) fn times(values: &[Option<f64>]) -> String {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    if there.is_empty() {
        return "not found".to_owned();
    }
    let Spread { least, middle, greatest } = Spread::of(there.clone());
    let missing = values.len() - there.len();
    let note = if missing > 0 { format!("; {missing} not found") } else { String::new() };
    format!("{middle:.1} ({least:.1} to {greatest:.1}{note})")
}

/// The middle of those that got there; none when one did not.
pub(super) fn middle(values: &[Option<f64>]) -> Option<f64> {
    let there: Option<Vec<f64>> = values.iter().copied().collect();
    there.filter(|there| !there.is_empty()).map(|there| Spread::of(there).middle)
}

/// A value in percent of another.
pub(super) fn percent(value: Option<f64>, of: Option<f64>) -> String {
    match value.zip(of) {
        Some((value, of)) if of > 0.0 => format!("{:.1} %", 100.0 * value / of),
        _ => "-".to_owned(),
    }
}

/// A row.
pub(super) fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

/// The first row, and the line below it.
pub(super) fn head(cells: &[&str]) -> String {
    let names = cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
    format!("{}|{}\n", row(&names), "---|".repeat(cells.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_did_not_get_there_are_counted() {
        assert_eq!(times(&[Some(2.0), None, Some(1.0)]), "2.0 (1.0 to 2.0; 1 not found)");
        assert_eq!(times(&[None]), "not found");
        assert_eq!(middle(&[Some(2.0), None]), None);
        assert_eq!(percent(Some(1.0), Some(8.0)), "12.5 %");
        assert_eq!(head(&["a", "b"]), "| a | b |\n|---|---|\n");
    }
}
