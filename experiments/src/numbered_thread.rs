//! A thread of a foreign profile with numbers in the place of names: what is done for each timer of each thread looks at no text.

use crate::foreign_profile::{ForeignThread, Timer, TimerValue, UserEvent};
use crate::profile_names::ProfileNames;

/// What one thread did. It is filled again for the next thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct NumberedThread {
    /// Node, context and thread.
    pub(crate) place: (u32, u32, u32),
    /// Timers, in the order of the file.
    pub(crate) timers: Vec<NumberedTimer>,
    /// What timers took of metrics, timer by timer.
    values: Vec<TimerValue>,
    /// User events, in the order of the file.
    pub(crate) events: Vec<UserEvent>,
    /// What is known of it beside: names and values.
    pub(crate) metadata: Vec<(String, String)>,
}

/// A timer of a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NumberedTimer {
    /// The number of its name.
    pub(crate) name: u32,
    /// The number of the list of its groups.
    pub(crate) groups: u32,
    /// How often it began.
    pub(crate) calls: f64,
    /// How often timers were begun in it.
    pub(crate) subcalls: f64,
    /// Where its values begin, which the thread knows.
    pub(crate) first: usize,
    /// Of so many metrics there is a value.
    pub(crate) told: usize,
}

impl NumberedThread {
    /// One of nothing yet.
    pub(crate) fn begin(&mut self, place: (u32, u32, u32)) {
        self.place = place;
        self.timers.clear();
        self.values.clear();
        self.events.clear();
        self.metadata.clear();
    }

    /// Adds a timer with nothing as its values, of so many metrics; answers its place.
    pub(crate) fn push(&mut self, timer: NumberedTimer, metrics: usize) -> usize {
        self.timers.push(NumberedTimer { first: self.values.len(), ..timer });
        self.values.resize(self.values.len() + metrics, TimerValue::default());
        self.timers.len() - 1
    }

    /// Adds a timer with its values.
    pub(crate) fn add(&mut self, timer: NumberedTimer, values: &[TimerValue]) {
        let (first, told) = (self.values.len(), values.len());
        self.timers.push(NumberedTimer { first, told, ..timer });
        self.values.extend_from_slice(values);
    }

    /// The values of a timer, one for each metric.
    pub(crate) fn values(&self, timer: &NumberedTimer) -> &[TimerValue] {
        self.values.get(timer.first..timer.first + timer.told).unwrap_or_default()
    }

    /// The value of a metric of the timer at a place, which has room for it.
    pub(crate) fn value_mut(&mut self, place: usize, metric: usize) -> &mut TimerValue {
        &mut self.values[self.timers[place].first + metric]
    }

    /// Becomes this thread.
    pub(crate) fn copy(&mut self, thread: &ForeignThread, names: &mut ProfileNames) {
        self.begin((thread.node, thread.context, thread.thread));
        for timer in &thread.timers {
            let numbered = NumberedTimer {
                name: names.timer(&timer.name),
                groups: names.groups(&timer.groups),
                calls: timer.calls,
                subcalls: timer.subcalls,
                ..NumberedTimer::default()
            };
            self.add(numbered, &timer.values);
        }
        self.events.clone_from(&thread.events);
        self.metadata.clone_from(&thread.metadata);
    }

    /// The thread with names; none where a number has no name.
    pub(crate) fn named(&self, names: &ProfileNames) -> Option<ForeignThread> {
        let (all, groups) = (names.timers_from(0), names.groups_from(0));
        let timer = |timer: &NumberedTimer| {
            Some(Timer {
                name: all.get(timer.name as usize)?.to_string(),
                groups: groups.get(timer.groups as usize)?.clone(),
                calls: timer.calls,
                subcalls: timer.subcalls,
                values: self.values(timer).to_vec(),
            })
        };
        let (node, context, thread) = self.place;
        Some(ForeignThread {
            node,
            context,
            thread,
            timers: self.timers.iter().map(timer).collect::<Option<_>>()?,
            events: self.events.clone(),
            metadata: self.metadata.clone(),
        })
    }
}
