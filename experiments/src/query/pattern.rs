//! A focus in which `*` stands for any part of a name: of each run it is the focus of all resources that match.

use std::collections::BTreeSet;
use std::str::FromStr;

use whyperf_model::{Focus, Hierarchy, ParseError, Resource};

use crate::program_event::ProgramEvent;

/// A focus, or many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FocusPattern(Focus);

impl FromStr for FocusPattern {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Focus::parse(text).map(Self)
    }
}

impl FocusPattern {
    /// Everything.
    #[must_use]
    pub fn whole_program() -> Self {
        Self(Focus::whole_program())
    }

    /// Whether it restricts nothing in a hierarchy.
    pub(super) fn is_root(&self, hierarchy: Hierarchy) -> bool {
        self.0.is_root(hierarchy)
    }

    /// The focus that it is of a run with these resources; `None` where nothing of the run matches a part of it.
    #[must_use]
    pub fn of(&self, event: &ProgramEvent) -> Option<Focus> {
        let mut focus = self.0.clone();
        for hierarchy in Hierarchy::ALL {
            let part = self.0.part(hierarchy);
            let is_plain = part.iter().all(|resource| !resource.path().contains('*'));
            if is_plain {
                continue;
            }
            let all = event.resources().filter(|one| one.hierarchy() == hierarchy);
            let matching: BTreeSet<Resource> = all
                .filter(|one| part.iter().any(|pattern| matches(pattern, one)))
                .cloned()
                .collect();
            if matching.is_empty() {
                return None;
            }
            focus = focus.with_set(hierarchy, matching);
        }
        Some(focus)
    }
}

/// Whether a resource has as many names, each of which matches.
fn matches(pattern: &Resource, resource: &Resource) -> bool {
    pattern.depth() == resource.depth()
        && pattern
            .components()
            .zip(resource.components())
            .all(|(one, name)| matches_name(one, name))
}

/// Whether a name begins, goes on and ends as the pieces between stars say.
fn matches_name(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_part_of_a_name() {
        for (pattern, name, expected) in [
            ("solve", "solve", true),
            ("solve", "solver", false),
            ("*", "anything", true),
            ("MPI_*", "MPI_Recv", true),
            ("*_*v", "MPI_Recv", true),
            ("*_*v", "MPI_Send", false),
            ("a*a", "a", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
        ] {
            assert_eq!(matches_name(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_is_the_set_of_what_matches_in_a_run() {
        let names = ["/Code/a.c/solve", "/Code/b.c/solve", "/Code/b.c/main", "/Process/0"];
        let event = ProgramEvent::new(names.iter().map(|name| name.parse().expect("well formed")));
        let of = |text: &str| {
            let pattern: FocusPattern = text.parse().expect("well formed");
            pattern.of(&event).map(|focus| focus.to_string())
        };
        let both = "<(/Code/a.c/solve,/Code/b.c/solve),/Machine,/Process,/SyncObject>";
        assert_eq!(of("</Code/*/solve>"), Some(both.to_owned()));
        assert_eq!(of("</Code/*/step>"), None);
        let as_it_is = "</Code/c.c,/Machine,/Process,/SyncObject>";
        assert_eq!(
            of("</Code/c.c>"),
            Some(as_it_is.to_owned()),
            "without a star it is taken as it is"
        );
    }
}
