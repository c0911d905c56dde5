//! What the operating system takes away: every so often, for so long, at another phase on each rank.

use crate::identity::Rank;
use crate::time::SimTime;

/// Regular detours of every processor. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// From the start of one to the start of the next; zero for none.
    pub period: SimTime,
    /// How long each is.
    pub length: SimTime,
    /// What the phases of the ranks are drawn from.
    pub seed: u64,
}

impl Noise {
    /// How much a stretch of computing is prolonged that starts at this time.
    pub(crate) fn prolongs(&self, rank: Rank, start: SimTime, span: SimTime) -> SimTime {
        if self.period.is_zero() || self.length.is_zero() {
            return SimTime::ZERO;
        }
        let period = self.period.as_nanos();
        let phase = self.phase(rank) * period;
        let before = |time: f64| ((time - phase) / period).ceil();
        let detours = before((start + span).as_nanos()) - before(start.as_nanos());
        self.length * detours.max(0.0)
    }

    /// Between 0 and 1, by SplitMix64.
    fn phase(&self, rank: Rank) -> f64 {
        let mut bits =
            self.seed.wrapping_add(u64::from(rank.0).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Noise;
    use crate::identity::Rank;
    use crate::time::SimTime;

    #[test]
    fn as_many_detours_as_periods_whatever_the_cuts() {
        let noise = Noise { period: SimTime::micros(10.0), length: SimTime::micros(1.0), seed: 7 };
        let total: SimTime = (0..1000)
            .map(|part| {
                let start = SimTime::micros(f64::from(part) * 3.0);
                noise.prolongs(Rank(3), start, SimTime::micros(3.0))
            })
            .sum();
        assert!((total.as_nanos() - 300_000.0).abs() < 1.0, "{total}");
    }
}
