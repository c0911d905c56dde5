//! A machine that runs a program now faster, now slower, and holds up single processes.
//!
//! Measured with Poisson's solver on 2 processors at a load of 7 to 10, 28 Nov 2026: the processor time of four ranks together varied by 8 %
//! from run to run; that of a rank beside the others by 3 %, and in one run of five one rank was 10 to 18 % off; calls of a function by rank
//! varied by 0.4 %.

/// How much runs vary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    /// All processes of a run, as a share: one standard deviation.
    pub(crate) of_run: f64,
    /// A process beside the others.
    pub(crate) of_process: f64,
    /// How often a run has a process that was held up, or spared.
    pub(crate) held_up: f64,
    /// By which share such a process is off.
    pub(crate) by: f64,
}

impl Noise {
    /// Beside other programs.
    pub(crate) const BUSY: Self = Self { of_run: 0.08, of_process: 0.03, held_up: 0.2, by: 0.15 };
    /// As the same, with twice of everything.
    pub(crate) const CROWDED: Self = Self { of_run: 0.16, of_process: 0.06, held_up: 0.4, by: 0.3 };
}

/// Numbers of chance: `SplitMix64`, of a fixed seed.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 up to 1.
    pub(crate) fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A factor about one, with this standard deviation of its logarithm.
    pub(crate) fn factor(&mut self, deviation: f64) -> f64 {
        let (radius, angle) = (1.0 - self.share(), self.share());
        let normal = (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos();
        (deviation * normal).exp()
    }
}

/// What a machine does to one run.
pub(crate) struct Circumstances {
    pub(crate) of_run: f64,
    /// By process.
    pub(crate) of_process: Vec<f64>,
}

impl Noise {
    pub(crate) fn circumstances(self, chance: &mut Chance, processes: usize) -> Circumstances {
        let of_run = chance.factor(self.of_run);
        let mut of_process: Vec<f64> =
            (0..processes).map(|_| chance.factor(self.of_process)).collect();
        if chance.share() < self.held_up {
            let position = (chance.share() * processes as f64) as usize;
            let is_slower = chance.share() < 0.5;
            of_process[position] *= if is_slower { 1.0 + self.by } else { 1.0 / (1.0 + self.by) };
        }
        Circumstances { of_run, of_process }
    }
}
