//! Stack snapshots of threads: the functions that each thread has not returned from.
//!
//! ```text
//!                waits in the kernel ──► read as it is (blocked_thread)
//!   a thread ──┤
//!                runs ──┬── may be sampled ──► the kernel copies its stack every so much of its running time (sampling)
//!                       └── may not ─────────► stopped while its stack is copied (stopped_thread)
//! ```
//! The copy is unwound afterwards. A thread is stopped only where it cannot be sampled, and only while it runs: a
//! stop would disturb a system call that waits.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use whyperf_layout::Patch;

use crate::blocked_thread::ThreadSnapshot;
use crate::maps::ProcessMaps;
use crate::memory::Memory;
use crate::monotonic::now;
use crate::patched_code::PatchedCode;
use crate::perf_event::SampleContent;
use crate::sampling::{Sampler, Sampling, Turns};
use crate::stopped_thread;
use crate::thread_counter::ThreadCounter;
use crate::walk::{Images, KnownImages, StackCopy};

/// What was seen of a thread at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StackSnapshot {
    /// The thread.
    pub tid: u32,
    /// When: nanoseconds of the monotonic clock.
    pub time: u64,
    /// What it did.
    pub activity: SeenActivity,
    /// Addresses inside the functions that have not returned, innermost first.
    pub calls: Vec<OpenCall>,
    /// Whether these are all.
    pub is_whole: bool,
}

/// What a thread did when it was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeenActivity {
    /// It ran.
    #[default]
    Running,
    /// It waited in the kernel.
    Waiting,
}

/// A call that has not returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// An address in the function.
    pub address: u64,
    /// Whether that is code of this library.
    pub is_ours: bool,
    /// Whether the thread was on its way into the function, in code that leads there.
    pub is_entering: bool,
}

/// A look at the threads of a process: what is known at once, and what samples will tell.
#[derive(Debug, Default)]
pub struct StackLook {
    /// Of threads that wait, and of those that were stopped.
    pub snapshots: Vec<StackSnapshot>,
    /// Threads that run: a sample of each is to come, taken after `begin`.
    pub awaited: BTreeSet<u32>,
    /// Nanoseconds of the monotonic clock.
    pub begin: u64,
    /// For how long a thread was stopped at most.
    pub stopped: Duration,
    /// How running threads are seen.
    pub manner: LookManner,
}

/// How running threads are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookManner {
    /// By stopping them.
    #[default]
    Stops,
    /// By samples, which the kernel takes.
    Samples,
}

/// Samples that came since the last time.
#[derive(Debug, Default)]
pub struct StackSamples {
    /// What they show.
    pub snapshots: Vec<StackSnapshot>,
    /// How many were taken that found no room.
    pub lost: u64,
    /// The running time that each stands for, if threads are sampled.
    pub period: Option<Duration>,
}

/// Where threads were when something was counted of them.
#[derive(Debug, Default)]
pub struct CountedSnapshots {
    /// In the order of the counters, and of each by time.
    pub all: Vec<CountedSnapshot>,
    /// Samples that found no room, or of which nothing is known.
    pub lost: u64,
}

/// Where a thread was when something was counted of it.
#[derive(Debug)]
pub struct CountedSnapshot {
    /// The place of its counter among those that were asked.
    pub at: usize,
    /// Events that it stands for.
    pub weight: u64,
    /// Where it was.
    pub snapshot: StackSnapshot,
}

/// Takes stack snapshots of one process, and keeps what it read of the process's objects.
#[derive(Debug)]
pub struct StackSnapshots {
    pid: u32,
    known: KnownImages,
    /// Which objects these are.
    objects: Vec<(PathBuf, u64)>,
    maps: Option<ReadMaps>,
    /// Open since it was needed first: what follows stacks does so fifty times a second.
    memory: Option<Rc<Memory>>,
    patched: PatchedCode,
    sampler: Sampler,
}

/// What the process has mapped, and when that was read: reading it takes longer than unwinding a stack.
#[derive(Debug)]
struct ReadMaps {
    maps: ProcessMaps,
    at: Instant,
    /// A stack was met since that could not be followed to its begin: there may be code that is not known.
    is_doubtful: bool,
    /// For how long it is as good as new even so: longer each time that nothing new was found.
    again: Duration,
}

impl ReadMaps {
    /// For how long it is as good as new.
    const fn lasts(&self) -> Duration {
        if self.is_doubtful { self.again } else { READ_ANYWAY }
    }
}

/// A thread at one moment, not unwound yet.
#[derive(Debug)]
struct ThreadCopy {
    tid: u32,
    time: u64,
    activity: SeenActivity,
    /// Nothing when it did not stop.
    stack: Option<StackCopy>,
}

impl ThreadCopy {
    const fn waiting(tid: u32, time: u64, stack: StackCopy) -> Self {
        Self { tid, time, activity: SeenActivity::Waiting, stack: Some(stack) }
    }
}

impl StackSnapshots {
    /// Of a process.
    #[must_use]
    pub const fn of(pid: u32) -> Self {
        Self {
            pid,
            known: KnownImages::new(),
            objects: Vec::new(),
            maps: None,
            memory: None,
            patched: PatchedCode::new(),
            sampler: Sampler::Off,
        }
    }

