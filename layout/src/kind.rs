//! The kinds of regions and of objects, as numbers that both sides agree on.

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        pub enum $name { $($(#[$vdoc])* $variant = $value,)* }
        impl $name {
            /// All of them, in the order of their numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];
            /// The one with this number; `None` when the other side made it up.
            #[must_use]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number { $($value => Some(Self::$variant),)* _ => None }
            }
            /// Its number in the region.
            #[must_use]
            pub const fn number(self) -> u32 { self as u32 }
        }
    };
}

numbered! {
    /// What a region does, as far as a metric may want to know.
    Kind {
        /// The root of a thread's tree: code outside every region.
        Root = 0,
        /// Where events go that found no room.
        Other = 1,
        /// A region of the program's own.
        User = 2,
        /// Starting an MPI: neither computing nor waiting.
        Setup = 3,
        /// A blocking send.
        Send = 4,
        /// A blocking receive.
        Receive = 5,
        /// A send and a receive in one call.
        Exchange = 6,
        /// The start of a non-blocking or persistent operation.
        Post = 7,
        /// Completing, testing or probing.
        Wait = 8,
        /// A collective that moves data.
        Collective = 9,
        /// A barrier of processes, and the end of an MPI.
        Barrier = 10,
        /// One-sided communication and its synchronization.
        OneSided = 11,
        /// MPI file access that moves data.
        MpiFile = 12,
        /// MPI file access that does not.
        MpiFileOther = 13,
        /// MPI bookkeeping that may communicate: creating communicators and windows.
        MpiOther = 14,
        /// Opening a file.
        Open = 15,
        /// Reading.
        Read = 16,
        /// Writing.
        Write = 17,
        /// Moving the file position.
        Seek = 18,
        /// Forcing data out.
        Flush = 19,
        /// Closing.
        Close = 20,
        /// Asking or changing what is known of a file.
        Metadata = 21,
        /// Waiting for a mutex.
        Mutex = 22,
        /// Waiting for a read-write lock.
        RwLock = 23,
        /// Waiting for a condition.
        Condition = 24,
        /// Waiting at a barrier of threads.
        ThreadBarrier = 25,
        /// Waiting for a semaphore.
        Semaphore = 26,
        /// Waiting for a thread's end.
        Join = 27,
        /// Waiting for a spin lock.
        Spin = 28,
        /// A function of the program that was patched: no name, its address says which.
        Function = 29,
        /// Waiting until some time has passed.
        Sleep = 30,
        /// Waiting for one of several descriptors.
        Poll = 31,
        /// Connecting, sending and receiving by sockets.
        Socket = 32,
        /// Waiting for another process to end.
        Child = 33,
        /// Waiting for a signal.
        Signal = 34,
        /// A counter or a gauge of the program's own; a node's call site says which part of it the node holds.
        UserEvent = 35,
    }
}

numbered! {
    /// What an object is; with its parent it has a place in the resource hierarchies.
    ObjectKind {
        /// No object.
        None = 0,
        /// `/SyncObject/Message/<communicator>`.
        Communicator = 1,
        /// `/SyncObject/Message/<communicator>/<tag>`; the key is the tag.
        Tag = 2,
        /// A receive that takes any tag: `/SyncObject/Message/<communicator>/any`.
        AnyTag = 3,
        /// All tags beyond the cap: `/SyncObject/Message/<communicator>/other tags`.
        OtherTags = 4,
        /// `/SyncObject/Barrier/<communicator>`; the parent is the communicator.
        BarrierOf = 5,
        /// `/SyncObject/Collective/<name>/<communicator>`; the name is the operation's.
        CollectiveOf = 6,
        /// `/SyncObject/Window/<name>`.
        Window = 7,
        /// `/SyncObject/Mutex/<name>`; key = address, site = where it was made, 0 if unknown.
        Mutex = 8,
        /// `/SyncObject/RwLock/<name>`.
        RwLock = 9,
        /// `/SyncObject/CondVar/<name>`.
        Condition = 10,
        /// `/SyncObject/Barrier/<name>`, of threads.
        ThreadBarrier = 11,
        /// `/SyncObject/Semaphore/<name>`.
        Semaphore = 12,
        /// `/SyncObject/Join`.
        Join = 13,
        /// `/SyncObject/Mutex/<name>`, a spin lock.
        Spin = 14,
        /// `/File/<path>`.
        File = 15,
        /// Requests of several communicators completed in one call: `/SyncObject/Message`.
        AnyMessage = 16,
        /// `/SyncObject/Sleep`.
        Sleep = 17,
        /// `/SyncObject/Poll`.
        Poll = 18,
        /// `/SyncObject/Socket`.
        Socket = 19,
        /// `/SyncObject/Child`.
        Child = 20,
        /// `/SyncObject/Signal`.
        Signal = 21,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_dense_and_return() {
        for (at, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(kind.number() as usize, at);
            assert_eq!(Kind::from_number(kind.number()), Some(*kind));
        }
        for (at, kind) in ObjectKind::ALL.iter().enumerate() {
            assert_eq!(kind.number() as usize, at);
            assert_eq!(ObjectKind::from_number(kind.number()), Some(*kind));
        }
        assert_eq!(Kind::from_number(36), None);
    }
}
