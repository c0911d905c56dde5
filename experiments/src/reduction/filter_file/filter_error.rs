//! Why a file is no filter, and where in it.

use thiserror::Error;

/// A mistake in a filter, and where it is: the first line and column are 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {problem}")]
pub struct FilterError {
    /// In which line.
    pub line: usize,
    /// In which column of it.
    pub column: usize,
    /// What is wrong there.
    pub problem: FilterProblem,
}

/// What is wrong with a filter.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilterProblem {
    /// It begins like none of the four.
    #[error(
        "this is no filter: one begins with 'whyperf directives 1', with BEGIN_EXCLUDE_LIST or another list of TAU's, with SCOREP_REGION_NAMES_BEGIN or SCOREP_FILE_NAMES_BEGIN, or with -finstrument-functions"
    )]
    Kind,
    /// A list begins inside another one.
    #[error("{0} begins inside of {1}, which has no end")]
    Inside(String, String),
    /// An end without its begin.
    #[error("{0} ends what has not begun")]
    NotBegun(String),
    /// A list has no end.
    #[error("{0} has no end")]
    NoEnd(String),
    /// Something that stands in no list.
    #[error("'{0}' stands in no list; lists begin with {1}")]
    Outside(String, &'static str),
    /// A name stands before it is said what is to be done with it.
    #[error("'{0}' stands before EXCLUDE or INCLUDE")]
    NoEffect(String),
    /// MANGLED after something else than EXCLUDE or INCLUDE of regions.
    #[error("MANGLED follows EXCLUDE or INCLUDE among the names of regions")]
    Mangled,
    /// A name in quotes has no end.
    #[error("the name has no closing quote")]
    Quote,
    /// A backslash with nothing behind it.
    #[error("a backslash is before the letter that it is for, on the same line")]
    Escape,
    /// No option of a filter.
    #[error(
        "'{0}' is no option of a filter; those are -finstrument-functions, -finstrument-functions-exclude-function-list= and -finstrument-functions-exclude-file-list="
    )]
    Option(String),
    /// No directive of a filter.
    #[error(
        "a filter has directives of one form: prune * /Code/MODULE/FUNCTION, where * is any text and ? any letter; others lead a search, by --directives"
    )]
    Directive,
    /// Directives of another version.
    #[error("a file of directives begins with 'whyperf directives 1'")]
    FirstLine,
    /// Neither a module nor a function.
    #[error("'{0}' is neither a module nor a function below /Code")]
    Place(String),
    /// It has more rules than are read.
    #[error("a filter has no more than {} names", MOST_RULES)]
    TooMany,
}

/// Each function is compared with each of them.
pub(super) const MOST_RULES: usize = 100_000;

/// What is shown of a word: short, and harmless on a terminal.
pub(super) fn shown(word: &str) -> String {
    let mut shown: String = word.escape_default().take(MOST_SHOWN).collect();
    if word.escape_default().count() > MOST_SHOWN {
        shown += "...";
    }
    shown
}

/// Letters of a word that are shown.
const MOST_SHOWN: usize = 60;
