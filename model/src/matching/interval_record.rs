//! The record of one interval, in full: which threads were there and what grew. It answers any pair later.
//!
//! ```text
//!   location   a thread of a process on a machine
//!   kind       a class of nodes, by name
//!   grown      by how much the nodes of a kind grew in a location
//! ```
//! Locations and kinds are described once, when they are new, and named by their numbers from then on.

use super::active::Totals;
use super::classes::{ClassId, Classes, Traits};
use super::resources::{ResourceId, Resources};
use super::thread_waits::AwaitedThread;
use crate::{Category, Interval, LargestRoutes, MessageGrowth, Nanos, Pair, Resource, TimeUse};

/// A location, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocationId(pub u32);

/// A thread where it is: a process that gets another name gives its threads other locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Which process: two may have the same name, one after the other.
    pub number: u32,
    /// The rank of the process: those of a job are compared with each other.
    pub rank: Option<u32>,
    /// Its place in the hierarchy of processes.
    pub thread: Resource,
    /// That of its process.
    pub process: Resource,
    /// Where it runs.
    pub machine: Resource,
}

/// A class of nodes by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kind {
    /// What the region does.
    pub category: Category,
    /// Code anywhere on the path, but for functions that are watched because a pair asked for them: what is known of those is in the
    /// pairs that asked.
    pub code: Vec<Resource>,
    /// What it synchronizes on, or the file it works on.
    pub object: Option<Resource>,
    /// Its own code, where it is a region or function of the program.
    pub own: Option<Resource>,
}

impl Kind {
    /// What a class is called.
    pub fn of(traits: &Traits, resources: &Resources) -> Self {
        let name = |id: &ResourceId| resources.resource(*id).clone();
        Self {
            category: traits.category,
            code: traits.code.iter().map(name).collect(),
            object: traits.object.as_ref().map(name),
            own: traits.own.as_ref().map(name),
        }
    }

    /// The class of this kind among other classes.
    pub fn class(&self, classes: &mut Classes, resources: &mut Resources) -> ClassId {
        let mut code: Vec<_> = self.code.iter().map(|code| resources.id(code)).collect();
        code.sort_unstable();
        let object = self.object.as_ref().map(|object| resources.id(object));
        let own = self.own.as_ref().map(|own| resources.id(own));
        let (category, functions) = (self.category, Vec::new());
        classes.intern(Traits { category, code, functions, object, own }, resources)
    }
}

/// By how much the nodes of a kind grew in a location; the kind has the number of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grown {
    /// Whose.
    pub location: LocationId,
    /// Of which kind.
    pub kind: ClassId,
    /// By how much.
    pub by: Totals,
}

/// A part of what a thread waited for a lock, and what the thread did meanwhile that held it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockWait {
    /// Who waited.
    pub location: LocationId,
    /// In which calls.
    pub kind: ClassId,
    /// The thread that held the lock.
    pub holder: Resource,
    /// Where it took the lock, or was.
    pub code: Option<Resource>,
    /// What it did.
    pub spent: TimeUse,
    /// How much was waited.
    pub time: Nanos,
}

/// The first thread of a rank was at work in an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worked {
    /// Whose.
    pub location: LocationId,
    /// How much of the interval was `MPI_Finalize` already, which is no work.
    pub ending: Nanos,
}

/// All that one interval brought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntervalRecord {
    /// When.
    pub interval: Interval,
    /// New locations, in the order of their numbers.
    pub locations: Vec<Location>,
    /// New kinds, in the order of their numbers.
    pub kinds: Vec<Kind>,
    /// Which threads were there.
    pub present: Vec<LocationId>,
    /// Processes that were there and did not report.
    pub silent: Vec<u32>,
    /// Threads of which the system does not say how much they ran; each may be told again.
    pub untold: Vec<LocationId>,
    /// First threads of ranks between `MPI_Init` and `MPI_Finalize`: what they did counts for the efficiencies.
    pub at_work: Vec<Worked>,
    /// What grew; a location may have the same kind more than once.
    pub grown: Vec<Grown>,
    /// By how much messages between ranks grew; a route may be there more than once. Of more routes than [`LargestRoutes::MOST`] the
    /// largest are told apart.
    pub messages: Vec<MessageGrowth>,
    /// What was waited for locks, as far as it is known who held them.
    pub lock_waits: Vec<LockWait>,
    /// Resources that exist now and did not before, parents before children.
    pub appeared: Vec<Resource>,
    /// Resources that do not exist any more.
    pub retired: Vec<Resource>,
    /// On which machine processes run that appeared.
    pub placed: Vec<(Resource, Resource)>,
    /// Which functions a function calls, where a pair asked for it.
    pub callees: Vec<(Resource, Vec<Resource>)>,
    /// How often functions are called per second.
    pub prices: Vec<(Resource, f64)>,
    /// What is measured in windows from now on, and the share of the time that they cover.
    pub hot: Vec<(Pair, f64)>,
}

