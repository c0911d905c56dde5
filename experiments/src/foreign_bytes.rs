//! A profile of another tool as a store keeps it: thread by thread, with each name told once.
//!
//! ```text
//!   3 | metrics | 1 thread | 1 thread | … | 0 | notes        a thread tells the names that none before it had
//! ```
//! The bytes are cut into parts between any two threads, so that nobody has to hold all of them. In version 2 a number took eight bytes whatever it
//! was; version 1 was the whole profile at once, with each name as often as it occurs.

use serde::Serialize;

use crate::foreign_profile::{ForeignMetric, ForeignProfile};
use crate::numbered_thread::NumberedThread;
use crate::packed_thread;
use crate::profile_names::ProfileNames;

/// The first byte of what the store keeps, and those of older whyperfs.
const VERSION: u8 = 3;
const WIDE: u8 = 2;
const WHOLE: u8 = 1;

/// Bytes of a profile: all of them, or a part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignBytes(Vec<u8>);

/// Makes the bytes of a profile, thread by thread.
#[derive(Clone, Debug)]
pub(crate) struct ForeignPacker {
    bytes: Vec<u8>,
    /// So many names and lists of groups are told.
    told: [usize; 2],
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
        let mut packer = Self { bytes: vec![VERSION], told: [0, 0] };
        packer.write(&metrics);
        packer
    }

    fn write(&mut self, value: &impl Serialize) {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(value, bytes).unwrap_or_default();
    }

    /// Adds the next thread.
    pub(crate) fn add(&mut self, thread: &NumberedThread, names: &ProfileNames) {
        let (timers, groups) = (names.timers_from(self.told[0]), names.groups_from(self.told[1]));
        self.told = [self.told[0] + timers.len(), self.told[1] + groups.len()];
        self.write(&(true, timers, groups));
        packed_thread::push(thread, &mut self.bytes);
    }

    /// How many bytes wait to be taken.
    pub(crate) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// What came since the last time that something was taken.
    pub(crate) fn take(&mut self) -> ForeignBytes {
        ForeignBytes(std::mem::take(&mut self.bytes))
    }

    /// The rest, which ends the profile.
    pub(crate) fn finish(mut self, notes: &[String]) -> ForeignBytes {
        self.write(&(false, notes));
        ForeignBytes(self.bytes)
    }
}

impl ForeignProfile {
    /// What all bytes of a store say; `None` where they make no sense, or are of a later version.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first()?;
        match *version {
            WHOLE => postcard::from_bytes(rest).ok(),
            WIDE => packed_thread::wide(rest),
            VERSION => unpacked(rest),
            _ => None,
        }
    }
}

fn unpacked(bytes: &[u8]) -> Option<ForeignProfile> {
    let (metrics, mut rest) = postcard::take_from_bytes::<Vec<ForeignMetric>>(bytes).ok()?;
    let (mut names, mut threads) = (ProfileNames::default(), Vec::new());
    let mut thread = NumberedThread::default();
    loop {
        let (is_thread, after) = postcard::take_from_bytes::<bool>(rest).ok()?;
        rest = after;
        if !is_thread {
            break;
        }
        let (new, after) = postcard::take_from_bytes::<(Vec<&str>, Vec<Vec<String>>)>(rest).ok()?;
        for name in new.0 {
            names.timer(name);
        }
        for groups in &new.1 {
            names.groups(groups);
        }
        rest = packed_thread::take(after, &mut thread)?;
        threads.push(thread.named(&names)?);
    }
    let notes = postcard::from_bytes(rest).ok()?;
    Some(ForeignProfile { metrics, threads, notes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign_profile::{ForeignThread, Timer, TimerValue, UserEvent};

    fn profile() -> ForeignProfile {
        let timer = |name: &str, exclusive: f64| Timer {
            name: name.into(),
            groups: vec!["MPI".into()],
            calls: 3.0,
            subcalls: 0.0,
            values: vec![TimerValue { exclusive, inclusive: 9e17 }],
        };
        let thread = |node, timers| ForeignThread { node, timers, ..ForeignThread::default() };
        let mut second = thread(1, vec![timer("g", 1.5), timer("f", -0.0), timer("h", 2.0)]);
        second.timers[2].values.clear();
        second.events.push(UserEvent { name: "bytes".into(), most: 8.5, ..UserEvent::default() });
        second.metadata.push(("Hostname".into(), "n1".into()));
        ForeignProfile {
            metrics: vec![ForeignMetric { name: "TIME".into() }],
            threads: vec![thread(0, vec![timer("main", 1.0), timer("f", 8e15)]), second],
            notes: vec!["odd".into()],
        }
    }

    /// The bytes in as many parts as there are threads, and one more.
    fn packed(profile: &ForeignProfile) -> Vec<u8> {
        let (mut names, mut numbered) = (ProfileNames::default(), NumberedThread::default());
        let (mut packer, mut bytes) = (ForeignPacker::new(&profile.metrics), Vec::new());
        for thread in &profile.threads {
            numbered.copy(thread, &mut names);
            packer.add(&numbered, &names);
            bytes.extend(packer.take().0);
        }
        bytes.extend(packer.finish(&profile.notes).0);
        bytes
    }

    #[test]
    fn a_profile_comes_back_as_it_was_with_each_name_told_once() {
        let profile = profile();
        let bytes = packed(&profile);
        let groups = bytes.windows(3).filter(|word| word == b"MPI").count();
        assert_eq!((ForeignProfile::parse(&bytes), groups), (Some(profile), 1));
    }

    #[test]
    fn the_first_version_is_read() {
        let profile = profile();
        let mut older = vec![WHOLE];
        older.extend(postcard::to_stdvec(&profile).expect("plain data"));
        assert_eq!(ForeignProfile::parse(&older), Some(profile));
    }

    #[test]
    fn bytes_that_make_no_sense_are_refused() {
        let whole = packed(&profile());
        for length in 0..whole.len() {
            assert_eq!(ForeignProfile::parse(&whole[..length]), None, "{length}");
        }
        assert_eq!(ForeignProfile::parse(&[9, 0, 0]), None, "a later version");
        // No metric, a thread without new names at 0, 0, 0, of one timer with name 7.
        let stray = [VERSION, 0, 1, 0, 0, 0, 0, 0, 1, 14, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(ForeignProfile::parse(&stray), None, "a name that nobody told");
    }
}
