//! What a resource that is waited for is in a trace: calls of a kind, of communicators, and of a tag.

use std::collections::BTreeSet;
use std::fmt;

use whyperf_extrapolate::{CollectiveKind, CommId, EventKind, Tag};
use whyperf_model::Resource;

use crate::output::terminal::plain;

/// Calls in which ranks wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    pub(crate) what: EventKind,
    /// Of these alone.
    pub(crate) comms: Option<BTreeSet<CommId>>,
    /// Of this one alone.
    pub(crate) tag: Option<Tag>,
}

/// Why a trace does not tell the waits for a resource from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotAwaited {
    /// It is neither of barriers, nor of collective calls, nor of messages.
    Other,
    /// There is no collective call of this name.
    Collective(String),
    /// There is no communicator of this name.
    Communicator(String),
    /// This is no tag.
    Tag(String),
    /// Calls of its kind have none.
    Tagged,
}

impl Awaited {
    /// All calls of a kind.
    pub(crate) const fn all(what: EventKind) -> Self {
        Self { what, comms: None, tag: None }
    }

    /// The calls of a resource such as `/SyncObject/Message/MPI_COMM_WORLD/7`; `called` finds communicators by name.
    pub(crate) fn of(
        object: &Resource,
        called: impl Fn(&str) -> Option<BTreeSet<CommId>>,
    ) -> Result<Self, NotAwaited> {
        let names = labels(object);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (what, rest) = match &names[..] {
            ["Barrier", rest @ ..] => (EventKind::Barrier, rest),
            ["Collective"] => (EventKind::AnyCollective, &[][..]),
            ["Collective", name, rest @ ..] => {
                let kind =
                    collective(name).ok_or_else(|| NotAwaited::Collective((*name).into()))?;
                (EventKind::Collective(kind), rest)
            }
            ["Message", rest @ ..] => (EventKind::Receives, rest),
            _ => return Err(NotAwaited::Other),
        };
        let known =
            |name: &&str| called(name).ok_or_else(|| NotAwaited::Communicator((*name).into()));
        let comms = rest.first().map(known).transpose()?;
        let tag = match rest.get(1) {
            Some(_) if what != EventKind::Receives => return Err(NotAwaited::Tagged),
            // Wildcards have become what they matched, and what else there is are any tags.
            Some(tag) => Some(tag.parse::<i32>().map_err(|_| NotAwaited::Tag((*tag).into()))?),
            None => None,
        };
        Ok(Self { what, comms, tag: tag.map(Tag) })
    }
}

/// What the resources on the way to one are called, from the one below the root on.
fn labels(resource: &Resource) -> Vec<String> {
    let own = |one: &Resource| (!one.is_root()).then(|| one.clone());
    let up = std::iter::successors(own(resource), |one| own(&one.parent()?));
    let mut all: Vec<String> = up.map(|one| one.label()).collect();
    all.reverse();
    all
}

/// The kind of an operation by the name that resources or traces have for it.
fn collective(name: &str) -> Option<CollectiveKind> {
    let name = name.to_ascii_lowercase();
    let name = name.trim_end_matches('v');
    match name {
        "bcast" => Some(CollectiveKind::Broadcast),
        "exscan" => Some(CollectiveKind::Scan),
        "reduce_scatter" | "reduce_scatter_block" => Some(CollectiveKind::ReduceScatter),
        name => CollectiveKind::named(name),
    }
}

impl fmt::Display for NotAwaited {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other => out.write_str(
                "barriers, collective calls and messages can be waited for no longer, as in /SyncObject/Barrier, \
                 /SyncObject/Collective/allreduce or /SyncObject/Message",
            ),
            Self::Collective(name) => write!(out, "there is no collective call '{}'", plain(name)),
            Self::Communicator(name) => {
                write!(out, "the trace has no communicator that is called '{}'", plain(name))
            }
            Self::Tag(name) => write!(out, "'{}' is no tag", plain(name)),
            Self::Tagged => out.write_str("messages alone have tags"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(object: &str) -> Result<Awaited, NotAwaited> {
        let object = Resource::parse(object).expect("the test's own resource");
        Awaited::of(&object, |name| (name == "left/right").then(|| [CommId(3)].into()))
    }

    #[test]
    fn calls_are_known_by_what_resources_and_traces_call_them() {
        let kind = |name: &str| of(&format!("/SyncObject/Collective/{name}")).map(|one| one.what);
        let scatter = Ok(EventKind::Collective(CollectiveKind::ReduceScatter));
        assert_eq!(
            [kind("Reduce_scatter_block"), kind("reduce-scatter")],
            [scatter.clone(), scatter]
        );
        let all = Ok(EventKind::Collective(CollectiveKind::Alltoall));
        assert_eq!([kind("Alltoallv"), kind("alltoall")], [all.clone(), all]);
        assert_eq!(kind("shout"), Err(NotAwaited::Collective("shout".to_owned())));
        assert_eq!(of("/SyncObject/Collective"), Ok(Awaited::all(EventKind::AnyCollective)));
    }

    #[test]
    fn communicators_are_known_by_their_own_name_and_tags_by_number() {
        let comms = Some([CommId(3)].into());
        let messages = Awaited { comms, ..Awaited::all(EventKind::Receives) };
        assert_eq!(of("/SyncObject/Message/left%2Fright"), Ok(messages.clone()));
        let tagged = Awaited { tag: Some(Tag(7)), ..messages };
        assert_eq!(of("/SyncObject/Message/left%2Fright/7"), Ok(tagged));
        assert_eq!(
            of("/SyncObject/Message/rows"),
            Err(NotAwaited::Communicator("rows".to_owned()))
        );
        let others = of("/SyncObject/Message/left%2Fright/other%20tags");
        assert_eq!(others, Err(NotAwaited::Tag("other tags".to_owned())));
        assert_eq!(of("/SyncObject/Barrier/left%2Fright/7"), Err(NotAwaited::Tagged));
        assert_eq!(of("/SyncObject/Mutex/m"), Err(NotAwaited::Other));
    }
}
