//! The category of a region: the one fact about it that decides which metrics it counts in.
//!
//! Stored records hold categories by number. **A number is never changed and never used again**; a new category takes the next
//! one. The order of the variants means nothing, and no category is serialized by its place among them.
//!
//! The wrappers speak of a `Kind` (`layout/src/kind.rs`), whose numbers are those of the region file; `daemon/src/tables.rs` translates.

macro_rules! categories {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// What a region is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Category { $($(#[$doc])* $name = $number,)* }

        impl Category {
            /// All of them.
            pub const ALL: [Self; [$($number,)*].len()] = [$(Self::$name,)*];

            /// The category of this number; `None` when no category of this version has it.
            #[must_use]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }

            /// Its number wherever it is stored.
            #[must_use]
            pub const fn number(self) -> u32 { self as u32 }
        }
    };
}

categories! {
    /// A function or a named part of the program itself.
    User = 0,
    /// Starting or ending MPI: `MPI_Init`, `MPI_Finalize`. Neither computing nor waiting.
    Setup = 1,
    /// A blocking send.
    Send = 2,
    /// A blocking receive.
    Receive = 3,
    /// A send and a receive in one call.
    Exchange = 4,
    /// The start of a transfer that does not block.
    Post = 5,
    /// Waiting, testing or probing for a transfer.
    Wait = 6,
    /// A collective that moves data.
    Collective = 7,
    /// A collective that only synchronizes.
    Barrier = 8,
    /// One-sided communication and its synchronization.
    OneSided = 9,
    /// MPI's own file calls.
    MpiFile = 10,
    /// Any other MPI call.
    MpiOther = 11,
    /// Opening a file.
    Open = 12,
    /// Reading.
    Read = 13,
    /// Writing.
    Write = 14,
    /// Moving the position in a file.
    Seek = 15,
    /// Forcing data out to the device.
    Flush = 16,
    /// Closing a file.
    Close = 17,
    /// Names, sizes, attributes.
    Metadata = 18,
    /// Waiting for a mutex.
    Mutex = 19,
    /// Waiting for a reader-writer lock.
    RwLock = 20,
    /// Waiting on a condition variable.
    Condition = 21,
    /// Waiting at a barrier of threads.
    ThreadBarrier = 22,
    /// Waiting for a semaphore.
    Semaphore = 23,
    /// Waiting for a thread to end: its work is done elsewhere. Or, in a thread that never worked, waiting for work.
    Join = 24,
    /// Waiting for a spin lock.
    Spin = 25,
    /// The root of a thread's callpath tree.
    Root = 26,
    /// What could not be told apart any more.
    Other = 27,
    /// A function of the program that is watched because a pair asked for it, at its own entry and exit.
    Function = 28,
    /// No region: time in which a thread that computed could run and had no processor; why is not known.
    RunDelay = 29,
    /// The same: threads of the measured processes had the processors.
    DelayByJob = 30,
    /// The same: other programs had them.
    DelayByOthers = 31,
    /// The same: its control group had used up its share.
    Throttled = 32,
    /// The same: the host of a virtual machine had them.
    Stolen = 33,
    /// The same: others were idle, but it may not run there.
    Pinned = 34,
    /// No region: time in which a thread that computed, by its events, waited in a call that no event tells of.
    Blocked = 35,
    /// Waiting until some time has passed.
    Sleep = 36,
    /// Waiting for one of several descriptors.
    Poll = 37,
    /// Connecting, sending and receiving by sockets.
    Socket = 38,
    /// Waiting for a signal.
    Signal = 39,
    /// Not a region: page faults of a thread, which the kernel counts. So are all that follow: they have an amount, and no time.
    PageFaults = 40,
    /// Page faults for which nothing had to be read.
    MinorFaults = 41,
    /// Page faults for which a device had to be read.
    MajorFaults = 42,
    /// How often the thread gave up or lost its processor.
    ContextSwitches = 43,
    /// How often it went on on another processor.
    CpuMigrations = 44,
    /// Nanoseconds for which it ran.
    TaskClock = 45,
    /// Unaligned accesses that the kernel made good.
    AlignmentFaults = 46,
    /// Instructions that the kernel emulated.
    EmulationFaults = 47,
    /// Instructions that were executed to their end.
    Instructions = 48,
    /// Cycles of the processor.
    Cycles = 49,
    /// Accesses to the last level of caches.
    CacheReferences = 50,
    /// Those of them that went to memory.
    CacheMisses = 51,
    /// Branch instructions.
    Branches = 52,
    /// Branches that were foretold wrongly.
    BranchMisses = 53,
    /// Cycles without instructions to begin with.
    StalledFrontend = 54,
    /// Cycles in which instructions waited for data or units.
    StalledBackend = 55,
    /// Cycles of the bus.
    BusCycles = 56,
    /// Cycles at the nominal frequency.
    ReferenceCycles = 57,
    /// Loads from the first data cache.
    L1DataLoads = 58,
    /// Those of them that missed.
    L1DataLoadMisses = 59,
    /// Stores to the first data cache.
    L1DataStores = 60,
    /// Instruction fetches that missed the first cache.
    L1InstructionMisses = 61,
    /// Loads from the last cache.
    LastLevelLoads = 62,
    /// Those of them that missed.
    LastLevelLoadMisses = 63,
    /// Loads whose translation was not at hand.
    DataTlbLoadMisses = 64,
    /// Instruction fetches whose translation was not at hand.
    InstructionTlbMisses = 65,
    /// Not a region: nanoseconds of waiting that enough processors would have saved, as an amount.
    WaitByProcessors = 66,
    /// Not a region: nanoseconds of waiting for somebody who computed longer meanwhile, as an amount.
    WaitByComputing = 67,
    /// The same of somebody who was in input and output calls.
    WaitByIo = 68,
    /// The same of somebody who waited for something else.
    WaitByBlocked = 69,
    /// No region: time in which a thread that computed, by its events, waited for memory that was not there.
    Paging = 70,
    /// A counter of the program's own: what is added to it. It takes no time but what a look catches in the middle of it.
    UserCounter = 71,
    /// A gauge of the program's own: the values that it is set to. The same.
    UserGauge = 72,
}

