//! Communicators: the object of each handle, and names that every member and every run agree on.
//!
//! # Idea
//! A communicator has its own name if the program set one. Otherwise the name is derived, without any communication, from
//! what all its members know:
//!
//! | made by | name |
//! |---|---|
//! | all of the parent, for all | `parent.dup#1`: the operation, and how many came before |
//! | all of the parent, for some | `parent.split#2(0,2)`: also the lowest world ranks in it |
//! | its members alone | `parent.create_group(0,2)`: order means nothing here |
//! | two groups | `inter(0-1|2-3)`: both groups, the one with the lowest world rank first |

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use whyperf_layout::ObjectKind;
use whyperf_runtime::{ObjectId, losses, object};

use super::association::{Association, AssociationIndex, WORDS};
use super::call::{Derivation, Operation};
use super::dialect::Dialect;
use super::members;
use super::real::{self, CommunicatorGroup};
use super::request::Awaited;
use super::text::{CommunicatorName, KeptName};

/// What collective operations need to know.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Facts {
    /// Rank of the caller.
    pub(crate) rank: i32,
    /// Number of members.
    pub(crate) size: u32,
    /// Number of members of the other group, 0 when there is none.
    pub(crate) remote: u32,
}

/// A communicator that is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Communicator {
    /// Its object.
    pub(crate) object: ObjectId,
    place: AssociationIndex,
}

static COMMUNICATORS: Association<COMMUNICATOR_CAPACITY> = Association::new();
static NAMES: [KeptName; COMMUNICATOR_CAPACITY] =
    [const { KeptName::new() }; COMMUNICATOR_CAPACITY];
/// A number that no other communicator ever has.
static NUMBERS: [AtomicU32; COMMUNICATOR_CAPACITY] =
    [const { AtomicU32::new(0) }; COMMUNICATOR_CAPACITY];
static NUMBERED: AtomicU32 = AtomicU32::new(0);
static HAS_WORLD: AtomicBool = AtomicBool::new(false);
static USED: AtomicU32 = AtomicU32::new(0);
/// What communicators beyond the cap share, the impossible number before there are any.
static OTHERS: Shared = Shared(AtomicU32::new(u32::MAX));

/// Communicators that may be open at a time, a power of two.
const COMMUNICATOR_CAPACITY: usize = 1 << 11;
/// Communicators that get an object of their own.
const COMMUNICATORS_SHOWN: u32 = 1000;
/// Tags of a communicator that get an object of their own.
const TAGS: u32 = 1000;

const OBJECT: usize = 0;
const RANK_SIZE: usize = 1;
const REMOTE: usize = 2;
/// Communicators made from this one, and tags seen in it.
const MADE_TAGS: usize = 3;
const ASKED: u64 = 1 << 32;

struct Shared(AtomicU32);

impl Shared {
    fn load(&self) -> ObjectId {
        ObjectId::from_number(self.0.load(Ordering::Relaxed))
    }

    fn store(&self, object: ObjectId) {
        self.0.store(object.number(), Ordering::Relaxed);
    }
}

/// Says that ranks of `MPI_COMM_WORLD` exist from now on.
pub(crate) fn world_exists() {
    HAS_WORLD.store(true, Ordering::Relaxed);
}

/// The communicator of a handle, `None` when it was made unseen.
#[inline]
pub(crate) fn find(dialect: &Dialect, handle: usize) -> Option<Communicator> {
    let place = COMMUNICATORS.find(handle).or_else(|| predefined(dialect, handle))?;
    let object = ObjectId::from_number(number_at(place));
    let object = if object == ObjectId::NONE { first_use(handle, place) } else { object };
    Some(Communicator { object, place })
}

/// The same, but only when it was used: one that is made and freed again needs no object.
pub(crate) fn used(handle: usize) -> Option<Communicator> {
    let place = COMMUNICATORS.find(handle)?;
    let object = ObjectId::from_number(number_at(place));
    (object != ObjectId::NONE).then_some(Communicator { object, place })
}

/// A number that no other communicator of this process ever has; `None` where it was made unseen.
pub(crate) fn number(handle: usize) -> Option<u32> {
    numbered(COMMUNICATORS.find(handle)?)
}