    /// A function of the process is patched so, or will be: threads will be met in its stub.
    pub fn expect_stub(&mut self, patch: &Patch) {
        self.patched.add(patch);
    }

    /// There are no stubs in this memory, for it could not be mapped.
    pub fn forget_stubs(&mut self, memory: &Range<u64>) {
        self.patched.forget(memory);
    }

    /// Begins a look at threads, which are sampled from now on every `period` that they run; `None` when the
    /// process cannot be looked at.
    pub fn begin(&mut self, threads: &[u32], period: Duration) -> Option<StackLook> {
        self.sampler.follow(self.pid, period, SampleContent::Stack);
        let memory = self.memory().ok()?;
        let mut look = StackLook { begin: now(), ..StackLook::default() };
        let mut copies = Vec::new();
        if let Sampler::On(_) = self.sampler {
            look.manner = LookManner::Samples;
        }
        for tid in threads {
            match (ThreadSnapshot::of(self.pid, *tid, &memory), &self.sampler) {
                (ThreadSnapshot::Unknown, _) => {}
                (ThreadSnapshot::Blocked(stack), _) => {
                    copies.push(ThreadCopy::waiting(*tid, look.begin, *stack));
                }
                (ThreadSnapshot::Running, Sampler::On(sampling)) if sampling.has(*tid) => {
                    look.awaited.insert(*tid);
                }
                (ThreadSnapshot::Running, _) => {
                    let result = stopped_thread::copy(self.pid, *tid, &memory);
                    look.stopped = look
                        .stopped
                        .max(result.as_ref().map_or(Duration::ZERO, |result| result.lost));
                    copies.push(ThreadCopy {
                        tid: *tid,
                        time: look.begin,
                        activity: SeenActivity::Running,
                        stack: result.and_then(|result| result.stack),
                    });
                }
            }
        }
        look.snapshots = self.unwind(&memory, copies);
        Some(look)
    }

    /// Those of these threads that wait in the kernel: nothing is done to any of them.
    pub fn of_waiting(&mut self, threads: &[u32]) -> Vec<StackSnapshot> {
        let Ok(memory) = self.memory() else { return Vec::new() };
        let time = now();
        let copy = |tid: &u32| match ThreadSnapshot::of(self.pid, *tid, &memory) {
            ThreadSnapshot::Blocked(stack) => Some(ThreadCopy::waiting(*tid, time, *stack)),
            ThreadSnapshot::Running | ThreadSnapshot::Unknown => None,
        };
        let copies = threads.iter().filter_map(copy).collect();
        self.unwind(&memory, copies)
    }

    /// What samples tell since the last time.
    pub fn take(&mut self) -> StackSamples {
        let Some(sampling) = self.sampler.sampling() else { return StackSamples::default() };
        let mut copies = Vec::new();
        let lost = sampling.drain_stacks(|tid, sample| {
            let (time, stack) = (sample.time, Some(sample.stack));
            copies.push(ThreadCopy { tid, time, activity: SeenActivity::Running, stack });
        });
        let period = Some(sampling.period());
        if copies.is_empty() {
            return StackSamples { snapshots: Vec::new(), lost, period };
        }
        let Ok(memory) = self.memory() else {
            let lost = lost + copies.len() as u64;
            return StackSamples { snapshots: Vec::new(), lost, period };
        };
        StackSamples { snapshots: self.unwind(&memory, copies), lost, period }
    }

    /// Where threads were when something was counted of them, since the last time.
    pub fn take_counted(&mut self, counters: &[(u32, Arc<ThreadCounter>)]) -> CountedSnapshots {
        let (mut told, mut copies) = (Vec::new(), Vec::new());
        let mut lost = 0;
        for (at, (tid, counter)) in counters.iter().enumerate() {
            lost += counter.drain(|counted| {
                told.push((at, counted.weight));
                let (time, stack) = (counted.time, Some(counted.stack));
                copies.push(ThreadCopy { tid: *tid, time, activity: SeenActivity::Running, stack });
            });
        }
        if copies.is_empty() {
            return CountedSnapshots { all: Vec::new(), lost };
        }
        let Ok(memory) = self.memory() else {
            return CountedSnapshots { all: Vec::new(), lost: lost + told.len() as u64 };
        };
        let seen = told.into_iter().zip(self.unwind(&memory, copies));
        let all =
            seen.map(|((at, weight), snapshot)| CountedSnapshot { at, weight, snapshot }).collect();
        CountedSnapshots { all, lost }
    }

    /// How often its threads got a processor since this was asked last, or since they are sampled.
    pub fn take_turns(&mut self) -> Turns {
        self.sampler.sampling().map(Sampling::take_turns).unwrap_or_default()
    }

    /// No more samples, until the next look.
    pub fn rest(&mut self) {
        self.sampler.rest();
    }

    fn memory(&mut self) -> io::Result<Rc<Memory>> {
        if let Some(memory) = &self.memory {
            return Ok(memory.clone());
        }
        let memory = Rc::new(Memory::open(self.pid)?);
        self.memory = Some(memory.clone());
        Ok(memory)
    }