/// A set of categories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CategorySet(u128);

impl CategorySet {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// All of them.
    pub const ALL: Self = Self::of(&Category::ALL);
    /// Calls between two or more processes that wait for each other: synchronization by message.
    pub const MESSAGE: Self = Self::of(&[
        Category::Send,
        Category::Receive,
        Category::Exchange,
        Category::Post,
        Category::Wait,
        Category::Collective,
        Category::Barrier,
        Category::OneSided,
    ]);
    /// Threads that wait for each other, but for joining.
    pub const LOCK: Self = Self::of(&[
        Category::Mutex,
        Category::RwLock,
        Category::Condition,
        Category::ThreadBarrier,
        Category::Semaphore,
        Category::Spin,
    ]);
    /// Waiting until somebody says that there is something to do, or until it is time to. A semaphore may also limit how many work at a time: of
    /// those that it holds up each still works a part of the time.
    pub const FOR_WORK: Self = Self::of(&[
        Category::Condition,
        Category::Semaphore,
        Category::Poll,
        Category::Socket,
        Category::Signal,
        Category::Sleep,
    ]);
    /// Synchronization of any kind.
    pub const SYNC: Self = Self::MESSAGE.and(Self::LOCK);
    /// Input and output of any kind.
    pub const IO: Self = Self::of(&[
        Category::MpiFile,
        Category::Open,
        Category::Read,
        Category::Write,
        Category::Seek,
        Category::Flush,
        Category::Close,
        Category::Metadata,
    ]);
    /// Waiting for a thread that works, or for work that never came: see `docs/decisions/0003-join-is-delegation.md` and
    /// `docs/decisions/0017-a-thread-that-never-worked-is-idle.md`.
    pub const JOIN: Self = Self::of(&[Category::Join]);
    /// Inside MPI without waiting for anybody: starting and ending it, and its local calls.
    pub const MPI_LOCAL: Self = Self::of(&[Category::Setup, Category::MpiOther]);
    /// Having no processor.
    pub const RUN_DELAY: Self = Self::of(&[
        Category::RunDelay,
        Category::DelayByJob,
        Category::DelayByOthers,
        Category::Throttled,
        Category::Stolen,
        Category::Pinned,
    ]);
    /// Waiting in the program's own code, unseen by events, for anything but files.
    pub const UNSEEN: Self = Self::PAGING.and(Self::of(&[Category::Blocked]));
    /// Waiting for memory.
    pub const PAGING: Self = Self::of(&[Category::Paging]);
    /// Waiting for anything but another thread or process of the program, a file, or memory.
    pub const BLOCKED: Self = Self::of(&[
        Category::Blocked,
        Category::Sleep,
        Category::Poll,
        Category::Socket,
        Category::Signal,
    ]);
    /// What the kernel and the processor count of threads: amounts, and no time.
    pub const COUNTED: Self = Self::of(&[
        Category::PageFaults,
        Category::MinorFaults,
        Category::MajorFaults,
        Category::ContextSwitches,
        Category::CpuMigrations,
        Category::TaskClock,
        Category::AlignmentFaults,
        Category::EmulationFaults,
        Category::Instructions,
        Category::Cycles,
        Category::CacheReferences,
        Category::CacheMisses,
        Category::Branches,
        Category::BranchMisses,
        Category::StalledFrontend,
        Category::StalledBackend,
        Category::BusCycles,
        Category::ReferenceCycles,
        Category::L1DataLoads,
        Category::L1DataLoadMisses,
        Category::L1DataStores,
        Category::L1InstructionMisses,
        Category::LastLevelLoads,
        Category::LastLevelLoadMisses,
        Category::DataTlbLoadMisses,
        Category::InstructionTlbMisses,
    ]);
    /// What is derived after a sampling pass from what all threads did: amounts, and no time.
    pub const DERIVED: Self = Self::of(&[
        Category::WaitByProcessors,
        Category::WaitByComputing,
        Category::WaitByIo,
        Category::WaitByBlocked,
    ]);
    /// Counters and gauges of the program's own.
    pub const USER_EVENT: Self = Self::of(&[Category::UserCounter, Category::UserGauge]);
    /// All that takes time.
    pub const TIMED: Self = Self::ALL.without(Self::COUNTED).without(Self::DERIVED);
    /// Neither waiting nor inside MPI: the program's own work.
    pub const COMPUTE: Self = Self::TIMED
        .without(Self::SYNC)
        .without(Self::IO)
        .without(Self::JOIN)
        .without(Self::MPI_LOCAL)
        .without(Self::RUN_DELAY)
        .without(Self::PAGING)
        .without(Self::BLOCKED);
    /// What events take for computing: only the operating system tells how much of it ran.
    pub const OUTSIDE_CALLS: Self = Self::COMPUTE.and(Self::RUN_DELAY).and(Self::UNSEEN);

