//! The phases of a run that the program does not announce: when they begin, and their names.

use std::time::Duration;

use clap::Args;
use whyperf_model::{Efficiency, Effort};

use crate::search::values::seconds;

/// What begins a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct Phasing {
    /// Search anew from these moments on, in seconds since the start, beside the search over the whole run
    #[arg(long, value_name = "SECONDS", value_parser = seconds, value_delimiter = ',')]
    #[arg(env = "WHYPERF_PHASE_AT", hide_env_values = true)]
    pub(crate) phase_at: Vec<Duration>,
    /// The same again and again, so many seconds after each other
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    #[arg(env = "WHYPERF_PHASE_EVERY", hide_env_values = true)]
    pub(crate) phase_every: Option<Duration>,
    /// Take no notice of the phases that the program announces, or that a stored run had
    #[arg(long)]
    pub(crate) no_phases: bool,
}

/// What a reader should know when there were more.
pub(crate) const MORE: &str =
    "More phases began than are told apart: the last one goes on to the end.";

/// How well the ranks used the time of each phase, of what each had done when it began and what they have done by now.
pub(crate) fn efficiencies(begun: &[Vec<Effort>], now: &[Effort]) -> Vec<Option<Efficiency>> {
    let ends = begun.iter().skip(1).map(Vec::as_slice).chain([now]);
    begun.iter().zip(ends).map(|(begin, end)| Efficiency::between(begin, end)).collect()
}

/// The moments that are still to come.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Schedule {
    /// Latest first.
    at: Vec<Duration>,
    every: Option<Duration>,
    next: Duration,
    begun: usize,
}

impl Schedule {
    /// As the command line says.
    pub(crate) fn of(phasing: &Phasing) -> Self {
        let mut at = phasing.phase_at.clone();
        at.sort_by(|one, other| other.cmp(one));
        let next = phasing.phase_every.unwrap_or_default();
        Self { at, every: phasing.phase_every, next, begun: 0 }
    }

    /// Whether a moment has come since the last question. Several at once are one.
    pub(crate) fn is_due(&mut self, elapsed: Duration) -> bool {
        let still = self.at.partition_point(|moment| *moment > elapsed);
        let mut is_due = still < self.at.len();
        self.at.truncate(still);
        if let Some(every) = self.every {
            while self.next <= elapsed {
                self.next += every;
                is_due = true;
            }
        }
        is_due
    }

    /// The name of a phase that was given none.
    pub(crate) fn next_name(&mut self) -> String {
        self.begun += 1;
        format!("#{}", self.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_moment_is_due_once() {
        let second = Duration::from_secs;
        let phase_at = vec![second(7), second(2)];
        let phasing = Phasing { phase_at, phase_every: Some(second(5)), ..Phasing::default() };
        let mut schedule = Schedule::of(&phasing);
        let due: Vec<u64> = (0..=16).filter(|at| schedule.is_due(second(*at))).collect();
        assert_eq!(due, [2, 5, 7, 10, 15]);
        assert!(!Schedule::default().is_due(second(100)));
    }
}
