//! What a function came to over all threads, and what a rule may ask of it.

use crate::foreign_profile::Timer;

/// What of a function is looked at, over all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    /// How often it was called.
    Calls,
    /// How often it called others.
    Subcalls,
    /// Its time with all below, of the time of all.
    Percent,
    /// Microseconds in it alone.
    Own,
    /// The same with all below.
    All,
    /// What a counter counted in it alone.
    Count,
    /// The same with all below.
    TotalCount,
    /// The standard deviation of its own microseconds over the threads.
    Deviation,
    /// Microseconds of a call, with all below.
    PerCall,
    /// What a counter counted in a call, with all below.
    CountsPerCall,
}

/// A function, over all threads.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FunctionSum {
    pub(super) name: String,
    pub(super) groups: Vec<String>,
    pub(super) calls: f64,
    pub(super) subcalls: f64,
    /// Microseconds in it alone, and with all below; `None` where no time was measured.
    pub(super) own: Option<f64>,
    pub(super) all: Option<f64>,
    /// Of the time of all threads.
    pub(super) percent: Option<f64>,
    /// Of the first counter: in it alone, and with all below.
    pub(super) counts: Option<[f64; 2]>,
    /// Microseconds in it alone, of each thread that had it.
    pub(super) own_by_thread: Vec<f64>,
}

impl FunctionSum {
    /// What a field says of it; `None` where that is not known.
    pub(super) fn value(&self, field: Field, threads: usize) -> Option<f64> {
        let per_call = |amount: f64| (self.calls > 0.0).then(|| amount / self.calls);
        match field {
            Field::Calls => Some(self.calls),
            Field::Subcalls => Some(self.subcalls),
            Field::Percent => self.percent,
            Field::Own => self.own,
            Field::All => self.all,
            Field::Count => self.counts.map(|counts| counts[0]),
            Field::TotalCount => self.counts.map(|counts| counts[1]),
            Field::Deviation => self.own.map(|own| self.deviation(own, threads)),
            Field::PerCall => self.all.and_then(per_call),
            Field::CountsPerCall => self.counts.and_then(|counts| per_call(counts[1])),
        }
    }

    /// Over all threads, also those that never called it.
    fn deviation(&self, own: f64, threads: usize) -> f64 {
        let count = threads.max(1) as f64;
        let mean = own / count;
        let of_others = count - self.own_by_thread.len() as f64;
        let squares: f64 = self.own_by_thread.iter().map(|own| (own - mean).powi(2)).sum();
        ((squares + of_others * mean * mean) / count).sqrt()
    }
}

impl FunctionSum {
    /// Adds what a thread has of it.
    pub(super) fn take(&mut self, timer: &Timer, time: Option<usize>, counter: Option<usize>) {
        self.calls += timer.calls;
        self.subcalls += timer.subcalls;
        for group in &timer.groups {
            if !self.groups.contains(group) {
                self.groups.push(group.clone());
            }
        }
        if let Some(value) = time.and_then(|at| timer.values.get(at)) {
            *self.own.get_or_insert(0.0) += value.exclusive;
            *self.all.get_or_insert(0.0) += value.inclusive;
            self.own_by_thread.push(value.exclusive);
        }
        if let Some(value) = counter.and_then(|at| timer.values.get(at)) {
            let counts = self.counts.get_or_insert([0.0; 2]);
            counts[0] += value.exclusive;
            counts[1] += value.inclusive;
        }
    }
}
