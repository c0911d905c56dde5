//! What functions took: as the program knows it, and as whyperf gives it out in TAU's files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Seconds of each part of the program, by its name, as the program prints them.
pub(super) fn told_by_program(printed: &str) -> Result<BTreeMap<String, f64>> {
    let part = |line: &str| {
        let (name, seconds) = line.split_once(' ')?;
        Some((name.to_owned(), seconds.parse().ok()?))
    };
    let parts: Option<BTreeMap<String, f64>> = printed.lines().map(part).collect();
    parts.filter(|parts| !parts.is_empty()).with_context(|| format!("the program said: {printed}"))
}

/// What whyperf says of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FunctionTimes {
    pub(super) calls: f64,
    pub(super) subcalls: f64,
    /// Seconds in it alone, and with all that it called.
    pub(super) exclusive: f64,
    pub(super) inclusive: f64,
}

/// What a folder of TAU's files says of each function.
pub(super) fn told_by_whyperf(folder: &Path) -> Result<BTreeMap<String, FunctionTimes>> {
    let mut all = BTreeMap::new();
    let files = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    for file in files {
        let path = file.with_context(|| format!("reading {}", folder.display()))?.path();
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        all.extend(text.lines().filter_map(function));
    }
    Ok(all)
}

/// A line of a timer: its name in quotes, then numbers. Callpaths are none, and neither is what stands above all.
fn function(line: &str) -> Option<(String, FunctionTimes)> {
    let (name, rest) = line.strip_prefix('"')?.split_once('"')?;
    if name.contains(" => ") || name.starts_with(".TAU") || !rest.contains("GROUP=") {
        return None;
    }
    let mut numbers = rest.split_whitespace().map_while(|word| word.parse::<f64>().ok());
    let mut next = || numbers.next();
    let [calls, subcalls, exclusive, inclusive] = [next()?, next()?, next()?, next()?];
    let times =
        FunctionTimes { calls, subcalls, exclusive: exclusive / 1e6, inclusive: inclusive * 1e-6 };
    Some((name.trim().to_owned(), times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_timer_is_read_and_others_are_not() {
        let (name, times) =
            function(r#""main" 1 4 14000 383000 0 GROUP="TAU_USER" "#).expect("a timer");
        let expected =
            FunctionTimes { calls: 1.0, subcalls: 4.0, exclusive: 0.014, inclusive: 0.383 };
        assert_eq!((name.as_str(), times), ("main", expected));
        for line in [
            r#""main => f" 1 0 1 1 0 GROUP="TAU_CALLPATH|TAU_USER" "#,
            r#"".TAU application" 1 0 1 1 0 GROUP="TAU_DEFAULT" "#,
            r#""level" 3 1 1 1 1"#,
            "0 aggregates",
        ] {
            assert_eq!(function(line), None, "{line}");
        }
    }

    #[test]
    fn what_the_program_prints_is_seconds_by_name() {
        let parts = told_by_program("main 1.5\nsetup 0.25\n").expect("well formed");
        assert_eq!(parts["setup"], 0.25);
        assert!(told_by_program("kth_largest: 3 is not 4").is_err());
    }
}
