//! Collapsed stacks, as flame graphs are made of: `main;f;MPI_Recv 1500`, a line for each stack with what was counted there.
//!
//! The form says neither of what the number is nor of which thread: it is read as samples, unless the reader is told that they are
//! microseconds. `process N` and `thread N` as the first two names are those of the lines that whyperf writes.

use std::path::Path;

use super::callpath_sums::CallpathSums;
use super::error::ExchangeError;
use crate::foreign_profile::{ForeignMetric, ForeignProfile};

/// What the numbers of collapsed stacks are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackWeight {
    /// How often the stack was seen.
    Samples,
    /// How long it was there.
    Microseconds,
}

/// Reads a text that came from `path`.
///
/// # Errors
/// At the first line that is no stack with a number, or where there is none.
pub fn collapsed_stacks(
    path: &Path,
    text: &str,
    weight: StackWeight,
) -> Result<ForeignProfile, ExchangeError> {
    let mut counted = CallpathSums::default();
    for (line, stack) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |problem| ExchangeError::Line { path: path.to_owned(), line, problem };
        let (names, number) = stack
            .trim_end()
            .rsplit_once(' ')
            .ok_or_else(|| wrong("expected names with ; between them, a space and a number"))?;
        let number =
            number.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.is_finite());
        let number = number.ok_or_else(|| wrong("expected a number at the end"))?;
        let mut names: Vec<&str> =
            names.split(';').map(str::trim).filter(|name| !name.is_empty()).collect();
        let place = (numbered(&mut names, "process "), 0, numbered(&mut names, "thread "));
        if names.is_empty() {
            return Err(wrong("expected a name before the number"));
        }
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        counted.add(place, &names, 0, number);
    }
    if counted.is_empty() {
        let what = "no line with a stack and a number";
        return Err(ExchangeError::Nothing { path: path.to_owned(), what });
    }
    let name = match weight {
        StackWeight::Samples => "SAMPLES",
        StackWeight::Microseconds => "TIME",
    };
    let mut notes = vec!["collapsed stacks tell no calls".to_owned()];
    if weight == StackWeight::Samples {
        notes.push(
            "the numbers are taken as samples; say --weight microseconds where they are times"
                .into(),
        );
    }
    let metrics = vec![ForeignMetric { name: name.to_owned() }];
    Ok(ForeignProfile { metrics, threads: counted.threads(1), notes })
}

/// The number of the first name where it begins like this; the name is taken away then.
fn numbered(names: &mut Vec<&str>, word: &str) -> u32 {
    let number = names.first().and_then(|name| name.strip_prefix(word)?.parse().ok());
    if number.is_some() {
        names.remove(0);
    }
    number.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, weight: StackWeight) -> Result<ForeignProfile, ExchangeError> {
        collapsed_stacks(Path::new("stacks"), text, weight)
    }

    #[test]
    fn stacks_become_paths_with_all_that_lead_to_them() {
        let text = "main;f;g 10\nmain;f 5\nmain;f;g 1\n\n";
        let profile = read(text, StackWeight::Microseconds).expect("well formed");
        let timers = &profile.threads[0].timers;
        let told: Vec<(&str, f64, f64)> = timers
            .iter()
            .map(|timer| {
                (timer.name.as_str(), timer.values[0].exclusive, timer.values[0].inclusive)
            })
            .collect();
        assert_eq!(
            told,
            [("main", 0.0, 16.0), ("main => f", 5.0, 16.0), ("main => f => g", 11.0, 11.0)]
        );
        assert!(profile.metrics[0].is_time());
    }

    #[test]
    fn lines_of_whyperf_keep_their_threads() {
        let text = "process 1;thread 2;main 10\nprocess 0;thread 0;main 5\n";
        let profile = read(text, StackWeight::Samples).expect("well formed");
        let places: Vec<(u32, u32)> =
            profile.threads.iter().map(|thread| (thread.node, thread.thread)).collect();
        assert_eq!(places, [(0, 0), (1, 2)]);
        assert_eq!(profile.threads[1].timers[0].name, "main");
        assert!(!profile.metrics[0].is_time() && profile.notes.len() == 2);
    }

    #[test]
    fn what_is_no_stack_is_named_with_its_line() {
        let problem =
            |text: &str| read(text, StackWeight::Samples).expect_err("no stack").to_string();
        assert!(problem("main;f ten\n").contains("line 1: expected a number"));
        assert!(problem("main 1\nmain\n").contains("line 2"));
        assert!(problem("main 1\n; 2\n").contains("line 2: expected a name"));
        assert!(problem("main nan\n").contains("number"));
        assert!(problem("\n\n").contains("no line"));
    }
}
