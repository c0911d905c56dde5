//! A resource: one named thing of a program or its machines, at its place in one of six trees.
//!
//! ```text
//!   /Code/<module>/<function>             what runs
//!   /Machine/<host>                       on what
//!   /Process/<rank or pid>/<thread>       the thread that runs it
//!   /SyncObject/Message/<comm>/<tag>      what is waited for (also Barrier, Collective, Mutex, ...)
//!   /File/<path>                          what is read and written
//!   /UserEvent/<name>                     counters and gauges of the program's own
//! ```
//!
//! Invariants: a path has no empty name; inside a name the characters `/ , < > ( ) %`, spaces and control characters stand
//! only as `%XX`, so a focus can be split at its punctuation, and one name has one spelling; parents sort before their
//! descendants, which follow without a gap, and numbers sort by value.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::parse_error::{ParseError, Problem};

/// One of the six trees of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hierarchy {
    /// Modules and functions.
    Code,
    /// Hosts.
    Machine,
    /// Processes and threads.
    Process,
    /// Messages, barriers, locks: whatever one part of the program waits for.
    SyncObject,
    /// Files.
    File,
    /// Counters and gauges of the program's own.
    UserEvent,
}

impl Hierarchy {
    /// All of them, in the order in which a focus prints them.
    pub const ALL: [Self; 6] =
        [Self::Code, Self::Machine, Self::Process, Self::SyncObject, Self::File, Self::UserEvent];
    /// What nodes are on, beside their code: of most there is none, and a focus names these last.
    pub const OBJECTS: [Self; 3] = [Self::SyncObject, Self::File, Self::UserEvent];

    /// The name of its root, without the slash.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "Code",
            Self::Machine => "Machine",
            Self::Process => "Process",
            Self::SyncObject => "SyncObject",
            Self::File => "File",
            Self::UserEvent => "UserEvent",
        }
    }

    /// Whether a focus names it only where it says something.
    #[must_use]
    pub const fn is_hidden(self) -> bool {
        matches!(self, Self::File | Self::UserEvent)
    }

    /// Its place in [`Hierarchy::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Hierarchy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "/{}", self.name())
    }
}

/// One resource. It never changes, and copying it copies a pointer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Resource {
    hierarchy: Hierarchy,
    /// The whole path, escaped: `/Code/oned.c/exchng1`.
    path: Arc<str>,
}

impl Resource {
    /// The root of a hierarchy: everything in it.
    #[must_use]
    pub fn root(hierarchy: Hierarchy) -> Self {
        Self { hierarchy, path: format!("/{}", hierarchy.name()).into() }
    }

    /// Reads a path such as `/Code/oned.c/exchng1`.
    ///
    /// # Errors
    /// When it is no resource; the error says in which column and why.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(ParseError::new(1, Problem::NoLeadingSlash));
        };
        let mut column = 2;
        let mut hierarchy = None;
        for name in rest.split('/') {
            check_name(name).map_err(|error| error.shifted(column - 1))?;
            if hierarchy.is_none() {
                hierarchy = Some(hierarchy_named(name)?);
            }
            column += name.chars().count() + 1;
        }
        let hierarchy = hierarchy.expect("splitting a text gives at least one piece");
        Ok(Self { hierarchy, path: text.into() })
    }

    /// The resource of this name just below; what a name may not hold is escaped. An empty name becomes `%00`.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        let path = format!("{}/{}", self.path, escaped(name));
        Self { hierarchy: self.hierarchy, path: path.into() }
    }

    /// The tree it is in.
    #[must_use]
    pub const fn hierarchy(&self) -> Hierarchy {
        self.hierarchy
    }

    /// The whole path, as it is printed.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its last component, as it is printed (escaped); of a root the name of the hierarchy.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Its last component as the program spells it, escapes undone.
    #[must_use]
    pub fn label(&self) -> String {
        unescaped(self.name())
    }

    /// The resource just above; a root has none.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        match self.path.rfind('/') {
            None | Some(0) => None,
            Some(cut) => Some(Self { hierarchy: self.hierarchy, path: self.path[..cut].into() }),
        }
    }

    /// The names on the way from the root, the root's own first.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.path[1..].split('/')
    }

    /// How far below the root it is; a root has depth zero.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.components().count() - 1
    }

    /// Whether it is the root of its hierarchy.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.depth() == 0
    }

    /// Whether `other` is this resource or below it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        match other.path.strip_prefix(&*self.path) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        }
    }
}

impl FromStr for Resource {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path)
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.path)
    }
}

