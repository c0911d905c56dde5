//! Numbers without order, the same for the same seed; tests need no secrets.

/// A linear congruential generator, of which the upper half is used.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    /// Seeds that follow each other give sequences that have nothing in common: they are mixed as splitmix64 does it.
    pub(super) const fn new(seed: u64) -> Self {
        let mut mixed = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self(mixed ^ (mixed >> 31))
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// Both ends included.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub(super) fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    /// Of the normal distribution with the mean zero and the standard deviation one, nearly: a sum of twelve.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.real(0.0, 1.0)).sum::<f64>() - 6.0
    }
}
