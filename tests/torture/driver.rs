//! Plays the daemon for one process: arms all it can, and switches at random from four threads.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use whyperf_layout::{Command, Outcome, Patch, geometry};

use crate::module::{Arena, Loaded, loaded};
use crate::region::{Gone, Region};

/// A process and its functions.
pub(crate) struct Driver {
    region: Region,
    modules: Vec<Loaded>,
    functions: Mutex<Functions>,
}

/// What was done to a process.
#[derive(Debug, Default)]
pub(crate) struct TortureCounts {
    pub(crate) planned: usize,
    /// Functions that were armed at least once.
    pub(crate) covered: usize,
    pub(crate) armed: usize,
    pub(crate) switched: usize,
    pub(crate) disarmed: usize,
    /// Outcomes other than success, and how often there were.
    pub(crate) refused: BTreeMap<String, usize>,
    /// The last outcome of functions that were never armed, and of how many.
    pub(crate) missed: BTreeMap<String, usize>,
}

/// All functions of the process; who has it has the ring, too.
struct Functions {
    patches: Vec<Patch>,
    /// Numbers of those that are armed, with their regions.
    armed: BTreeMap<usize, u32>,
    /// Numbers of those that were at any time.
    once: BTreeSet<usize>,
    /// Those that never were, with what became of the last try.
    missed: BTreeMap<usize, Outcome>,
    counts: TortureCounts,
}

impl Driver {
    /// Maps arenas and arms everything once, or one part of so many.
    pub(crate) fn over(region: Region, part: usize, parts: usize) -> Result<Self, Gone> {
        let (modules, mut taken) = loaded(region.pid);
        let mut patches = Vec::new();
        for module in &modules {
            if let Some(arena) = arena(&region, module, &mut taken)? {
                patches.extend(module.patches(arena));
            }
        }
        if patches.len() > MOST_ARMED {
            patches = patches.into_iter().skip(part).step_by(parts).collect();
        }
        let mut functions = Functions::of(patches);
        let all: Vec<usize> = (0..functions.patches.len()).collect();
        for some in all.chunks(geometry::STAGING_CAPACITY) {
            functions.arm_patiently(&region, some)?;
        }
        Ok(Self { region, modules, functions: Mutex::new(functions) })
    }

