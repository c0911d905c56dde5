//! A focus: which callpath nodes count, as a choice of resources from every hierarchy.
//!
//! ```text
//!   </Code/oned.c/exchng1,/Machine,(/Process/0,/Process/3),/SyncObject>
//!    inside this function  anywhere  by these two processes  on any object
//! ```
//!
//! A node matches when it matches every part, and a part when it matches one of its resources. Foci are partly ordered:
//! `a.contains(b)` says that whatever matches `b` matches `a`. [`Focus::magnify`] is the step downwards that the search takes.
//!
//! Invariants: no part is empty; a part is sorted and holds no resource below another of its own, so equal foci print
//! equally. Printing is *resource normal form*: the first four hierarchies always, in order; `/File` only when it restricts;
//! several resources with their whole paths, as stores and reports hold them. A person may write `/Process/(0,3)` for
//! `(/Process/0,/Process/3)`, as that paper does.
//! Source: the focus of Paradyn, with the sets of SC97's experiment management.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::parse_error::{ParseError, Problem};
use crate::resource::{Hierarchy, Resource};

/// One or several resources of each hierarchy. Copying it copies a pointer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Focus {
    parts: Arc<[Vec<Resource>; Hierarchy::ALL.len()]>,
}

impl Focus {
    /// Everything: the root of each hierarchy.
    #[must_use]
    pub fn whole_program() -> Self {
        static WHOLE: LazyLock<Focus> = LazyLock::new(|| Focus {
            parts: Arc::new(Hierarchy::ALL.map(|hierarchy| vec![Resource::root(hierarchy)])),
        });
        WHOLE.clone()
    }

    /// Reads `</Code/a.c,/Machine,/Process,/SyncObject>`: any subset of the hierarchies in any order, the others stand at
    /// their root; several resources of one hierarchy in parentheses, as `(/Code/m.c/f,/Code/m.c/g)` or `/Code/m.c/(f,g)`.
    ///
    /// # Errors
    /// When it is no focus; the error says in which column and why.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let columns = text.chars().count();
        let (inside, first_column) = match text.strip_prefix('<') {
            Some(rest) => match rest.strip_suffix('>') {
                Some(inside) => (inside, 2),
                None => return Err(ParseError::new(columns + 1, Problem::NoClosing)),
            },
            None if text.starts_with('/') => (text, 1),
            None => return Err(ParseError::new(1, Problem::NoOpening)),
        };
        let mut focus = Self::whole_program();
        let mut named = [false; Hierarchy::ALL.len()];
        for (column, part) in pieces(inside, first_column)? {
            let resources = parse_part(part, column)?;
            let hierarchy = resources[0].hierarchy();
            if std::mem::replace(&mut named[hierarchy.index()], true) {
                return Err(ParseError::new(column, Problem::Duplicate(hierarchy.name())));
            }
            focus = focus.with_set(hierarchy, resources);
        }
        Ok(focus)
    }

    /// The resources it names in a hierarchy: one or more, sorted.
    #[must_use]
    pub fn part(&self, hierarchy: Hierarchy) -> &[Resource] {
        &self.parts[hierarchy.index()]
    }

    /// Whether a hierarchy restricts nothing.
    #[must_use]
    pub fn is_root(&self, hierarchy: Hierarchy) -> bool {
        self.part(hierarchy)[0].is_root()
    }

    /// The same with one part replaced by a single resource. A resource of another hierarchy is left out.
    #[must_use]
    pub fn with(&self, hierarchy: Hierarchy, resource: Resource) -> Self {
        self.with_set(hierarchy, [resource])
    }

    /// The same with one part replaced by several resources. Those of another hierarchy are left out; if none is left
    /// the part restricts nothing.
    #[must_use]
    pub fn with_set(
        &self,
        hierarchy: Hierarchy,
        resources: impl IntoIterator<Item = Resource>,
    ) -> Self {
        let mut wanted: Vec<Resource> =
            resources.into_iter().filter(|resource| resource.hierarchy() == hierarchy).collect();
        wanted.sort();
        // Sorted, whatever contains a resource stands before it, and only what was kept last can.
        let mut part: Vec<Resource> = Vec::with_capacity(wanted.len().max(1));
        for resource in wanted {
            if !part.last().is_some_and(|kept| kept.contains(&resource)) {
                part.push(resource);
            }
        }
        if part.is_empty() {
            part.push(Resource::root(hierarchy));
        }
        let mut parts = (*self.parts).clone();
        parts[hierarchy.index()] = part;
        Self { parts: Arc::new(parts) }
    }

    /// Only what it says about these hierarchies; the others stand at their root.
    #[must_use]
    pub fn projected(&self, hierarchies: &[Hierarchy]) -> Self {
        let parts = Hierarchy::ALL.map(|hierarchy| {
            if hierarchies.contains(&hierarchy) {
                self.part(hierarchy).to_vec()
            } else {
                vec![Resource::root(hierarchy)]
            }
        });
        Self { parts: Arc::new(parts) }
    }

    /// One focus for each of the children, which takes the place of this focus's part of the hierarchy. Children that are
    /// not strictly inside the part are left out, so every result is a true refinement.
    #[must_use]
    pub fn magnify(&self, hierarchy: Hierarchy, children: &[Resource]) -> Vec<Self> {
        let part = self.part(hierarchy);
        let inside = |child: &&Resource| {
            part.iter().any(|resource| resource.contains(child) && resource != *child)
        };
        children.iter().filter(inside).map(|child| self.with(hierarchy, child.clone())).collect()
    }

    /// Whether everything that `other` selects is selected by this focus too.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        Hierarchy::ALL.into_iter().all(|hierarchy| {
            other
                .part(hierarchy)
                .iter()
                .all(|theirs| self.part(hierarchy).iter().any(|ours| ours.contains(theirs)))
        })
    }

    /// How far below the whole program it is: the depths of its parts, added up.
    #[must_use]
    pub fn depth(&self) -> usize {
        Hierarchy::ALL.into_iter().map(|hierarchy| self.part(hierarchy)[0].depth()).sum()
    }
}