fn numbered(place: AssociationIndex) -> Option<u32> {
    NUMBERS.get(place.index()).map(|number| number.load(Ordering::Relaxed))
}

/// Which rank of the world this rank is; of the other group, where there are two. `None` where it is of another job.
///
/// # Safety
/// A call must have succeeded on the communicator.
pub(crate) unsafe fn world_rank(dialect: &Dialect, handle: usize, rank: i32) -> Option<i32> {
    let world = world(dialect)?;
    // SAFETY: the caller's promise, and there are two groups where the second one is asked for.
    let group = unsafe {
        let has_two = facts(dialect, handle).remote > 0;
        if has_two { CommunicatorGroup::remote(handle) } else { CommunicatorGroup::of(handle) }
    }?;
    let mut translated = [-1];
    let is_known = group.translate(&[rank], &world, &mut translated) && translated[0] >= 0;
    is_known.then_some(translated[0])
}

/// Learns a communicator that was made unseen.
///
/// # Safety
/// A call must have succeeded on it, unless it is none.
pub(crate) unsafe fn learn(dialect: &Dialect, handle: usize) {
    if handle != 0 && handle != dialect.comm_null() && find(dialect, handle).is_none() {
        let mut name = CommunicatorName::new();
        name.push(b"communicator");
        // SAFETY: the caller's promise.
        unsafe { name_members(dialect, handle, &mut name) };
        enter(handle, &name);
    }
}

/// Notes that `made` came from `parent` (if known).
///
/// # Safety
/// A call of this derivation must have made it, unless it is none.
pub(crate) unsafe fn made(
    dialect: &Dialect,
    parent: Option<Communicator>,
    made: usize,
    operation: &Operation,
    derivation: Derivation,
) {
    let mut name = parent.map_or_else(CommunicatorName::new, |parent| name_at(parent.place));
    // Every rank of the parent counts here, also one that is not in the new communicator.
    let number = parent.map_or(0, |parent| parent.count_made(derivation));
    if made == dialect.comm_null() || made == 0 {
        return;
    }
    if derivation == Derivation::Meeting {
        name = CommunicatorName::new();
    } else {
        if parent.is_some() {
            name.push(b".");
        }
        push_lower(&mut name, operation.name);
    }
    match derivation {
        Derivation::Whole => push_count(&mut name, number),
        Derivation::Part => {
            push_count(&mut name, number);
            // SAFETY: the caller's promise.
            unsafe { name_members(dialect, made, &mut name) };
        }
        // SAFETY: the same.
        Derivation::Group => unsafe { name_members(dialect, made, &mut name) },
        // SAFETY: the same; where groups meet there are two.
        Derivation::Meeting => unsafe { name_both(dialect, made, &mut name) },
    }
    forget(made);
    enter(made, &name);
}

/// Notes a name that the program gave.
pub(crate) fn named(dialect: &Dialect, handle: usize, given: &[u8]) {
    let mut name = CommunicatorName::new();
    name.push(given);
    if let Some(known) = find(dialect, handle) {
        set_name(known.place, &name);
        if known.object != OTHERS.load() {
            object::rename(known.object, name.bytes());
        }
    } else {
        enter(handle, &name);
    }
}

/// Forgets a communicator that is being freed.
pub(crate) fn forget(handle: usize) {
    if let Some(place) = COMMUNICATORS.find(handle) {
        let object = ObjectId::from_number(number_at(place));
        if object != OTHERS.load() {
            object::retire(object);
        }
        COMMUNICATORS.remove(place);
    }
}

/// Rank and size, asked once.
///
/// # Safety
/// A call must have succeeded on the communicator.
pub(crate) unsafe fn facts(dialect: &Dialect, handle: usize) -> Facts {
    // SAFETY: the caller's promise.
    let ask = || unsafe { ask(handle) };
    let Some(Communicator { place, .. }) = find(dialect, handle) else { return ask() };
    if COMMUNICATORS.word(place, REMOTE).load(Ordering::Relaxed) & ASKED == 0 {
        let Facts { rank, size, remote } = ask();
        let both = (u64::from(rank as u32) << 32) | u64::from(size);
        COMMUNICATORS.word(place, RANK_SIZE).store(both, Ordering::Relaxed);
        COMMUNICATORS.word(place, REMOTE).store(ASKED | u64::from(remote), Ordering::Relaxed);
        return Facts { rank, size, remote };
    }
    let both = COMMUNICATORS.word(place, RANK_SIZE).load(Ordering::Relaxed);
    let remote = COMMUNICATORS.word(place, REMOTE).load(Ordering::Relaxed) as u32;
    Facts { rank: (both >> 32) as i32, size: both as u32, remote }
}