impl PartialOrd for Resource {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Resource {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.hierarchy != other.hierarchy {
            return self.hierarchy.cmp(&other.hierarchy);
        }
        let [ours, theirs] = [&self.path, &other.path].map(|path| path.as_bytes());
        let common = common_length(ours, theirs);
        if common == ours.len() && common == theirs.len() {
            return Ordering::Equal;
        }
        // What both begin with needs no second look: names are compared by the thousand in every round.
        let start = ours[..common].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
        let may_be_number = |path: &[u8]| path.get(start).is_some_and(u8::is_ascii_digit);
        if may_be_number(ours) || may_be_number(theirs) {
            return self.cmp_names(other, start);
        }
        // The end of a name comes before all that a longer one goes on with.
        let next = |path: &[u8]| path.get(common).copied().filter(|byte| *byte != b'/');
        next(ours).cmp(&next(theirs)).then_with(|| ours.len().cmp(&theirs.len()))
    }
}

impl Resource {
    /// Compares the names that begin at a place up to which both are the same, and what is left by its length.
    fn cmp_names(&self, other: &Self, start: usize) -> Ordering {
        // The names there differ, or are all that one of them still has.
        let end = |path: &str| path[start..].find('/').map_or(path.len(), |at| start + at);
        let [ours, theirs] =
            [&*self.path, &*other.path].map(|path| sort_key(&path[start..end(path)]));
        ours.cmp(&theirs).then_with(|| self.path.len().cmp(&other.path.len()))
    }
}

/// With how many bytes two texts begin alike.
fn common_length(one: &[u8], other: &[u8]) -> usize {
    let words = one.chunks_exact(8).zip(other.chunks_exact(8));
    let whole = words.take_while(|(one, other)| one == other).count() * 8;
    let rest = one[whole..].iter().zip(&other[whole..]);
    whole + rest.take_while(|(one, other)| one == other).count()
}

impl Serialize for Resource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.path)
    }
}

impl<'de> Deserialize<'de> for Resource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

/// Numbers before words, shorter numbers before longer ones: rank 2 comes before rank 10.
fn sort_key(name: &str) -> (bool, usize, &str) {
    let canonical = name == "0" || !name.starts_with('0');
    let is_number = canonical && name.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { (false, name.len(), name) } else { (true, 0, name) }
}

fn hierarchy_named(name: &str) -> Result<Hierarchy, ParseError> {
    Hierarchy::ALL
        .into_iter()
        .find(|hierarchy| hierarchy.name() == name)
        .ok_or_else(|| ParseError::new(2, Problem::UnknownHierarchy(name.to_owned())))
}

/// Only the one spelling that [`Resource::child`] gives is accepted: else equal names could differ.
fn check_name(name: &str) -> Result<(), ParseError> {
    if name.is_empty() {
        return Err(ParseError::new(1, Problem::EmptyName));
    }
    for (at, character) in name.chars().enumerate() {
        let ok = if character == '%' {
            escape_at(name, at).then_some(()).ok_or(Problem::BadEscape)
        } else if needs_escape(character) {
            Err(Problem::Unescaped(character))
        } else {
            Ok(())
        };
        ok.map_err(|problem| ParseError::new(at + 1, problem))?;
    }
    Ok(())
}

fn escape_at(name: &str, at: usize) -> bool {
    let digits: String = name.chars().skip(at + 1).take(2).collect();
    let upper = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    digits.len() == 2
        && upper
        && u8::from_str_radix(&digits, 16).is_ok_and(|byte| needs_escape(char::from(byte)))
}

fn needs_escape(character: char) -> bool {
    character.is_ascii_control() || " /,<>()%".contains(character)
}

fn escaped(name: &str) -> String {
    if name.is_empty() {
        return "%00".to_owned();
    }
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        if needs_escape(character) {
            text.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            text.push(character);
        }
    }
    text
}

