//! A random program that knows its own truth: a tree of functions with what each does.
//!
//! ```text
//!   main ─┬─ thread ─┬─ f0 ─┬─ f1 ── f3      each round: own work, then the callees in order, then sleep
//!         └─ thread ─┘      └─ f2            f2 may end in a jump to its last callee, f3 may call itself, ...
//! ```
//! A function takes its own time by the clock of the thread's processor time, with its callees for the outermost call only, and
//! without them for each. One that ends in a jump cannot: its caller takes the time for it. An inlined one is a part of its caller.

use std::time::Duration;

use super::function::{MILLI, RandomFunction};
use super::generator::Generator;
use super::kind::ProgramKind;
use super::manner::FunctionManner;
use super::tree;

/// The program.
#[derive(Clone, Debug)]
pub(super) struct GeneratedProgram {
    pub(super) kind: ProgramKind,
    pub(super) functions: Vec<RandomFunction>,
    /// How many run at once.
    pub(super) threads: u64,
    /// Of each thread; where threads are short, how many of them there are.
    pub(super) rounds: u64,
    /// The first round of the second phase.
    pub(super) switch: u64,
    /// Whether the first function is entered once and has all rounds inside.
    pub(super) is_entered_once: bool,
}

/// The parts of a function in the time of the two phases, and of both together.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedShares {
    pub(super) phases: [f64; 2],
    pub(super) run: f64,
}

impl GeneratedProgram {
    /// One that computes for about so many seconds in each thread.
    pub(super) fn random(random: &mut Generator, kind: ProgramKind, seconds: u64) -> Self {
        let mut functions = tree::planted(random, kind);
        let threads = if random.one_in(3) { 2 } else { 1 };
        let is_entered_once = random.one_in(2) && kind != ProgramKind::ShortThreads;
        tree::form(&mut functions, random, kind);
        let micros = seconds * 1000 * MILLI;
        let mut program = Self { kind, functions, threads, rounds: 0, switch: 0, is_entered_once };
        match kind {
            ProgramKind::ShortThreads => {
                program.threads = 1 + random.below(3);
                program.rounds = (micros * program.threads).div_ceil(MEAN_LIFE);
                program.switch = program.rounds;
            }
            ProgramKind::Phases => {
                program.heat(random);
                let part = 35 + random.below(31);
                let [first, second] = [0, 1].map(|phase| program.round(phase));
                let of_first = 2 * micros * part / 100;
                program.switch = of_first.div_ceil(first);
                program.rounds = program.switch + (2 * micros - of_first).div_ceil(second);
            }
            _ => {
                program.rounds = micros.div_ceil(program.round(0));
                program.switch = program.rounds;
            }
        }
        program
    }

    /// Makes one function the hot one of each phase.
    fn heat(&mut self, random: &mut Generator) {
        let others = self.functions.len() as u64 - 1;
        let mut at = || 1 + usize::try_from(random.below(others)).unwrap_or(0);
        let (first, mut second) = (at(), at());
        if first == second {
            second = 1 + first % (self.functions.len() - 1);
        }
        for (phase, hot, cold) in [(0, first, second), (1, second, first)] {
            self.functions[cold].work[phase] = 0;
            let rest = self.round(phase) - self.functions[hot].work[phase];
            self.functions[hot].work[phase] = rest.max(10 * MILLI);
        }
    }

    /// Microseconds that all functions compute in a round of a phase.
    fn round(&self, phase: usize) -> u64 {
        self.functions.iter().map(|one| one.work[phase]).sum()
    }

    /// The same for a function and all that it calls.
    fn inclusive(&self, at: usize, phase: usize) -> u64 {
        let function = &self.functions[at];
        let callees = function.callees.iter().map(|callee| self.inclusive(*callee, phase));
        function.work[phase] + callees.sum::<u64>()
    }

    /// The part of a function in the time of each phase and of the whole run, by its plan; none where there are no phases.
    pub(super) fn planned(&self, at: usize) -> Option<PlannedShares> {
        let rounds = [self.switch, self.rounds - self.switch];
        let naps: u64 = self.functions.iter().map(RandomFunction::nap).sum();
        let seconds =
            |phase: usize, micros| Duration::from_micros(rounds[phase] * micros).as_secs_f64();
        let inside = [0, 1].map(|phase| seconds(phase, self.inclusive(at, phase)));
        let all = [0, 1].map(|phase| seconds(phase, self.round(phase) + naps));
        let phases = [0, 1].map(|phase| inside[phase] / all[phase]);
        let run = (inside[0] + inside[1]) / (all[0] + all[1]);
        (rounds[1] > 0).then_some(PlannedShares { phases, run })
    }

    /// The compiled function that calls one, where it returns to it.
    pub(super) fn caller(&self, callee: usize) -> Option<usize> {
        let calls = |one: &RandomFunction| one.callees.contains(&callee);
        let caller = self.functions.iter().position(calls)?;
        match self.functions[caller].manner {
            FunctionManner::Inlined => self.caller(caller),
            manner if manner.jumps() => None,
            _ => Some(caller),
        }
    }
}

/// Microseconds that a short thread lives, in the mean.
const MEAN_LIFE: u64 = 160 * MILLI;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_brings_the_same_program() {
        for kind in ProgramKind::ALL {
            let text =
                |seed| GeneratedProgram::random(&mut Generator::seeded(seed), kind, 4).text();
            assert_eq!(text(7), text(7));
            assert_ne!(text(7), text(8));
        }
    }

    #[test]
    fn another_function_is_the_hot_one_in_each_phase() {
        for seed in 0..500 {
            let program =
                GeneratedProgram::random(&mut Generator::seeded(seed), ProgramKind::Phases, 4);
            let hottest = |phase: usize| {
                let own = |at: &usize| program.functions[*at].work[phase];
                (0..program.functions.len()).max_by_key(own)
            };
            assert_ne!(hottest(0), hottest(1), "{program:?}");
            assert!(0 < program.switch && program.switch < program.rounds, "{program:?}");
        }
    }

    #[test]
    fn the_whole_program_is_in_its_first_function() {
        for seed in 0..100 {
            let program =
                GeneratedProgram::random(&mut Generator::seeded(seed), ProgramKind::Phases, 4);
            assert_eq!(
                [0, 1].map(|phase| program.inclusive(0, phase)),
                [0, 1].map(|phase| program.round(phase))
            );
            assert_eq!(program.caller(0), None);
        }
    }
}
