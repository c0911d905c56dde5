//! The state that all processes share: names, classes and pairs.

use whyperf_model::matching::{
    ClassId, Classes, IntervalRecorder, Matcher, Resources, RunTotals, Totals, Traits, WaitCauses,
    WaitingRank,
};
use whyperf_model::{Counter, Hierarchy, Jobs, Pair};

use crate::counted_state::{CountedState, CounterCoverage};
use crate::families::Families;
use crate::memory_room::NodeRoom;
use crate::pipe_users::PipeUsers;
use crate::processors::Processors;
use crate::servers::Servers;
use crate::thread_activity::LookBudget;
use crate::wait_objects::WaitObjects;

/// What all processes share: names, classes and pairs.
#[derive(Debug, Default)]
pub(crate) struct SharedState {
    pub(crate) classes: Classes,
    pub(crate) resources: Resources,
    pub(crate) wait_objects: WaitObjects,
    pub(crate) matcher: Matcher,
    /// What grew since the beginning, also in what ended.
    pub(crate) run_totals: RunTotals,
    /// Because of whom ranks waited since the beginning.
    pub(crate) wait_causes: WaitCauses,
    /// Who has the processors of this machine.
    pub(crate) processors: Processors,
    /// Threads that may still be looked at in this pass: for what they wait.
    pub(crate) looks: LookBudget,
    /// Which processes wait for requests of others, and which for those that they started.
    pub(crate) servers: Servers,
    pub(crate) families: Families,
    pub(crate) pipe_users: PipeUsers,
    /// Which ranks work together.
    pub(crate) jobs: Jobs,
    /// What the kernel and the processor count of threads.
    pub(crate) counted: CountedState,
    /// Writes interval records, where a record of the run is wanted.
    pub(crate) recorder: Option<IntervalRecorder>,
    /// For nodes of all processes.
    pub(crate) room: NodeRoom,
}

impl SharedState {
    /// A sampling pass begins at this moment of the monotonic clock.
    pub(crate) fn begin_pass(&mut self, now: u64) {
        self.processors.pass(now);
        self.looks.begin_pass();
        self.servers.begin_pass();
        self.families.begin_pass();
        self.pipe_users.begin_pass();
    }

    /// The first thread of a rank at work did this in the interval just past.
    pub(crate) fn took(&mut self, rank: WaitingRank, nodes: &[(ClassId, Totals)]) {
        self.wait_causes.took(rank, nodes, &self.classes, &self.resources);
    }

    /// The class of what was counted nobody knows where.
    pub(crate) fn unplaced(&mut self, counter: Counter) -> ClassId {
        let (category, code, functions) = (counter.category(), Vec::new(), Vec::new());
        let traits = Traits { category, code, functions, object: None, own: None };
        self.classes.intern(traits, &mut self.resources)
    }

    /// How much must be known of the threads of a process to know what a pair asks of it; `None` where nothing tells it: a counter says neither
    /// on what a thread waited nor in which named region of the program it was.
    pub(crate) fn coverage_for(&self, counter: Counter, pair: &Pair) -> Option<CounterCoverage> {
        let focus = &pair.focus;
        let is_region = |code| {
            let known = self.resources.known(code);
            known.is_some_and(|code| self.classes.is_region(code))
        };
        let is_told = self.counted.counters.contains(&counter)
            && Hierarchy::OBJECTS.into_iter().all(|hierarchy| focus.is_root(hierarchy))
            && !focus.part(Hierarchy::Code).iter().any(is_region);
        let is_whole = focus.is_root(Hierarchy::Code);
        is_told.then_some(if is_whole { CounterCoverage::Counted } else { CounterCoverage::Placed })
    }
}
