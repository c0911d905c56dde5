//! Names with a range of numbers, which stand for one name for each: `node{0-7}`, or `node{008-123}` with as many digits as that.

/// What a name with a range stands for; nothing if it has none. Braces around anything else belong to the name.
pub(super) fn names(text: &str) -> Option<Vec<String>> {
    let openings = text.match_indices('{').map(|(at, _)| at);
    let (before, first, last, after) = { openings }.find_map(|at| parts(text, at))?;
    let width = if first.starts_with('0') { first.len() } else { 0 };
    let (low, high): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    let count = high.checked_sub(low)?;
    if count >= MOST {
        return None;
    }
    Some((low..=high).map(|number| format!("{before}{number:0width$}{after}")).collect())
}

/// More names than this are no range of machines or processes.
const MOST: u64 = 1 << 20;

/// What stands before a range that opens here, its two numbers, and what follows it.
fn parts(text: &str, opening: usize) -> Option<(&str, &str, &str, &str)> {
    let (inside, after) = text[opening + 1..].split_once('}')?;
    let (first, last) = inside.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(first) && is_number(last)).then_some((&text[..opening], first, last, after))
}

#[cfg(test)]
mod tests {
    use super::names;

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
            "/Code/{0-99999999}",
        ] {
            assert_eq!(names(name), None, "{name}");
        }
    }
}
