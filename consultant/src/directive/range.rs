//! Names with a range of numbers, which stand for one name for each: `node{0-7}`, or `node{008-123}` with as many digits as that.

/// So many names the ranges of a file may stand for: one for each process of a large job.
pub(super) const MOST_NAMES: u64 = 100_000;

/// A name with a range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameRange<'text> {
    before: &'text str,
    low: u64,
    high: u64,
    /// With so many digits at least.
    width: usize,
    after: &'text str,
}

impl<'text> NameRange<'text> {
    /// The range in a name, if it has one. Braces around anything else belong to the name.
    pub(super) fn of(text: &'text str) -> Option<Self> {
        let openings = text.match_indices('{').map(|(at, _)| at);
        let (before, first, last, after) = { openings }.find_map(|at| parts(text, at))?;
        let width = if first.starts_with('0') { first.len() } else { 0 };
        let (low, high) = (first.parse().ok()?, last.parse().ok()?);
        (low <= high).then_some(Self { before, low, high, width, after })
    }

    /// How many names it stands for.
    pub(super) const fn count(&self) -> u64 {
        (self.high - self.low).saturating_add(1)
    }

    /// All of them. Ask first how many there are.
    pub(super) fn names(self) -> impl Iterator<Item = String> {
        let Self { before, low, high, width, after } = self;
        (low..=high).map(move |number| format!("{before}{number:0width$}{after}"))
    }
}

/// What stands before a range that opens here, its two numbers, and what follows it.
fn parts(text: &str, opening: usize) -> Option<(&str, &str, &str, &str)> {
    let (inside, after) = text[opening + 1..].split_once('}')?;
    let (first, last) = inside.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(first) && is_number(last)).then_some((&text[..opening], first, last, after))
}

#[cfg(test)]
mod tests {
    use super::NameRange;

    fn names(text: &str) -> Option<Vec<String>> {
        NameRange::of(text).map(|range| range.names().collect())
    }

    #[test]
    fn a_range_is_one_name_for_each_number() {
        let all = names("/Machine/node{9-11}.site").expect("a range");
        assert_eq!(all, ["/Machine/node9.site", "/Machine/node10.site", "/Machine/node11.site"]);
        assert_eq!(
            names("/Machine/n{08-10}").expect("a range"),
            ["/Machine/n08", "/Machine/n09", "/Machine/n10"]
        );
        assert_eq!(names("/Process/{3-3}").expect("a range"), ["/Process/3"]);
    }

    #[test]
    fn other_braces_belong_to_the_name() {
        for name in [
            "/Code/a.cc/f::{lambda()#1}",
            "/Machine/n{7-3}",
            "/Machine/n{a-b}",
            "/Machine/n{1-",
            "/Machine/n{0-99999999999999999999}",
        ] {
            assert_eq!(names(name), None, "{name}");
        }
    }

    #[test]
    fn counting_makes_no_names() {
        let count = |text: &str| NameRange::of(text).map(|range| range.count());
        assert_eq!(count("/Machine/n{0-18446744073709551615}"), Some(u64::MAX));
        assert_eq!(count("/Machine/n{5-14}"), Some(10));
    }
}
