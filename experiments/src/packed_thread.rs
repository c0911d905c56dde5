//! The timers of a thread as bytes: a number takes as many as it needs, and the name that follows the one before none.

use serde::{Deserialize, Serialize};

use crate::foreign_profile::{
    ForeignMetric, ForeignProfile, ForeignThread, Timer, TimerValue, UserEvent,
};
use crate::numbered_thread::{NumberedThread, NumberedTimer};
use crate::varint;

/// Whole numbers below this are what they are in 64 bits of either kind.
const WHOLE: f64 = 9_007_199_254_740_992.0;
/// What follows has all its bits.
const BITS: u64 = 1;

/// Adds a thread.
pub(crate) fn push(thread: &NumberedThread, bytes: &mut Vec<u8>) {
    let (node, context, number) = thread.place;
    let head = [node, context, number].map(u64::from);
    head.into_iter().for_each(|word| varint::push(bytes, word));
    varint::push(bytes, thread.timers.len() as u64);
    let mut next = 0;
    for timer in &thread.timers {
        let step = i64::from(timer.name) - next;
        next = i64::from(timer.name) + 1;
        varint::push(bytes, ((step << 1) ^ (step >> 63)).cast_unsigned());
        varint::push(bytes, u64::from(timer.groups));
        push_number(bytes, timer.calls);
        push_number(bytes, timer.subcalls);
        varint::push(bytes, timer.told as u64);
        for value in thread.values(timer) {
            push_number(bytes, value.exclusive);
            push_number(bytes, value.inclusive);
        }
    }
    let rest = (&thread.events, &thread.metadata);
    *bytes = postcard::to_extend(&rest, std::mem::take(bytes)).unwrap_or_default();
}

fn push_number(bytes: &mut Vec<u8>, number: f64) {
    if number.is_sign_positive() && number < WHOLE && number.fract() == 0.0 {
        varint::push(bytes, (number as u64) << 1);
    } else {
        varint::push(bytes, BITS);
        bytes.extend(number.to_bits().to_le_bytes());
    }
}

/// Reads a thread; answers what follows it.
pub(crate) fn take<'a>(bytes: &'a [u8], thread: &mut NumberedThread) -> Option<&'a [u8]> {
    let mut words = Words(bytes);
    let place = (words.small()?, words.small()?, words.small()?);
    let count = words.word()?;
    thread.begin(place);
    let (mut values, mut next) = (Vec::new(), 0i64);
    for _ in 0..count {
        let step = words.word()?;
        let step = (step >> 1).cast_signed() ^ -(step & 1).cast_signed();
        let name = u32::try_from(next.checked_add(step)?).ok()?;
        next = i64::from(name) + 1;
        let (groups, calls, subcalls) = (words.small()?, words.number()?, words.number()?);
        values.clear();
        for _ in 0..words.word()? {
            values.push(TimerValue { exclusive: words.number()?, inclusive: words.number()? });
        }
        let timer = NumberedTimer { name, groups, calls, subcalls, ..NumberedTimer::default() };
        thread.add(timer, &values);
    }
    let (rest, after) = postcard::take_from_bytes(words.0).ok()?;
    (thread.events, thread.metadata) = rest;
    Some(after)
}

/// What is left of the bytes.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn word(&mut self) -> Option<u64> {
        let (word, rest) = postcard::take_from_bytes(self.0).ok()?;
        self.0 = rest;
        Some(word)
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.word()?).ok()
    }

    fn number(&mut self) -> Option<f64> {
        let word = self.word()?;
        if word & BITS == 0 {
            #[expect(clippy::cast_precision_loss, reason = "it was a number of this kind")]
            return Some((word >> 1) as f64);
        }
        let (bits, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(f64::from_bits(u64::from_le_bytes(*bits)))
    }
}

/// A thread of the second version.
#[derive(Serialize, Deserialize)]
struct WideThread {
    /// Names and lists of groups that are new: they have the next numbers.
    names: Vec<String>,
    groups: Vec<Vec<String>>,
    place: (u32, u32, u32),
    timers: Vec<WideTimer>,
    events: Vec<UserEvent>,
    metadata: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize)]
struct WideTimer {
    name: u32,
    groups: u32,
    calls: f64,
    subcalls: f64,
    values: Vec<TimerValue>,
}

/// A profile of the second version.
pub(crate) fn wide(bytes: &[u8]) -> Option<ForeignProfile> {
    let (metrics, mut rest) = postcard::take_from_bytes::<Vec<ForeignMetric>>(bytes).ok()?;
    let (mut names, mut groups): (Vec<String>, Vec<Vec<String>>) = (Vec::new(), Vec::new());
    let mut threads = Vec::new();
    loop {
        let (packed, after) = postcard::take_from_bytes::<Option<WideThread>>(rest).ok()?;
        rest = after;
        let Some(packed) = packed else { break };
        names.extend(packed.names);
        groups.extend(packed.groups);
        let timer = |timer: WideTimer| {
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

    #[test]
    fn the_second_version_is_read() {
        let values = vec![TimerValue { exclusive: 1.5, inclusive: 2.0 }];
        let (name, groups, calls, subcalls) = (0, 0, 3.0, 0.0);
        let packed = WideThread {
            names: vec!["main".into()],
            groups: vec![vec!["MPI".into()]],
            place: (1, 0, 2),
            timers: vec![WideTimer { name, groups, calls, subcalls, values }],
            events: Vec::new(),
            metadata: Vec::new(),
        };
        let metrics = vec![ForeignMetric { name: "TIME".into() }];
        let bytes = (metrics, Some(packed), None::<WideThread>, vec!["odd"]);
        let read = wide(&postcard::to_stdvec(&bytes).expect("plain data")).expect("well formed");
        let [ForeignThread { node: 1, thread: 2, timers, .. }] = &read.threads[..] else {
            panic!("{read:?}")
        };
        assert_eq!(
            (&*timers[0].name, &*timers[0].groups[0], &*read.notes[0]),
            ("main", "MPI", "odd")
        );
    }
}