impl Default for Focus {
    fn default() -> Self {
        Self::whole_program()
    }
}

impl FromStr for Focus {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for Focus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("<")?;
        for hierarchy in Hierarchy::ALL {
            if hierarchy.is_hidden() && self.is_root(hierarchy) {
                continue;
            }
            if hierarchy != Hierarchy::Code {
                out.write_str(",")?;
            }
            write_part(out, self.part(hierarchy))?;
        }
        out.write_str(">")
    }
}

impl fmt::Debug for Focus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Serialize for Focus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Focus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

fn write_part(out: &mut fmt::Formatter<'_>, part: &[Resource]) -> fmt::Result {
    if let [only] = part {
        return write!(out, "{only}");
    }
    for (at, resource) in part.iter().enumerate() {
        write!(out, "{}{resource}", if at == 0 { "(" } else { "," })?;
    }
    out.write_str(")")
}

/// The text between commas that stand outside parentheses, each with the column of its first character.
fn pieces(text: &str, first_column: usize) -> Result<Vec<(usize, &str)>, ParseError> {
    let mut found = Vec::new();
    let mut open_since = None;
    let (mut start, mut start_column) = (0, first_column);
    for (nth, (at, character)) in text.char_indices().enumerate() {
        let column = first_column + nth;
        match character {
            '(' if open_since.is_none() => open_since = Some(column),
            ')' => open_since = None,
            ',' if open_since.is_none() => {
                found.push((start_column, &text[start..at]));
                (start, start_column) = (at + 1, column + 1);
            }
            _ => {}
        }
    }
    if let Some(column) = open_since {
        return Err(ParseError::new(column, Problem::OpenSet));
    }
    if !text.is_empty() {
        found.push((start_column, &text[start..]));
    }
    Ok(found)
}

/// One resource, or a set of them: never none.
fn parse_part(part: &str, column: usize) -> Result<Vec<Resource>, ParseError> {
    let Some((before, rest)) = part.split_once('(') else {
        return Ok(vec![Resource::parse(part).map_err(|error| error.shifted(column - 1))?]);
    };
    let column = column + before.chars().count();
    let Some(inside) = rest.strip_suffix(')') else {
        return Err(ParseError::new(column, Problem::OpenSet));
    };
    if !before.is_empty() {
        return parse_siblings(before, inside, column);
    }
    let mut resources: Vec<Resource> = Vec::new();
    for (at, text) in pieces(inside, column + 1)? {
        let resource = Resource::parse(text).map_err(|error| error.shifted(at - 1))?;
        if resources.first().is_some_and(|first| first.hierarchy() != resource.hierarchy()) {
            return Err(ParseError::new(at, Problem::MixedSet));
        }
        resources.push(resource);
    }
    if resources.is_empty() {
        return Err(ParseError::new(column, Problem::EmptySet));
    }
    Ok(resources)
}

