//! The kinds of evidence that two things correspond, the weight of each, and its words.

use std::fmt;

use super::Mapped;

/// What two things are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ground {
    /// What they are called.
    Name,
    /// In which module functions are.
    Place,
    /// What is below them: functions of a module, tags of a communicator.
    Below,
    /// Which functions call them.
    Callers,
    /// Which functions they call.
    Callees,
    /// Which calls of MPI and of the system they make.
    Wrapped,
    /// Which objects code works on, or which code works on an object.
    Objects,
    /// Which shares of the time the search found there.
    Shares,
    /// Which ranks run on a machine.
    Ranks,
    /// Which of several it is: the first, the last.
    Position,
}

impl Ground {
    /// How much it counts, compared with the others that are known.
    pub(super) const fn weight(self) -> f64 {
        match self {
            Self::Name => 0.5,
            Self::Place => 0.1,
            Self::Callers | Self::Callees | Self::Objects => 0.2,
            Self::Wrapped | Self::Below | Self::Shares => 0.3,
            Self::Ranks | Self::Position => 1.0,
        }
    }

    /// Whether it says anything about the things themselves: a name can be that of anything.
    const fn is_of_substance(self) -> bool {
        !matches!(self, Self::Name | Self::Place | Self::Position)
    }
}

/// What one ground says.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchEvidence {
    /// What they were compared by.
    pub ground: Ground,
    /// How alike they are, from 0 to 1.
    pub similarity: f64,
    /// What they have in common, for people; empty where nothing is to be named.
    pub words: String,
}

impl fmt::Display for MatchEvidence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ground, similarity, words } = self;
        let is_alike = *similarity >= ALIKE;
        match ground {
            Ground::Name if *similarity >= 1.0 => out.write_str("same name"),
            Ground::Name if is_alike => write!(out, "names {:.0} % alike", similarity * 100.0),
            Ground::Name => out.write_str("other name"),
            Ground::Place if is_alike => out.write_str("in the same module"),
            Ground::Place => out.write_str("in another module"),
            Ground::Below => write!(out, "{words}below it {:.0} % the same", similarity * 100.0),
            Ground::Callers if is_alike => write!(out, "called by {words}"),
            Ground::Callers => out.write_str("called by others"),
            Ground::Callees if is_alike => write!(out, "calls {words}"),
            Ground::Callees => out.write_str("calls other functions"),
            Ground::Wrapped if is_alike => write!(out, "makes calls of {words}"),
            Ground::Wrapped => out.write_str("makes other calls"),
            Ground::Objects if is_alike => write!(out, "{words}"),
            Ground::Objects => out.write_str("used otherwise"),
            Ground::Shares => write!(out, "{words}"),
            Ground::Ranks | Ground::Position => write!(out, "{words}"),
        }
    }
}

/// From this on things are alike in something.
pub(super) const ALIKE: f64 = 0.5;

/// Without anything but a name nothing is sure, nor where another one fits about as well.
pub(super) const DOUBTED: f64 = 0.75;
/// By so much of their similarity names differ that are alike enough.
const TIE: f64 = 0.01;

/// How sure it is that two things are one: the mean of what is known. Neither a name alone nor another name is ever sure.
pub(super) fn confidence(grounds: &[(Ground, f64)]) -> f64 {
    let weight: f64 = grounds.iter().map(|(ground, _)| ground.weight()).sum();
    let sum: f64 = grounds.iter().map(|(ground, similarity)| ground.weight() * similarity).sum();
    let mean = sum / weight.max(f64::MIN_POSITIVE);
    let is_founded =
        grounds.iter().any(|(ground, similarity)| ground.is_of_substance() && *similarity >= ALIKE);
    let is_named =
        grounds.iter().any(|(ground, similarity)| *ground == Ground::Name && *similarity >= ALIKE);
    // Kept apart by a little, so that the likelier one stays ahead.
    if is_founded && is_named { mean } else { mean.min(DOUBTED - TIE * (1.0 - mean)) }
}

/// All that is known, in words, after a number that says how sure it is.
pub(super) fn comment(mapped: &Mapped) -> String {
    // Cut, not rounded: what is not quite sure must not look so.
    let confidence = (mapped.confidence * 100.0).floor() / 100.0;
    let sure = if mapped.is_sure() { "" } else { ", please check" };
    let words: Vec<String> = mapped.evidence.iter().map(ToString::to_string).collect();
    format!("confidence {confidence:.2}{sure}: {}", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_alone_makes_nothing_sure() {
        let named = |similarity| confidence(&[(Ground::Name, similarity), (Ground::Place, 1.0)]);
        assert!(named(0.8) < named(0.9) && named(0.9) < named(1.0), "the nearer name stays nearer");
        assert!(named(1.0) <= DOUBTED && DOUBTED < Mapped::SURE);
        let founded = confidence(&[(Ground::Name, 0.9), (Ground::Shares, 0.9)]);
        assert!(founded >= Mapped::SURE, "{founded}");
        let unlike = confidence(&[(Ground::Name, 0.9), (Ground::Shares, 0.1)]);
        assert!(unlike < 0.7, "{unlike}");
        let renamed = confidence(&[(Ground::Objects, 1.0), (Ground::Shares, 1.0)]);
        assert!(renamed <= DOUBTED, "{renamed}");
    }
}
