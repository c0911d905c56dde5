//! How long two operands took, and whether one of them is slower.

use serde::Serialize;

use super::operand::Operand;
use crate::program_event::{Delta, DiscreteDistance, Outlook};

/// How the second operand's time compares with the first's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum WallVerdict {
    /// It took longer.
    #[serde(rename = "slower")]
    Slower,
    /// It took less.
    #[serde(rename = "faster")]
    Faster,
    /// What lies between them is no more than chance, or too little to matter.
    #[serde(rename = "no difference")]
    NoDifference,
}

/// The times of two operands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedWall {
    /// Seconds of the first, as the mean of its trials.
    pub a_s: f64,
    /// Seconds of the second.
    pub b_s: f64,
    /// What the second took more, as a share of the first; none where that took no time.
    pub change: Option<f64>,
    /// Standard deviation of the trials of each, in seconds; none of a single trial.
    pub spread: [Option<f64>; 2],
    /// What that comes to.
    pub verdict: WallVerdict,
    /// How many trials on each side would settle it, as far as these tell; none where it is settled, or cannot be.
    pub trials_to_settle: Option<u32>,
}

/// The times of two operands; none where one of them has no runs.
pub(super) fn compared(a: &Operand, b: &Operand, delta: &Delta) -> Option<ComparedWall> {
    let (of_a, of_b) = (a.walls()?, b.walls()?);
    let (a_s, b_s) = (of_a.mean()?, of_b.mean()?);
    let verdict = match delta.distance(&of_a, &of_b) {
        DiscreteDistance::Differs if b_s > a_s => WallVerdict::Slower,
        DiscreteDistance::Differs => WallVerdict::Faster,
        DiscreteDistance::Alike | DiscreteDistance::Unknown => WallVerdict::NoDifference,
    };
    let trials_to_settle = match delta.outlook(&of_a, &of_b) {
        Outlook::Trials(trials) => Some(trials),
        Outlook::Settled | Outlook::OutOfReach | Outlook::SpreadUnknown => None,
    };
    Some(ComparedWall {
        a_s,
        b_s,
        change: (a_s > 0.0).then(|| b_s / a_s - 1.0),
        spread: [of_a.spread(), of_b.spread()],
        verdict,
        trials_to_settle,
    })
}