fn unescaped(name: &str) -> String {
    let mut pieces = name.split('%');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2).unwrap_or((piece, ""));
        if let Ok(byte) = u8::from_str_radix(digits, 16) {
            text.push(char::from(byte));
        }
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(text: &str) -> Resource {
        Resource::parse(text).expect("the test's own resource is well formed")
    }

    #[test]
    fn each_hierarchy_keeps_the_name_and_the_place_that_stored_foci_have() {
        let stored = [
            ("/Code", Hierarchy::Code),
            ("/Machine", Hierarchy::Machine),
            ("/Process", Hierarchy::Process),
            ("/SyncObject", Hierarchy::SyncObject),
            ("/File", Hierarchy::File),
            ("/UserEvent", Hierarchy::UserEvent),
        ];
        assert_eq!(stored.map(|(_, hierarchy)| hierarchy), Hierarchy::ALL);
        for (place, (root, hierarchy)) in stored.into_iter().enumerate() {
            assert_eq!((resource(root).hierarchy(), hierarchy.index()), (hierarchy, place));
            assert_eq!(Resource::root(hierarchy).path(), root);
        }
    }

    #[test]
    fn a_path_is_read_and_walked() {
        let exchange = resource("/Code/oned.c/exchng1");
        assert_eq!(exchange.hierarchy(), Hierarchy::Code);
        assert_eq!(exchange.name(), "exchng1");
        assert_eq!(exchange.depth(), 2);
        assert_eq!(exchange.components().collect::<Vec<_>>(), ["Code", "oned.c", "exchng1"]);
        assert_eq!(exchange.parent(), Some(resource("/Code/oned.c")));
        assert_eq!(resource("/Code").parent(), None);
        assert!(resource("/Code").is_root());
    }

    #[test]
    fn containing_is_about_whole_names() {
        assert!(resource("/Code/oned.c").contains(&resource("/Code/oned.c/exchng1")));
        assert!(resource("/Code/oned.c").contains(&resource("/Code/oned.c")));
        assert!(!resource("/Code/oned.c").contains(&resource("/Code/oned.c++")));
        assert!(!resource("/Code/oned.c/exchng1").contains(&resource("/Code/oned.c")));
        assert!(!resource("/Code").contains(&resource("/File")));
    }

    #[test]
    fn names_are_escaped_once_and_read_back() {
        let odd = Resource::root(Hierarchy::Code).child("a b/<c>,(d)%\n").child("é::f");
        assert_eq!(odd.path(), "/Code/a%20b%2F%3Cc%3E%2C%28d%29%25%0A/é::f");
        assert_eq!(resource(odd.path()), odd);
        assert_eq!(odd.parent().map(|parent| parent.label()).as_deref(), Some("a b/<c>,(d)%\n"));
        assert_eq!(Resource::root(Hierarchy::Code).child("").path(), "/Code/%00");
    }

    #[test]
    fn what_is_no_resource_is_refused_with_its_column() {
        let column = |text: &str| Resource::parse(text).map_err(|error| error.column);
        assert_eq!(column("Code"), Err(1));
        assert_eq!(column(""), Err(1));
        assert_eq!(column("/Cod/x"), Err(2));
        assert_eq!(column("/Code//x"), Err(7));
        assert_eq!(column("/Code/"), Err(7));
        assert_eq!(column("/Code/a,b"), Err(8));
        assert_eq!(column("/Code/é b"), Err(8));
        assert_eq!(column("/Code/a%2g"), Err(8));
        assert_eq!(column("/Code/a%41"), Err(8));
        assert_eq!(column("/Code/a%2f"), Err(8));
    }

    #[test]
    fn numbers_sort_by_value_and_descendants_follow_their_parent() {
        let mut paths = [
            "/Process/x",
            "/Process/10",
            "/Process/2",
            "/Process/2/0",
            "/Process/2-a",
            "/Process",
            "/Code/z",
        ]
        .map(resource);
        paths.sort();
        let sorted = paths.each_ref().map(Resource::path);
        assert_eq!(
            sorted,
            [
                "/Code/z",
                "/Process",
                "/Process/2",
                "/Process/2/0",
                "/Process/10",
                "/Process/2-a",
                "/Process/x"
            ]
        );
    }

    #[test]
    fn the_order_is_that_of_names_from_the_root_on() {
        let names = ["1", "10", "2", "02", "0", "a", "ab", "a.c", "b", "2x", "9z", "kernel_10"];
        let mut all = vec![Resource::root(Hierarchy::Code), Resource::root(Hierarchy::File)];
        for above in [Resource::root(Hierarchy::Code), Resource::root(Hierarchy::File)] {
            for name in names {
                let one = above.child(name);
                all.extend(names.map(|below| one.child(below)));
                all.push(one);
            }
        }
        let keys = |one: &Resource| -> Vec<(bool, usize, String)> {
            let key = |name: &str| {
                let (is_word, length, name) = sort_key(name);
                (is_word, length, name.to_owned())
            };
            one.components().skip(1).map(key).collect()
        };
        for one in &all {
            for other in &all {
                let by_names = one.hierarchy.cmp(&other.hierarchy);
                let by_names = by_names.then_with(|| keys(one).cmp(&keys(other)));
                assert_eq!(one.cmp(other), by_names, "{one} {other}");
            }
        }
    }
}
