//! Filters as users have them: which functions are left out of measuring, in the form of whyperf, TAU, Score-P or gcc.
//!
//! ```text
//!   whyperf directives 1            prune * /Code/list.c/swap
//!   BEGIN_EXCLUDE_LIST ...          TAU's selective instrumentation file
//!   SCOREP_REGION_NAMES_BEGIN ...   Score-P's filter
//!   -finstrument-functions ...      gcc's options
//! ```
//! Which of them it is, its beginning tells. What a filter cannot do is told in notes, and nothing of a file with a mistake is used.

mod directives;
mod filter_error;
mod gcc;
mod read_filter;
mod score_p;
mod tau;

use whyperf_model::CodeFilter;

use super::filter::FilterFormat;

pub use filter_error::{FilterError, FilterProblem};
use read_filter::ReadFilter;

/// A filter that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterFile {
    /// Whose it is.
    pub format: FilterFormat,
    /// What it leaves out.
    pub filter: CodeFilter,
    /// What it says beside and is not done, as sentences.
    pub notes: Vec<String>,
}

impl FilterFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// All mistakes that it has.
    pub fn parse(text: &str) -> Result<Self, Vec<FilterError>> {
        let text = text.trim_start_matches('\u{feff}');
        let format = format(text).map_err(|error| vec![error])?;
        let mut read = ReadFilter::default();
        match format {
            FilterFormat::Whyperf => directives::read(text, &mut read),
            FilterFormat::Tau => tau::read(text, &mut read),
            FilterFormat::ScoreP => score_p::read(text, &mut read),
            FilterFormat::Gcc => gcc::read(text, &mut read),
        }
        let (filter, notes) = read.finished()?;
        Ok(Self { format, filter, notes })
    }
}

/// By the first line that says something. A file that says nothing leaves nothing out, in any form.
fn format(text: &str) -> Result<FilterFormat, FilterError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let Some((line, first)) = lines.next() else { return Ok(FilterFormat::Tau) };
    let beginnings = [
        ("whyperf", FilterFormat::Whyperf),
        ("BEGIN_", FilterFormat::Tau),
        ("SCOREP_", FilterFormat::ScoreP),
        ("-f", FilterFormat::Gcc),
    ];
    let begins = |(beginning, _): &(&str, FilterFormat)| first.trim_start().starts_with(beginning);
    let column = first.chars().take_while(|letter| letter.is_whitespace()).count() + 1;
    let found = beginnings.into_iter().find(begins).map(|(_, format)| format);
    found.ok_or(FilterError { line, column, problem: FilterProblem::Kind })
}

#[cfg(test)]
mod tests {
    use whyperf_model::FilteredFunction;

    use super::*;

