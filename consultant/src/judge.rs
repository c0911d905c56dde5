//! Draws a verdict from evidence, and takes it back when the evidence turns.
//!
//! ```text
//!                up wins               down wins, and the whole life is not above
//!     Unknown ───────────► True ──────────────────────────► False
//!        │                  ▲                                 │
//!        │ down wins        └──────────── up wins ────────────┘   (only while it is measured on)
//!        └──────────────────────────────────────────────────► False
//! ```
//!
//! Two e-processes run against each other (`e_process.rs`): *up* refutes "never above the threshold", *down* refutes "never below it".
//! Whichever wins first decides; while neither does, the verdict stays Unknown, and a value on the threshold keeps it there
//! for ever. Each of them is played twice, with observations as they come and with longer ones, which share the error: many short ones tell soon of
//! what is steady, and longer ones of what comes and goes within them. After a verdict both start anew, with half the error, so that the errors of one node's verdicts add up to
//! less than twice the stated one.
//!
//! A verdict speaks of the time since the evidence for it began. A true verdict must also hold for the whole life of the
//! node: [`Judge::at_the_end`] and the way from True to False ask for that. So a slow start is not mistaken for the whole
//! program, and a phase that passed does not stay in the report.
//!
//! Scores (`score.rs`) lie in `[0, 1]`. Where less of the denominator comes than the hypothesis asks for, the score is nothing, whatever the
//! value is.

use whyperf_model::{Nanos, SURE, Time};

use crate::classic::ClassicVerdict;
use crate::e_process::EProcess;
use crate::hypothesis::Hypothesis;
use crate::run_amount::RunRatio;
use crate::score::Score;
use crate::settings::{Settings, Verdicts};
use crate::stream::Observation;
use crate::truth::Truth;

/// The evidence about one node.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    rule: Rule,
    truth: Truth,
    verdicts: i32,
    up: TestSide,
    down: TestSide,
    life: RatioSum,
    /// What was seen since the last longer observation.
    pooled: Option<Observation>,
    /// For how long too little of the denominator came to be the reason.
    rare: Nanos,
    /// Judges in the place of the e-processes.
    classic: Option<ClassicVerdict>,
}

/// What a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VerdictGround {
    pub(crate) truth: Truth,
    pub(crate) value: f64,
    pub(crate) confidence: f64,
    pub(crate) since: Time,
}

/// The part of hypothesis and settings that judging needs.
#[derive(Clone, Copy, Debug)]
struct Rule {
    score: Score,
    least: f64,
    /// Of the denominator, per nanosecond and process.
    rate: f64,
    least_time: Nanos,
    error_true: f64,
    error_false: f64,
}

/// A test with short and with long observations, and what was seen since its evidence began: since the surplus over the bar, which never falls below zero, was zero
/// last. That is where the mean of what follows lies above the bar all the way to now.
#[derive(Clone, Debug)]
struct TestSide {
    short: EProcess,
    long: EProcess,
    bar: f64,
    surplus: f64,
    since: Time,
    seen: RatioSum,
}

/// Numerator, denominator and time, added up.
#[derive(Clone, Copy, Debug, Default)]
struct RatioSum {
    numerator: f64,
    denominator: f64,
    time: Nanos,
}

impl Judge {
    /// No evidence yet.
    pub(crate) fn new(hypothesis: &Hypothesis, settings: &Settings) -> Self {
        let rule = Rule {
            score: Score::of(hypothesis),
            least: hypothesis.least,
            rate: hypothesis.rate / Hypothesis::rate_unit(hypothesis.denominator).factor(),
            least_time: settings.least_time,
            error_true: settings.error_true,
            error_false: settings.error_false,
        };
        let (up, down) = (rule.up(0), rule.down(0));
        let classic = match settings.verdicts {
            Verdicts::Sequential => None,
            Verdicts::Classic(rules) => Some(ClassicVerdict::new(rules)),
        };
        let (life, rare) = (RatioSum::default(), Nanos::ZERO);
        let (truth, pooled) = (Truth::Unknown, None);
        Self { rule, truth, verdicts: 0, up, down, life, pooled, rare, classic }
    }

