//! A profile of another tool as a store keeps it: thread by thread, with each name told once.
//!
//! ```text
//!   2 | metrics | 1 thread | 1 thread | … | 0 | notes        a thread tells the names that none before it had
//! ```
//! Version 1 was the whole profile at once, with each name as often as it occurs: a gigabyte of TAU's text became more than SQLite takes as one value.

use ahash::AHashMap;
use serde::{Deserialize, Serialize};

use crate::foreign_profile::{
    ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue, UserEvent,
};

/// The first byte of what the store keeps, and that of older whyperfs.
const VERSION: u8 = 2;
const WHOLE: u8 = 1;

/// The bytes of a whole profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignBytes(Vec<u8>);

/// Makes the bytes of a profile, thread by thread.
#[derive(Clone, Debug)]
pub(crate) struct ForeignPacker {
    bytes: Vec<u8>,
    names: AHashMap<String, u32>,
    groups: AHashMap<Vec<String>, u32>,
}

#[derive(Serialize, Deserialize)]
struct PackedThread {
    /// Names and lists of groups that are new: they have the next numbers.
    names: Vec<String>,
    groups: Vec<Vec<String>>,
    place: (u32, u32, u32),
    timers: Vec<PackedTimer>,
    events: Vec<UserEvent>,
    metadata: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
struct PackedTimer {
    name: u32,
    groups: u32,
    calls: f64,
    subcalls: f64,
    values: Vec<TimerValue>,
}

impl ForeignBytes {
    /// As they are written.
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl ForeignPacker {
    /// Of a profile with these metrics.
    pub(crate) fn new(metrics: &[ForeignMetric]) -> Self {
        let (names, groups) = (AHashMap::new(), AHashMap::new());
        let mut packer = Self { bytes: vec![VERSION], names, groups };
        packer.write(&metrics);
        packer
    }

    fn write(&mut self, value: &impl Serialize) {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(value, bytes).unwrap_or_default();
    }

    /// Adds the next thread.
    pub(crate) fn add(&mut self, thread: &ForeignThread) {
        let (mut names, mut groups) = (Vec::new(), Vec::new());
        let timers = thread.timers.iter().map(|timer| PackedTimer {
            name: number(&mut self.names, &timer.name, &mut names),
            groups: number(&mut self.groups, &timer.groups, &mut groups),
            calls: timer.calls,
            subcalls: timer.subcalls,
            values: timer.values.clone(),
        });
        let packed = PackedThread {
            timers: timers.collect(),
            names,
            groups,
            place: (thread.node, thread.context, thread.thread),
            events: thread.events.clone(),
            metadata: thread.metadata.clone(),
        };
        self.write(&Some(packed));
    }

    /// All of it.
    pub(crate) fn finish(mut self, notes: &[String]) -> ForeignBytes {
        self.write(&None::<PackedThread>);
        self.write(&notes);
        ForeignBytes(self.bytes)
    }
}

/// The number of a key; one that is new is told.
fn number<K: Clone + Eq + std::hash::Hash>(
    known: &mut AHashMap<K, u32>,
    key: &K,
    new: &mut Vec<K>,
) -> u32 {
    if let Some(number) = known.get(key) {
        return *number;
    }
    let number = u32::try_from(known.len()).unwrap_or(u32::MAX);
    known.insert(key.clone(), number);
    new.push(key.clone());
    number
}

impl ForeignProfile {
    /// What bytes of a store say; `None` where they make no sense, or are of a later version.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first()?;
        match *version {
            WHOLE => postcard::from_bytes(rest).ok(),
            VERSION => unpacked(rest),
            _ => None,
        }
    }
}

fn unpacked(bytes: &[u8]) -> Option<ForeignProfile> {
    let (metrics, mut rest) = postcard::take_from_bytes(bytes).ok()?;
    let (mut names, mut groups): (Vec<String>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let mut threads = Vec::new();
    loop {
        let (packed, after) = postcard::take_from_bytes::<Option<PackedThread>>(rest).ok()?;
        rest = after;
        let Some(packed) = packed else { break };
        names.extend(packed.names);
        groups.extend(packed.groups);
        let timer = |timer: PackedTimer| {
            Some(Timer {
                name: names.get(timer.name as usize)?.clone(),
                groups: groups.get(timer.groups as usize)?.clone(),
                calls: timer.calls,
                subcalls: timer.subcalls,
                values: timer.values,
            })
        };
        let timers = packed.timers.into_iter().map(timer).collect::<Option<_>>()?;
        let (node, context, thread) = packed.place;
        let (events, metadata) = (packed.events, packed.metadata);
        threads.push(ForeignThread { node, context, thread, timers, events, metadata });
    }
    let notes = postcard::from_bytes(rest).ok()?;
    Some(ForeignProfile { metrics, threads, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> ForeignProfile {
        let values = vec![TimerValue { exclusive: 1.5, inclusive: 2.5 }];
        let timer = |name: &str| Timer {
            name: name.into(),
            groups: vec!["MPI".into()],
            calls: 3.0,
            subcalls: 0.0,
            values: values.clone(),
        };
        let thread = |node, timers| ForeignThread { node, timers, ..ForeignThread::default() };
        ForeignProfile {
            metrics: vec![ForeignMetric { name: "TIME".into() }],
            threads: vec![
                thread(0, vec![timer("main"), timer("f")]),
                thread(1, vec![timer("f"), timer("g")]),
            ],
            notes: vec!["odd".into()],
        }
    }

    fn packed(profile: &ForeignProfile) -> ForeignBytes {
        let mut packer = ForeignPacker::new(&profile.metrics);
        profile.threads.iter().for_each(|thread| packer.add(thread));
        packer.finish(&profile.notes)
    }

    #[test]
    fn a_profile_comes_back_as_it_was_with_each_name_told_once() {
        let profile = profile();
        let bytes = packed(&profile);
        assert_eq!(ForeignProfile::parse(bytes.as_slice()).as_ref(), Some(&profile));
        let groups = bytes.as_slice().windows(3).filter(|word| word == b"MPI").count();
        assert_eq!(groups, 1);
        let mut older = vec![WHOLE];
        older.extend(postcard::to_stdvec(&profile).expect("plain data"));
        assert_eq!(ForeignProfile::parse(&older), Some(profile));
    }

    #[test]
    fn bytes_that_make_no_sense_are_refused() {
        let whole = packed(&profile());
        for length in 0..whole.as_slice().len() {
            assert_eq!(ForeignProfile::parse(&whole.as_slice()[..length]), None, "{length}");
        }
        assert_eq!(ForeignProfile::parse(&[9, 0, 0]), None, "a later version");
        let mut stray = vec![VERSION, 0, 1, 0, 0, 0, 0, 0, 1, 7, 0];
        stray.extend([0; 21]);
        assert_eq!(ForeignProfile::parse(&stray), None, "a name that nobody told");
    }
}
