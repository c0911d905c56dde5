//! One function of a process in one interval: what was measured, and how an amount of it is scaled up to the whole
//! interval.

use whyperf_model::Nanos;

use crate::pc_samples::PcSamples;

/// What an interval showed of one function of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FunctionInterval {
    /// How long the process lived in it.
    pub(crate) lived: Nanos,
    /// How long it had lived by its end.
    pub(crate) age: Nanos,
    /// How long it had lived before the function was on, in the interval in which that came.
    pub(crate) late: Option<Nanos>,
    /// For how long the function was on.
    pub(crate) covered: Nanos,
    /// How long the process ran while the function was off, between two times in which it was on.
    pub(crate) missed: Nanos,
    /// How long it would have run for what it did while the function was on, had it not been measured.
    pub(crate) needed: Nanos,
    /// Calls in each nanosecond that the process runs, if the interval says.
    pub(crate) pace: Option<f64>,
    /// How long the process ran in windows in which nothing was called.
    pub(crate) idle: Nanos,
    /// Calls that ended.
    pub(crate) visits: u64,
    /// Its own time, in ticks.
    pub(crate) own: u64,
    /// What PC samples said of it, if it is too hot.
    pub(crate) pc_samples: Option<PcSamples>,
    /// The same, in each nanosecond of the process's life since amounts were told last.
    pub(crate) density: Option<f64>,
    pub(crate) calls_others: bool,
    pub(crate) state: IntervalState,
}

/// Whether the function was on in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum IntervalState {
    /// It is not on yet.
    #[default]
    Waiting,
    /// It is on from here on.
    Beginning,
    /// It was on, but for times in which it had to rest.
    On,
    /// It was switched off in the middle, for being too hot.
    Ending,
    /// It is off, or on only in measurement windows.
    Window,
}

impl FunctionInterval {
    /// Whether it was never on by then.
    pub(crate) fn is_blank(&self) -> bool {
        self.state == IntervalState::Waiting
    }

    /// Whether amounts of the interval can be told.
    pub(crate) fn is_evidence(&self) -> bool {
        self.state != IntervalState::Window || !(self.covered.is_zero() || self.needed.is_zero())
    }

    /// Whether amounts of the interval stand for themselves.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_evidence() && !self.is_partial()
    }

    /// Whether it had to rest for more than a moment.
    pub(crate) fn is_partial(&self) -> bool {
        let rest = self.lived - self.covered;
        self.state == IntervalState::On && !self.covered.is_zero() && rest.0 > self.lived.0 / 20
    }

    /// What an amount comes to that stands for the whole interval.
    pub(crate) fn scaled(&self, amount: f64, kind: AmountKind) -> f64 {
        let scaled = amount * self.factor();
        let is_sampled = kind == AmountKind::Time && self.state == IntervalState::Window;
        let Some(density) = self.density.filter(|_| is_sampled && self.is_evidence()) else {
            return scaled;
        };
        let sampled = density * nanos(self.lived);
        if self.calls_others { sampled.max(scaled) } else { sampled }
    }

    /// By how much an amount is to be multiplied to stand for the whole interval.
    fn factor(&self) -> f64 {
        match self.state {
            IntervalState::Window if !self.is_evidence() => 0.0,
            IntervalState::Window => {
                (self.lived.as_secs_f64() / self.needed.as_secs_f64()).max(1.0)
            }
            IntervalState::On if self.is_partial() => {
                (self.lived.as_secs_f64() / self.needed.as_secs_f64()).max(1.0)
            }
            _ => 1.0,
        }
    }
}

/// Which kind of amount a contribution is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AmountKind {
    /// Something that only events tell of.
    #[default]
    Events,
    /// Nanoseconds of running, of which samples tell, too.
    Time,
}

/// A time as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
pub(crate) fn nanos(time: Nanos) -> f64 {
    time.0 as f64
}