    /// Takes in an observation; tells when it changes the verdict.
    pub(crate) fn observe(&mut self, seen: Observation) -> Option<VerdictGround> {
        let seen = Observation { numerator: seen.numerator * self.rule.score.factor(), ..seen };
        if self.rule.is_rare(&seen) {
            self.rare += seen.interval.length();
        }
        if self.classic.is_some() {
            return self.observe_classic(seen);
        }
        let score = self.rule.score_of(&seen);
        self.up.observe(score, seen);
        self.down.observe(1.0 - score, seen);
        if let Some(long) = self.pool(seen) {
            let score = self.rule.score_of(&long);
            self.up.long.observe(score);
            self.down.long.observe(1.0 - score);
        }
        self.life.add(seen);
        let truth = self.turn()?;
        let side = if truth == Truth::True { &self.up } else { &self.down };
        let ground = side.ground(truth);
        self.restart(truth);
        Some(ground)
    }

    /// The threshold is another one now. The verdict stays until the evidence turns.
    pub(crate) fn move_threshold(&mut self, threshold: f64) {
        self.rule.score.threshold = threshold;
        self.restart(self.truth);
    }

    /// Whether all that was ever seen is on the true side of the threshold.
    pub(crate) fn would_hold(&self) -> bool {
        self.life.value().is_some() && self.holds_for_life()
    }

    /// The same question once more, with what is known about the whole life kept.
    pub(crate) fn ask_again(&mut self) {
        self.restart(Truth::Unknown);
    }

    /// Whether a true node still is, all its life taken together.
    pub(crate) fn at_the_end(&self) -> Truth {
        let passed = self.truth == Truth::True && !self.holds_for_life();
        if passed { Truth::False } else { self.truth }
    }

    /// Another part of the search decided.
    pub(crate) fn overrule(&mut self, truth: Truth) {
        self.restart(truth);
    }

    /// The value over the whole life; `None` when nothing was seen.
    pub(crate) fn value(&self) -> Option<f64> {
        self.life.value()
    }

    /// The value that amounts over all of the run have.
    pub(crate) fn value_of(&self, run: RunRatio) -> f64 {
        run.numerator / run.denominator * self.rule.score.factor()
    }

    /// By how much the value over all of the run may be off, with 95 of 100; none where it was counted.
    pub(crate) fn error_of(&self, run: RunRatio) -> Option<f64> {
        (run.error > 0.0).then(|| SURE * run.error / run.denominator * self.rule.score.factor())
    }

    /// The same of the value over the whole life, of stack samples that stand for so much each.
    pub(crate) fn error_by(&self, period: Nanos) -> Option<f64> {
        let RatioSum { numerator, denominator, .. } = self.life;
        let factor = self.rule.score.factor();
        // A broken data source may tell amounts below nothing, which have no root.
        let (inside, all) = ((numerator / factor).max(0.0), denominator);
        let others = (1.0 - inside / all).max(0.0);
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let spread = (inside * period.0 as f64 * others).sqrt();
        (all > 0.0).then(|| SURE * spread / all * factor)
    }

    /// For how long it was measured.
    pub(crate) fn time(&self) -> Nanos {
        self.life.time
    }

    /// Whether it is undecided, and true more likely than not: worth looking ahead, not worth saying.
    pub(crate) fn leans_to_true(&self) -> bool {
        let is_promising =
            self.classic.is_none() && self.up.surplus > 0.0 && self.up.e_value() >= LEANING;
        self.truth == Truth::Unknown && is_promising
    }

    /// Takes in an observation under the rules of the classic verdict.
    fn observe_classic(&mut self, seen: Observation) -> Option<VerdictGround> {
        self.life.add(seen);
        let value = self.life.value()?;
        let mean = if self.is_mostly_rare() { self.rule.score.least() } else { value };
        let asked = (self.rule.score.operator, self.rule.score.threshold);
        let classic = self.classic.as_mut()?;
        let truth = classic.observe(mean, seen.interval, asked)?;
        let is_enough = self.life.denominator >= self.rule.least;
        if truth == self.truth || !is_enough {
            return None;
        }
        self.truth = truth;
        Some(VerdictGround { truth, value, confidence: 0.0, since: classic.since })
    }

    /// The verdict that the last observation changes to.
    fn turn(&self) -> Option<Truth> {
        if self.life.time < self.rule.least_time || self.life.denominator < self.rule.least {
            return None;
        }
        let (up, down) = (self.up.is_ripe(self.rule), self.down.is_ripe(self.rule));
        match self.truth {
            Truth::Unknown if up => Some(Truth::True),
            Truth::Unknown if down => Some(Truth::False),
            Truth::True if down && !self.holds_for_life() => Some(Truth::False),
            Truth::False if up => Some(Truth::True),
            _ => None,
        }
    }

