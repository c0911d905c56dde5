//! One finding of a search, with its reasons and what to try.

use std::borrow::Cow;

use serde::Serialize;
use whyperf_model::{Focus, Interval, Time};

use crate::split::Split;
use crate::step::Origin;
use crate::stretch::Stretch;

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Bottleneck {
    /// What is wrong.
    pub hypothesis: Cow<'static, str>,
    /// Where.
    pub focus: Focus,
    /// The value over this interval.
    pub value: f64,
    /// By how much it may be off, with 95 of 100, where it is an estimate by stack samples; none where it was counted.
    pub error: Option<f64>,
    /// All of the run where it is known for that, once that is over; else the time in which it was measured.
    pub interval: Interval,
    /// The parts of this interval in which it happened, where it clearly did not happen all the time.
    pub happened: Vec<Stretch>,
    /// What it is compared with.
    pub threshold: f64,
    /// The sign of the comparison.
    pub operator: char,
    /// When it was found.
    pub found: Time,
    /// When the evidence began that it was found by.
    pub since: Time,
    /// One less the chance that this evidence was luck.
    pub confidence: f64,
    /// The share of the time that was measured: all of it, unless it is passed too often for that.
    pub coverage: f64,
    /// Where the idea came from to ask.
    pub origin: Origin,
    /// What it says of processes and machines.
    pub split: Split,
    /// Whether nothing more specific was found below it.
    pub leaf: bool,
    /// How deep in its branch it stands; zero at the top.
    pub depth: usize,
    /// What it means.
    pub meaning: Cow<'static, str>,
    /// What to try.
    pub advice: Cow<'static, str>,
}
