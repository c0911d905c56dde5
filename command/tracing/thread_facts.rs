//! What is known of each thread from a first look at its entries: when it was there, where it met others, whether it communicated.

use std::collections::{BTreeMap, BTreeSet};

use whyperf_daemon::{CollectedTrace, Traced};
use whyperf_model::Category;

/// Facts of one thread; times are nanoseconds of the recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadFacts {
    /// Messages, collective calls and accesses.
    pub(crate) communicates: u64,
    /// Receives that were cancelled.
    pub(crate) cancels: u64,
    /// Since when it was there, if that was seen.
    pub(crate) began: Option<u64>,
    /// When something was recorded first.
    pub(crate) first: Option<u64>,
    /// When it was last.
    pub(crate) last: u64,
    /// When it ended, if that was seen.
    pub(crate) ended: Option<u64>,
    /// Objects at which it met other threads.
    pub(crate) barriers: BTreeSet<u16>,
    /// When its joins were over.
    pub(crate) joins: Vec<u64>,
}

impl ThreadFacts {
    /// Looks at all entries once; `see` is shown each with the number of its process.
    pub(crate) fn of(trace: &CollectedTrace, mut see: impl FnMut(usize, &Traced)) -> Vec<Self> {
        let mut all = Vec::new();
        for thread in trace.threads() {
            let process = &trace.processes()[thread.process];
            let category =
                |region: u16| process.regions.get(usize::from(region)).map(|one| one.category);
            let mut facts = Self::default();
            let mut nodes: BTreeMap<u32, Category> = BTreeMap::new();
            let mut current = None;
            for said in trace.entries(thread) {
                see(thread.process, &said);
                match said {
                    Traced::Node { node, region, object, .. } => {
                        let category = category(region).unwrap_or(Category::Root);
                        nodes.insert(node, category);
                        if category == Category::ThreadBarrier {
                            facts.barriers.insert(object);
                        }
                    }
                    Traced::Current { node, ticks } => {
                        let now = trace.nanos(process, ticks);
                        if current == Some(Category::Join) {
                            facts.joins.push(now);
                        }
                        current = nodes.get(&node).copied();
                        facts.come(now);
                    }
                    Traced::Began { ticks } => facts.began = Some(trace.nanos(process, ticks)),
                    Traced::Cancelled { .. } => facts.cancels += 1,
                    Traced::Resumed { ticks } => facts.come(trace.nanos(process, ticks)),
                    Traced::Ended { ticks } => {
                        let now = trace.nanos(process, ticks);
                        facts.ended = Some(now);
                        facts.come(now);
                    }
                    Traced::Message { .. } | Traced::Collective { .. } | Traced::Access { .. } => {
                        facts.communicates += 1;
                    }
                    _ => {}
                }
            }
            all.push(facts);
        }
        all
    }

    /// It is there from when it began on, and not from its first event.
    pub(crate) fn come_when_begun(&mut self) {
        if let Some(began) = self.began {
            self.first = Some(self.first.map_or(began, |first| first.min(began)));
            self.last = self.last.max(began);
        }
    }

    fn come(&mut self, now: u64) {
        self.first.get_or_insert(now);
        self.last = self.last.max(now);
    }
}