    fn unwind(&mut self, memory: &Memory, copies: Vec<ThreadCopy>) -> Vec<StackSnapshot> {
        if copies.is_empty() {
            return Vec::new();
        }
        let maps = self.maps();
        let mut images = Images::knowing(&maps.maps, memory, std::mem::take(&mut self.known));
        let snapshots = copies.into_iter().map(|copy| {
            let ThreadCopy { tid, time, activity, stack } = copy;
            let (calls, is_whole) =
                stack.map(|stack| calls(&mut images, stack, &self.patched)).unwrap_or_default();
            StackSnapshot { tid, time, activity, calls, is_whole }
        });
        let snapshots: Vec<StackSnapshot> = snapshots.collect();
        self.known = images.into_known();
        let is_doubtful = snapshots.iter().any(|snapshot| !snapshot.is_whole);
        self.maps = Some(ReadMaps { is_doubtful: maps.is_doubtful || is_doubtful, ..maps });
        snapshots
    }

    /// The map as it was a short time ago; objects that were loaded since are met a little later.
    fn maps(&mut self) -> ReadMaps {
        if let Some(read) = self.maps.take_if(|read| read.at.elapsed() < read.lasts()) {
            return read;
        }
        let before = self.maps.take().map_or(READ_AGAIN, |read| read.again);
        let maps = ProcessMaps::of(self.pid);
        let code = maps.with_code();
        let objects = code.map(|one| (one.path.clone(), one.range.start)).collect();
        let mut again = (before * 2).min(READ_ANYWAY);
        if self.objects != objects {
            self.known.clear();
            self.objects = objects;
            // It may be another program's.
            self.memory = None;
            again = READ_AGAIN;
        }
        ReadMaps { maps, at: Instant::now(), is_doubtful: false, again }
    }
}

/// How often the map of a process is read again where it may be that of another moment. Of an MPI program that takes a millisecond.
const READ_AGAIN: Duration = Duration::from_millis(500);
/// The same where all stacks are followed to their begin by it.
const READ_ANYWAY: Duration = Duration::from_secs(5);

fn calls(
    images: &mut Images<'_>,
    stack: StackCopy,
    patched: &PatchedCode,
) -> (Vec<OpenCall>, bool) {
    let interrupted = patched.interrupted(&stack);
    let is_before_function = interrupted.as_ref().is_some_and(|found| found.is_before_function);
    let (frames, is_whole) = images.walk(&interrupted.map_or(stack, |found| found.stack));
    let calls = frames.iter().enumerate().map(|(at, frame)| OpenCall {
        address: frame.address,
        is_ours: frame.image.as_ref().is_some_and(|image| image.name == crate::request::LIBRARY),
        is_entering: at == 0 && is_before_function,
    });
    (calls.collect(), is_whole)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A shell that computes, and is past its beginning.
    fn computing() -> Child {
        let script = "echo begun; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo $i";
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("every system has a shell");
        // Before its `main` a thread has no callers yet.
        let mut begun = [0; 6];
        let output = child.stdout.as_mut().expect("it is piped");
        output.read_exact(&mut begun).expect("it says so before it computes");
        child
    }

    fn is_there(pid: u32) -> bool {
        std::path::Path::new(&format!("/proc/{pid}/exe")).exists()
    }

    fn is_seen_whole(child: Child, mut look: impl FnMut() -> Vec<StackSnapshot>) {
        let pid = child.id();
        let mut seen = Vec::new();
        while seen.is_empty() && is_there(pid) {
            seen.extend(look().into_iter().filter(|snapshot| snapshot.is_whole));
        }
        let output = child.wait_with_output().expect("it is ours");
        assert_eq!(output.stdout, b"400000\n");
        let snapshot = seen.first().expect("it runs for a while");
        assert_eq!(snapshot.tid, pid);
        assert!(snapshot.calls.len() > 2, "{snapshot:?}");
    }

    #[test]
    fn a_thread_that_computes_is_seen_to_its_beginning_and_goes_on() {
        let child = computing();
        let mut stack_snapshots = StackSnapshots::of(child.id());
        let pid = child.id();
        let mut begin = 0;
        is_seen_whole(child, move || {
            let look = stack_snapshots.begin(&[pid], Duration::from_millis(1)).unwrap_or_default();
            begin = if begin == 0 { look.begin } else { begin };
            let mut samples = stack_snapshots.take().snapshots;
            samples.retain(|snapshot| snapshot.time >= begin);
            samples
        });
    }

    #[test]
    fn a_thread_that_may_not_be_sampled_is_stopped() {
        let child = computing();
        let mut stack_snapshots = StackSnapshots::of(child.id());
        stack_snapshots.sampler = Sampler::Refused;
        let pid = child.id();
        is_seen_whole(child, move || {
            let look = stack_snapshots.begin(&[pid], Duration::from_millis(1)).unwrap_or_default();
            assert_eq!(look.manner, LookManner::Stops);
            look.snapshots
        });
    }
}
