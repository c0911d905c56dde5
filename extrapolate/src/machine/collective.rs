//! Which algorithm a machine uses for which collective call, by size.
//!
//! What they take where n = 2^k ranks come at once, with `T(s)` for a message (`network.rs`) and `c` for what combining a byte takes:
//!
//! ```text
//!   linear               the root sends to, or takes from, one after the other       a scan: (n-1)·(T(s) + cs)
//!   binomial             broadcast k·T(s)     reduce k·(T(s) + cs)                    scatter, gather: sum over i < k of T(s·2^i)
//!   recursive doubling   allreduce, scan k·(T(s) + cs)                               allgather: sum of T(s·2^i); all-to-all: k·T(s·n/2)
//!   recursive halving    reduce-scatter: sum over 1 <= i <= k of T(s/2^i) + cs/2^i   allreduce: and the T(s/2^i) once more
//!   ring                 allgather (n-1)·T(s)                                        allreduce (n-1)·(2·T(s/n) + cs/n)
//!   pairwise             all-to-all (n-1)·T(s)                                       reduce-scatter (n-1)·(T(s/n) + cs/n)
//!   parts                broadcast: a scatter and an allgather in a ring of s/n      reduce: a pairwise reduce-scatter and a gather of s/n
//! ```

use std::collections::BTreeMap;

use crate::event::CollectiveKind;
use crate::identity::Bytes;
use crate::time::SimTime;

/// The collective calls of a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collectives {
    /// By kind, smallest sizes first. A kind that is not here takes the usual algorithms of MPICH.
    pub choices: BTreeMap<CollectiveKind, Vec<AlgorithmChoice>>,
    /// What combining a byte of two contributions takes.
    pub combine_per_byte: SimTime,
}

/// An algorithm for sizes up to a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlgorithmChoice {
    /// Up to this many bytes; `None` for all.
    pub up_to: Option<Bytes>,
    /// Which.
    pub algorithm: Algorithm,
}

/// How a collective call moves its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// The root, or the first rank, with each other one in turn.
    Linear,
    /// A binomial tree from or to the root; for all-to-all kinds one to the first rank and one back.
    Binomial,
    /// Exchanges at doubling distances.
    RecursiveDoubling,
    /// Exchanges at halving distances of ever smaller parts, by Rabenseifner.
    RecursiveHalving,
    /// Parts that go around.
    Ring,
    /// Each with each at growing distances.
    Pairwise,
    /// A part to, or of, each member first, and then all parts together, by van de Geijn.
    Parts,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Linear,
        Self::Binomial,
        Self::RecursiveDoubling,
        Self::RecursiveHalving,
        Self::Ring,
        Self::Pairwise,
        Self::Parts,
    ];

    /// The word for it in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Binomial => "binomial",
            Self::RecursiveDoubling => "recursive-doubling",
            Self::RecursiveHalving => "recursive-halving",
            Self::Ring => "ring",
            Self::Pairwise => "pairwise",
            Self::Parts => "parts",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Whether there is one of this kind.
    #[must_use]
    pub const fn does(self, kind: CollectiveKind) -> bool {
        use CollectiveKind as Kind;
        match kind {
            Kind::Broadcast | Kind::Reduce => {
                matches!(self, Self::Linear | Self::Binomial | Self::Parts)
            }
            Kind::Gather | Kind::Scatter => matches!(self, Self::Linear | Self::Binomial),
            Kind::Allreduce => matches!(
                self,
                Self::Binomial | Self::RecursiveDoubling | Self::RecursiveHalving | Self::Ring
            ),
            Kind::Allgather => matches!(self, Self::RecursiveDoubling | Self::Ring),
            Kind::Alltoall => matches!(self, Self::Pairwise | Self::RecursiveDoubling),
            Kind::ReduceScatter => matches!(self, Self::Pairwise | Self::RecursiveHalving),
            Kind::Scan => matches!(self, Self::Linear | Self::RecursiveDoubling),
        }
    }
}

impl Collectives {
    /// The algorithm of a call of so many members; one that does not do the kind gives way to the usual one.
    pub(crate) fn algorithm(&self, kind: CollectiveKind, bytes: Bytes, size: u32) -> Algorithm {
        let choices = self.choices.get(&kind).map(Vec::as_slice).unwrap_or_default();
        let fits = |choice: &&AlgorithmChoice| choice.up_to.is_none_or(|up_to| bytes <= up_to);
        let found = choices.iter().find(fits).or_else(|| choices.last());
        let chosen = found.map(|choice| choice.algorithm).filter(|chosen| chosen.does(kind));
        chosen.unwrap_or_else(|| usual(kind, bytes, size))
    }
}

/// What MPICH does, by the sizes of its releases from 1.2.6 to 3.x, without its special cases for a few members and odd counts.
///
/// Source: Thakur, Rabenseifner and Gropp, *Optimization of collective communication operations in MPICH*.
fn usual(kind: CollectiveKind, bytes: Bytes, size: u32) -> Algorithm {
    use CollectiveKind as Kind;
    let total = bytes.times(u64::from(size));
    match kind {
        Kind::Broadcast if bytes >= Bytes(12_288) && size >= 8 => Algorithm::Parts,
        Kind::Reduce if bytes > Bytes(2048) => Algorithm::Parts,
        Kind::Broadcast | Kind::Reduce | Kind::Gather | Kind::Scatter => Algorithm::Binomial,
        Kind::Allreduce if bytes > Bytes(2048) => Algorithm::RecursiveHalving,
        Kind::Allgather if total >= Bytes(524_288) => Algorithm::Ring,
        Kind::Alltoall if bytes <= Bytes(256) && size >= 8 => Algorithm::RecursiveDoubling,
        Kind::ReduceScatter if bytes < Bytes(524_288) => Algorithm::RecursiveHalving,
        Kind::Allreduce | Kind::Allgather | Kind::Scan => Algorithm::RecursiveDoubling,
        Kind::Alltoall | Kind::ReduceScatter => Algorithm::Pairwise,
    }
}

#[cfg(test)]
mod tests {
    use super::{Algorithm, Collectives};
    use crate::event::CollectiveKind;
    use crate::identity::Bytes;

    #[test]
    fn every_usual_algorithm_does_its_kind() {
        let plain = Collectives::default();
        for kind in CollectiveKind::ALL {
            for (bytes, size) in [(0, 2), (0, 1000), (1 << 30, 2), (1 << 30, 1000)] {
                assert!(plain.algorithm(kind, Bytes(bytes), size).does(kind), "{kind:?}");
            }
            assert!(Algorithm::ALL.into_iter().any(|algorithm| algorithm.does(kind)));
        }
    }
}