    /// Puts observations together; what they are when that is long enough.
    fn pool(&mut self, seen: Observation) -> Option<Observation> {
        let pooled = self.pooled.take().map_or(seen, |before| before.followed_by(seen));
        if pooled.interval.length() >= LONG {
            return Some(pooled);
        }
        self.pooled = Some(pooled);
        None
    }

    fn is_mostly_rare(&self) -> bool {
        self.rare > self.life.time - self.rare
    }

    fn holds_for_life(&self) -> bool {
        if self.is_mostly_rare() {
            return false;
        }
        let Score { operator, threshold, .. } = self.rule.score;
        self.life.value().is_none_or(|value| operator.holds(value, threshold))
    }

    fn restart(&mut self, truth: Truth) {
        self.truth = truth;
        self.verdicts += 1;
        self.classic.iter_mut().for_each(ClassicVerdict::restart);
        self.pooled = None;
        self.up = self.rule.up(self.verdicts);
        self.down = self.rule.down(self.verdicts);
    }
}

impl Rule {
    /// Whether too little of the denominator comes to be the reason for anything.
    fn is_rare(self, seen: &Observation) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "no interval is of many days")]
        let time = seen.interval.length().0 as f64 * f64::from(seen.processes);
        self.rate > 0.0 && seen.denominator < self.rate * time
    }

    fn score_of(self, seen: &Observation) -> f64 {
        let is_rare = self.is_rare(seen);
        let value = if is_rare { self.score.least() } else { seen.numerator / seen.denominator };
        self.score.score(value)
    }

    fn up(self, verdicts: i32) -> TestSide {
        TestSide::new(self.score.bar(), halved(self.error_true, verdicts))
    }

    fn down(self, verdicts: i32) -> TestSide {
        TestSide::new(1.0 - self.score.bar(), halved(self.error_false, verdicts))
    }
}

impl TestSide {
    fn new(bar: f64, error: f64) -> Self {
        let [short, long] = PARTS.map(|part| EProcess::new(bar, part * error));
        Self { short, long, bar, surplus: 0.0, since: Time::ZERO, seen: RatioSum::default() }
    }

    fn observe(&mut self, score: f64, seen: Observation) {
        self.short.observe(score);
        if self.surplus <= 0.0 {
            self.since = seen.interval.start;
            self.seen = RatioSum::default();
        }
        self.surplus = (self.surplus + score - self.bar).max(0.0);
        self.seen.add(seen);
    }

    /// Won, and not by a short burst, nor by one that is over.
    fn is_ripe(&self, rule: Rule) -> bool {
        let is_refuted = self.short.is_refuted() || self.long.is_refuted();
        is_refuted && self.surplus > 0.0 && self.seen.time >= rule.least_time
    }

    /// The better of the two, with the part of the error that it has.
    fn e_value(&self) -> f64 {
        let [short, long] = PARTS;
        (short * self.short.e_value()).max(long * self.long.e_value())
    }

    fn ground(&self, truth: Truth) -> VerdictGround {
        VerdictGround {
            truth,
            value: self.seen.value().unwrap_or_default(),
            confidence: 1.0 - (1.0 / self.e_value()).min(1.0),
            since: self.since,
        }
    }
}

impl RatioSum {
    fn add(&mut self, seen: Observation) {
        self.numerator += seen.numerator;
        self.denominator += seen.denominator;
        self.time += seen.interval.length();
    }

    fn value(&self) -> Option<f64> {
        (self.denominator > 0.0).then(|| self.numerator / self.denominator)
    }
}

/// The parts of the error that short and long observations have. Whichever wins, the chance that it does by luck is at most the sum.
const PARTS: [f64; 2] = [0.6, 0.4];
/// How long a long observation is at least: two samples or three.
const LONG: Nanos = Nanos::from_millis(80);
/// Odds at which it is worth to look ahead.
const LEANING: f64 = 5.0;

/// Twenty halvings leave an error that no evidence reaches; more would only strain the numbers.
fn halved(error: f64, times: i32) -> f64 {
    (0..times.min(20)).fold(error, |error, _| error / 2.0)
}

#[cfg(test)]
mod tests {
    use whyperf_model::Interval;

    use super::*;
    use crate::hypothesis::Hypotheses;
    use crate::settings::Classic;

    const STEP: u64 = 50;

    fn judge(name: &str) -> Judge {
        let table = Hypotheses::built_in();
        let id = table.named(name).expect("it is in the table");
        Judge::new(table.row(id), &Settings::default())
    }