impl Communicator {
    /// Its [`number`].
    #[inline]
    pub(crate) fn number(&self) -> Option<u32> {
        numbered(self.place)
    }

    /// Object of messages with this tag.
    #[inline]
    pub(crate) fn tag(&self, dialect: &Dialect, tag: i32) -> Awaited {
        let kind = if tag == dialect.any_tag { ObjectKind::AnyTag } else { ObjectKind::Tag };
        // The wildcard is a number of the MPI's choice; the object's key must not depend on it.
        let key = if kind == ObjectKind::Tag { u64::from(tag as u32) } else { 0 };
        let found = object::find(kind, self.object, key);
        let object = found.unwrap_or_else(|| self.new_tag(kind, key));
        Awaited { object, parent: self.object }
    }

    /// Object of a collective operation.
    #[inline]
    pub(crate) fn collective(&self, operation: &Operation) -> ObjectId {
        let is_barrier = operation.key == BARRIER.key;
        let (kind, key) = if is_barrier {
            (ObjectKind::BarrierOf, 0)
        } else {
            (ObjectKind::CollectiveOf, operation.key)
        };
        object::find(kind, self.object, key).unwrap_or_else(|| {
            let name: &[u8] = if is_barrier { b"" } else { operation.name.as_bytes() };
            object::intern(kind, self.object, key, name, 0)
        })
    }

    /// A name for something that all members make together: `MPI_COMM_WORLD.win1`.
    pub(crate) fn next_name(&self, what: &[u8]) -> CommunicatorName {
        let mut name = name_at(self.place);
        name.push(b".");
        name.push(what);
        name.push_number(self.count_made(Derivation::Whole));
        name
    }

    #[cold]
    fn new_tag(&self, kind: ObjectKind, key: u64) -> ObjectId {
        let counts = COMMUNICATORS.word(self.place, MADE_TAGS);
        if kind == ObjectKind::Tag && counts.load(Ordering::Relaxed) as u32 >= TAGS {
            losses::count(|losses| &losses.objects);
            return object::find(ObjectKind::OtherTags, self.object, 0).unwrap_or_else(|| {
                object::intern(ObjectKind::OtherTags, self.object, 0, b"other tags", 0)
            });
        }
        counts.fetch_add(1, Ordering::Relaxed);
        let name: &[u8] = if kind == ObjectKind::AnyTag { b"any" } else { b"" };
        object::intern(kind, self.object, key, name, 0)
    }

    /// The number of a communicator that is made from this one, counted from 1.
    fn count_made(&self, derivation: Derivation) -> i64 {
        if !matches!(derivation, Derivation::Whole | Derivation::Part) {
            return 0;
        }
        let counts = COMMUNICATORS.word(self.place, MADE_TAGS);
        (counts.fetch_add(1 << 32, Ordering::Relaxed) >> 32) as i64 + 1
    }
}

/// The operation that has hierarchies of its own.
pub(crate) const BARRIER: Operation = Operation::named("Barrier");

/// `MPI_COMM_WORLD` and `MPI_COMM_SELF` are known without having been made.
#[cold]
fn predefined(dialect: &Dialect, handle: usize) -> Option<AssociationIndex> {
    let mut name = CommunicatorName::new();
    if handle == dialect.comm_world() {
        name.push(b"MPI_COMM_WORLD");
    } else if handle == dialect.comm_self() {
        name.push(b"MPI_COMM_SELF");
    } else {
        return None;
    }
    enter(handle, &name)
}

fn enter(handle: usize, name: &CommunicatorName) -> Option<AssociationIndex> {
    let entered = COMMUNICATORS.insert(handle, [0; WORDS]);
    match entered {
        Some(place) => {
            set_name(place, name);
            if let Some(number) = NUMBERS.get(place.index()) {
                let next = NUMBERED.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                number.store(next, Ordering::Relaxed);
            }
        }
        None => losses::count(|losses| &losses.objects),
    }
    entered
}

