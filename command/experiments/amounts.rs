//! Amounts and changes as they are written for people.

use crate::output::report::rounded;

/// An amount in the unit of its metric: times in seconds, what is large with three digits less.
pub(super) fn amount(value: f64, unit: &str) -> String {
    match unit {
        "ns" => format!("{:.3} s", value / 1e9),
        "B" if value >= 1e6 => format!("{:.2} MB", value / 1e6),
        _ if value.abs() >= 100.0 => format!("{value:.0} {unit}"),
        _ => format!("{} {unit}", rounded(value)),
    }
}

/// The same with how far the trials lie apart.
pub(super) fn with_spread(value: f64, spread: Option<f64>, unit: &str) -> String {
    let spread = spread.map(|spread| format!(" ± {}", spread_of(spread, value, unit)));
    amount(value, unit) + &spread.unwrap_or_default()
}

/// In the unit that the value is written in, with no more digits than say something.
fn spread_of(spread: f64, value: f64, unit: &str) -> String {
    match unit {
        "B" if value >= 1e6 => format!("{:.2} MB", spread / 1e6),
        "ns" => amount(spread, unit),
        _ if spread.fract() != 0.0 && (0.01..100.0).contains(&spread) => {
            format!("{spread:.2} {unit}")
        }
        _ => amount(spread, unit),
    }
}

/// A change as a share of what there was before.
pub(super) fn change(share: Option<f64>) -> String {
    share.map_or_else(|| "new".to_owned(), |share| format!("{:+.1} %", share * 100.0))
}

/// A focus without the hierarchies that restrict nothing.
pub(super) fn short_focus(focus: &str) -> String {
    let inside = focus.trim_start_matches('<').trim_end_matches('>');
    let roots = ["/Code", "/Machine", "/Process", "/SyncObject", "/File"];
    let parts: Vec<&str> = inside.split(',').filter(|part| !roots.contains(part)).collect();
    if parts.is_empty() { "the whole program".to_owned() } else { format!("<{}>", parts.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_written_in_their_unit() {
        assert_eq!(amount(1.5e9, "ns"), "1.500 s");
        assert_eq!(with_spread(1.5e9, Some(2e7), "ns"), "1.500 s ± 0.020 s");
        assert_eq!(amount(4800.0, "ops"), "4800 ops");
        assert_eq!(with_spread(595.0, Some(0.577_350_27), "ops"), "595 ops ± 0.58 ops");
        assert_eq!(with_spread(595.0, Some(0.0), "ops"), "595 ops ± 0 ops");
        assert_eq!(with_spread(9.5e6, Some(211_519.0), "B"), "9.50 MB ± 0.21 MB");
        assert_eq!(change(Some(0.2314)), "+23.1 %");
        assert_eq!(change(None), "new");
    }

    #[test]
    fn a_focus_is_said_without_its_roots() {
        let focus = "</Code/a.c/f,/Machine,(/Process/0,/Process/3),/SyncObject>";
        assert_eq!(short_focus(focus), "</Code/a.c/f,(/Process/0,/Process/3)>");
        assert_eq!(short_focus("</Code,/Machine,/Process,/SyncObject>"), "the whole program");
    }
}