    /// Feeds values of the denominator 1000 per observation, and lists the verdicts with their times in milliseconds.
    fn verdicts(judge: &mut Judge, values: impl IntoIterator<Item = f64>) -> Vec<(u64, Truth)> {
        let mut found = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            let start = at as u64 * STEP;
            let interval = Interval::new(Time::from_millis(start), Time::from_millis(start + STEP));
            let seen = Observation {
                interval,
                numerator: value * 1000.0,
                denominator: 1000.0,
                processes: 1,
            };
            if let Some(ground) = judge.observe(seen) {
                found.push((start + STEP, ground.truth));
            }
        }
        found
    }

    #[test]
    fn the_error_of_an_estimate_is_a_number_whatever_was_seen() {
        for value in [-5.0, 0.0, 0.5, 1.0, 4.0] {
            let mut judge = judge("CPUbound");
            verdicts(&mut judge, [value]);
            let error = judge.error_by(Nanos::from_millis(6)).expect("it was seen");
            assert!(error >= 0.0, "{error} of {value}");
        }
    }

    #[test]
    fn clear_cases_conclude_within_a_second_or_little_more() {
        let first = |value: f64| {
            let found = verdicts(&mut judge("ExcessiveSyncWaitingTime"), vec![value; 60]);
            found.first().copied().expect("a clear case concludes")
        };
        assert_eq!(first(0.9), (500, Truth::True));
        assert_eq!(first(0.45).1, Truth::True);
        assert!(first(0.45).0 <= 600);
        assert_eq!(first(0.0).1, Truth::False);
        assert!(first(0.0).0 <= 1300, "{:?}", first(0.0));
    }

    #[test]
    fn what_comes_and_goes_within_a_long_observation_is_as_clear_as_what_is_steady() {
        let first = |values: [f64; 2]| {
            let values = (0..60).map(|at| values[at % 2]);
            verdicts(&mut judge("ExcessiveSyncWaitingTime"), values).first().copied()
        };
        let [steady, wavering] = [[0.45, 0.45], [0.9, 0.0]].map(first);
        let (steady, wavering) = (steady.expect("it is clear"), wavering.expect("so is it"));
        assert!(wavering.1 == Truth::True && wavering.0 <= 3 * steady.0, "{steady:?} {wavering:?}");
    }

    #[test]
    fn on_the_threshold_it_stays_unknown() {
        let mut judge = judge("ExcessiveSyncWaitingTime");
        let wavering = (0..2000).map(|at| if at % 2 == 0 { 0.21 } else { 0.19 });
        assert_eq!(verdicts(&mut judge, wavering), []);
        assert_eq!(judge.at_the_end(), Truth::Unknown);
    }

    #[test]
    fn a_slow_start_does_not_decide_for_the_run() {
        let mut judge = judge("ExcessiveSyncWaitingTime");
        let start = std::iter::repeat_n(0.0, 60).chain(std::iter::repeat_n(0.6, 60));
        let found = verdicts(&mut judge, start);
        let truths: Vec<_> = found.iter().map(|(_, truth)| *truth).collect();
        assert_eq!(truths, [Truth::False, Truth::True]);
        assert!(found[1].0 <= 4000, "{found:?}");
        assert_eq!(judge.value(), Some(0.3));
        assert_eq!(judge.at_the_end(), Truth::True);
    }

    #[test]
    fn the_ground_is_what_was_seen_since_the_change() {
        let mut judge = judge("ExcessiveSyncWaitingTime");
        let mut grounds = Vec::new();
        for at in 0..120 {
            let value = if at < 60 { 0.0 } else { 600.0 };
            let start = Time::from_millis(at * STEP);
            let interval = Interval::new(start, start + Nanos::from_millis(STEP));
            let seen =
                Observation { interval, numerator: value, denominator: 1000.0, processes: 1 };
            grounds.extend(judge.observe(seen));
        }
        let last = grounds.last().expect("a change of this size is found");
        assert_eq!((last.truth, last.value, last.since), (Truth::True, 0.6, Time::from_secs(3)));
    }

    #[test]
    fn false_alarms_stay_below_the_stated_error() {
        let mut state = 11_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % 1000
        };
        let mut alarms = 0;
        for _ in 0..3000 {
            // All or nothing, a fifth of the time: on the threshold, with the widest spread.
            let values: Vec<f64> = (0..200).map(|_| f64::from(next() < 200)).collect();
            let found = verdicts(&mut judge("ExcessiveSyncWaitingTime"), values);
            alarms += usize::from(found.iter().any(|(_, truth)| *truth == Truth::True));
        }
        assert!(alarms <= 30, "{alarms} of 3000 at an error of 0.01");
    }

    #[test]
    fn what_passes_turns_false() {
        let mut judge = judge("ExcessiveSyncWaitingTime");
        let burst = std::iter::repeat_n(1.0, 20).chain(std::iter::repeat_n(0.0, 200));
        let truths: Vec<_> = verdicts(&mut judge, burst).iter().map(|(_, truth)| *truth).collect();
        assert_eq!(truths, [Truth::True, Truth::False]);
    }

    #[test]
    fn below_is_as_steady_as_above() {
        let first = |value: f64| verdicts(&mut judge("TooManySmallIOOps"), vec![value; 60]);
        assert_eq!(first(64.0)[0].1, Truth::True);
        assert_eq!(first(1e6)[0].1, Truth::False);
        assert_eq!(first(4096.0), []);
    }

    #[test]
    fn a_rate_is_judged_per_second() {
        let mut table = Hypotheses::built_in();
        let row = "[[hypothesis]]\nname = \"Often\"\nmetric = \"io_ops / wall\"\noperator = \">\"\n\
                   threshold = \"100 ops/s\"\nmeaning = \"m\"\nadvice = \"a\"\n";
        table.extend("h.toml", row).expect("right");
        let row = table.row(table.named("Often").expect("added"));
        let judged = |verdicts: Verdicts, rate: f64| {
            let mut judge = Judge::new(row, &Settings { verdicts, ..Settings::default() });
            let mut found = Vec::new();
            for at in 0..800 {
                let start = Time::from_millis(at * STEP);
                let interval = Interval::new(start, start + Nanos::from_millis(STEP));
                let denominator = STEP as f64 * 1e6;
                let numerator = rate * STEP as f64 * 1e-3;
                let seen = Observation { interval, numerator, denominator, processes: 1 };
                found
                    .extend(judge.observe(seen).map(|ground| (ground.truth, ground.value.round())));
            }
            found
        };
        for verdicts in [Verdicts::Sequential, Verdicts::Classic(Classic::default())] {
            assert_eq!(judged(verdicts, 2e6), [(Truth::True, 2e6)]);
            assert_eq!(judged(verdicts, 150.0), [(Truth::True, 150.0)]);
            assert_eq!(judged(verdicts, 50.0), [(Truth::False, 50.0)]);
        }
    }

    #[test]
    fn nothing_against_a_threshold_of_nothing_is_a_draw() {
        for name in ["TooManySmallIOOps", "CPUbound"] {
            let mut judge = judge(name);
            judge.move_threshold(0.0);
            let found = verdicts(&mut judge, [vec![0.0; 60], vec![8.0; 60]].concat());
            assert!(judge.up.e_value().is_finite(), "{name}: {found:?}");
        }
    }

    /// The verdicts on two processes of which each has so much of the divisor in a step, and so much of the metric for it.
    fn truths(name: &str, denominator: f64, value: f64) -> (Vec<Truth>, Truth) {
        let mut judge = judge(name);
        let mut found = Vec::new();
        for at in 0..400 {
            let start = Time::from_millis(at * STEP);
            let interval = Interval::new(start, start + Nanos::from_millis(STEP));
            let denominator = 2.0 * denominator;
            let numerator = value * denominator;
            let seen = Observation { interval, numerator, denominator, processes: 2 };
            found.extend(judge.observe(seen).map(|ground| ground.truth));
        }
        (found, judge.at_the_end())
    }

    #[test]
    fn what_comes_rarely_is_not_the_reason() {
        let a_second = |messages: f64| messages * STEP as f64 * 1e-3;
        let of = |messages| truths("TooManySmallMessages", a_second(messages), 8.0);
        assert_eq!(of(1100.0), (vec![Truth::True], Truth::True));
        assert_eq!(of(900.0), (vec![Truth::False], Truth::False));
    }

    #[test]
    fn most_of_next_to_nothing_is_not_the_reason() {
        let part = |part: f64| part * STEP as f64 * 1e6;
        let of = |time| truths("PollingWhileOthersWait", part(time), 0.94);
        assert_eq!(of(0.012), (vec![Truth::True], Truth::True));
        assert_eq!(of(0.008), (vec![Truth::False], Truth::False));
    }

    #[test]
    fn few_operations_say_nothing() {
        let mut judge = judge("TooManySmallIOOps");
        let interval = |at: u64| Interval::new(Time::from_millis(at), Time::from_millis(at + STEP));
        for at in 0..90 {
            let one = Observation {
                interval: interval(at * STEP),
                numerator: 8.0,
                denominator: 1.0,
                processes: 1,
            };
            assert_eq!(judge.observe(one), None);
        }
    }
}