    /// Of these functions, those that a filter leaves out.
    fn left_out<'n>(text: &str, names: &[&'n str]) -> Vec<&'n str> {
        let read = FilterFile::parse(text).expect("well formed");
        let of = |name: &&&str| {
            let (module, name) = name.split_once('/').unwrap_or(("a.c", name));
            let symbols = [format!("_Z1{name}v")];
            let path = format!("/src/solver/{module}");
            read.filter.leaves_out(&FilteredFunction {
                name,
                module,
                symbols: Some(&symbols),
                path: Some(&path),
            })
        };
        names.iter().filter(of).copied().collect()
    }

    fn mistakes(text: &str) -> Vec<String> {
        let mistakes = FilterFile::parse(text).expect_err("it is wrong");
        mistakes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_reduce_writes_is_read() {
        let names = ["swap", "list::sort(int, char)"];
        for format in
            [FilterFormat::Whyperf, FilterFormat::Tau, FilterFormat::ScoreP, FilterFormat::Gcc]
        {
            let place = |name: &str| {
                let name = name.split('(').next().unwrap_or_default();
                vec![format!("/Code/a.c/{name}")]
            };
            let (text, _) = format.written(&names, place);
            assert_eq!(FilterFile::parse(&text).expect("well formed").format, format);
            let told = left_out(&text, &["swap", "list::sort", "sort", "main"]);
            assert_eq!(told, ["swap", "list::sort"], "{text}");
        }
    }

    #[test]
    fn tau_s_lists_are_read() {
        let text = "# from a run\nBEGIN_EXCLUDE_LIST\n  void swap(#\n\"#odd\"\nsort?\nEND_EXCLUDE_LIST\n\n\
                    BEGIN_FILE_EXCLUDE_LIST\nb.*\n/src/*/c.c\nEND_FILE_EXCLUDE_LIST\n";
        let names = ["swap", "an#odd", "sort1", "sort", "b.c/f", "c.c/f", "d.c/f"];
        assert_eq!(left_out(text, &names), ["swap", "an#odd", "sort1", "b.c/f", "c.c/f"]);
    }

    #[test]
    fn of_tau_s_lists_what_is_included_alone_is_kept_but_for_what_is_excluded() {
        let text = "BEGIN_INCLUDE_LIST\nmain\nsort#\nEND_INCLUDE_LIST\n\
                    BEGIN_EXCLUDE_LIST\nsort_small\nEND_EXCLUDE_LIST\n";
        let names = ["main", "swap", "sort", "sort_small"];
        assert_eq!(left_out(text, &names), ["swap", "sort_small"]);
        let files = "BEGIN_FILE_INCLUDE_LIST\n*/solver/a.c\nEND_FILE_INCLUDE_LIST\n";
        assert_eq!(left_out(files, &["a.c/f", "b.c/f"]), ["b.c/f"]);
    }

    #[test]
    fn score_p_s_rules_are_read_in_their_order() {
        let text = "SCOREP_REGION_NAMES_BEGIN # all but two\n  EXCLUDE *\n  INCLUDE main s[op]rt\n  \
                    EXCLUDE MANGLED _Z1mainv\nSCOREP_REGION_NAMES_END\n";
        assert_eq!(left_out(text, &["main", "sort", "sprt", "swap"]), ["main", "swap"]);
        let escaped = "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE a\\*b c\\ d\n  e\\#f [!g]h\nSCOREP_REGION_NAMES_END\n";
        let names = ["a*b", "axb", "c d", "e#f", "gh", "xh"];
        assert_eq!(left_out(escaped, &names), ["a*b", "c d", "e#f", "xh"]);
        let files =
            "SCOREP_FILE_NAMES_BEGIN\nEXCLUDE */b.c /src/*\nINCLUDE */a.?\nSCOREP_FILE_NAMES_END\n";
        assert_eq!(left_out(files, &["a.c/f", "b.c/f", "c.c/f"]), ["b.c/f", "c.c/f"]);
    }

    #[test]
    fn gcc_s_options_are_read_as_parts_of_names() {
        let text = "-finstrument-functions -finstrument-functions-exclude-function-list=swap,a\\,b \
                    -finstrument-functions-exclude-file-list=solver/b";
        let names = ["swap", "swapped", "a,b", "a", "b.c/f"];
        assert_eq!(left_out(text, &names), ["swap", "swapped", "a,b", "b.c/f"]);
    }

    #[test]
    fn directives_that_prune_code_are_read_with_patterns() {
        let text = "# filter\nwhyperf directives 1\nprune * /Code/a.c/s* # small\nprune  *  /Code/b.?\n\
                    prune * /Code/*/list::operator*\n";
        let names = ["sort", "main", "b.c/f", "c.c/sort", "list::operator*", "list::operator*="];
        assert_eq!(left_out(text, &names), ["sort", "b.c/f", "list::operator*"]);
    }

    #[test]
    fn a_file_that_says_nothing_leaves_nothing_out() {
        for text in [
            "",
            "# nothing\n\n",
            "-finstrument-functions\n",
            "BEGIN_INCLUDE_LIST\nEND_INCLUDE_LIST",
        ] {
            assert!(FilterFile::parse(text).expect("well formed").filter.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_a_filter_does_not_do_is_told() {
        let text =
            "BEGIN_INSTRUMENT_SECTION\nloops file=\"a.c\" routine=\"f\"\nEND_INSTRUMENT_SECTION\n";
        let read = FilterFile::parse(text).expect("well formed");
        assert_eq!(
            read.notes,
            [
                "line 1: BEGIN_INSTRUMENT_SECTION says what to measure beside functions, which a filter does not: it is left aside"
            ]
        );
    }

    #[test]
    fn mistakes_are_told_with_their_places() {
        assert!(mistakes("\n  swap\n")[0].starts_with("2:3: this is no filter"));
        assert_eq!(
            mistakes("BEGIN_EXCLUDE_LIST\nEND_INCLUDE_LIST\n  BEGIN_FILE_EXCLUDE_LIST\n\"f\n"),
            [
                "2:1: END_INCLUDE_LIST ends what has not begun",
                "3:3: BEGIN_FILE_EXCLUDE_LIST begins inside of BEGIN_EXCLUDE_LIST, which has no end",
                "4:1: the name has no closing quote",
                "3:3: BEGIN_FILE_EXCLUDE_LIST has no end",
            ]
        );
        let outside = mistakes("BEGIN_EXCLUDE_LIST\nEND_EXCLUDE_LIST\n swap");
        assert!(outside[0].starts_with("3:2: 'swap' stands in no list; lists begin with BEGIN_"));
        assert_eq!(
            mistakes(
                "SCOREP_REGION_NAMES_BEGIN swap\nMANGLED\nEXCLUDE a b\\\nSCOREP_FILE_NAMES_END"
            ),
            [
                "1:27: 'swap' stands before EXCLUDE or INCLUDE",
                "2:1: MANGLED follows EXCLUDE or INCLUDE among the names of regions",
                "3:12: a backslash is before the letter that it is for, on the same line",
                "4:1: SCOREP_FILE_NAMES_END ends what has not begun",
                "1:1: SCOREP_REGION_NAMES_BEGIN has no end",
            ]
        );
        assert!(mistakes("-finstrument-functions -O2")[0].starts_with("1:24: '-O2' is no option"));
        assert_eq!(
            mistakes(
                "whyperf directives 1\nprune CPUbound /Code/a.c\nprune * /Machine\nprune * /Code\nhold 2 s"
            ),
            [
                "2:1: a filter has directives of one form: prune * /Code/MODULE/FUNCTION, where * is any text and ? any letter; others lead a search, by --directives",
                "3:9: '/Machine' is neither a module nor a function below /Code",
                "4:9: '/Code' is neither a module nor a function below /Code",
                "5:1: a filter has directives of one form: prune * /Code/MODULE/FUNCTION, where * is any text and ? any letter; others lead a search, by --directives",
            ]
        );
        assert_eq!(
            mistakes("whyperf directives 2\n"),
            ["1:1: a file of directives begins with 'whyperf directives 1'"]
        );
    }

    #[test]
    fn any_text_is_a_filter_or_told_to_be_none() {
        let signs = [
            "BEGIN_EXCLUDE_LIST",
            "END_EXCLUDE_LIST",
            "SCOREP_REGION_NAMES_BEGIN",
            "EXCLUDE",
            "MANGLED",
            "\\",
            "\"",
            "[",
            "[!",
            "]",
            "#",
            "\n",
            " ",
            "é",
            "prune * /Code/%",
            "-f",
            "whyperf directives 1\n",
        ];
        let mut state = 7_usize;
        for _ in 0..2_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                text += signs[(state >> 33) % signs.len()];
            }
            let lines = text.lines().count().max(1);
            let is_there =
                |error: &FilterError| (1..=lines).contains(&error.line) && error.column > 0;
            assert!(
                FilterFile::parse(&text).map_or_else(|all| all.iter().all(is_there), |_| true),
                "{text}"
            );
        }
    }
}
