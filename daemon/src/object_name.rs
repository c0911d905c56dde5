//! Names the resource of an object: finds its place in a hierarchy from its kind, its parent and its name.

use whyperf_inject::{WaitReason, pipe_number};
use whyperf_layout::ObjectKind;
use whyperf_model::matching::STREAMS;
use whyperf_model::{Hierarchy, Resource};

use crate::symbols::SourceLocation;
use crate::tables::{ObjectEntry, ProcessTables};

/// The place that names an object without a name of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The call that made it.
    Site(u64),
    /// The variable it is.
    Variable(u64),
}

/// What is known of the source location that names an object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Naming<'place> {
    /// Asked for, not answered yet.
    Asked,
    /// This.
    Is(&'place SourceLocation),
    /// There is no such place.
    Nowhere,
}

/// Which place has to be looked up before an object can be named.
pub(crate) fn named_by(object: &ObjectEntry) -> Option<NamedBy> {
    let is_lock = matches!(
        object.kind,
        ObjectKind::Mutex
            | ObjectKind::RwLock
            | ObjectKind::Condition
            | ObjectKind::ThreadBarrier
            | ObjectKind::Semaphore
            | ObjectKind::Spin
    );
    if !is_lock || !object.name.is_empty() {
        None
    } else if object.site != 0 {
        Some(NamedBy::Site(object.site))
    } else {
        Some(NamedBy::Variable(object.key))
    }
}

/// The pipe that an object is: its kind, and its number, which stands behind that.
pub(crate) fn pipe(object: &ObjectEntry) -> Option<(&str, u64)> {
    let (kind, name) = object.name.rsplit_once('/')?;
    let is_stream = object.kind == ObjectKind::File && STREAMS.contains(&kind);
    Some((kind, pipe_number(name).filter(|_| is_stream)?))
}

/// The resource of an object; `None` for what has no place in a hierarchy. A pipe is called by who has its other end, where that is known.
pub(crate) fn resource(
    tables: &ProcessTables,
    number: u32,
    naming: Naming<'_>,
    peer: Option<&str>,
) -> Option<Resource> {
    let object = tables.object(number)?;
    let sync = Resource::root(Hierarchy::SyncObject);
    let in_family = |family: &str| {
        let family = sync.child(family);
        match own_name(object, naming) {
            Some(name) => family.child(&name),
            None => family,
        }
    };
    Some(match object.kind {
        ObjectKind::None => return None,
        ObjectKind::Communicator => sync.child("Message").child(&communicator(object)),
        ObjectKind::Tag => message(tables, object).child(&tag(object.key)),
        ObjectKind::AnyTag => message(tables, object).child("any"),
        ObjectKind::OtherTags => message(tables, object).child("other tags"),
        ObjectKind::AnyMessage => sync.child("Message"),
        ObjectKind::BarrierOf => under_communicator(tables, object, sync.child("Barrier")),
        ObjectKind::CollectiveOf => {
            under_communicator(tables, object, sync.child("Collective").child(&object.name))
        }
        ObjectKind::Window => in_family("Window"),
        ObjectKind::Mutex | ObjectKind::Spin => in_family("Mutex"),
        ObjectKind::RwLock => in_family("RwLock"),
        ObjectKind::Condition => in_family("CondVar"),
        ObjectKind::ThreadBarrier => in_family("Barrier"),
        ObjectKind::Semaphore => in_family("Semaphore"),
        ObjectKind::Join => sync.child("Join"),
        ObjectKind::Sleep => sync.child(WaitReason::Sleep.name()),
        ObjectKind::Poll => sync.child(WaitReason::Poll.name()),
        ObjectKind::Socket => {
            let sockets = sync.child(WaitReason::Socket.name());
            if object.name.is_empty() { sockets } else { sockets.child(&object.name) }
        }
        ObjectKind::Child => sync.child(WaitReason::Child.name()),
        ObjectKind::Signal => sync.child(WaitReason::Signal.name()),
        ObjectKind::File => match pipe(object) {
            Some((kind, _)) => with_peer(Resource::root(Hierarchy::File).child(kind), peer),
            None => file(&object.name),
        },
    })
}

/// Of what has another end: with who is there, where that is known.
pub(crate) fn with_peer(family: Resource, peer: Option<&str>) -> Resource {
    match peer {
        Some(peer) => family.child(peer),
        None => family,
    }
}

/// `None` while the name may still come.
fn own_name(object: &ObjectEntry, naming: Naming<'_>) -> Option<String> {
    if !object.name.is_empty() {
        return Some(object.name.clone());
    }
    match (naming, named_by(object)) {
        (Naming::Asked, Some(_)) => None,
        (Naming::Is(place), Some(NamedBy::Site(_))) => {
            Some(place.position().unwrap_or_else(|| place.function.clone()))
        }
        (Naming::Is(place), Some(NamedBy::Variable(_))) => Some(place.function.clone()),
        _ => Some(format!("{:#x}", object.key)),
    }
}

fn communicator(object: &ObjectEntry) -> String {
    if object.name.is_empty() { format!("{:#x}", object.key) } else { object.name.clone() }
}

/// `/SyncObject/Message/<communicator>` of a tag, or `/SyncObject/Message` when it has none.
fn message(tables: &ProcessTables, object: &ObjectEntry) -> Resource {
    under_communicator(tables, object, Resource::root(Hierarchy::SyncObject).child("Message"))
}

fn under_communicator(tables: &ProcessTables, object: &ObjectEntry, family: Resource) -> Resource {
    match tables.object(object.parent) {
        Some(parent) if parent.kind == ObjectKind::Communicator => {
            family.child(&communicator(parent))
        }
        _ => family,
    }
}

/// Tags are signed numbers of 32 bits, however wide the key is.
#[expect(clippy::cast_possible_truncation, reason = "the low half of the key is the tag")]
#[expect(clippy::cast_possible_wrap, reason = "tags are signed")]
fn tag(key: u64) -> String {
    (key as u32 as i32).to_string()
}

/// Levels of directories.
const LEVELS: usize = 32;

/// `/File` and one level for each directory, so that a search can go from a directory to its files. Beyond the levels that
/// people use, what is deeper counts with its directory.
fn file(path: &str) -> Resource {
    let names = path.split('/').filter(|name| !name.is_empty()).take(LEVELS);
    names.fold(Resource::root(Hierarchy::File), |above, name| above.child(name))
}