    /// The waiting that these are derived from.
    #[must_use]
    pub const fn derived_from(self) -> Self {
        let of_processors = Self::of(&[Category::WaitByProcessors]);
        // Enough processors are asked for of ranks alone, causes of locks as well.
        let is_of_ranks = self.without(of_processors).0 == 0;
        if is_of_ranks { Self::MESSAGE } else { Self::MESSAGE.and(Self::LOCK) }
    }

    /// The set of these.
    #[must_use]
    pub const fn of(categories: &[Category]) -> Self {
        let mut bits: u128 = 0;
        let mut at = 0;
        while at < categories.len() {
            bits |= 1 << categories[at].number();
            at += 1;
        }
        Self(bits)
    }

    /// What is in either.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in this and not in the other.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether it holds this one.
    #[must_use]
    pub const fn contains(self, category: Category) -> bool {
        self.0 >> category.number() & 1 == 1
    }

    /// Whether no category is in both.
    #[must_use]
    pub const fn is_disjoint(self, other: Self) -> bool {
        self.0 & other.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stores hold: lines are only ever added.
    const STORED: [(u32, Category); 73] = [
        (0, Category::User),
        (1, Category::Setup),
        (2, Category::Send),
        (3, Category::Receive),
        (4, Category::Exchange),
        (5, Category::Post),
        (6, Category::Wait),
        (7, Category::Collective),
        (8, Category::Barrier),
        (9, Category::OneSided),
        (10, Category::MpiFile),
        (11, Category::MpiOther),
        (12, Category::Open),
        (13, Category::Read),
        (14, Category::Write),
        (15, Category::Seek),
        (16, Category::Flush),
        (17, Category::Close),
        (18, Category::Metadata),
        (19, Category::Mutex),
        (20, Category::RwLock),
        (21, Category::Condition),
        (22, Category::ThreadBarrier),
        (23, Category::Semaphore),
        (24, Category::Join),
        (25, Category::Spin),
        (26, Category::Root),
        (27, Category::Other),
        (28, Category::Function),
        (29, Category::RunDelay),
        (30, Category::DelayByJob),
        (31, Category::DelayByOthers),
        (32, Category::Throttled),
        (33, Category::Stolen),
        (34, Category::Pinned),
        (35, Category::Blocked),
        (36, Category::Sleep),
        (37, Category::Poll),
        (38, Category::Socket),
        (39, Category::Signal),
        (40, Category::PageFaults),
        (41, Category::MinorFaults),
        (42, Category::MajorFaults),
        (43, Category::ContextSwitches),
        (44, Category::CpuMigrations),
        (45, Category::TaskClock),
        (46, Category::AlignmentFaults),
        (47, Category::EmulationFaults),
        (48, Category::Instructions),
        (49, Category::Cycles),
        (50, Category::CacheReferences),
        (51, Category::CacheMisses),
        (52, Category::Branches),
        (53, Category::BranchMisses),
        (54, Category::StalledFrontend),
        (55, Category::StalledBackend),
        (56, Category::BusCycles),
        (57, Category::ReferenceCycles),
        (58, Category::L1DataLoads),
        (59, Category::L1DataLoadMisses),
        (60, Category::L1DataStores),
        (61, Category::L1InstructionMisses),
        (62, Category::LastLevelLoads),
        (63, Category::LastLevelLoadMisses),
        (64, Category::DataTlbLoadMisses),
        (65, Category::InstructionTlbMisses),
        (66, Category::WaitByProcessors),
        (67, Category::WaitByComputing),
        (68, Category::WaitByIo),
        (69, Category::WaitByBlocked),
        (70, Category::Paging),
        (71, Category::UserCounter),
        (72, Category::UserGauge),
    ];

    #[test]
    fn each_category_keeps_its_number_and_no_other_number_is_one() {
        assert_eq!(STORED.len(), Category::ALL.len());
        for (number, category) in STORED {
            assert_eq!(category.number(), number);
            assert_eq!(Category::from_number(number), Some(category));
        }
        for unknown in [73, 255, 256, u32::MAX] {
            assert_eq!(Category::from_number(unknown), None);
        }
    }

    #[test]
    fn time_is_spent_in_exactly_one_way() {
        let ways = [
            CategorySet::SYNC,
            CategorySet::IO,
            CategorySet::JOIN,
            CategorySet::COMPUTE,
            CategorySet::MPI_LOCAL,
            CategorySet::RUN_DELAY,
            CategorySet::PAGING,
            CategorySet::BLOCKED,
        ];
        for category in Category::ALL {
            let count = ways.iter().filter(|way| way.contains(category)).count();
            let ways = usize::from(CategorySet::TIMED.contains(category));
            assert_eq!(count, ways, "{category:?} is in {count} of the eight ways");
        }
    }

    #[test]
    fn a_local_call_of_mpi_is_no_work_of_the_program() {
        assert!(!CategorySet::COMPUTE.contains(Category::MpiOther));
        assert!(!CategorySet::COMPUTE.contains(Category::Setup));
        assert!(CategorySet::COMPUTE.contains(Category::User));
        assert!(CategorySet::COMPUTE.contains(Category::Function));
    }
}