/// The resources below one, as in `/Process/(0,3)`: never none. The set opens in `column`.
fn parse_siblings(before: &str, inside: &str, column: usize) -> Result<Vec<Resource>, ParseError> {
    let start = column - before.chars().count();
    let Some(parent) = before.strip_suffix('/') else {
        return Err(ParseError::new(column, Problem::Unescaped('(')));
    };
    Resource::parse(parent).map_err(|error| error.shifted(start - 1))?;
    let names = pieces(inside, column + 1)?;
    if names.is_empty() {
        return Err(ParseError::new(column, Problem::EmptySet));
    }
    let known = before.chars().count();
    let resource = |(at, name): (usize, &str)| {
        // What stands before the name was read already, so what is wrong is in the name.
        Resource::parse(&format!("{before}{name}"))
            .map_err(|error| ParseError::new(at + error.column - known - 1, error.problem))
    };
    names.into_iter().map(resource).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn focus(text: &str) -> Focus {
        Focus::parse(text).expect("the test's own focus is well formed")
    }

    fn resource(text: &str) -> Resource {
        Resource::parse(text).expect("the test's own resource is well formed")
    }

    #[test]
    fn printing_is_resource_normal_form() {
        let normal = |text: &str| focus(text).to_string();
        assert_eq!(normal("<>"), "</Code,/Machine,/Process,/SyncObject>");
        assert_eq!(
            normal("</SyncObject/Barrier,/Code/a.c>"),
            "</Code/a.c,/Machine,/Process,/SyncObject/Barrier>"
        );
        assert_eq!(
            normal("</UserEvent/cells>"),
            "</Code,/Machine,/Process,/SyncObject,/UserEvent/cells>"
        );
        assert_eq!(normal("</File/tmp/x>"), "</Code,/Machine,/Process,/SyncObject,/File/tmp/x>");
        assert_eq!(
            normal("<(/Process/3,/Process/0,/Process/3/1)>"),
            "</Code,/Machine,(/Process/0,/Process/3),/SyncObject>"
        );
        assert_eq!(normal("<(/Code/a.c)>"), normal("</Code/a.c>"));
        assert_eq!(normal("/Code/a.c"), normal("</Code/a.c>"));
    }

    #[test]
    fn what_stands_before_a_set_is_said_once() {
        let is_same = |short: &str, long: &str| assert_eq!(focus(short), focus(long), "{short}");
        is_same("</Process/(3,0)>", "<(/Process/0,/Process/3)>");
        is_same("</Code/m.c/(f,g),/Process/(0)>", "<(/Code/m.c/f,/Code/m.c/g),/Process/0>");
        is_same("</Code/(a.c/f,b.c)>", "<(/Code/a.c/f,/Code/b.c)>");
        is_same("</Process/(0,0/1,0)>", "</Process/0>");
        is_same("</Code/m.cc/(f%28int%29,g)>", "<(/Code/m.cc/f%28int%29,/Code/m.cc/g)>");
    }

    #[test]
    fn what_is_no_focus_is_refused_with_its_column() {
        let column = |text: &str| Focus::parse(text).map_err(|error| error.column);
        assert_eq!(column("Code"), Err(1));
        assert_eq!(column("/Code/a b"), Err(8));
        assert_eq!(column("</Code"), Err(7));
        assert_eq!(column("</Code,/Cod>"), Err(9));
        assert_eq!(column("</Code,,/Process>"), Err(8));
        assert_eq!(column("</Code,/Process,/Code/a.c>"), Err(17));
        assert_eq!(column("</Code,(/Process/0,/Code)>"), Err(20));
        assert_eq!(column("</Code,(/Process/0>"), Err(8));
        assert_eq!(column("</Code,()>"), Err(8));
        assert_eq!(column("</Code,(/Process)x>"), Err(8));
        assert_eq!(column("</Code/a b>"), Err(9));
        assert_eq!(column("</Process/(0,1>"), Err(11));
        assert_eq!(column("</Process/()>"), Err(11));
        assert_eq!(column("</Process/(0,,1)>"), Err(14));
        assert_eq!(column("</Process/(0,1)/2>"), Err(11));
        assert_eq!(column("</Code/m.c/(f,g h)>"), Err(16));
        assert_eq!(column("</Code/m.c/(f,/Code/m.c/g)>"), Err(15));
        assert_eq!(column("</Code/m.c/(f,(g))>"), Err(15));
        assert_eq!(column("</Cod/(f,g)>"), Err(3));
        assert_eq!(column("</(Code)>"), Err(2));
        assert_eq!(column("</Code/m.cc/f(int)>"), Err(14));
        let told = Focus::parse("</Code/m.cc/f(int)>").expect_err("no set").to_string();
        assert!(told.contains("write it as %28"), "{told}");
    }

    #[test]
    fn magnify_takes_only_what_lies_strictly_inside() {
        let module = focus("</Code/a.c>");
        let children = ["/Code/a.c/f", "/Code/a.c", "/Code/b.c/g", "/Code/a.c/h"].map(resource);
        let finer = module.magnify(Hierarchy::Code, &children);
        assert_eq!(finer, [focus("</Code/a.c/f>"), focus("</Code/a.c/h>")]);
        assert!(finer.iter().all(|child| module.contains(child) && !child.contains(&module)));
    }

    #[test]
    fn containing_asks_every_hierarchy() {
        let wide = focus("</Code/a.c,(/Process/0,/Process/1)>");
        assert!(wide.contains(&focus("</Code/a.c/f,/Process/1/0>")));
        assert!(!wide.contains(&focus("</Code/a.c/f,/Process/2>")));
        assert!(!wide.contains(&focus("</Code/a.c/f>")));
        assert!(Focus::whole_program().contains(&wide));
    }

    #[test]
    fn projecting_forgets_the_other_hierarchies() {
        let narrow = focus("</Code/a.c,/Machine/n1,/Process/1,/SyncObject/Barrier>");
        assert_eq!(
            narrow.projected(&[Hierarchy::Machine, Hierarchy::Process]),
            focus("</Machine/n1,/Process/1>")
        );
    }

    #[test]
    fn a_part_is_never_empty_nor_of_another_tree() {
        let odd = Focus::whole_program().with(Hierarchy::Code, resource("/Process/1"));
        assert_eq!(odd, Focus::whole_program());
    }
}
