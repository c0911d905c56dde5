//! The numbers that a random program prints about itself.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

/// Its numbers by name: seconds, calls and threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Printed(BTreeMap<String, f64>);

impl Printed {
    pub(super) fn of(text: &str) -> Self {
        let pair = |line| {
            let (name, rest) = str::split_once(line, ' ')?;
            Some((name.to_owned(), rest.parse().ok()?))
        };
        Self(text.lines().filter_map(pair).collect())
    }

    pub(super) fn number(&self, name: &str) -> Result<f64> {
        self.0.get(name).copied().with_context(|| format!("the program does not say {name}"))
    }

    /// The same of one function.
    pub(super) fn number_of(&self, name: &str, function: usize) -> Result<f64> {
        self.number(&format!("{name}{function}"))
    }

    /// The time in which processors were to be had, of all threads but those that join others.
    pub(super) fn available(&self) -> Result<f64> {
        Ok(self.number("life")? - self.number("delay")? - self.number("joined")?)
    }
}

/// Whether a name of a function, as whyperf tells it, is that of this one.
pub(super) fn names(told: &str, function: &str) -> bool {
    told.split(|one: char| !one.is_alphanumeric() && one != '_').any(|word| word == function)
}

/// The function at the end of a path such as `/Code/a.c/f1`.
pub(super) fn function_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_the_spelling_of_either_language() {
        let printed =
            Printed::of("f0 1.5\nalone0 .25\nlife 4.5\ndelay .5\njoined .5\nother words\n");
        assert_eq!(printed.number_of("alone", 0).expect("said"), 0.25);
        assert_eq!(printed.available().expect("said"), 3.5);
        assert!(printed.number("other").is_err());
    }

    #[test]
    fn a_function_is_known_by_its_name_in_each_language() {
        let all = ["f1", "mill::f1", "f1%3Cdouble%3E", "%28anonymous%20namespace%29::f1"];
        for told in all.into_iter().chain(["f1%28%29::{lambda%28long%29#1}::operator%28%29"]) {
            assert!(names(told, "f1"), "{told}");
        }
        assert!(!names("f11", "f1") && !names("tiny1", "f1"));
    }
}
