//! A conclusion as a reader hears of it while the program runs: one line for each new fact, in the words of the report.

use whyperf_consultant::{Conclusion, Truth, ValueUnit};

use super::findings::function_of;
use super::wording::does_alone;
use super::{ReportedScale, share};
use crate::output::terminal::{OutputStyle, readable, shortened};

/// What is new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct News {
    /// The fact, the same for each conclusion that says it again.
    pub(crate) fact: String,
    /// The line without its beginning.
    pub(crate) words: String,
}

/// What a conclusion says; nothing where it is no finding, or not one of the program as a whole.
pub(crate) fn news(drawn: &Conclusion, output_style: OutputStyle) -> Option<News> {
    if drawn.is_duplicate || drawn.truth != Truth::True {
        return None;
    }
    let focus = drawn.subject.focus.to_string();
    let place = function_of(&focus).map(|code| readable(code.rsplit('/').next().unwrap_or(code)));
    let does = does_alone(&drawn.subject.hypothesis, &focus);
    let scale = ReportedScale { unit: drawn.unit, relation: drawn.operator };
    let worth = match drawn.unit {
        ValueUnit::Share => share(drawn.value),
        _ => scale.comparison(drawn.value, drawn.threshold).trim().to_owned(),
    };
    let said = format!("{does}: {worth}");
    let room = output_style.width.min(COLUMNS) - BEGIN;
    let room = room.saturating_sub(said.chars().count() + 1).max(LEAST_NAME);
    let who = place.as_ref().map(|place| shortened(place, room, output_style) + " ");
    let fact = format!("{} {does}", place.as_deref().unwrap_or_default());
    let words = who.unwrap_or_default() + &said;
    Some(News { fact, words })
}

/// Columns of a line at most, and of those the ones that its beginning takes.
const COLUMNS: usize = 80;
const BEGIN: usize = "whyperf 123.45 s  ".len();
/// Columns of a function's name at least.
const LEAST_NAME: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::report::example;

    #[test]
    fn steps_to_the_same_fact_say_the_same() {
        let told = |focus: &str| {
            news(&example::conclusion(focus), OutputStyle::PLAIN).expect("it is true")
        };
        let whole = told("</Code/oned.c/exchng1,/SyncObject/Message>");
        let tag = told("</Code/oned.c/exchng1,/SyncObject/Message/MPI_COMM_WORLD/4>");
        assert_eq!(whole.words, "exchng1 waits for messages: 43.0 %");
        assert_eq!(whole.fact, tag.fact);
        assert_eq!(told("</Code>").words, "waits for others: 43.0 %");
    }

    #[test]
    fn what_is_no_finding_is_not_told() {
        let not = Conclusion { truth: Truth::False, ..example::conclusion("</Code>") };
        assert_eq!(news(&not, OutputStyle::PLAIN), None);
    }
}
