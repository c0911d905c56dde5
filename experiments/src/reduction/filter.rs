//! The names that are left out, as the next run of a tool wants to be told them.

use whyperf_model::{Hierarchy, Resource};

/// Whose filter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterFormat {
    /// Directives of whyperf: functions that the search does not look into.
    Whyperf,
    /// TAU's selective instrumentation file.
    Tau,
    /// A filter of Score-P.
    ScoreP,
    /// Options of gcc.
    Gcc,
}

impl FilterFormat {
    /// The text, and what it cannot say. `places` says where in `/Code` functions of a name are.
    #[must_use]
    pub fn written(
        self,
        names: &[&str],
        places: impl Fn(&str) -> Vec<String>,
    ) -> (String, Vec<String>) {
        match self {
            Self::Whyperf => directives(names, places),
            Self::Tau => (tau(names), Vec::new()),
            Self::ScoreP => (score_p(names), Vec::new()),
            Self::Gcc => gcc(names),
        }
    }
}

/// What a name is without its place in the source, `f [{a.c} {20,1}]`.
fn plain(name: &str) -> &str {
    name.split_once(" [{").map_or(name, |(plain, _)| plain).trim()
}

fn directives(names: &[&str], places: impl Fn(&str) -> Vec<String>) -> (String, Vec<String>) {
    let mut text = "whyperf directives 1\n".to_owned();
    let mut notes = Vec::new();
    for name in names {
        let mut places = places(plain(name));
        if places.is_empty() {
            notes.push(format!(
                "the run does not say in which module {} is: `whyperf run --filter` leaves it out of each, and --directives of none",
                plain(name)
            ));
            let module = Resource::root(Hierarchy::Code).child("*");
            places.push(module.child(plain(name)).to_string());
        }
        for place in places {
            text += &format!("prune * {place}\n");
        }
    }
    (text, notes)
}

/// TAU's names end with the parameters, and may be in quotes where they have a sign of a pattern or of a comment.
fn tau(names: &[&str]) -> String {
    let line = |name: &&str| {
        let name = plain(name);
        if name.contains('#') { format!("\"{name}\"\n") } else { format!("{name}\n") }
    };
    let lines: String = names.iter().map(line).collect();
    format!("BEGIN_EXCLUDE_LIST\n{lines}END_EXCLUDE_LIST\n")
}

/// Blanks would end a name, and signs of patterns are taken for such.
fn score_p(names: &[&str]) -> String {
    let escaped = |name: &&str| {
        let mut line = "    ".to_owned();
        for letter in plain(name).chars() {
            if " *?[]\\#".contains(letter) {
                line.push('\\');
            }
            line.push(letter);
        }
        line + "\n"
    };
    let lines: String = names.iter().map(escaped).collect();
    format!("SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE\n{lines}SCOREP_REGION_NAMES_END\n")
}

fn gcc(names: &[&str]) -> (String, Vec<String>) {
    let list: Vec<String> = names.iter().map(|name| plain(name).replace(',', "\\,")).collect();
    if list.is_empty() {
        return ("-finstrument-functions\n".to_owned(), Vec::new());
    }
    let text = format!(
        "-finstrument-functions -finstrument-functions-exclude-function-list={}\n",
        list.join(",")
    );
    let note = "gcc leaves out each function whose name has one of these in it, also as a part of its name";
    (text, vec![note.to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tool_is_told_in_its_own_form() {
        let names = ["f [{a.c} {20,1}]", "list::sort(int, char)", "odd#name"];
        let written = |format: FilterFormat| format.written(&names, |_| Vec::new()).0;
        assert_eq!(
            written(FilterFormat::Tau),
            "BEGIN_EXCLUDE_LIST\nf\nlist::sort(int, char)\n\"odd#name\"\nEND_EXCLUDE_LIST\n"
        );
        let score_p = written(FilterFormat::ScoreP);
        assert!(score_p.contains("    list::sort(int,\\ char)\n    odd\\#name\n"), "{score_p}");
        assert!(written(FilterFormat::Gcc).ends_with("-list=f,list::sort(int\\, char),odd#name\n"));
        let place =
            |name: &str| if name == "f" { vec!["/Code/a.c/f".to_owned()] } else { Vec::new() };
        let (text, notes) = FilterFormat::Whyperf.written(&names, place);
        assert_eq!(
            (text.as_str(), notes.len()),
            (
                "whyperf directives 1\nprune * /Code/a.c/f\nprune * /Code/*/list::sort%28int%2C%20char%29\n\
                 prune * /Code/*/odd#name\n",
                2
            )
        );
    }
}
