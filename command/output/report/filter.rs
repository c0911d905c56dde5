//! What a report says of the functions that the user left out.

use std::fmt;

use serde::Serialize;

/// The filter of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedFilter {
    /// As it was named.
    pub(crate) file: String,
    /// How many functions of the program's file it leaves out; `None` where that is not known.
    pub(crate) left_out: Option<usize>,
    /// How many there are.
    pub(crate) functions: Option<usize>,
}

impl fmt::Display for ReportedFilter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, left_out, functions } = self;
        match (left_out, functions) {
            (Some(0), Some(functions)) => write!(
                out,
                "The filter {file} left out none of the program's {functions} functions: none is called so."
            ),
            (Some(left_out), Some(functions)) => write!(
                out,
                "The filter {file} left out {left_out} of the program's {functions} functions: their time counts to what called them."
            ),
            _ => write!(
                out,
                "The filter {file} left functions out; how many is not known, for the program's file could not be read."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_functions_were_left_out_is_one_sentence() {
        let told = |left_out, functions| {
            ReportedFilter { file: "f".into(), left_out, functions }.to_string()
        };
        assert_eq!(
            told(Some(2), Some(7)),
            "The filter f left out 2 of the program's 7 functions: their time counts to what called them."
        );
        assert!(told(Some(0), Some(7)).starts_with("The filter f left out none of"));
        assert!(told(None, None).contains("is not known"));
    }
}
