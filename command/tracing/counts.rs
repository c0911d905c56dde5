//! What a trace could not say of a rank, and how its computing compares with what its thread ran.

/// Counted while the entries of a rank go by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counts {
    /// Collective calls that no model has.
    pub(crate) unknown_calls: u64,
    /// Collective calls that went on beside computing: they are simulated where they were waited for.
    pub(crate) overlapped: u64,
    /// Waits for locks and conditions, which are no computing and are not simulated.
    pub(crate) thread_waits: u64,
    /// Calls that wait for others to use a window, by locks or groups, and are not simulated.
    pub(crate) window_waits: u64,
    /// How often a node became current before the one that was.
    pub(crate) clock_steps: u64,
    /// Nanoseconds of computing in turns, by the clock and as the kernel says the thread ran.
    pub(crate) seen: f64,
    pub(crate) ran: f64,
}

impl Counts {
    /// Both together.
    pub(crate) fn add(&mut self, other: &Self) {
        self.unknown_calls += other.unknown_calls;
        self.overlapped += other.overlapped;
        self.thread_waits += other.thread_waits;
        self.window_waits += other.window_waits;
        self.clock_steps += other.clock_steps;
        self.seen += other.seen;
        self.ran += other.ran;
    }
}