/// Gives a communicator its object. One that is never used gets none, and beyond the cap all share
/// one: a program may make and free a communicator in every step.
#[cold]
fn first_use(handle: usize, place: AssociationIndex) -> ObjectId {
    let kind = ObjectKind::Communicator;
    let object = if USED.fetch_add(1, Ordering::Relaxed) < COMMUNICATORS_SHOWN {
        object::intern(kind, ObjectId::NONE, handle as u64, name_at(place).bytes(), 0)
    } else {
        losses::count(|losses| &losses.objects);
        let others = object::intern(kind, ObjectId::NONE, 0, b"other communicators", 0);
        OTHERS.store(others);
        others
    };
    COMMUNICATORS.word(place, OBJECT).store(u64::from(object.number()), Ordering::Relaxed);
    object
}

fn number_at(place: AssociationIndex) -> u32 {
    COMMUNICATORS.word(place, OBJECT).load(Ordering::Relaxed) as u32
}

fn name_at(place: AssociationIndex) -> CommunicatorName {
    let Some(cell) = NAMES.get(place.index()) else { return CommunicatorName::new() };
    cell.load()
}

fn set_name(place: AssociationIndex, name: &CommunicatorName) {
    if let Some(cell) = NAMES.get(place.index()) {
        cell.store(name);
    }
}

/// What the MPI says of a communicator.
///
/// # Safety
/// The communicator must be valid.
unsafe fn ask(handle: usize) -> Facts {
    let known = |number: Option<i32>| u32::try_from(number.unwrap_or(0)).unwrap_or(0);
    // SAFETY: the caller's promise.
    unsafe {
        Facts {
            rank: real::comm_rank(handle).unwrap_or(-1),
            size: known(real::comm_size(handle)),
            remote: known(real::comm_remote_size(handle)),
        }
    }
}

/// The ranks of the world, `None` while there are none.
fn world(dialect: &Dialect) -> Option<CommunicatorGroup> {
    if !HAS_WORLD.load(Ordering::Relaxed) {
        return None;
    }
    // SAFETY: the world is valid from when it exists until the MPI ends, and who is asked for
    // names here is in a call of MPI.
    unsafe { CommunicatorGroup::of(dialect.comm_world()) }
}

/// Adds the lowest members to a name.
///
/// # Safety
/// The communicator must be valid.
unsafe fn name_members(dialect: &Dialect, handle: usize, name: &mut CommunicatorName) {
    if let Some(world) = world(dialect)
        // SAFETY: the caller's promise.
        && let Some(group) = unsafe { CommunicatorGroup::of(handle) }
    {
        name.push(b"(");
        members::push(&group, &world, name);
        name.push(b")");
    }
}

/// Adds the lowest members of both groups to a name.
///
/// # Safety
/// The communicator must be valid and have two groups.
unsafe fn name_both(dialect: &Dialect, handle: usize, name: &mut CommunicatorName) {
    name.push(b"inter");
    if let Some(world) = world(dialect)
        // SAFETY: the caller's promise.
        && let (Some(local), Some(remote)) = unsafe { (CommunicatorGroup::of(handle), CommunicatorGroup::remote(handle)) }
    {
        let local_first = members::lowest(&local, &world) <= members::lowest(&remote, &world);
        let (first, second) = if local_first { (&local, &remote) } else { (&remote, &local) };
        name.push(b"(");
        members::push(first, &world, name);
        name.push(b"|");
        members::push(second, &world, name);
        name.push(b")");
    }
}

/// Adds how many came before, which is no part of the word before it: `#2`.
fn push_count(name: &mut CommunicatorName, number: i64) {
    name.push(b"#");
    name.push_number(number);
}

/// `Comm_split` is said as `split`, `Cart_create` as `cart_create`.
fn push_lower(name: &mut CommunicatorName, operation: &str) {
    let operation = operation.strip_prefix("Comm_").unwrap_or(operation);
    for byte in operation.bytes() {
        name.push(&[byte.to_ascii_lowercase()]);
    }
}