    /// Switches, disarms and arms for so long.
    pub(crate) fn torture(&self, time: Duration) -> Result<(), Gone> {
        let end = Instant::now() + time;
        thread::scope(|scope| {
            let threads = (1..=THREADS).map(|seed| scope.spawn(move || self.turns(seed, end)));
            let threads: Vec<_> = threads.collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("no turn panics"))
        })
    }

    /// Gives everything its bytes back and compares the code with the files.
    pub(crate) fn restore(self) -> Result<TortureCounts, Gone> {
        let unrestored = self.region.leave()?;
        assert_eq!(unrestored, Some(0), "leaving process {}", self.region.pid);
        for module in &self.modules {
            let found = module.differences(self.region.pid);
            let path = module.path.display();
            assert!(found.is_empty(), "{path}: code at {found:#x?} is not as in the file");
        }
        Ok(self.functions.into_inner().unwrap_or_else(PoisonError::into_inner).counted())
    }

    fn turns(&self, seed: u64, end: Instant) -> Result<(), Gone> {
        let mut dice = Dice(seed);
        while Instant::now() < end {
            let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
            match dice.roll(16) {
                0 => functions.disarm_some(&self.region, &mut dice)?,
                1 | 2 => functions.arm_some(&self.region, &mut dice)?,
                _ => functions.switch_some(&self.region, &mut dice)?,
            }
            drop(functions);
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Functions {
    fn of(patches: Vec<Patch>) -> Self {
        let counts = TortureCounts { planned: patches.len(), ..TortureCounts::default() };
        Self {
            patches,
            armed: BTreeMap::new(),
            once: BTreeSet::new(),
            missed: BTreeMap::new(),
            counts,
        }
    }

    fn counted(mut self) -> TortureCounts {
        for outcome in self.missed.values() {
            *self.counts.missed.entry(format!("{outcome:?}")).or_default() += 1;
        }
        self.counts.covered = self.counts.planned - self.missed.len();
        self.counts
    }

    /// Arms all of these, however long a thread is being made or stands inside.
    fn arm_patiently(&mut self, region: &Region, chosen: &[usize]) -> Result<(), Gone> {
        let mut left = chosen.to_vec();
        for _ in 0..ASKED_TO_ARM {
            self.arm(region, &left)?;
            let is_left = |at: &usize| self.missed.get(at).is_some_and(|last| passes(*last));
            left.retain(is_left);
            if left.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn arm(&mut self, region: &Region, chosen: &[usize]) -> Result<(), Gone> {
        let patches: Vec<&Patch> = chosen.iter().map(|at| &self.patches[*at]).collect();
        let results = region.arm(&patches)?;
        for (at, (outcome, number)) in chosen.iter().zip(results) {
            if outcome == Some(Outcome::Done) {
                self.armed.insert(*at, number);
                self.once.insert(*at);
                self.missed.remove(at);
                self.counts.armed += 1;
            } else {
                if let Some(outcome) = outcome.filter(|_| !self.once.contains(at)) {
                    self.missed.insert(*at, outcome);
                }
                *self.counts.refused.entry(format!("{outcome:?}")).or_default() += 1;
            }
        }
        Ok(())
    }

    fn arm_some(&mut self, region: &Region, dice: &mut Dice) -> Result<(), Gone> {
        let free = (0..self.patches.len()).filter(|at| !self.armed.contains_key(at));
        let free: Vec<usize> = free.collect();
        let first = dice.roll(free.len().max(1));
        let chosen: Vec<usize> =
            free.into_iter().skip(first).take(geometry::STAGING_CAPACITY).collect();
        if chosen.is_empty() { Ok(()) } else { self.arm(region, &chosen) }
    }

    fn disarm_some(&mut self, region: &Region, dice: &mut Dice) -> Result<(), Gone> {
        let chosen = self.some(dice);
        let regions: Vec<u32> = chosen.iter().map(|(_, number)| *number).collect();
        for ((at, _), outcome) in chosen.iter().zip(region.disarm(&regions)?) {
            if outcome == Some(Outcome::Done) {
                self.armed.remove(at);
                self.counts.disarmed += 1;
            } else {
                *self.counts.refused.entry(format!("{outcome:?}")).or_default() += 1;
            }
        }
        Ok(())
    }

    fn switch_some(&mut self, region: &Region, dice: &mut Dice) -> Result<(), Gone> {
        let chosen = self.some(dice).into_iter().map(|(_, number)| {
            let (region, off) = (number, Command::SwitchOff { region: number });
            if dice.roll(2) == 0 { Command::SwitchOn { region } } else { off }
        });
        let chosen: Vec<_> = chosen.collect();
        self.counts.switched += chosen.len();
        region.switch(&chosen)
    }

    /// Different ones of those that are armed, fewer than a ring holds.
    fn some(&self, dice: &mut Dice) -> Vec<(usize, u32)> {
        let all: Vec<(usize, u32)> = self.armed.iter().map(|(at, number)| (*at, *number)).collect();
        let chosen: BTreeMap<usize, u32> =
            (0..AT_ONCE.min(all.len())).map(|_| all[dice.roll(all.len())]).collect();
        chosen.into_iter().collect()
    }
}

/// Whether this is over in a moment.
const fn passes(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Busy | Outcome::SigtrapBlocked | Outcome::ThreadInside)
}

/// A generator of random numbers, always the same from one seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x5851_f42d_4c95_7f2d);
        (self.0 >> 33) as usize % sides
    }
}

/// Maps an arena near a module: at the nearest free place before or behind it.
fn arena(
    region: &Region,
    module: &Loaded,
    taken: &mut Vec<Range<u64>>,
) -> Result<Option<Arena>, Gone> {
    let size = |arena: Arena| arena.data + arena.code;
    let length = size(module.arena(0)) + MARGIN;
    let below = (1..MOST).filter_map(|step| module.span.start.checked_sub(length + MARGIN * step));
    // Behind a program at a fixed place its heap grows.
    let above = (1..MOST).map(|step| module.span.end + HEAP + MARGIN * step);
    for address in below.filter(|address| *address > LOWEST).chain(above) {
        let range = address..address + length;
        if taken.iter().any(|other| other.start < range.end && range.start < other.end) {
            continue;
        }
        let arena = module.arena(address);
        if region.map(address, arena.data, arena.code)? {
            taken.push(range);
            return Ok(Some(arena));
        }
    }
    Ok(None)
}

const THREADS: u64 = 4;
/// Functions that one turn is about.
const AT_ONCE: usize = 60;
/// Functions that a process has slots for, less those of the tests' own.
const MOST_ARMED: usize = 16_000;
/// Times that arming a batch is asked for: who stands inside says so, and leaves.
const ASKED_TO_ARM: usize = 300;
/// Free bytes around an arena.
const MARGIN: u64 = 64 << 10;
/// Places that are tried.
const MOST: u64 = 8192;
/// Left to a heap.
const HEAP: u64 = 512 << 20;
/// Where nothing is mapped from.
const LOWEST: u64 = 1 << 20;