/// Writes interval records.
#[derive(Debug, Default)]
pub struct IntervalRecorder {
    /// The process that is being looked at, and its rank.
    number: u32,
    rank: Option<u32>,
    locations: u32,
    told: usize,
    record: IntervalRecord,
    /// Of each of its messages the time of the run so far.
    message_times: Vec<Nanos>,
}

impl IntervalRecorder {
    /// All that is recorded next belongs to this process.
    pub const fn enter(&mut self, number: u32) {
        self.number = number;
    }

    /// The process that was entered has this rank.
    pub const fn rank(&mut self, rank: Option<u32>) {
        self.rank = rank;
    }

    /// The process that was entered does not report.
    pub fn silent(&mut self) {
        self.record.silent.push(self.number);
    }

    /// A new location, in the process that was entered.
    pub fn location(
        &mut self,
        [thread, process, machine]: [ResourceId; 3],
        of: &Resources,
    ) -> LocationId {
        let [thread, process, machine] =
            [thread, process, machine].map(|id| of.resource(id).clone());
        let (number, rank) = (self.number, self.rank);
        self.record.locations.push(Location { number, rank, thread, process, machine });
        let location = LocationId(self.locations);
        self.locations += 1;
        location
    }

    /// A thread is there.
    pub fn present(&mut self, location: LocationId) {
        self.record.present.push(location);
    }

    /// The system does not say how much a thread ran.
    pub fn untold(&mut self, location: LocationId) {
        self.record.untold.push(location);
    }

    /// The first thread of a rank was at work.
    pub fn at_work(&mut self, worked: Worked) {
        self.record.at_work.push(worked);
    }

    /// Nodes grew.
    pub fn grew(&mut self, location: LocationId, kind: ClassId, by: Totals) {
        self.record.grown.push(Grown { location, kind, by });
    }

    /// So much was waited for a lock because of this holder.
    pub fn held(
        &mut self,
        location: LocationId,
        kind: ClassId,
        holder: &AwaitedThread,
        waited: Nanos,
        resources: &Resources,
    ) {
        let code = holder.code.map(|code| resources.resource(code).clone());
        let who = resources.resource(holder.who);
        self.record.lock_waits.extend(holder.parts(waited).map(|(spent, time)| LockWait {
            location,
            kind,
            holder: who.clone(),
            code: code.clone(),
            spent,
            time,
        }));
    }

    /// Messages between ranks, and the time that they took in the run so far.
    pub fn message(&mut self, growth: MessageGrowth, so_far: Nanos) {
        self.record.messages.push(growth);
        self.message_times.push(so_far);
    }

    /// Tells routes apart as far as a record has room for them. Those are told apart that are the largest of the run, not of the
    /// interval: a route that is told apart is so in the next interval, too, unless others outgrow it.
    fn fold_messages(&mut self) {
        let messages = &mut self.record.messages;
        if messages.len() > 2 * LargestRoutes::MOST {
            let routes = messages.iter().map(|growth| growth.route);
            LargestRoutes::of(routes.zip(self.message_times.iter().copied())).fold(messages);
        }
        self.message_times.clear();
    }

    /// What came in since the last call; what else is told in a sampling pass is for the caller to add.
    pub fn take(
        &mut self,
        interval: Interval,
        classes: &Classes,
        resources: &Resources,
    ) -> IntervalRecord {
        let news = classes.since(self.told).map(|class| Kind::of(&class.traits, resources));
        let kinds: Vec<Kind> = news.collect();
        self.told += kinds.len();
        self.fold_messages();
        // The next interval brings about as many: room for them at once costs less than growing to it.
        let messages = Vec::with_capacity(self.record.messages.len());
        let next = IntervalRecord { messages, ..IntervalRecord::default() };
        IntervalRecord { interval, kinds, ..std::mem::replace(&mut self.record, next) }
    }
}
